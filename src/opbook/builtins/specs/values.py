"""Specs of plain Python values: numbers, texts, functions, anything; and of one of several things, or None."""

import operator
import typing
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from opbook.autodiff import tree
from opbook.autodiff.tape import FLOATS, TapeValue, stop_gradient
from opbook.builtins.specs.binding import Binding
from opbook.builtins.specs.spec import Spec, contiguous, what_came, with_article
from opbook.errors import ArgumentError, InputError, OpbookError, ShapeError, nearest


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
            wrong = InputError if type(value) in map(type, self.choices) else ArgumentError
            raise wrong(f"{path} must be {self.words()}, but is {what_came(value)}.{hint}")
        if not self.types:
            return _entered(value, binding)
        for kind in self.types:
            accepted = _accept(kind, value)
            if accepted is not NotImplemented:
                return _entered(accepted, binding)
        raise ArgumentError(f"{path} must be {with_article(self.words())}, but is {what_came(value)}")


def _entered(value: Any, binding: Binding) -> Any:
    """The value, after the arrays in it have been entered."""
    leaves = tree.leaves(value)
    laid_out = [contiguous(leaf) for leaf in leaves]
    binding.floats += [leaf for leaf in laid_out if isinstance(leaf, np.ndarray | TapeValue) and leaf.dtype in FLOATS]
    return value if all(map(operator.is_, leaves, laid_out)) else tree.unflatten(value, laid_out)


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
    def parts(self) -> tuple[Spec, ...]:
        """What it is unless it is None."""
        return (self.inner,)

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


@dataclass(frozen=True)
class UnionSpec(Spec):
    """One of several things; the first that a value fits."""

    options: tuple[Spec, ...]

    @property
    def parts(self) -> tuple[Spec, ...]:
        """What it may be."""
        return self.options

    @property
    def differentiable(self) -> bool:  # type: ignore[override]
        """Whether one of them is."""
        return any(part.differentiable for part in self.parts)

    @property
    def may_be_constant(self) -> bool:  # type: ignore[override]
        """Whether one of them has no gradient."""
        return any(part.may_be_constant or not part.differentiable for part in self.parts)

    def words(self) -> str:  # noqa: D102
        return ", or ".join(part.words() for part in self.parts)

    def convert(self, value: Any, path: str, binding: Binding) -> Any:  # noqa: D102
        telling: list[OpbookError] = []
        for part in self.parts:
            try:
                part.convert(value, path, binding.attempt())
            except (ShapeError, InputError) as error:  # the right kind of thing, but not a right one
                telling.append(error.with_traceback(None))  # whose frames would keep the value alive in a cycle
            except OpbookError:
                continue
            else:
                return part.convert(value, path, binding)
        if len(telling) == 1:
            raise telling[0]
        raise ArgumentError(f"{path} must be {with_article(self.words())}, but is {what_came(value)}")
