"""Functions that work entry by entry, with broadcasting."""

from collections.abc import Callable
from typing import Any

import numpy as np

from opbook.autodiff.derivatives.table import Vjp, as_constant, composite, primitive, unbroadcast

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
unary(np.arcsinh, lambda x, y: 1 / np.sqrt(x * x + 1))
unary(np.arccosh, lambda x, y: 1 / np.sqrt(x * x - 1))
unary(np.arctanh, lambda x, y: 1 / (1 - x * x))
unary(np.conjugate, lambda x, y: 1.0)
unary(np.deg2rad, lambda x, y: float(np.pi / 180))
unary(np.radians, lambda x, y: float(np.pi / 180))
unary(np.rad2deg, lambda x, y: float(180 / np.pi))
unary(np.degrees, lambda x, y: float(180 / np.pi))


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


@primitive(np.power)
def power(x: Any, y: Any) -> Parts:
    value = x**y

    def of_base(g: Any) -> Any:
        # x ** 0 is 1 everywhere: without the detour, 0 ** (0 - 1) would make its gradient 0 * inf.
        exponent = y - 1 if np.all(np.not_equal(y, 0)) else np.where(np.equal(y, 0), 1, y - 1)
        return unbroadcast(g * y * x**exponent, np.shape(x))

    def of_exponent(g: Any) -> Any:
        return unbroadcast(g * value * np.log(np.where(np.greater(x, 0), x, 1)), np.shape(y))

    return value, (of_base, of_exponent)


@composite(np.float_power)
def float_power(x: Any, y: Any) -> Any:
    """The power in double precision, whatever comes in."""
    return np.power(np.add(x, np.float64(0)), y)


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


@primitive(np.logaddexp2)
def logaddexp2(x: Any, y: Any) -> Parts:
    value = np.logaddexp2(x, y)
    return value, (
        lambda g: unbroadcast(g * np.exp2(x - value), np.shape(x)),
        lambda g: unbroadcast(g * np.exp2(y - value), np.shape(y)),
    )


@primitive(np.hypot)
def hypot(x: Any, y: Any) -> Parts:
    value = np.hypot(x, y)
    length = np.where(np.equal(value, 0), 1, value)  # at 0 the gradient of a norm is 0
    return value, (
        lambda g: unbroadcast(g * (x / length), np.shape(x)),
        lambda g: unbroadcast(g * (y / length), np.shape(y)),
    )


@primitive(np.copysign)
def copysign(x: Any, y: Any) -> Parts:
    value = np.copysign(x, y)
    return value, (
        lambda g: unbroadcast(g * (np.sign(x) * np.copysign(1.0, y)).astype(g.dtype), np.shape(x)),
        lambda g: unbroadcast(np.zeros_like(g), np.shape(y)),
    )


def _rest(function: Callable[..., Any]) -> None:
    """Enter what a division leaves over: the quotient is constant between its jumps."""

    def rule(x: Any, y: Any) -> Parts:
        value = function(x, y)
        return value, (
            lambda g: unbroadcast(g, np.shape(x)),
            lambda g: unbroadcast(-g * np.rint((x - value) / y), np.shape(y)),
        )

    primitive(function)(rule)


_rest(np.fmod)
_rest(np.remainder)


@composite(np.divmod)
def divmod_(x: Any, y: Any) -> Any:
    return np.floor_divide(x, y), np.remainder(x, y)


@composite(np.modf)
def modf(x: Any) -> Any:
    whole = np.trunc(x)
    return x - whole, whole


@composite(np.ldexp)
def ldexp(x: Any, exponent: Any) -> Any:
    return x * np.exp2(exponent).astype(x.dtype)


@composite(np.frexp)
def frexp(x: Any) -> Any:
    exponent = np.frexp(as_constant(x))[1]
    return ldexp(x, -exponent), exponent


@composite(np.sinc)
def sinc(x: Any) -> Any:
    """sin(pi x) / (pi x), and near 0 its series, which has all its derivatives there."""
    angle = x * float(np.pi)
    near = np.abs(angle) < 0.5
    square = np.where(near, angle, 0) ** 2
    series = 1 - square / (2 * 3) * (1 - square / (4 * 5) * (1 - square / (6 * 7) * (1 - square / (8 * 9))))
    far = np.where(near, 1, angle)
    return np.where(near, series, np.sin(far) / far)


@primitive(np.i0)
def i0(x: Any) -> Parts:
    """The modified Bessel function of order 0; its derivative is that of order 1, by its integral over a circle."""

    def of_order_1() -> Any:
        angles = np.cos(np.linspace(0, 2 * np.pi, 512, endpoint=False)).astype(x.dtype)
        return np.mean(np.exp(np.expand_dims(x, -1) * angles) * angles, axis=-1)

    return np.i0(x), (lambda g: g * of_order_1(),)


@composite(np.real, np.real_if_close)
def real(x: Any) -> Any:
    return x
