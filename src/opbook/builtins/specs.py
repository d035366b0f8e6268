"""What an argument must be: how it is checked and converted, how it is described, and what errors say."""

import operator
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from opbook.autodiff.dtypes import as_float_array
from opbook.autodiff.tape import TapeValue, stop_gradient
from opbook.errors import ArgumentError, DeclarationError, InputError, ShapeError, nearest


@dataclass(frozen=True)
class Extent:
    """How long one axis of one argument is, and how to say so."""

    size: int
    path: str
    noun: str

    @classmethod
    def of(cls, shape: tuple[int, ...], axis: int, path: str) -> "Extent":
        """Measure one axis of an argument.

        Args:
            shape: The argument's shape.
            axis: The axis.
            path: How an error names the argument.

        Returns:
            The extent.
        """
        noun = {1: "column", 2: "row"}.get(len(shape) - axis, f"axis {axis}") if len(shape) > 1 else "entry"
        return cls(shape[axis], path, noun)

    def __str__(self) -> str:
        if self.noun.startswith("axis"):
            return f"length {self.size} along {self.noun}"
        plural = "entries" if self.noun == "entry" else f"{self.noun}s"
        return f"{self.size} {self.noun if self.size == 1 else plural}"


@dataclass
class Binding:
    """The dimensions that one call has fixed so far.

    Attributes:
        sizes: The extent of each named dimension in the argument that fixed it.
        batches: The batch shapes seen, and the arguments they came with.
    """

    sizes: dict[str | int, Extent] = field(default_factory=dict)
    batches: list[tuple[tuple[int, ...], str]] = field(default_factory=list)

    def size(self, name: str) -> Extent | None:
        """Look a dimension up.

        Args:
            name: The dimension.

        Returns:
            Its extent, or None if no argument has fixed it yet.
        """
        return self.sizes.get(name)

    def batch(self) -> tuple[int, ...]:
        """The shape that all batch axes broadcast to."""
        return np.broadcast_shapes(*(shape for shape, _ in self.batches))

    def shape_of(self, spec: "ArraySpec") -> tuple[int | None, ...]:
        """Work out the shape that an annotation asks for.

        Args:
            spec: The annotation.

        Returns:
            Its sizes; None for a dimension that is not fixed.
        """
        extents = [dim if isinstance(dim, int) else self.size(dim.removeprefix("#")) for dim in spec.dims]
        sizes = [extent.size if isinstance(extent, Extent) else extent for extent in extents]
        return (*(self.batch() if spec.batched else ()), *sizes)


class Spec:
    """What an argument must be. Subclasses check and convert."""

    differentiable = False
    """Whether it has a gradient. What has none, such as a mask or a count, gets zeros."""

    may_be_constant = False
    """Whether a rule may return None for its gradient, as nobody can tell from the annotation that there is one."""

    def convert(self, value: Any, path: str, binding: Binding) -> Any:
        """Check a value and convert it.

        Args:
            value: What the caller passed.
            path: How an error names it, such as `heads[0].wq`.
            binding: The dimensions fixed so far; new ones are entered.

        Returns:
            The value as the definition takes it.

        Raises:
            OpbookError: The value does not fit.
        """
        raise NotImplementedError

    def words(self) -> str:
        """Say in a few words what the argument is."""
        raise NotImplementedError


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
        array = as_float_array(value, path)
        shape = array.shape
        split = len(shape) - len(self.dims)
        if split < 0 or (split and not self.batched):
            raise ShapeError(f"{path} must be a {self.words()}, but has shape {shape}")
        for axis, dim in enumerate(self.dims, split):
            known = binding.sizes.get(dim)
            if known is None or known.size != shape[axis]:
                self._check_size(dim, shape, axis, path, binding)
        if self.batched:
            _check_batch(shape[:split], path, binding)
        return array

    @staticmethod
    def _check_size(dim: str | int, shape: tuple[int, ...], axis: int, path: str, binding: Binding) -> None:
        size = shape[axis]
        if isinstance(dim, str) and dim.startswith("#"):
            if size == 1:
                return
            dim = dim[1:]
        if isinstance(dim, int):
            if size != dim:
                raise ShapeError(f"{path} has {Extent.of(shape, axis, path)}, but must have {dim}")
            return
        other = binding.size(dim)
        if other is None:
            binding.sizes[dim] = Extent.of(shape, axis, path)
        elif other.size != size:
            mine = Extent.of(shape, axis, path)
            theirs = other.size if other.noun == mine.noun else other
            raise ShapeError(f"{path} has {mine} but {other.path} has {theirs}; they must be equal (both are {dim})")


def _check_batch(batch: tuple[int, ...], path: str, binding: Binding) -> None:
    for other, its_path in binding.batches:
        if other == batch:
            continue
        try:
            np.broadcast_shapes(batch, other)
        except ValueError:
            raise ShapeError(
                f"{path} has batch axes {batch} but {its_path} has {other}; they must be equal or broadcast"
            ) from None
    binding.batches.append((batch, path))


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
        try:
            fits = np.broadcast_shapes(mask.shape, full) == full
        except ValueError:
            fits = False
        if not fits:
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


@dataclass(frozen=True)
class RecordSpec(Spec):
    """A record: any Mapping with exactly these fields."""

    name: str
    fields: dict[str, Spec]
    differentiable = True

    def words(self) -> str:  # noqa: D102
        return f"record {self.name} with " + ", ".join(f"{name} {spec.words()}" for name, spec in self.fields.items())

    def convert(self, value: Any, path: str, binding: Binding) -> Any:  # noqa: D102
        if not isinstance(value, Mapping):
            raise ArgumentError(
                f"{path} must be a record with the fields {', '.join(self.fields)}, but is {_kind(value)}"
            )
        for name in self.fields:
            if name not in value:
                raise ArgumentError(
                    f"{path} has no field {name}; it needs {', '.join(self.fields)} and has "
                    f"{', '.join(map(str, value)) or 'none'}"
                )
        for name in value:
            if name not in self.fields:
                raise ArgumentError(
                    f"{path} has an unknown field {name}; it takes {', '.join(self.fields)}."
                    f"{nearest(str(name), self.fields)}"
                )
        inner = Binding(dict(binding.sizes), binding.batches)  # what a record fixes holds inside it only
        # in the caller's order, so that gradients come back built as the argument is
        return {name: self.fields[name].convert(item, f"{path}.{name}", inner) for name, item in value.items()}


@dataclass(frozen=True)
class SequenceSpec(Spec):
    """A tuple or list, either of any length with items alike, or of one item for each spec."""

    items: tuple[Spec, ...]
    any_length: bool
    differentiable = True

    def words(self) -> str:  # noqa: D102
        if self.any_length:
            return f"tuple of any number of: {self.items[0].words()}"
        return "tuple of " + ", ".join(item.words() for item in self.items)

    def convert(self, value: Any, path: str, binding: Binding) -> Any:  # noqa: D102
        if not isinstance(value, tuple | list):
            hint = "; write (head,) for a tuple of one" if isinstance(value, Mapping) else ""
            raise ArgumentError(f"{path} must be a tuple or list, but is {_kind(value)}{hint}")
        specs = self.items * len(value) if self.any_length else self.items
        if len(specs) != len(value):
            raise ArgumentError(f"{path} must have {len(specs)} items, but has {len(value)}")
        converted = [
            spec.convert(item, f"{path}[{i}]", binding) for i, (spec, item) in enumerate(zip(specs, value, strict=True))
        ]
        return converted if isinstance(value, list) else tuple(converted)


@dataclass(frozen=True)
class ValueSpec(Spec):
    """A plain Python value: int, float, bool, str, one of several texts, or anything."""

    types: tuple[Any, ...]
    choices: tuple[Any, ...] = ()

    @property
    def differentiable(self) -> bool:  # type: ignore[override]
        """Numbers are; anything may be."""
        return float in self.types or (not self.types and not self.choices)

    @property
    def may_be_constant(self) -> bool:  # type: ignore[override]
        """Anything may be."""
        return not self.types

    def words(self) -> str:  # noqa: D102
        if self.choices:
            return " or ".join(f'"{c}"' if isinstance(c, str) else str(c) for c in self.choices)
        names = {int: "integer", float: "number", bool: "true or false", str: "text", Callable: "function"}
        return " or ".join(names.get(t, getattr(t, "__name__", "value")) for t in self.types) or "any value"

    def convert(self, value: Any, path: str, binding: Binding) -> Any:  # noqa: D102
        if self.choices:
            if any(type(value) is type(choice) and value == choice for choice in self.choices):
                return value
            hint = nearest(value, map(str, self.choices)) if isinstance(value, str) else ""
            raise InputError(f"{path} must be {self.words()}, but is {_kind(value)}.{hint}")
        if not self.types:
            return value
        for kind in self.types:
            accepted = _accept(kind, value)
            if accepted is not NotImplemented:
                return accepted
        raise ArgumentError(f"{path} must be {_article(self.words())}, but is {_kind(value)}")


def _accept(kind: Any, value: Any) -> Any:
    """Take a value as one of the plain kinds; NotImplemented if it is not."""
    if kind is Callable or kind is typing.Callable:
        return value if callable(value) else NotImplemented
    if kind is bool:
        return bool(value) if isinstance(value, bool | np.bool_) else NotImplemented
    if isinstance(value, bool | np.bool_):
        return NotImplemented
    if kind is int:
        plain = stop_gradient(value)
        if isinstance(value, TapeValue) and plain.ndim == 0:
            plain = float(plain)  # vjp made a float of it; a count has no gradient
        if isinstance(plain, float | np.floating) and plain == np.floor(plain) and np.isfinite(plain):
            return int(plain)  # a whole number, such as round(3.2) gives
        try:
            return operator.index(plain)
        except TypeError:
            return NotImplemented
    if kind is float:
        if isinstance(value, TapeValue) and value.ndim == 0:
            return value
        is_number = isinstance(value, int | float | np.integer | np.floating) or (
            isinstance(value, np.ndarray) and value.ndim == 0 and value.dtype.kind in "fiu"
        )
        try:
            return float(value) if is_number else NotImplemented
        except OverflowError:
            return NotImplemented
    return value if isinstance(value, kind) else NotImplemented


@dataclass(frozen=True)
class OptionalSpec(Spec):
    """Something, or None."""

    inner: Spec

    @property
    def differentiable(self) -> bool:  # type: ignore[override]
        """As what may be there."""
        return self.inner.differentiable

    @property
    def may_be_constant(self) -> bool:  # type: ignore[override]
        """As what may be there."""
        return self.inner.may_be_constant

    def words(self) -> str:  # noqa: D102
        return self.inner.words()

    def convert(self, value: Any, path: str, binding: Binding) -> Any:  # noqa: D102
        return None if value is None else self.inner.convert(value, path, binding)


def _article(words: str) -> str:
    return words if words.startswith(("text", "true", "any")) else f"a{'n' if words[0] in 'aeiou' else ''} {words}"


def _kind(value: Any) -> str:
    """Say what came, in a few words."""
    value = stop_gradient(value)
    if isinstance(value, np.ndarray):
        return f"an array of shape {value.shape}"
    if isinstance(value, Mapping):
        return "a record with the fields " + ", ".join(map(str, value)) if value else "an empty record"
    if isinstance(value, tuple | list):
        return f"a {type(value).__name__} of {len(value)}"
    if isinstance(value, int | float | str | bool | np.generic) or value is None:
        return repr(value.item() if isinstance(value, np.generic) else value)
    return _article(type(value).__name__)
