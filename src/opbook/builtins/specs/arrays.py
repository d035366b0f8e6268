"""Specs of arrays: of numbers, whole numbers and Booleans, with named dimensions that must agree within one call."""

import re
import typing
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from opbook.autodiff.dtypes import as_float_array
from opbook.autodiff.tape import stop_gradient
from opbook.builtins.specs.binding import Binding, Extent
from opbook.builtins.specs.dimensions import (
    Dim,
    in_numbers,
    is_name,
    names_in,
    parse_dim,
    partly_in_numbers,
    size_of,
    solved,
)
from opbook.builtins.specs.spec import Spec, contiguous, is_too_wide, too_wide
from opbook.errors import DeclarationError, DTypeError, InputError, ShapeError, TapeError


@dataclass(frozen=True)
class ArraySpec(Spec):
    """An array of floats with named dimensions.

    Attributes:
        dims: Names, fixed sizes and arithmetic from left to right, without the batch axes; "#N" stands for N or 1.
        batched: Whether any number of batch axes may lead.
        batch: The name of these axes if they must be those of other arguments of that name, or "".
    """

    dims: tuple[Dim, ...]
    batched: bool
    batch: str = ""

    differentiable = True

    @classmethod
    def parse(cls, text: str) -> typing.Self:
        """Read jaxtyping's dimension syntax.

        Raises:
            DeclarationError: The text has something else in it.
        """
        words = text.split() if isinstance(text, str) else [repr(text)]
        first = words[0] if words else ""
        name = first[1:] if first.startswith("*") and first[1:].isidentifier() else ""
        batched = first == "..." or bool(name)
        try:
            return cls(tuple(parse_dim(word) for word in words[batched:]), batched, name)
        except DeclarationError as error:
            raise DeclarationError(
                f'{cls.__name__[:-4]}["{text}"]: {error}; write spaces between dimensions, and "..." or a name such '
                'as *B for batch axes only in front, as in Array["... N D"]'
            ) from None

    @property
    def names(self) -> set[str]:
        """The names of dimensions in it."""
        return {name for dim in self.dims for name in names_in(dim)}

    @property
    def axes(self) -> str:
        """Its axes as a shape is written, such as `(..., N, D)`; "" if it may have any."""
        if not self.dims and not self.batch:
            return ""
        batch = [f"*{self.batch}" if self.batch else "..."] * self.batched
        inner = ", ".join([*batch, *(re.sub(r"^#(.*)", r"\1 or 1", str(dim)) for dim in self.dims)])
        return f"({inner}{',' if ',' not in inner else ''})"

    def words(self) -> str:  # noqa: D102
        if not self.axes:
            return "array of any shape" if self.batched else "number"
        kind = {1: "vector", 2: "matrix"}.get(len(self.dims), "array")
        return f"{self.axes} {'array' if self.batched else kind}"

    def convert(self, value: Any, path: str, binding: Binding) -> Any:  # noqa: D102
        array = contiguous(as_float_array(value, path))
        self._check_shape(array.shape, path, binding)
        binding.floats.append(array)
        return array

    def shape(self, binding: Binding) -> tuple[int | None, ...]:
        """Work out the shape that it asks for.

        Returns:
            Its sizes; None for a dimension that is not fixed.
        """
        return (*(binding.batch(self.batch) if self.batched else ()), *map(binding.size, self.dims))

    def _check_shape(self, shape: tuple[int, ...], path: str, binding: Binding) -> None:
        split = len(shape) - len(self.dims)
        if split < 0 or (split and not self.batched):
            raise ShapeError(f"{path} must be a {self.words()}, but has shape {shape}")
        for axis, dim in enumerate(self.dims, split):
            known = binding.sizes.get(dim)
            if known is None or known.size != shape[axis]:
                _check_size(dim, Extent(shape[axis], shape, axis, path), binding)
        if self.batched:
            binding.add_batch(shape[:split], self.batch, path)


def _check_size(dim: Dim, mine: Extent, binding: Binding) -> None:
    size = mine.size
    if isinstance(dim, int):
        if size != dim:
            raise ShapeError(f"{mine.path} has {mine}, but must have {dim}")
        return
    if dim.startswith("#"):
        if size == 1:
            return
        dim = dim[1:]
    if not is_name(dim):
        if not _fits(dim, mine, binding):
            binding.later.append(partial(_fits, dim, mine, binding, solve=True))
        return
    other = binding.sizes.setdefault(dim, mine)
    if other.size != size:
        theirs = other.size if other.noun == mine.noun else other
        raise ShapeError(f"{mine.path} has {mine} but {other.path} has {theirs}; they must be equal (both are {dim})")


def _fits(dim: Dim, mine: Extent, binding: Binding, *, solve: bool = False) -> bool:
    """Hold an axis to arithmetic; False if a name in it is not known yet."""
    known = binding.known(dim)
    due = size_of(dim, known)
    if due is None and solve and (found := solved(dim, mine.size, known)):
        name, value = found
        if value is None:
            due_for = dim if not known else f"{dim} = {partly_in_numbers(dim, known)}"
            raise ShapeError(
                f"{mine.path} has {mine}, but must have {due_for} for a whole number {name}{_sources(known, binding)}"
            )
        binding.sizes[name] = mine._replace(size=value)
        return True
    if due is not None and due != mine.size:
        raise ShapeError(f"{mine.path} has {mine}, but must have {in_numbers(dim, known)}{_sources(known, binding)}")
    return due is not None


def _sources(known: Mapping[str, int], binding: Binding) -> str:
    """Say which arguments the names of a dimension are from."""
    sources = ", ".join(f"{name} is from {binding.extent(name).path}" for name in known)  # type: ignore[union-attr]
    return f" ({sources})" if sources else ""


@dataclass(frozen=True)
class IntSpec(ArraySpec):
    """An array of whole numbers, perhaps in a range.

    Attributes:
        low: The smallest that there may be, or None.
        high: What all are below, or None; as `low`, a number or a dimension.
    """

    low: Dim | None = None
    high: Dim | None = None

    differentiable = False

    def between(self, text: str) -> "IntSpec":
        """Give it a range.

        Args:
            text: As a slice is written, such as `0:V`, `1:` or `-1:V`.

        Raises:
            DeclarationError: The text is no range.
        """
        parts = text.split(":") if isinstance(text, str) else []
        if len(parts) != 2:
            raise DeclarationError(f'{text!r} is no range of whole numbers: write it as a slice, such as "0:V" or "1:"')
        low, high = (_bound(part.strip()) for part in parts)
        return IntSpec(self.dims, self.batched, self.batch, low, high)

    @property
    def bounds(self) -> set[str]:
        """The names of dimensions in its range."""
        return {name for bound in (self.low, self.high) if bound is not None for name in names_in(bound)}

    @property
    def range(self) -> str:
        """Its range in words, such as `at least 0 and below V`; "" if there is none."""
        parts = [f"at least {self.low}"] * (self.low is not None) + [f"below {self.high}"] * (self.high is not None)
        return " and ".join(parts)

    def words(self) -> str:  # noqa: D102
        what = f"{super().words()} of whole numbers" if self.axes or self.batched else "whole number"
        return f"{what}, {self.range}" if self.range else what

    def convert(self, value: Any, path: str, binding: Binding) -> Any:  # noqa: D102
        array = contiguous(_whole_numbers(stop_gradient(value), path))
        self._check_shape(array.shape, path, binding)
        if not self._check_range(array, path, binding):
            binding.later.append(partial(self._check_range, array, path, binding))
        return array

    def _check_range(self, array: Any, path: str, binding: Binding) -> bool:
        low, high = (None if bound is None else binding.size(bound) for bound in (self.low, self.high))
        if (low is None) is not (self.low is None) or (high is None) is not (self.high is None):
            return False
        bad = np.zeros(array.shape, bool)
        for outside in ([array < low] if low is not None else []) + ([array >= high] if high is not None else []):
            bad |= outside
        if bad.any():
            limits = [f"at least {_told(self.low, binding)}"] * (low is not None)
            limits += [f"below {_told(self.high, binding)}"] * (high is not None)
            raise InputError(f"{_first(array, bad, path)}, but must be {' and '.join(limits)}")
        return True


def _bound(text: str) -> Dim | None:
    if not text:
        return None
    return int(text) if text.removeprefix("-").isdigit() else parse_dim(text)


def _told(bound: Dim | None, binding: Binding) -> str:
    """A bound with what it is: `V = 5, the rows of table`."""
    if bound is None or isinstance(bound, int):
        return str(bound)
    return in_numbers(bound, binding.known(bound))


def _first(array: Any, bad: Any, path: str) -> str:
    """Name the first entry that is wrong, such as `ids[2, 0] is 7`."""
    index = tuple(int(i) for i in np.argwhere(bad)[0])
    place = f"[{', '.join(map(str, index))}]" if index else ""
    return f"{path}{place} is {array[index]:g}"


def _whole_numbers(value: Any, path: str) -> Any:
    try:
        array = np.asarray(value)
    except (TapeError, ValueError):
        # numbers of a list that vjp has put on a tape; of another list this says what is wrong with it
        array = stop_gradient(as_float_array(value, path))
    if array.dtype.kind == "b":
        raise DTypeError(f"{path} must be whole numbers, but is Boolean; np.flatnonzero tells where a mask is true")
    if array.dtype.kind == "O" or array.dtype == np.uint64:  # so NumPy makes of Python's integers beyond 64 bits
        wide = next((entry for entry in array.ravel().tolist() if is_too_wide(entry)), None)
        if wide is not None:
            raise InputError(f"{path} {too_wide(wide)}")
    if array.dtype.kind in "iu":
        return array.astype(np.intp, copy=False)
    numbers = as_float_array(value, path).astype(np.float64)
    bad = ~np.isfinite(numbers) | (numbers != np.floor(numbers))
    if bad.any():
        raise InputError(f"{_first(numbers, bad, path)}, but must be a whole number")
    bad = abs(numbers) >= 2.0**63
    if bad.any():
        raise InputError(f"{path} {too_wide(int(numbers[bad][0]))}")
    return numbers.astype(np.intp)


@dataclass(frozen=True)
class BoolSpec(ArraySpec):
    """A Boolean array; 0 and 1 are taken as well."""

    differentiable = False

    def words(self) -> str:  # noqa: D102
        return f"{super().words()} of Booleans" if self.axes or self.batched else "true or false"

    def convert(self, value: Any, path: str, binding: Binding) -> Any:  # noqa: D102
        array = contiguous(_booleans(stop_gradient(value), path))
        self._check_shape(array.shape, path, binding)
        return array


@dataclass(frozen=True)
class MaskSpec(ArraySpec):
    """A Boolean or 0/1 array, 1 = may attend, that broadcasts against its dimensions."""

    differentiable = False

    def words(self) -> str:  # noqa: D102
        return "0/1 mask that broadcasts against " + super().words().rsplit(" ", 1)[0]

    def convert(self, value: Any, path: str, binding: Binding) -> Any:  # noqa: D102
        advice = "; pass additive biases as bias=" if self.dims else ""  # without axes of its own it masks no scores
        mask = contiguous(_booleans(stop_gradient(value), path, advice))
        if not self._check_broadcast(mask.shape, path, binding):
            binding.later.append(partial(self._check_broadcast, mask.shape, path, binding))
        return mask

    def _check_broadcast(self, shape: tuple[int, ...], path: str, binding: Binding) -> bool:
        full = self.shape(binding)
        if None in full:
            return False
        if len(shape) > len(full) or any(n not in (1, m) for n, m in zip(shape[::-1], full[::-1], strict=False)):
            wanted = f"{self.axes} = {full}" if self.axes else full
            raise ShapeError(f"{path} has shape {shape}, which does not broadcast to {wanted}")
        return True


def _booleans(value: Any, path: str, advice: str = "") -> Any:
    if isinstance(value, np.ndarray) and value.dtype == np.bool_:
        return value
    numbers = as_float_array(value, path)
    bad = (numbers != 0) & (numbers != 1)
    if bad.any():
        meaning = " (1 = may attend)" if advice else ""
        raise InputError(f"{path} must be Boolean or 0/1{meaning}, but has the value {numbers[bad][0]:g}{advice}")
    return numbers != 0
