"""Functions that choose between entries of several arrays, or between a value and a bound."""

from collections.abc import Callable
from functools import reduce
from typing import Any

import numpy as np

from opbook.autodiff.derivatives.elementwise import Parts
from opbook.autodiff.derivatives.indexing import cast, put_items
from opbook.autodiff.derivatives.table import composite, primitive, unbroadcast


def _enter(function: Callable[..., Any], better: Callable[..., Any]) -> None:
    """Enter `maximum` or `minimum`: each of two equal entries gets half, so that the parts add up to the cotangent."""

    def share(mine: Any, other: Any) -> Any:
        return np.where(better(mine, other), 1.0, np.where(np.equal(mine, other), 0.5, 0.0))

    def rule(x: Any, y: Any) -> Parts:
        def part(g: Any, mine: Any, other: Any) -> Any:
            # float32 stays float32: the share is exact in any precision
            return unbroadcast(g * share(mine, other).astype(g.dtype), np.shape(mine))

        return function(x, y), (lambda g: part(g, x, y), lambda g: part(g, y, x))

    primitive(function)(rule)


_enter(np.maximum, np.greater)
_enter(np.minimum, np.less)


@composite(np.fmax)
def fmax(x: Any, y: Any) -> Any:
    """The greater of two, and of a number and NaN the number."""
    return np.maximum(np.where(np.isnan(x), y, x), np.where(np.isnan(y), x, y))


@composite(np.fmin)
def fmin(x: Any, y: Any) -> Any:
    return np.minimum(np.where(np.isnan(x), y, x), np.where(np.isnan(y), x, y))


@primitive(np.where)
def where(condition: Any, x: Any, y: Any) -> Parts:
    """Send the cotangent to the branch taken; the other gets zeros, whatever stands in it."""
    return np.where(condition, x, y), (
        None,
        lambda g: unbroadcast(np.where(condition, g, 0), np.shape(x)),
        lambda g: unbroadcast(np.where(condition, 0, g), np.shape(y)),
    )


def _bounds(x: Any, a_min: Any = None, a_max: Any = None, *, min: Any = None, max: Any = None) -> Any:
    low, high = min if a_min is None else a_min, max if a_max is None else a_max
    return (x, -np.inf if low is None else low, np.inf if high is None else high), {}


@primitive(np.clip, unpack=_bounds)
def clip(x: Any, low: Any, high: Any) -> Parts:
    """Send the cotangent to what was chosen; where x is equal to a bound, that is x."""
    return np.clip(x, low, high), (
        lambda g: _where_true(np.logical_and(np.greater_equal(x, low), np.less_equal(x, high)), g, x),
        lambda g: _where_true(np.logical_and(np.less(x, low), np.less_equal(low, high)), g, low),
        lambda g: _where_true(np.greater(np.maximum(x, low), high), g, high),
    )


def _where_true(chosen: Any, g: Any, argument: Any) -> Any:
    return unbroadcast(np.where(chosen, g, 0), np.shape(argument))


@primitive(np.nan_to_num)
def nan_to_num(x: Any, copy: bool = True, nan: float = 0.0, posinf: Any = None, neginf: Any = None) -> Parts:
    """Pass the cotangent where x is finite."""
    return np.nan_to_num(x, nan=nan, posinf=posinf, neginf=neginf), (lambda g: np.where(np.isfinite(x), g, 0),)


@composite(np.heaviside)
def heaviside(x: Any, at_zero: Any) -> Any:
    """A step: constant on both sides."""
    return np.where(np.equal(x, 0), at_zero, np.where(np.isnan(x), x, np.greater(x, 0)))


@composite(np.select)
def select(conditions: Any, choices: Any, default: Any = 0) -> Any:
    """The first choice whose condition is true."""
    if len(conditions) != len(choices):
        raise ValueError("list of cases must be same length as list of conditions")
    result = default
    for condition, choice in zip(reversed(conditions), reversed(choices), strict=True):
        result = np.where(condition, choice, result)
    return result


@composite(np.choose)
def choose(which: Any, choices: Any) -> Any:
    """Entry by entry, the choice of that number."""
    last = len(choices) - 1
    if np.any(np.less(which, 0)) or np.any(np.greater(which, last)):
        raise ValueError("invalid entry in choice array")
    conditions = [np.equal(which, i) for i in range(last)]
    return select(conditions, choices[:last], choices[last])


@composite(np.piecewise)
def piecewise(x: Any, conditions: Any, functions: Any, *args: Any, **kwargs: Any) -> Any:
    """Apply each function to the entries for which its condition is true; the last true one counts."""
    if np.isscalar(conditions) or (np.ndim(x) and not isinstance(conditions[0], list | np.ndarray)):
        conditions = [conditions]
    masks = [np.broadcast_to(condition, np.shape(x)) for condition in conditions]
    if len(functions) == len(masks) + 1:
        masks = [*masks, np.logical_not(reduce(np.logical_or, masks))]
    result = np.zeros_like(x)
    for mask, function in zip(masks, functions, strict=True):
        chosen = function(x[mask], *args, **kwargs) if callable(function) else function
        spread = np.broadcast_to(chosen, (int(np.sum(mask)),))
        result = np.where(mask, put_items(spread, (mask,), np.shape(x)), result)
    return result if result.dtype == x.dtype else cast(result, x.dtype)
