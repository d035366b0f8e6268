"""Values that an optional argument can have beside its default."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from opbook.autodiff import tree
from opbook.builtins.signature import Param
from opbook.builtins.specs import (
    ArraySpec,
    Binding,
    BoolSpec,
    DictSpec,
    IntSpec,
    MaskSpec,
    OptionalSpec,
    RecordSpec,
    SequenceSpec,
    Spec,
    TreeSpec,
    UnionSpec,
    ValueSpec,
)
from opbook.checks.generation import SIZES
from opbook.checks.maker import Maker
from opbook.checks.samples import Draw
from opbook.errors import DeclarationError


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

    Yields:
        The values; none where the annotation does not say enough.
    """
    yield from _choices(param.spec, param, binding, draw)


def _choices(spec: Spec, param: Param, binding: Binding, draw: Draw) -> Iterator[Choice]:
    if isinstance(spec, OptionalSpec | UnionSpec):
        for part in spec.parts:
            yield from _choices(part, param, binding, draw)
    elif isinstance(spec, ArraySpec):
        yield from _arrays(spec, binding, draw)
    elif isinstance(spec, RecordSpec | SequenceSpec | DictSpec | TreeSpec):
        maker = Maker(SIZES, draw)
        maker.sizes |= {str(name): extent.size for name, extent in binding.sizes.items()}
        try:
            value = maker.make(spec, param.name)
        except DeclarationError:  # the annotation does not say what values there are
            return
        if isinstance(spec, TreeSpec) and spec.name in binding.trees:
            value = tree.map(lambda leaf: draw.normal(*np.shape(leaf)), binding.trees[spec.name][0])
        yield Choice("given", value)
    elif isinstance(spec, ValueSpec) and spec.choices:
        yield from (Choice(f"= {choice!r}", choice) for choice in spec.choices if choice != param.default)
    elif isinstance(spec, ValueSpec) and bool in spec.types:
        yield Choice(f"= {not param.default}", not param.default)
    elif isinstance(spec, ValueSpec) and float in spec.types:
        yield Choice("= 0.7", 0.7)
    elif isinstance(spec, ValueSpec) and int in spec.types:
        yield from (Choice(f"= {n}", n) for n in (0, 1, -1, 2) if n != param.default)


def _arrays(spec: ArraySpec, binding: Binding, draw: Draw) -> Iterator[Choice]:
    sizes = [binding.size(dim) for dim in spec.dims]
    if None in sizes:
        return
    shape = tuple(int(n) for n in sizes if n is not None)
    batch = binding.batch(spec.batch) if spec.batched else ()
    if isinstance(spec, MaskSpec):
        shape, batch = (shape, batch) if shape else (batch, ())  # entry by entry, all axes are the mask's own
        if shape:
            yield from _masks(shape, batch, draw)
    elif isinstance(spec, BoolSpec):
        yield Choice("given", draw.mask(*batch * bool(spec.batch), *shape))
    elif isinstance(spec, IntSpec):
        low, high = (None if bound is None else binding.size(bound) for bound in (spec.low, spec.high))
        start = low if low is not None else 0
        whole = draw.integers(start, high if high is not None else start + 5, *batch * bool(spec.batch), *shape)
        yield Choice("given", whole)
    elif spec.batch:
        yield Choice("given", draw.normal(*batch, *shape))
    else:
        yield Choice("given", draw.normal(*shape))
        yield Choice("with one row for all", draw.normal(*((1,) * (len(shape) - 1)), *shape[-1:]))


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
