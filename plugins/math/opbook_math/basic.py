"""The elementary functions, the larger and the smaller of two numbers, and rounding."""

import numpy as np

from opbook import Array, builtin, stop_gradient
from opbook.errors import InputError


# The definition is one NumPy function, so no rule is needed: the tape knows its derivative.
#
# **The gradient.** The slope is the sign of the entry: 1 on the right of 0, and −1 on the left. At 0 there is a kink,
# and any slope from −1 to 1 could be taken. The middle one, 0, is used: there the value is smallest, so no direction is
# better than another.
@builtin(category="Elementwise & activations", aliases=("absolute value", "magnitude", "fabs"))
def abs(x: Array["..."]) -> Array["..."]:
    """Gives the absolute value of every entry.

    It measures the size of a number whatever its sign: of an error, a gradient, a distance. It works entry by entry, on
    an array of any shape. At 0 the curve has a kink; the gradient there is 0. For the length of a whole vector there is
    `norm`.

    Args:
        x: Numbers.

    Returns:
        An array of x's shape, without signs. The gradient at 0 is 0.

    Source:
        The operation `abs` of IEEE 754-2019, section 5.5.1; operator `Abs` of ONNX opset 13.
    """
    return np.abs(x)


# A negative entry is an error here, while NumPy returns NaN. It is nearly always a mistake in an earlier step, and the
# error is raised close to it.
#
# **The gradient.** With y = √x and the cotangent g = ∂L/∂y of some loss L,
#
# $$\frac{\partial L}{\partial x} = \frac{g}{2\sqrt x} = \frac{g}{2y},$$
#
# so the rule needs the value y, and not x.
#
# At 0 the slope is infinite, and so is the gradient. But if the cotangent is 0 too, the product 0 · ∞ would be NaN.
# That happens where a length such as `sqrt(sum(x^2))` plays no part in the result, for example because `where` did not
# take it. So an entry whose cotangent is 0 has the gradient 0, whatever its slope.
@builtin(category="Elementwise & activations", aliases=("square root", "root"))
def sqrt(x: Array["..."]) -> Array["..."]:
    """Gives the square root of every entry.

    It turns a variance into a standard deviation, and a sum of squares into a length. It works entry by entry, on an
    array of any shape. Of a negative entry it is an error. At 0 the slope is infinite, which is one reason why norms
    add a small eps under the root.

    Args:
        x: Numbers of at least 0.

    Returns:
        An array of x's shape. The gradient at 0 is infinite, or 0 where the cotangent is 0.

    Raises:
        InputError: An entry is negative.

    Source:
        The operation `squareRoot` of IEEE 754-2019, section 5.4.1, which gives NaN where this function refuses.
    """
    _refuse_negative(x, "sqrt")
    return np.sqrt(x)


@sqrt.defvjp
def _(x):
    _refuse_negative(x, "sqrt")
    y = np.sqrt(x)
    return y, lambda g: (_divided(g, 2 * y),)


# For x above about 709.8 the result is larger than the largest float64 and becomes `inf`, without a warning. Code that
# meets it usually needs a function in which no large power of e appears: `softmax`, `log_softmax`, `softplus` and
# `sigmoid` are written so.
#
# **The gradient.** The function is its own derivative, so the cotangent is multiplied by the value.
@builtin(category="Elementwise & activations", aliases=("exponential", "e to the x"))
def exp(x: Array["..."]) -> Array["..."]:
    """Raises e to the power of every entry.

    It makes every number positive and turns differences into ratios, which is how `softmax` turns scores into weights.
    It works entry by entry, on an array of any shape. It grows fast: the result is `inf` above about 709 in float64,
    and above 88 in float32. Far below 0 it is rounded to 0.

    Args:
        x: Exponents.

    Returns:
        An array of x's shape; `inf` where the power is too large for a float.

    Source:
        The function `exp` of IEEE 754-2019, section 9.2.
    """
    with np.errstate(over="ignore"):
        return np.exp(x)


# This is the natural logarithm, to base e. At 0 the value is −∞, without a warning: it is the limit from the right, and
# what IEEE 754 asks for.
#
# A loss that takes the logarithm of a `softmax` should use `log_softmax`. A probability that has been rounded to 0 has
# lost its logarithm.
#
# **The gradient.** With the cotangent g = ∂L/∂y of some loss L,
#
# $$\frac{\partial L}{\partial x} = \frac{g}{x},$$
#
# which is infinite at 0. As for `sqrt`, an entry with the cotangent 0 has the gradient 0 even there, so that a
# probability of 0 that plays no part in a loss does not make its gradient NaN.
@builtin(category="Elementwise & activations", aliases=("natural logarithm", "ln", "logarithm"))
def log(x: Array["..."]) -> Array["..."]:
    """Gives the natural logarithm of every entry.

    It undoes [`exp`](exp.md), and turns products into sums: the loss of a classifier adds up logarithms of
    probabilities. It works entry by entry, on an array of any shape. At 0 it is −∞, and of a negative entry it is an
    error. For the logarithm of a softmax there is `log_softmax`, which stays precise where probabilities are tiny.

    Args:
        x: Numbers of at least 0.

    Returns:
        An array of x's shape; `-inf` where x is 0. The gradient there is infinite, or 0 where the cotangent is 0.

    Raises:
        InputError: An entry is negative.

    Source:
        The function `log` of IEEE 754-2019, section 9.2, which gives NaN where this function refuses.
    """
    _refuse_negative(x, "log")
    with np.errstate(divide="ignore"):
        return np.log(x)


@log.defvjp
def _(x):
    _refuse_negative(x, "log")
    with np.errstate(divide="ignore"):
        return np.log(x), lambda g: (_divided(g, x),)


# Angles are in radians. Only then is the derivative of the sine the cosine; in degrees it would have a factor of π/180.
#
# An infinite angle has no sine. The result is NaN, without a warning.
#
# **The gradient.** The derivative of the sine is the cosine of the same angle, so the cotangent is multiplied by cos x.
@builtin(category="Elementwise & activations", aliases=("sine",))
def sin(x: Array["..."]) -> Array["..."]:
    """Gives the sine of every entry.

    The angles are in radians, in an array of any shape. Waves and rotations are made of it and of [`cos`](cos.md);
    `sinusoidal_positions` tells positions apart by it. An infinite angle gives NaN.

    Args:
        x: Angles in radians.

    Returns:
        An array of x's shape, between -1 and 1.

    Source:
        The function `sin` of IEEE 754-2019, section 9.2.
    """
    with np.errstate(invalid="ignore"):
        return np.sin(x)


# Angles are in radians. An infinite angle has no cosine: the result is NaN, without a warning.
#
# **The gradient.** The derivative of the cosine is minus the sine, so the cotangent is multiplied by −sin x. At 0,
# where the cosine is largest, the curve is flat, and from there it falls.
@builtin(category="Elementwise & activations", aliases=("cosine",))
def cos(x: Array["..."]) -> Array["..."]:
    """Gives the cosine of every entry.

    The angles are in radians, in an array of any shape. Waves and rotations are made of it and of [`sin`](sin.md),
    which is the same curve a quarter of a turn later; `rope` turns queries and keys with both. An infinite angle gives
    NaN.

    Args:
        x: Angles in radians.

    Returns:
        An array of x's shape, between -1 and 1.

    Source:
        The function `cos` of IEEE 754-2019, section 9.2.
    """
    with np.errstate(invalid="ignore"):
        return np.cos(x)


# A number in the middle between two candidates goes to the even one: 0.5 becomes 0, and both 1.5 and 2.5 become 2. If
# such numbers always went up, the mean of many rounded numbers would be too large. NumPy and IEEE 754 do the same.
#
# As in NumPy, the number is multiplied by a power of ten, rounded to a whole number, and divided again. Most decimal
# fractions have no exact binary form, so a number can look like a half and be none: 1.005 · 100 is 100.49999999999999
# in floats, so with two digits 1.005 becomes 1.
#
# The result is never `-0`: the `+ 0.0` turns it into 0.
#
# An entry of 2⁵² or more has no decimals to round. It stays as it is, so that multiplying it by a power of ten can't
# overflow.
#
# **The gradient.** The function is a staircase: flat everywhere but at its steps, so the gradient is 0.
@builtin(category="Elementwise & activations", aliases=("rint", "decimals"))
def round(x: Array["..."], digits: int = 0) -> Array["..."]:
    """Rounds every entry to a number of decimals, halves to the even neighbour.

    It is for results that are printed or compared. It works entry by entry, on an array of any shape. A number in the
    middle between two candidates goes to the even one, as in NumPy: 0.5 becomes 0, and 1.5 becomes 2. It is a
    staircase, so nothing can be learned through it.

    Args:
        x: Numbers.
        digits: How many decimals to keep, from -292 to 292; with -2, whole hundreds are kept.

    Returns:
        An array of x's shape. The gradient is 0.

    Raises:
        InputError: digits is out of range.

    Source:
        NumPy's `np.round`; halves go to the even neighbour as by `roundTiesToEven` of IEEE 754-2019, section 4.3.1.
    """
    if not -292 <= digits <= 292:
        raise InputError(f"round: digits must be from -292 to 292, but is {digits}")
    x = stop_gradient(x)
    whole = np.abs(x) >= 2.0**52
    if digits <= 0:
        return np.round(x, digits) + 0.0
    return np.where(whole, x, np.round(np.where(whole, 0.0, x), digits)) + 0.0


# The two arrays are compared entry by entry, and they broadcast: `maximum(x, 0)` replaces negative entries by 0. For
# the largest entry of one array there is `max`. If one of two numbers is NaN, the result is NaN.
#
# **The gradient.** The cotangent goes to the larger of the two numbers. If they are equal, each gets half of it. The
# two parts then add up to the cotangent, as they must: if both numbers grow by the same amount, so does the result.
@builtin(category="Elementwise & activations", aliases=("larger of two", "elementwise max", "fmax"))
def maximum(x: Array["..."], y: Array["..."]) -> Array["..."]:
    """Gives the larger of two numbers, entry by entry.

    The two arrays broadcast: `maximum(x, 0)` replaces negative entries by 0. Where both are equal, each gets half of
    the gradient; that makes `maximum(x, 0)` differ from `relu` at 0. NaN in either gives NaN. For the largest entry of
    one array there is `max`.

    Args:
        x: Numbers.
        y: Numbers, of x's shape or one that broadcasts with it.

    Returns:
        An array of the shape that x and y broadcast to. Equal entries share the gradient.

    Raises:
        ShapeError: The shapes do not broadcast.

    Source:
        NumPy's `np.maximum`; NaN is treated as by `maximum` of IEEE 754-2019, section 9.6.
    """
    return np.maximum(x, y)


# The two arrays are compared entry by entry, and they broadcast. To keep numbers between two bounds, write
# `minimum(maximum(x, low), high)`. For the smallest entry of one array there is `min`. If one of two numbers is NaN,
# the result is NaN.
#
# **The gradient.** The cotangent goes to the smaller of the two numbers. If they are equal, each gets half of it, so
# that the two parts add up to the cotangent.
@builtin(category="Elementwise & activations", aliases=("smaller of two", "elementwise min", "fmin"))
def minimum(x: Array["..."], y: Array["..."]) -> Array["..."]:
    """Gives the smaller of two numbers, entry by entry.

    The two arrays broadcast: `minimum(x, 1)` lets nothing be above 1. Where both are equal, each gets half of the
    gradient. NaN in either gives NaN. For the smallest entry of one array there is `min`.

    Args:
        x: Numbers.
        y: Numbers, of x's shape or one that broadcasts with it.

    Returns:
        An array of the shape that x and y broadcast to. Equal entries share the gradient.

    Raises:
        ShapeError: The shapes do not broadcast.

    Source:
        NumPy's `np.minimum`; NaN is treated as by `minimum` of IEEE 754-2019, section 9.6.
    """
    return np.minimum(x, y)


def _refuse_negative(x, name):
    plain = stop_gradient(x)
    negative = plain < 0
    if np.any(negative):
        raise InputError(f"{name}: x must be at least 0 everywhere, but has the value {plain[negative][0]:g}")


def _divided(g, divisor):
    """g / divisor, but 0 where g is 0, even if the divisor is 0 too."""
    with np.errstate(divide="ignore", over="ignore"):
        return np.divide(g, divisor, out=np.zeros_like(g), where=g != 0)
