"""Makes values for annotations: arrays whose dimensions of one name have one size, and what holds such arrays."""

import itertools
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from opbook.builtins.specs import (
    ArraySpec,
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
from opbook.builtins.specs.dimensions import Dim, is_name, names_in, size_of
from opbook.checks.samples import Draw
from opbook.errors import DeclarationError


def within(spec: Spec) -> Iterator[Spec]:
    """Go through a spec and what it holds."""
    yield spec
    for part in spec.parts:
        yield from within(part)


class Maker:
    """Makes values for specs; dimensions of one name get one size."""

    def __init__(
        self,
        sizes: Iterable[int],
        draw: Draw,
        batches: Iterable[tuple[int, ...]] = ((),),
        *,
        items: int = 2,
        records: int | None = None,
        part: int = 0,
        whole: bool = False,
    ) -> None:
        self._supply = itertools.cycle(sizes)
        self._turn = itertools.cycle(batches)
        self._draw = draw
        self._items = items  # how many of them a tuple of any number has
        self._records = items if records is None else records  # and how many, if they are records
        self._part = part
        self._whole = whole
        self.sizes: dict[str, int] = {}
        self._named: dict[str, tuple[int, ...]] = {}

    def solve(self, specs: Iterable[Spec]) -> None:
        """Choose sizes so that arithmetic of them gives lengths that arrays can have."""
        dims = [dim for spec in specs for one in within(spec) if isinstance(one, ArraySpec) for dim in one.dims]
        sums = [dim for dim in dims if not isinstance(dim, int) and not is_name(dim)]
        for dim in dims if sums else ():
            self.size(dim)
        for dim in sums * 2 if all(self.sizes.values()) else ():
            for name in names_in(dim) * 20:
                if self.size(dim) >= 1:
                    break
                if self._grows(dim, name):
                    self.sizes[name] += 1

    def _grows(self, dim: Dim, name: str) -> bool:
        more = size_of(dim, {**self.sizes, name: self.sizes[name] + 2})
        return more is not None and more > self.size(dim)

    def make(self, spec: Spec, path: str, inside: bool = False) -> Any:
        """Make a value.

        Args:
            spec: What it must be.
            path: What it is called in messages.
            inside: Whether it stands in a record, where arrays get no batch axes.

        Raises:
            DeclarationError: The spec does not say what values there are.
        """
        if isinstance(spec, ArraySpec):
            return self._array(spec, inside)
        if isinstance(spec, RecordSpec):
            kept = {name: one for name, one in spec.fields.items() if self._whole or name not in spec.optional}
            return {name: self.make(one, f"{path}.{name}", inside=True) for name, one in kept.items()}
        if isinstance(spec, SequenceSpec):
            return self._tuple(spec, path, inside)
        if isinstance(spec, DictSpec):
            names = ("first", "second", "third")[: self._items]
            return {name: self._one_of_several(spec.item, f"{path}.{name}", inside) for name in names}
        if isinstance(spec, TreeSpec):
            return self._tree(spec)
        if isinstance(spec, OptionalSpec):
            return self.make(spec.inner, path, inside)
        if isinstance(spec, UnionSpec):
            return self.make(spec.parts[min(self._part, len(spec.parts) - 1)], path, inside)
        if isinstance(spec, ValueSpec) and spec.choices:
            return spec.choices[0]
        if isinstance(spec, ValueSpec) and spec.types == (float,):
            return float(self._draw.positive())
        raise DeclarationError(f"{path} is {spec.words()}")

    def _array(self, spec: ArraySpec, inside: bool) -> Any:
        batch: tuple[int, ...] = ()
        if spec.batch:
            batch = self._named.get(spec.batch) or self._named.setdefault(spec.batch, next(self._turn))
        elif spec.batched and not inside:
            batch = next(self._turn)
        if spec.batched and not spec.dims and not spec.batch and not batch:
            batch = self.size("first axis"), self.size("second axis")  # it can have any shape
        shape = (*batch, *map(self.size, spec.dims))
        if isinstance(spec, MaskSpec | BoolSpec):
            return self._draw.mask(*shape) if shape else np.bool_(True)
        if isinstance(spec, IntSpec):
            low = self.size(spec.low) if spec.low is not None else -3 if spec.high is None else 0
            return self._draw.integers(low, self.size(spec.high) if spec.high is not None else low + 7, *shape)
        return self._draw.normal(*shape)

    def _tuple(self, spec: SequenceSpec, path: str, inside: bool) -> Any:
        items = spec.items
        if spec.any_length:
            items = items * (self._records if isinstance(items[0], RecordSpec) else self._items)
        made = (self._one_of_several(item, f"{path}[{i}]", inside) for i, item in enumerate(items))
        return tuple(made) if spec.made_as is None else spec.made_as(*made)

    def _one_of_several(self, spec: Spec, path: str, inside: bool) -> Any:
        if not isinstance(spec, RecordSpec):
            return self.make(spec, path, inside)
        outer, self.sizes = self.sizes, dict(self.sizes)  # a dimension that only the record has is its own
        try:
            return self.make(spec, path, inside)
        finally:
            self.sizes = outer

    def _tree(self, spec: TreeSpec) -> Any:
        """A tree of one structure and shape, whatever its name, so that trees of one name are alike."""
        n, m = self.size(f"rows of {spec.name}"), self.size(f"columns of {spec.name}")
        draw = self._draw.normal
        return {"w": draw(n, m), "layers": (draw(m), (draw(n), {"b": draw(m, n)})), "scale": float(draw())}

    def size(self, dim: Dim) -> int:
        """Tell how long a dimension is.

        Args:
            dim: The dimension; names in it that have no size yet get one.
        """
        if isinstance(dim, int):
            return dim
        if is_name(dim) or not names_in(dim):
            return self._named_size(dim.removeprefix("#"))
        for name in names_in(dim):
            self._named_size(name)
        return size_of(dim, self.sizes) or 0

    def _named_size(self, name: str) -> int:
        if name not in self.sizes:
            self.sizes[name] = next(self._supply)
        return self.sizes[name]
