"""Generates inputs from annotations: a value for each required argument, and for each option in turn."""

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from opbook.builtins.signature import CallShape, Param
from opbook.builtins.specs import ArraySpec, Binding, MaskSpec, OptionalSpec, RecordSpec, SequenceSpec, Spec, ValueSpec
from opbook.checks.samples import Draw, Sample
from opbook.errors import DeclarationError, OpbookError

SIZES = (3, 4, 5, 7, 11, 13)
"""All different, and none divides another, so that no axis can stand in for another one."""

LARGER = (33, 18, 20, 35, 17, 19)
"""Beyond the tiles of 8, 16 and 32 that kernels are built of, and no multiple of them."""


@dataclass(frozen=True)
class Kind:
    """A kind of input that is generated for every call shape.

    Attributes:
        label: What is special about it.
        sizes: The lengths that dimensions get, one after the other.
        batches: The batch axes that arguments get, one after the other.
        scale: What the numbers are multiplied with.
        is_smooth: Whether differences are taken on it.
        varied: Whether options are tried on top of it.
        together: Whether all options at once are tried on top of it.
    """

    label: str
    sizes: tuple[int, ...] = SIZES
    batches: tuple[tuple[int, ...], ...] = ((),)
    scale: float = 1.0
    is_smooth: bool = True
    varied: bool = False
    together: bool = False

    def sample(self, shape: CallShape, draw: Draw) -> Sample:
        """Generate the input for a call shape.

        Args:
            shape: The call shape.
            draw: Draws the numbers.

        Returns:
            The sample; required arguments are positional where they can be.

        Raises:
            DeclarationError: The annotation of an argument does not say what values it can have.
        """
        maker = Maker(self.sizes, draw)
        turn = itertools.cycle(self.batches)
        given = {
            param.name: maker.make(param.spec, param.name, next(turn) if is_batched(param) else ())
            for param in shape.params
            if param.required
        }
        sample = placed(shape, self.label, given)
        if self.scale != 1:
            sample = sample.with_arrays(lambda array: array * self.scale)
        return replace(sample, is_smooth=self.is_smooth, is_generated=True)


KINDS = (
    Kind("no batch axes", varied=True),
    Kind("equal sizes", (3,), varied=True, together=True),
    Kind("one of everything", (1,)),
    Kind("a batch", batches=((2,),), sizes=(5, 3, 7, 11), varied=True),
    Kind("two batch axes", batches=((2, 3),), sizes=(5, 7, 11, 13), varied=True),
    Kind("three batch axes", batches=((2, 5, 3),), sizes=(4, 7, 11, 13), is_smooth=False),
    Kind("two batch axes that broadcast", batches=((2, 1), (1, 3), (3,)), varied=True),
    Kind("an empty batch", batches=((0,),)),
    Kind("no entries", (0,)),
    Kind("larger sizes", LARGER, is_smooth=False),
    # formulas overflow there that are right near 0
    Kind("numbers up to some 1000", scale=1000, is_smooth=False),
)


def kinds_for(shape: CallShape) -> list[Kind]:
    """List the kinds of input that a call shape can have.

    Args:
        shape: The call shape.

    Returns:
        All, or those without batch axes if no argument can have any.
    """
    batched = any(is_batched(param) for param in shape.params)
    return [kind for kind in KINDS if batched or kind.batches == ((),)]


def is_batched(param: Param) -> bool:
    """Whether a required argument is an array that may have batch axes.

    Args:
        param: The argument.

    Returns:
        True if it is one.
    """
    return param.required and isinstance(param.spec, ArraySpec) and param.spec.batched


class Maker:
    """Makes values for specs; dimensions of one name get one size."""

    def __init__(self, sizes: Iterable[int], draw: Draw, outer: dict[str, int] | None = None, records: int = 2) -> None:
        self._supply = itertools.cycle(sizes)
        self._draw = draw
        self._records = records  # how many of them a tuple of any number has
        self.sizes = dict(outer or {})

    def make(self, spec: Spec, path: str, batch: tuple[int, ...] = ()) -> Any:
        """Make a value.

        Args:
            spec: What it must be.
            path: What it is called in messages.
            batch: The batch axes that it gets if it can have some.

        Returns:
            The value.

        Raises:
            DeclarationError: The spec does not say what values there are.
        """
        if isinstance(spec, MaskSpec):
            return self._draw.mask(*batch, *self._shape(spec))
        if isinstance(spec, ArraySpec):
            if spec.batched and not spec.dims and not batch:
                batch = self._size("first axis"), self._size("second axis")  # it can have any shape
            return self._draw.normal(*batch, *self._shape(spec))
        if isinstance(spec, RecordSpec):
            inner = Maker((), self._draw, self.sizes, self._records)
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
        raise DeclarationError(f"{path} is {spec.words()}")

    def _shape(self, spec: ArraySpec) -> tuple[int, ...]:
        return tuple(dim if isinstance(dim, int) else self._size(dim.removeprefix("#")) for dim in spec.dims)

    def _size(self, name: str) -> int:
        if name not in self.sizes:
            self.sizes[name] = next(self._supply)
        return self.sizes[name]


def placed(shape: CallShape, label: str, given: dict[str, Any]) -> Sample:
    """Pass required arguments by position where they can be, the others by name.

    Args:
        shape: The call shape.
        label: What is special about the input.
        given: Its arguments by name.

    Returns:
        The sample.
    """
    names = [p.name for p in shape.params if p.required and not p.keyword_only]
    return Sample(label, tuple(given[n] for n in names), {n: v for n, v in given.items() if n not in names})


def given_by(shape: CallShape, sample: Sample) -> set[str]:
    """List the arguments that a sample gives.

    Args:
        shape: The call shape.
        sample: The sample.

    Returns:
        Their names, whether they are given by position or by name.
    """
    names = [p.name for p in shape.params if not p.keyword_only]
    return {*names[: len(sample.args)], *sample.kwargs}


def dimensions(shape: CallShape, sample: Sample) -> Binding | None:
    """Find the sizes that a sample gives to the dimensions of a call shape.

    Args:
        shape: The call shape.
        sample: The sample.

    Returns:
        The sizes; None if the sample belongs to another call shape.
    """
    binding = Binding()
    names = [p for p in shape.params if not p.keyword_only]
    if len(sample.args) > len(names):
        return None
    try:
        for param, value in zip(names, sample.args, strict=False):
            param.spec.convert(value, param.name, binding)
    except OpbookError:
        return None
    return binding


@dataclass(frozen=True)
class Choice:
    """A value of an optional argument.

    Attributes:
        label: What is special about it.
        value: The value.
        is_edge: Whether an input with it lies at an edge.
    """

    label: str
    value: Any
    is_edge: bool = False


def choices(param: Param, binding: Binding, draw: Draw) -> Iterator[Choice]:
    """List values that an optional argument can have beside its default.

    Args:
        param: The argument.
        binding: The sizes of the other arguments' dimensions.
        draw: Draws the numbers.

    Yields:
        The values; none where the annotation does not say enough.
    """
    spec = param.spec.inner if isinstance(param.spec, OptionalSpec) else param.spec
    if isinstance(spec, ArraySpec):
        sizes = [
            (dim if isinstance(dim, int) else getattr(binding.size(dim.removeprefix("#")), "size", None))
            for dim in spec.dims
        ]
        if None in sizes:
            return
        shape = tuple(int(n) for n in sizes if n is not None)
        if isinstance(spec, MaskSpec):
            batch = binding.batch() if spec.batched else ()
            shape, batch = (shape, batch) if shape else (batch, ())  # entry by entry, all axes are the mask's own
            if shape:
                yield from _masks(shape, batch, draw)
        else:
            yield Choice("given", draw.normal(*shape))
            yield Choice("with one row for all", draw.normal(*((1,) * (len(shape) - 1)), *shape[-1:]))
    elif isinstance(spec, ValueSpec) and spec.choices:
        yield from (Choice(f"= {choice!r}", choice) for choice in spec.choices if choice != param.default)
    elif isinstance(spec, ValueSpec) and bool in spec.types:
        yield Choice(f"= {not param.default}", not param.default)
    elif isinstance(spec, ValueSpec) and float in spec.types:
        yield Choice("= 0.7", 0.7)
    elif isinstance(spec, ValueSpec) and int in spec.types:
        yield from (Choice(f"= {n}", n) for n in (0, 1, -1, 2) if n != param.default)


def _masks(shape: tuple[int, ...], batch: tuple[int, ...], draw: Draw) -> Iterator[Choice]:
    mask = draw.mask(*shape)
    yield Choice("of Booleans", mask)
    yield Choice("of 0 and 1", mask.astype(np.int64))
    yield Choice("of 0.0 and 1.0", mask.astype(np.float32))
    empty = mask.copy()
    empty[:1] = False
    yield Choice("with an empty row", empty, is_edge=True)
    yield Choice("that blocks everything", np.zeros(shape, bool), is_edge=True)
    if len(shape) > 1:
        yield Choice("with one row for all", mask[:1])
    if batch and all(batch):
        yield Choice("with batch axes", draw.mask(*batch, *shape))
