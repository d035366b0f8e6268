"""A builtin under test: what it gives on a sample, and how a message names the sample."""

import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from opbook.autodiff import tree
from opbook.builtins.builtin import Builtin
from opbook.builtins.call import Call
from opbook.builtins.rule import OWN
from opbook.checks.differences import uneven
from opbook.checks.literals import python_call
from opbook.checks.samples import Sample
from opbook.examples import Result


@dataclass
class Subject:
    """A builtin under test.

    Many checks look at the same evaluation of the same sample. It is made once, and what it gave is kept for as long as
    the subject is: that of a sample, and of what a sample is when it is rounded to a dtype, never that of a copy.

    Attributes:
        op: The builtin.
        rule: The name of the rule under test; `op` is computed by no other.
        samples: The inputs; every one of them is accepted by the builtin.
        refused: The message for each generated input that the builtin refuses, by label.
        current: The input that a check is looking at.
        builtins: The other builtins by name, for the notation.
        examples: What became of the plugin's examples that call it; None if they were not looked for.
    """

    op: Builtin
    samples: list[Sample]
    builtins: Mapping[str, Builtin] = field(default_factory=dict)
    examples: list[Result] | None = None
    rule: str = OWN
    refused: Mapping[str, str] = field(default_factory=dict)
    current: Sample | None = None
    _own: dict[int, Sample] = field(default_factory=dict, repr=False)
    _kept: dict[tuple[int, str], tuple[Any, list[Warning | str]]] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        for sample in self.samples:
            self.own(sample)

    def own(self, sample: Sample) -> Sample:
        """Keep what is evaluated on a sample from now on."""
        self._own[id(sample)] = sample  # which holds it, so that no other one gets its identity
        return sample

    def once(self, what: str, sample: Sample, make: Callable[[], Any]) -> Any:
        """Evaluate something unless it has been evaluated, and note the warnings.

        Args:
            what: What it is called.
            sample: What it is evaluated on. If it is none of the subject's own, nothing is kept.
            make: Evaluates it. If that raises, nothing is kept.
        """
        if id(sample) not in self._own:
            return make()
        key = id(sample), what
        if key not in self._kept:
            with warnings.catch_warnings(record=True) as heard:
                warnings.simplefilter("always")
                made = make()
            self._kept[key] = made, [warning.message for warning in heard]
        return self._kept[key][0]

    def warned(self, sample: Sample, *whats: str) -> list[Warning | str]:
        """List the warnings of evaluations.

        Args:
            sample: The sample.
            *whats: What the evaluations are called; of those that were not made there is nothing to tell.
        """
        return [warning for what in whats for warning in self._kept.get((id(sample), what), (None, []))[1]]

    def call(self, sample: Sample) -> Call:
        """Check the arguments of a sample."""
        made: Call = self.once("call", sample, lambda: self.op.bind(sample.args, sample.kwargs))
        return made

    def inputs(self) -> Iterator[Sample]:
        """Every sample, which is the current one until the next one is asked for."""
        for sample in self.samples:
            self.current = sample
            yield sample
        self.current = None

    def calls(self) -> Iterator[tuple[Sample, Call]]:
        """Every sample with its checked arguments."""
        for sample in self.inputs():
            yield sample, self.call(sample)


def on(subject: Subject, sample: Sample) -> str:
    """Name the input in a message, in a form that can be pasted into a test."""
    return f" (on {sample.label}: {python_call(subject.op.name, sample.args, sample.kwargs)})"


def is_numeric(value: Any) -> bool:
    """Whether a value is one array, or a structure of arrays, with floating-point numbers in it.

    Returns:
        True if one array has such numbers, and the others have these or whole numbers and Booleans, such as indices.
    """
    leaves = tree.leaves(value)
    kinds = {leaf.dtype.kind if isinstance(leaf, np.ndarray | np.generic) else "" for leaf in leaves}
    return "f" in kinds and kinds <= set("fiub")


def precisions(subject: Subject, sample: Sample) -> list[tuple[str, Sample]]:
    """A sample of a subject in each dtype that its numbers fit into, made once.

    Returns:
        The name of each dtype with the sample in it; what is evaluated on these is kept as well.
    """
    made: list[tuple[str, Sample]] = subject.once(
        "precisions", sample, lambda: [(name, subject.own(rounded)) for name, rounded in sample.in_every_precision()]
    )
    return made


def rounded_like(exact: Any, value: Any) -> Any:
    """Round exact numbers to the dtypes of a value: beyond a dtype's range, inf is the right answer."""

    def convert(wide: Any, narrow: Any) -> Any:
        return wide.astype(narrow.dtype) if isinstance(narrow, np.ndarray | np.floating) else wide

    with np.errstate(over="ignore"):
        return tree.unflatten(exact, map(convert, tree.leaves(exact), tree.leaves(value)))


def is_differentiable(subject: Subject, sample: Sample) -> bool:
    """Whether there is something to differentiate, and something to differentiate it by."""
    found: bool = subject.once("differentiable", sample, lambda: _has_gradient(subject, sample))
    return found


def _has_gradient(subject: Subject, sample: Sample) -> bool:
    if not sample.has_floats() and not any(isinstance(leaf, float) for leaf in tree.leaves(sample.args)):
        return False
    value = value_of(subject, sample)
    return is_numeric(value) and not any(np.isnan(leaf).any() for leaf in tree.leaves(value))


def cotangent_of(value: Any, seed: int = 0) -> Any:
    """An uneven cotangent for a value."""
    leaves = tree.leaves(value)
    return tree.unflatten(
        value, [uneven(np.shape(leaf), seed + i).astype(leaf.dtype)[()] for i, leaf in enumerate(leaves)]
    )


def value_of(subject: Subject, sample: Sample) -> Any:
    """The builtin's value."""
    return subject.once("value", sample, lambda: subject.op(*sample.args, **sample.kwargs))


def definition_of(subject: Subject, sample: Sample) -> Any:
    """The definition's value."""
    return subject.once("definition", sample, lambda: subject.call(sample).define())


def plain_value(subject: Subject, sample: Sample) -> Any:
    """The value of the definition computed in the sample's own precision, without the care that a call takes."""
    call = subject.call(sample)
    with np.errstate(all="ignore"):
        return call.shape.definition(*call.positional, **call.keywords)


def gradients_of(subject: Subject, sample: Sample) -> tuple[Any, tuple[Any, ...]]:
    """The value and the gradients."""
    made: tuple[Any, tuple[Any, ...]] = subject.once("gradients", sample, lambda: _gradients(subject, sample))
    return made


def _gradients(
    subject: Subject, sample: Sample, layout: Callable[[Any], Any] = lambda array: array
) -> tuple[Any, tuple[Any, ...]]:
    value, pullback = subject.op.value_and_pullback(*sample.args, **sample.kwargs)
    return value, pullback(tree.map(lambda g: layout(np.asarray(g)), cotangent_of(value)))


def value_and_gradients(subject: Subject, sample: Sample, layout: Callable[[Any], Any] | None = None) -> Any:
    """The value, and the gradients if there are any."""
    if not is_differentiable(subject, sample):
        return value_of(subject, sample)
    return gradients_of(subject, sample) if layout is None else _gradients(subject, sample, layout)
