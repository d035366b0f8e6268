"""The inputs of the checks: derived from a builtin's annotations, or from its `samples`.

A base sample gives the required arguments a value; each optional argument is then varied in turn on top of one. The
numbers are random but the same in every run, as they are seeded with the builtin's name.
"""

import itertools
import warnings
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np

from opbook.autodiff import tree
from opbook.builtins.builtin import Builtin
from opbook.builtins.signature import CallShape, Param
from opbook.builtins.specs import ArraySpec, Binding, MaskSpec, OptionalSpec, RecordSpec, SequenceSpec, Spec, ValueSpec
from opbook.errors import DeclarationError, OpbookError


@dataclass(frozen=True)
class Sample:
    """One input.

    Attributes:
        label: What is special about it, such as "mask with an empty row".
        args: Positional arguments, with arrays in float64.
        kwargs: Keyword arguments.
        is_edge: Whether differences say nothing there: next to a kink, with so many numbers that some are next to one,
            or with numbers that are not finite.
        is_refused: Whether the builtin must refuse it with an error.
        known: The value, worked out in another way; None where it is not known.
        words: What the error must say where the builtin must refuse it.
    """

    label: str
    args: tuple[Any, ...]
    kwargs: dict[str, Any] = field(default_factory=dict)
    is_edge: bool = False
    is_refused: bool = False
    known: Any = None
    words: str = ""

    def saying(self, words: str) -> Self:
        """The same sample, of a call that must be refused with these words.

        Args:
            words: A part of the error's message.

        Returns:
            The sample.
        """
        return replace(self, words=words)


class Draw:
    """Draws numbers for samples; the same ones in every run."""

    def __init__(self, seed: str, decimals: int | None = None) -> None:
        self._rng = np.random.default_rng(zlib.crc32(seed.encode()))
        self._decimals = decimals

    def normal(self, *shape: int) -> Any:
        """Numbers of either sign, of the size of 1.

        Args:
            *shape: The length of each axis.

        Returns:
            The array.
        """
        return self._rounded(self._rng.normal(size=shape))

    def positive(self, *shape: int) -> Any:
        """Numbers between 0.3 and 2.

        Args:
            *shape: The length of each axis.

        Returns:
            The array.
        """
        return self._rounded(self._rng.uniform(0.3, 2.0, shape))

    def _rounded(self, numbers: Any) -> Any:
        return numbers if self._decimals is None else np.round(numbers, self._decimals)

    def mask(self, *shape: int) -> Any:
        """Booleans, more true than false, with a true one in every row that has an entry.

        Args:
            *shape: The length of each axis.

        Returns:
            The array.
        """
        mask = self._rng.random(shape) < 0.6
        if mask.size:
            mask[..., self._rng.integers(shape[-1])] = True
        return mask

    def call(self, *args: Any, **kwargs: Any) -> Sample:
        """A sample with keyword arguments.

        Args:
            *args: Positional arguments.
            **kwargs: Keyword arguments.

        Returns:
            The sample.
        """
        return Sample("", args, kwargs)

    def edge(self, label: str, /, *args: Any, **kwargs: Any) -> Sample:
        """A sample at an edge, with its name: values and rules are compared there, but no differences are taken.

        Args:
            label: What is special about it.
            *args: Positional arguments.
            **kwargs: Keyword arguments.

        Returns:
            The sample.
        """
        return Sample(label, args, kwargs, is_edge=True)

    def known(self, label: str, value: Any, /, *args: Any, **kwargs: Any) -> Sample:
        """A sample whose value is known: by hand, or by code that shares nothing with definition and rule.

        Args:
            label: What is special about it.
            value: What the builtin must answer.
            *args: Positional arguments.
            **kwargs: Keyword arguments.

        Returns:
            The sample.
        """
        return Sample(label, args, kwargs, is_edge=True, known=value)

    def refused(self, label: str, /, *args: Any, **kwargs: Any) -> Sample:
        """A call that the builtin must refuse, with what is wrong about it.

        Add `.saying("at most 8")` where the message matters: the error must then contain these words.

        Args:
            label: What is wrong about it.
            *args: Positional arguments.
            **kwargs: Keyword arguments.

        Returns:
            The sample.
        """
        return Sample(label, args, kwargs, is_refused=True)


def samples_of(op: Builtin) -> list[Sample]:
    """Make the inputs of a builtin's checks.

    Args:
        op: The builtin.

    Returns:
        Inputs that the builtin accepts: its own `samples`, those derived from its annotations, and variations of both.

    Raises:
        DeclarationError: None could be derived from the annotations, and there are no `samples`.
    """
    draw = Draw(op.name)
    own = [sample for sample in _own_samples(op, draw) if not sample.is_refused]
    found = list(own)
    reasons: list[str] = []
    for shape in op.call_shapes:
        derived: list[Sample] = []
        try:
            derived = [base for base in _bases(shape, draw) if _accepted(op, base)]
        except DeclarationError as error:
            reasons.append(str(error))
        found += [*derived, *_variations(op, shape, [*derived, *own], draw)]
    if not any(_has_entries(sample) for sample in found):
        why = "; ".join(reasons) or "it refused random numbers of either sign; give it samples= that it accepts"
        raise DeclarationError(f"{op.name}: no inputs can be derived ({why})")
    return found


def small_sample(op: Builtin) -> Sample | None:
    """Make one small input whose numbers have one decimal, so that a reader can follow it by hand.

    Args:
        op: The builtin.

    Returns:
        An input that the first call shape accepts; None if there is none that has entries.
    """
    draw = Draw(op.name, decimals=1)
    shape = op.call_shapes[0]
    for sizes in ((2, 3, 2, 2), (3, 2)):
        maker = _Maker(sizes, draw, records=1)
        try:
            given = {p.name: maker.make(p.spec, p.name) for p in shape.params if p.required}
        except DeclarationError:
            break
        sample = _placed(shape, "a small example", given)
        if _accepted(op, sample) and (sizes[0] == 3 or len(maker._sizes) != 1):  # rows of 2 show little
            return sample
    own = (sample for sample in _own_samples(op, draw) if not sample.is_edge and not sample.is_refused)
    fitting = [sample for sample in own if _has_entries(sample) and _dimensions(shape, sample) is not None]
    return min(fitting, key=_distance_from_readable, default=None)


def _distance_from_readable(sample: Sample) -> int:
    """A few numbers show more than a single one does, and are easier to follow than many."""
    return abs(6 - sum(np.size(leaf) for leaf in tree.leaves(sample.args) if isinstance(leaf, np.ndarray)))


def edges_of(op: Builtin) -> list[Sample]:
    """List the inputs at edges that a builtin's own samples name.

    Args:
        op: The builtin.

    Returns:
        Those that its `samples` make with [`Draw.edge`][opbook.checks.sampling.Draw.edge].
    """
    return [sample for sample in _own_samples(op, Draw(op.name)) if sample.is_edge]


def refused_by(op: Builtin) -> list[Sample]:
    """List the calls that a builtin must refuse.

    Args:
        op: The builtin.

    Returns:
        Those that its `samples` make with [`Draw.refused`][opbook.checks.sampling.Draw.refused].
    """
    return [sample for sample in _own_samples(op, Draw(op.name)) if sample.is_refused]


def _own_samples(op: Builtin, draw: Draw) -> list[Sample]:
    return [_declared(given, i) for i, given in enumerate(op.samples(draw) if op.samples else ())]


def _has_entries(sample: Sample) -> bool:
    """An input without any numbers proves next to nothing."""
    return all(leaf.size for leaf in tree.leaves(sample.args) if isinstance(leaf, np.ndarray))


def _declared(given: Any, i: int) -> Sample:
    if isinstance(given, Sample):
        return replace(given, label=given.label or f"sample {i + 1}")
    return Sample(f"sample {i + 1}", given if isinstance(given, tuple) else (given,))


def _accepted(op: Builtin, sample: Sample) -> bool:
    """An empty or extreme shape may be refused, with an error of ours; that is a clear answer too."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # there is a check for those
            op(*sample.args, **sample.kwargs)
    except OpbookError:
        return False
    except Exception:  # a check will say so
        return True
    return True


# ------------------------------------------------------------------------------------------------------- base samples

_SIZES = (3, 4, 2, 5, 6, 7)

_LARGER = (33, 18, 20, 35, 17, 19)
"""Beyond the tiles of 8, 16 and 32 that kernels are built of, and no multiple of them."""


def _bases(shape: CallShape, draw: Draw) -> Iterator[Sample]:
    batched = [p for p in shape.params if p.required and isinstance(p.spec, ArraySpec) and p.spec.batched]
    for label, sizes, batches in (
        ("no batch axes", _SIZES, [()]),
        ("equal sizes", (3,), [()]),
        ("one of everything", (1,), [()]),
        ("a batch", _SIZES, [(2,)]),
        ("two batch axes that broadcast", _SIZES, [(2, 1), (1, 3), (3,)]),
        ("an empty batch", _SIZES, [(0,)]),
        ("no entries", (0,), [()]),
        ("larger sizes", _LARGER, [()]),
        (_FAR, _SIZES, [()]),
    ):
        if not batched and batches != [()]:
            continue
        maker = _Maker(sizes, draw)
        given = {}
        turn = itertools.cycle(batches)
        for param in shape.params:
            if param.required:
                batch = next(turn) if param in batched else ()
                given[param.name] = maker.make(param.spec, param.name, batch)
        sample = _placed(shape, label, given)
        yield _far(sample) if label == _FAR else replace(sample, is_edge=label == "larger sizes")


def _far(sample: Sample) -> Sample:
    """The same with numbers a thousand times as large: formulas overflow there that are right near 0."""

    def larger(leaf: Any) -> Any:
        return leaf * 1000 if isinstance(leaf, np.ndarray) and leaf.dtype.kind == "f" else leaf

    return replace(sample, args=tree.map_leaves(larger, sample.args), is_edge=True)


class _Maker:
    """Makes values for specs; dimensions of one name get one size."""

    def __init__(self, sizes: Iterable[int], draw: Draw, outer: dict[str, int] | None = None, records: int = 2) -> None:
        self._supply = itertools.cycle(sizes)
        self._draw = draw
        self._records = records  # how many of them a tuple of any number has
        self._sizes = dict(outer or {})

    def make(self, spec: Spec, path: str, batch: tuple[int, ...] = ()) -> Any:
        if isinstance(spec, MaskSpec):
            return self._draw.mask(*batch, *self._shape(spec))
        if isinstance(spec, ArraySpec):
            # an array of any shape gets two axes of its own: its dimensions are all batch axes
            free = (next(self._supply), next(self._supply)) if spec.batched and not spec.dims else ()
            return self._draw.normal(*batch, *(free if not batch else ()), *self._shape(spec))
        if isinstance(spec, RecordSpec):
            inner = _Maker((), self._draw, self._sizes, self._records)
            inner._supply = self._supply  # a dimension that only the record has differs from record to record
            return {name: inner.make(item, f"{path}.{name}") for name, item in spec.fields.items()}
        if isinstance(spec, SequenceSpec):
            items = spec.items
            if spec.any_length:
                items = items * (self._records if isinstance(items[0], RecordSpec) else 2)
            return tuple(self.make(item, f"{path}[{i}]", batch) for i, item in enumerate(items))
        if isinstance(spec, OptionalSpec):
            return self.make(spec.inner, path, batch)
        if isinstance(spec, ValueSpec) and spec.choices:
            return spec.choices[0]
        if isinstance(spec, ValueSpec) and spec.types == (float,):
            return float(self._draw.positive())
        raise DeclarationError(f"{path} is {spec.words()}; give the builtin samples=")

    def _shape(self, spec: ArraySpec) -> tuple[int, ...]:
        return tuple(dim if isinstance(dim, int) else self._size(dim.removeprefix("#")) for dim in spec.dims)

    def _size(self, name: str) -> int:
        if name not in self._sizes:
            self._sizes[name] = next(self._supply)
        return self._sizes[name]


def _placed(shape: CallShape, label: str, given: dict[str, Any]) -> Sample:
    """Pass required arguments by position where they can be, the others by name."""
    names = [p.name for p in shape.params if p.required and not p.keyword_only]
    return Sample(label, tuple(given[n] for n in names), {n: v for n, v in given.items() if n not in names})


# ------------------------------------------------------------------------------------------ variations of the optional


def _variations(op: Builtin, shape: CallShape, bases: list[Sample], draw: Draw) -> Iterator[Sample]:
    """Each optional argument in turn, on a base that takes it, and at last all of them that go together."""
    fitting = [(base, binding) for base in bases if (binding := _dimensions(shape, base)) is not None]
    turn = itertools.count()
    for param in shape.params:
        if param.required:
            continue
        options = [dict(_values(param, binding, draw)) for _, binding in fitting]
        for label in dict.fromkeys(label for option in options for label in option):
            start = next(turn) % len(fitting)  # not always the same base
            for i in (*range(start, len(fitting)), *range(start)):
                base, value = fitting[i][0], options[i].get(label)
                sample = Sample(f"{base.label}, {param.name} {label}", base.args, {**base.kwargs, param.name: value})
                if label in options[i] and param.name not in base.kwargs and _accepted(op, sample):
                    yield sample
                    break
    yield from _together(op, shape, fitting, draw)


def _together(op: Builtin, shape: CallShape, fitting: list[tuple[Sample, Binding]], draw: Draw) -> Iterator[Sample]:
    """As many options at once as go together, on the base whose sizes are all equal."""
    for base, binding in fitting:
        if base.label not in ("equal sizes", "sample 1"):
            continue
        chosen = dict(base.kwargs)
        for param in shape.params:
            for _, value in itertools.islice(_values(param, binding, draw), 0 if param.required else 1):
                if _accepted(op, Sample("", base.args, {**chosen, param.name: value})):
                    chosen[param.name] = value
        if len(chosen) > len(base.kwargs) + 1:
            yield Sample("all options at once", base.args, chosen)


_FAR = "numbers up to some 1000"

_DEGENERATE = ("one of everything", "an empty batch", "no entries", "larger sizes")


def _dimensions(shape: CallShape, base: Sample) -> Binding | None:
    """The sizes that a base sample fixes; None if it belongs to another call shape, or has no room for variety."""
    if base.label in _DEGENERATE or base.is_edge:
        return None
    binding = Binding()
    names = [p for p in shape.params if not p.keyword_only]
    if len(base.args) > len(names):
        return None
    try:
        for param, value in zip(names, base.args, strict=False):
            param.spec.convert(value, param.name, binding)
    except OpbookError:
        return None
    return binding


def _values(param: Param, binding: Binding, draw: Draw) -> Iterator[tuple[str, Any]]:
    spec = param.spec.inner if isinstance(param.spec, OptionalSpec) else param.spec
    if isinstance(spec, ArraySpec):
        sizes = [
            (dim if isinstance(dim, int) else getattr(binding.size(dim.removeprefix("#")), "size", None))
            for dim in spec.dims
        ]
        if None in sizes:
            return
        shape = tuple(int(n) for n in sizes if n is not None)
        batch = binding.batch() if spec.batched else ()
        if isinstance(spec, MaskSpec):
            yield from _masks(shape, batch, draw)
        else:
            yield "given", draw.normal(*shape)
            yield "with one row for all", draw.normal(*((1,) * (len(shape) - 1)), *shape[-1:])
    elif isinstance(spec, ValueSpec) and spec.choices:
        yield from ((f"= {choice!r}", choice) for choice in spec.choices if choice != param.default)
    elif isinstance(spec, ValueSpec) and bool in spec.types:
        yield f"= {not param.default}", not param.default
    elif isinstance(spec, ValueSpec) and float in spec.types:
        yield "= 0.7", 0.7
    elif isinstance(spec, ValueSpec) and int in spec.types:
        yield from ((f"= {n}", n) for n in (0, 1, -1, 2) if n != param.default)


def _masks(shape: tuple[int, ...], batch: tuple[int, ...], draw: Draw) -> Iterator[tuple[str, Any]]:
    mask = draw.mask(*shape)
    yield "of Booleans", mask
    yield "of 0 and 1", mask.astype(np.int64)
    yield "of 0.0 and 1.0", mask.astype(np.float32)
    empty = mask.copy()
    empty[:1] = False
    yield "with an empty row", empty
    yield "that blocks everything", np.zeros(shape, bool)
    if len(shape) > 1:
        yield "with one row for all", mask[:1]
    if batch and all(batch):
        yield "with batch axes", draw.mask(*batch, *shape)
