"""Specs of arrays: named dimensions that must agree within one call, and masks that broadcast against them."""

import typing
from dataclasses import dataclass
from typing import Any

import numpy as np

from opbook.autodiff.dtypes import as_float_array
from opbook.autodiff.tape import stop_gradient
from opbook.builtins.specs.binding import Binding, Extent
from opbook.builtins.specs.spec import Spec, contiguous
from opbook.errors import DeclarationError, InputError, ShapeError


@dataclass(frozen=True)
class ArraySpec(Spec):
    """An array with named dimensions.

    Attributes:
        dims: Names and fixed sizes from left to right, without the batch axes; "#N" stands for N or 1.
        batched: Whether any number of batch axes may lead.
    """

    dims: tuple[str | int, ...]
    batched: bool

    differentiable = True

    @classmethod
    def parse(cls, text: str) -> typing.Self:
        """Read jaxtyping's dimension syntax.

        Args:
            text: Such as `"... N D"`.

        Returns:
            The spec.

        Raises:
            DeclarationError: The text has something else in it.
        """
        words = text.split() if isinstance(text, str) else [repr(text)]
        batched = words[:1] == ["..."]
        dims = tuple(int(word) if word.isdigit() else word for word in words[batched:])
        for dim in dims:
            if not isinstance(dim, int) and not dim.removeprefix("#").isidentifier():
                raise DeclarationError(
                    f'{cls.__name__[:-4]}["{text}"]: {dim!r} is no dimension; write names or numbers with spaces '
                    'between, and "..." only in front, as in Array["... N D"]'
                )
        return cls(dims, batched)

    def words(self) -> str:  # noqa: D102
        if not self.dims:
            return "array of any shape" if self.batched else "number"
        inner = ", ".join(["..."] * self.batched + [str(dim) for dim in self.dims])
        kind = {1: "vector", 2: "matrix"}.get(len(self.dims), "array")
        return f"({inner}{',' if ',' not in inner else ''}) {'array' if self.batched else kind}"

    def convert(self, value: Any, path: str, binding: Binding) -> Any:  # noqa: D102
        array = contiguous(as_float_array(value, path))
        shape = array.shape
        split = len(shape) - len(self.dims)
        if split < 0 or (split and not self.batched):
            raise ShapeError(f"{path} must be a {self.words()}, but has shape {shape}")
        for axis, dim in enumerate(self.dims, split):
            known = binding.sizes.get(dim)
            if known is None or known.size != shape[axis]:
                self._check_size(dim, shape, axis, path, binding)
        if self.batched:
            binding.add_batch(shape[:split], path)
        binding.floats.append(array)
        return array

    def shape(self, binding: Binding) -> tuple[int | None, ...]:
        """Work out the shape that it asks for.

        Args:
            binding: What the arguments have fixed.

        Returns:
            Its sizes; None for a dimension that is not fixed.
        """
        extents = [dim if isinstance(dim, int) else binding.size(dim.removeprefix("#")) for dim in self.dims]
        sizes = [extent.size if isinstance(extent, Extent) else extent for extent in extents]
        return (*(binding.batch() if self.batched else ()), *sizes)

    @staticmethod
    def _check_size(dim: str | int, shape: tuple[int, ...], axis: int, path: str, binding: Binding) -> None:
        size, mine = shape[axis], Extent(shape[axis], shape, axis, path)
        if isinstance(dim, str) and dim.startswith("#"):
            if size == 1:
                return
            dim = dim[1:]
        if isinstance(dim, int):
            if size != dim:
                raise ShapeError(f"{path} has {mine}, but must have {dim}")
            return
        other = binding.size(dim)
        if other is None:
            binding.sizes[dim] = mine
        elif other.size != size:
            theirs = other.size if other.noun == mine.noun else other
            raise ShapeError(f"{path} has {mine} but {other.path} has {theirs}; they must be equal (both are {dim})")


@dataclass(frozen=True)
class MaskSpec(ArraySpec):
    """A Boolean or 0/1 array, 1 = may attend, that broadcasts against its dimensions."""

    differentiable = False

    def words(self) -> str:  # noqa: D102
        return "0/1 mask that broadcasts against " + super().words().rsplit(" ", 1)[0]

    def convert(self, value: Any, path: str, binding: Binding) -> Any:  # noqa: D102
        mask = self._as_boolean(stop_gradient(value), path)
        full: tuple[Any, ...] = binding.batch() if self.batched else ()
        for dim in self.dims:
            known = None if isinstance(dim, int) else binding.size(dim)
            if isinstance(dim, str) and known is None:
                raise DeclarationError(f"{path}: no argument before it says what {dim} is")
            full += (known.size if known else dim,)
        if not _broadcasts(mask.shape, full):
            names = ", ".join(["..."] * self.batched + [str(dim) for dim in self.dims])
            raise ShapeError(f"{path} has shape {mask.shape}, which does not broadcast to ({names}) = {full}")
        return mask

    @staticmethod
    def _as_boolean(value: Any, path: str) -> Any:
        if isinstance(value, np.ndarray) and value.dtype == np.bool_:
            return value
        numbers = as_float_array(value, path)
        bad = (numbers != 0) & (numbers != 1)
        if bad.any():
            first = numbers[bad][0]
            raise InputError(
                f"{path} must be Boolean or 0/1 (1 = may attend), but has the value {first:g}; "
                "pass additive biases as bias="
            )
        return numbers != 0


def _broadcasts(shape: tuple[int, ...], to: tuple[int, ...]) -> bool:
    """Whether an array of one shape broadcasts to another."""
    return len(shape) <= len(to) and all(n in (1, m) for n, m in zip(reversed(shape), reversed(to), strict=False))
