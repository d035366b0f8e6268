"""Functions that work entry by entry, with broadcasting."""

from collections.abc import Callable
from typing import Any

import numpy as np

from opbook.autodiff.derivatives.table import CONSTANTS, Vjp, primitive, unbroadcast

Parts = tuple[Any, tuple[Vjp | None, ...]]


def unary(function: Callable[..., Any], derivative: Callable[[Any, Any], Any]) -> None:
    """Enter a function of one array by its derivative, given as `derivative(x, value)`."""

    def rule(x: Any) -> Parts:
        value = function(x)
        return value, (lambda g: g * derivative(x, value),)

    primitive(function)(rule)


unary(np.negative, lambda x, y: -1.0)
unary(np.positive, lambda x, y: 1.0)
unary(np.absolute, lambda x, y: np.sign(x))
unary(np.fabs, lambda x, y: np.sign(x))
unary(np.square, lambda x, y: 2 * x)
unary(np.sqrt, lambda x, y: 0.5 / y)
unary(np.cbrt, lambda x, y: 1 / (3 * y * y))
unary(np.reciprocal, lambda x, y: -y * y)
unary(np.exp, lambda x, y: y)
unary(np.exp2, lambda x, y: y * float(np.log(2)))
unary(np.expm1, lambda x, y: y + 1)
unary(np.log, lambda x, y: 1 / x)
unary(np.log2, lambda x, y: 1 / (x * float(np.log(2))))
unary(np.log10, lambda x, y: 1 / (x * float(np.log(10))))
unary(np.log1p, lambda x, y: 1 / (1 + x))
unary(np.sin, lambda x, y: np.cos(x))
unary(np.cos, lambda x, y: -np.sin(x))
unary(np.tan, lambda x, y: 1 + y * y)
unary(np.arcsin, lambda x, y: 1 / np.sqrt(1 - x * x))
unary(np.arccos, lambda x, y: -1 / np.sqrt(1 - x * x))
unary(np.arctan, lambda x, y: 1 / (1 + x * x))
unary(np.sinh, lambda x, y: np.cosh(x))
unary(np.cosh, lambda x, y: np.sinh(x))
unary(np.tanh, lambda x, y: 1 - y * y)


@primitive(np.add)
def add(x: Any, y: Any) -> Parts:
    return x + y, (lambda g: unbroadcast(g, np.shape(x)), lambda g: unbroadcast(g, np.shape(y)))


@primitive(np.subtract)
def subtract(x: Any, y: Any) -> Parts:
    return x - y, (lambda g: unbroadcast(g, np.shape(x)), lambda g: unbroadcast(-g, np.shape(y)))


@primitive(np.multiply)
def multiply(x: Any, y: Any) -> Parts:
    return x * y, (lambda g: unbroadcast(g * y, np.shape(x)), lambda g: unbroadcast(g * x, np.shape(y)))


@primitive(np.divide)
def divide(x: Any, y: Any) -> Parts:
    value = x / y
    return value, (lambda g: unbroadcast(g / y, np.shape(x)), lambda g: unbroadcast(-g * value / y, np.shape(y)))


@primitive(np.power, np.float_power)
def power(x: Any, y: Any) -> Parts:
    value = x**y

    def of_base(g: Any) -> Any:
        # x ** 0 is 1 everywhere: without the detour, 0 ** (0 - 1) would make its gradient 0 * inf.
        exponent = y - 1 if np.all(np.not_equal(y, 0)) else np.where(np.equal(y, 0), 1, y - 1)
        return unbroadcast(g * y * x**exponent, np.shape(x))

    def of_exponent(g: Any) -> Any:
        return unbroadcast(g * value * np.log(np.where(np.greater(x, 0), x, 1)), np.shape(y))

    return value, (of_base, of_exponent)


@primitive(np.logaddexp)
def logaddexp(x: Any, y: Any) -> Parts:
    value = np.logaddexp(x, y)

    def share(mine: Any, other: Any) -> Any:
        # inf - inf says nothing: an infinite entry is the whole sum, and two of them share it
        tied = np.logical_and(np.equal(mine, other), np.isinf(mine))
        with np.errstate(invalid="ignore"):
            exponent = np.where(np.equal(mine, value), 0.0, mine - value)
        return np.where(tied, 0.5, np.exp(exponent))

    return value, (
        lambda g: unbroadcast(g * share(x, y), np.shape(x)),
        lambda g: unbroadcast(g * share(y, x), np.shape(y)),
    )


@primitive(np.arctan2)
def arctan2(y: Any, x: Any) -> Parts:
    return np.arctan2(y, x), (
        lambda g: unbroadcast(g * x / (x * x + y * y), np.shape(y)),
        lambda g: unbroadcast(-g * y / (x * x + y * y), np.shape(x)),
    )


def _chosen(function: Callable[..., Any], better: Callable[..., Any]) -> None:
    """Enter `maximum` or `minimum`: each of two equal entries gets half, so that the parts add up to the cotangent."""

    def share(mine: Any, other: Any) -> Any:
        return np.where(better(mine, other), 1.0, np.where(np.equal(mine, other), 0.5, 0.0))

    def rule(x: Any, y: Any) -> Parts:
        def part(g: Any, mine: Any, other: Any) -> Any:
            # float32 stays float32: the share is exact in any precision
            return unbroadcast(g * share(mine, other).astype(g.dtype), np.shape(mine))

        return function(x, y), (lambda g: part(g, x, y), lambda g: part(g, y, x))

    primitive(function)(rule)


_chosen(np.maximum, np.greater)
_chosen(np.minimum, np.less)


@primitive(np.where)
def where(condition: Any, x: Any, y: Any) -> Parts:
    """Send the cotangent to the branch taken; the other gets zeros, whatever stands in it."""
    return np.where(condition, x, y), (
        None,
        lambda g: unbroadcast(np.where(condition, g, 0), np.shape(x)),
        lambda g: unbroadcast(np.where(condition, 0, g), np.shape(y)),
    )


@primitive(np.clip)
def clip(x: Any, a_min: Any = None, a_max: Any = None, *, min: Any = None, max: Any = None) -> Parts:
    """Pass the cotangent where x lies within the bounds; the bounds are constants."""
    low = min if a_min is None else a_min
    high = max if a_max is None else a_max
    inside = np.logical_and(
        True if low is None else np.greater_equal(x, low), True if high is None else np.less_equal(x, high)
    )
    return np.clip(x, low, high), (lambda g: unbroadcast(np.where(inside, g, 0), np.shape(x)), None, None)


@primitive(np.nan_to_num)
def nan_to_num(x: Any, copy: bool = True, nan: float = 0.0, posinf: Any = None, neginf: Any = None) -> Parts:
    """Pass the cotangent where x is finite."""
    return np.nan_to_num(x, nan=nan, posinf=posinf, neginf=neginf), (lambda g: np.where(np.isfinite(x), g, 0),)


CONSTANTS.update(
    {
        np.sign,
        np.floor,
        np.ceil,
        np.trunc,
        np.rint,
        np.round,
        np.floor_divide,
        np.equal,
        np.not_equal,
        np.less,
        np.less_equal,
        np.greater,
        np.greater_equal,
        np.logical_and,
        np.logical_or,
        np.logical_xor,
        np.logical_not,
        np.isnan,
        np.isinf,
        np.isfinite,
        np.signbit,
        np.isclose,
        np.allclose,
        np.array_equal,
    }
)
