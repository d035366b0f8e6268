"""The tables that the rules are entered in, and what the rules share."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_tuple

Vjp = Callable[[Any], Any]
"""Takes the cotangent of a value, returns the gradient of one argument."""

Unpack = Callable[..., tuple[Sequence[Any], Mapping[str, Any]]]


@dataclass(frozen=True, slots=True)
class Primitive:
    """How one function is differentiated.

    Attributes:
        rule: Takes the arguments; returns the value and, for each positional argument, its VJP (None for an argument
            that has no gradient, such as a condition).
        unpack: For a function that takes its arrays in a sequence: turns the call's arguments into the rule's.
    """

    rule: Callable[..., tuple[Any, Sequence[Vjp | None]]]
    unpack: Unpack | None = None


PRIMITIVES: dict[Callable[..., Any], Primitive] = {}
"""Functions with a rule of their own."""

COMPOSITES: dict[Callable[..., Any], Callable[..., Any]] = {}
"""Functions that are written out in terms of others."""

CONSTANTS: set[Callable[..., Any]] = set()
"""Functions whose result does not change with a small change of the input: plain arrays, no gradient."""


def primitive(*functions: Callable[..., Any], unpack: Unpack | None = None) -> Callable[[Any], Any]:
    """Enter a rule for one function, or for several names of it."""

    def enter(rule: Any) -> Any:
        PRIMITIVES.update(dict.fromkeys(functions, Primitive(rule, unpack)))
        return rule

    return enter


def composite(*functions: Callable[..., Any]) -> Callable[[Any], Any]:
    """Enter a function that says the same as `functions` in terms of others."""

    def enter(definition: Any) -> Any:
        COMPOSITES.update(dict.fromkeys(functions, definition))
        return definition

    return enter


def if_there(*names: str) -> list[Callable[..., Any]]:
    """The functions of these names that the installed NumPy has: some came after version 2.0, and some may go."""
    found = []
    for name in names:
        thing: Any = np
        for part in name.split("."):
            thing = getattr(thing, part, None)
        if thing is not None:
            found.append(thing)
    return found


def dispatching(function: Callable[..., Any]) -> Callable[..., Any]:
    """Let a function of our own be intercepted through NumPy's dispatch protocol, as NumPy's own functions are."""

    @wraps(function)
    def dispatch(x: Any, *args: Any, **kwargs: Any) -> Any:
        if hasattr(x, "__array_function__") and not issubclass(type(x), np.ndarray):  # isinstance believes the tape
            return x.__array_function__(dispatch, (type(x),), (x, *args), kwargs)
        return function(x, *args, **kwargs)

    return dispatch


@dispatching
def as_constant(x: Any) -> Any:
    """The plain array that something stands for: places and counts are worked out with it, and have no gradient."""
    return x


CONSTANTS.add(as_constant)


def unbroadcast(gradient: Any, shape: tuple[int, ...]) -> Any:
    """Undo broadcasting: sum a gradient back to the shape that its argument had.

    Args:
        gradient: An array of the shape that `shape` was broadcast to.
        shape: The argument's own shape.

    Returns:
        The sum over every axis that broadcasting added or stretched, of shape `shape`.
    """
    own = np.shape(gradient)
    if own == shape:
        return gradient
    added = len(own) - len(shape)
    stretched = tuple(i for i, n in enumerate(shape, added) if n == 1 and own[i] != 1)
    return np.reshape(np.sum(gradient, axis=(*range(added), *stretched), keepdims=True), shape)


def normalized_axes(axis: int | tuple[int, ...] | None, ndim: int) -> tuple[int, ...]:
    """Turn NumPy's `axis` argument into a tuple of non-negative axes."""
    if axis is None or ndim == 0:  # NumPy lets a number be reduced along axis 0
        return tuple(range(ndim))
    return normalize_axis_tuple(axis, ndim)


def full_name(function: Callable[..., Any]) -> str:
    """Name a NumPy function the way people write it, such as `np.linalg.inv`."""
    module = getattr(function, "__module__", None) or "numpy"
    return f"{module.replace('numpy', 'np', 1)}.{function.__name__}"
