"""The inputs of a builtin's checks: those that its author gives, those that are generated, and variations of both.

The numbers are random but the same in every run, as they are seeded with the builtin's name.
"""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from opbook.autodiff import tree
from opbook.builtins.builtin import Builtin
from opbook.builtins.signature import CallShape
from opbook.builtins.specs import Binding, MaskSpec
from opbook.checks.choices import Choice, choices
from opbook.checks.generation import dimensions, given_by, kinds_for, placed
from opbook.checks.maker import Maker
from opbook.checks.refusals import refusal
from opbook.checks.samples import Draw, Sample
from opbook.errors import DeclarationError


@dataclass
class Inputs:
    """What a builtin is checked with.

    Attributes:
        samples: Inputs that it takes.
        refused: The message for each generated input that it refuses on purpose, by label.
    """

    samples: list[Sample] = field(default_factory=list)
    refused: dict[str, str] = field(default_factory=dict)

    def takes(self, op: Builtin, sample: Sample) -> bool:
        """Add a sample unless the builtin refuses it."""
        message = refusal(op, sample.args, sample.kwargs)
        if message:
            self.refused[sample.label] = message
        else:
            self.samples.append(sample)
        return not message


def samples_of(op: Builtin) -> list[Sample]:
    """Make the samples of a builtin's checks; see `inputs_of`."""
    return inputs_of(op).samples


def inputs_of(op: Builtin) -> Inputs:
    """Make the inputs of a builtin's checks.

    Raises:
        DeclarationError: None could be generated from the annotations, and there are no samples.
    """
    draw = Draw(op.name)
    own = [sample for sample in _own_samples(op, draw) if not sample.is_refused]
    found = Inputs(list(own))
    reasons: list[str] = []
    for shape in op.call_shapes:
        bases: list[_Base] = []
        try:
            for kind in kinds_for(shape):
                sample = kind.sample(shape, draw)
                if found.takes(op, sample):
                    bases += [_Base(sample, binding, kind.together) for binding in _room(shape, sample, kind.varied)]
        except DeclarationError as error:
            reasons.append(str(error))
        alone = not bases  # then the author's first input stands for those that could not be generated
        for sample in own:
            for binding in _room(shape, sample, sample.is_smooth):
                bases.append(_Base(sample, binding, together=alone))
                alone = False
        _vary(op, shape, bases, draw, found)
    found.samples = [replace(s, is_smooth=s.is_smooth and draw.stopped.isdisjoint(s.kwargs)) for s in found.samples]
    if not any(_has_entries(sample) for sample in found.samples):
        why = "; ".join(reasons) or "it refused random numbers of either sign"
        raise DeclarationError(f"{op.name}: no inputs can be generated ({why}); give it some with @{op.name}.samples")
    return found


def small_sample(op: Builtin) -> Sample | None:
    """Make one small input whose numbers have one decimal, so that a reader can follow it by hand.

    Returns:
        An input that the first call shape accepts; None if there is none that has entries.
    """
    draw = Draw(op.name, decimals=1)
    shape = op.call_shapes[0]
    for sizes in ((2, 3, 2, 2), (3, 2)):
        maker = Maker(sizes, draw, records=1)
        try:
            given = {p.name: maker.make(p.spec, p.name) for p in shape.params if p.required}
        except DeclarationError:
            break
        sample = placed(shape, "a small example", given)
        is_telling = sizes[0] == 3 or len(maker.sizes) != 1  # rows of 2 show little
        if is_telling and not refusal(op, sample.args, sample.kwargs):
            return sample
    own = (sample for sample in _own_samples(op, draw) if sample.is_smooth and not sample.is_refused)
    fitting = [sample for sample in own if _has_entries(sample) and dimensions(shape, sample) is not None]
    return min(fitting, key=_hard_to_follow, default=None)


def _hard_to_follow(sample: Sample) -> tuple[bool, int]:
    """A single head does not show what several are for; a few numbers show more than one, and more are too many."""
    is_alone = any(type(argument) in (tuple, list) and len(argument) == 1 for argument in sample.args)
    numbers = sum(np.size(leaf) for leaf in tree.leaves(sample.args) if isinstance(leaf, np.ndarray))
    return is_alone, abs(6 - numbers)


def edges_of(op: Builtin) -> list[Sample]:
    """List the inputs at edges that the samples of a builtin's own plugin name.

    Those of other plugins are about how their rules work, and not about what the builtin means.
    """
    package = op.__module__.partition(".")[0]
    modules = [module for module in op.samplers if module.partition(".")[0] == package]
    draw = Draw(op.name)
    given = itertools.chain.from_iterable(op.samplers[module](draw) for module in sorted(modules))
    return [sample for sample in map(_declared, given, itertools.count()) if sample.is_edge]


def refused_by(op: Builtin) -> list[Sample]:
    """List the calls that a builtin must refuse."""
    return [sample for sample in _own_samples(op, Draw(op.name)) if sample.is_refused]


def _own_samples(op: Builtin, draw: Draw) -> list[Sample]:
    """What `samples` give: those of the builtin's own plugin first, so that others do not change their numbers."""
    package = op.__module__.partition(".")[0]
    modules = sorted(op.samplers, key=lambda module: (module.partition(".")[0] != package, module))
    given = itertools.chain.from_iterable(op.samplers[module](draw) for module in modules)
    return [_declared(one, i) for i, one in enumerate(given)]


def _has_entries(sample: Sample) -> bool:
    """An input without any numbers proves next to nothing."""
    return all(leaf.size for leaf in tree.leaves(sample.args) if isinstance(leaf, np.ndarray))


def _declared(given: Any, i: int) -> Sample:
    if isinstance(given, Sample):
        return replace(given, label=given.label or f"sample {i + 1}")
    return Sample(f"sample {i + 1}", given if isinstance(given, tuple) else (given,))


# ------------------------------------------------------------------------------------------ variations of the optional


@dataclass(frozen=True)
class _Base:
    """An input on top of which options are tried."""

    sample: Sample
    sizes: Binding
    together: bool


def _room(shape: CallShape, sample: Sample, wanted: bool) -> list[Binding]:
    """The sizes of a sample on which options shall be tried; none if it is of another call shape."""
    sizes = dimensions(shape, sample) if wanted else None
    return [] if sizes is None else [sizes]


def _vary(op: Builtin, shape: CallShape, bases: list[_Base], draw: Draw, found: Inputs) -> None:
    """Each optional argument in turn, on a base that takes it, and at last all of them that go together."""
    turn = itertools.count()
    for param in shape.params:
        if param.required:
            continue
        options = [{choice.label: choice for choice in choices(param, base.sizes, draw)} for base in bases]
        for label in dict.fromkeys(label for option in options for label in option):
            message = ""
            for i in _turned(bases, next(turn)):
                base, choice = bases[i].sample, options[i].get(label)
                if choice is None or param.name in given_by(shape, base):
                    continue
                sample = _with_option(shape, base, param.name, choice)
                message = refusal(op, sample.args, sample.kwargs)
                if not message:
                    found.samples.append(sample)
                    break
            if message:
                found.refused[f"{param.name} {label}"] = message
    found.samples += _together(op, shape, bases, draw)


def _turned(bases: list[_Base], turn: int) -> list[int]:
    """The numbers of the bases, not always beginning with the same one; those that give an option already come last."""
    plain = [i for i, base in enumerate(bases) if not base.sample.kwargs]
    first = turn % len(plain) if plain else 0
    return [*plain[first:], *plain[:first], *(i for i, base in enumerate(bases) if base.sample.kwargs)]


def _with_option(shape: CallShape, base: Sample, name: str, choice: Choice) -> Sample:
    label, kwargs = f"{base.label}, {name} {choice.label}", {**base.kwargs, name: choice.value}
    # what two masks leave together may be nothing
    is_edge = base.is_edge or choice.is_edge or _masks(shape, kwargs) > 1
    return replace(base, label=label, kwargs=kwargs, is_edge=is_edge, known=None)


def _masks(shape: CallShape, options: dict[str, Any]) -> int:
    """How many of the options are masks."""
    specs = [getattr(param.spec, "inner", param.spec) for param in shape.params if param.name in options]
    return sum(isinstance(spec, MaskSpec) for spec in specs)


def _together(op: Builtin, shape: CallShape, bases: list[_Base], draw: Draw) -> Iterator[Sample]:
    """As many options at once as go together."""
    for base in bases:
        if not base.together:
            continue
        chosen = dict(base.sample.kwargs)
        for param in shape.params:
            is_free = not param.required and param.name not in given_by(shape, base.sample)
            for choice in itertools.islice(choices(param, base.sizes, draw), int(is_free)):
                if not refusal(op, base.sample.args, {**chosen, param.name: choice.value}):
                    chosen[param.name] = choice.value
        if len(chosen) > len(base.sample.kwargs) + 1:
            yield Sample("all options at once", base.sample.args, chosen, is_edge=_masks(shape, chosen) > 0)
