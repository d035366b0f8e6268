"""The elementary functions, the larger and the smaller of two numbers, and rounding."""

import numpy as np

from opbook import Array, builtin, stop_gradient
from opbook.errors import InputError

CATEGORY = "Elementwise math"


# There is no rule of its own here. The definition is one NumPy function, and what the tape does with it is all there is
# to do: it multiplies the cotangent by the sign.
#
# **The gradient.** The slope is the sign of the entry: 1 on the right, −1 on the left. At 0, where the two meet, every
# number between them is a fair answer, and the middle one, 0, is what comes back: it leaves an entry alone that is
# already smallest.
@builtin(category=CATEGORY, aliases=("absolute value", "magnitude", "fabs"))
def abs(x: Array["..."]) -> Array["..."]:
    """Gives the absolute value of every entry.

    Args:
        x: Numbers.

    Returns:
        An array of x's shape, without signs. The gradient at 0 is 0.

    Source:
        The operation `abs` of IEEE 754-2019, section 5.5.1; operator `Abs` of ONNX opset 13.
    """
    return np.abs(x)


# A negative entry is refused rather than turned into NaN. What is below 0 there is nearly always a mistake further up,
# and the message points at it while it is still near.
#
# **The gradient.** The slope is
#
# $$\frac{\mathrm d}{\mathrm dx}\sqrt x = \frac{1}{2\sqrt x},$$
#
# so the value itself is all that the gradient needs; that is why the rule keeps the root and forgets x.
#
# At 0 the slope is infinite, and the honest gradient is `inf`. It often does harm, though, where nobody asked for it: a
# length such as `sqrt(sum(x^2))` in a branch that was not taken gets the cotangent 0, and 0 · ∞ would make NaN of it.
# So an entry whose cotangent is 0 has the gradient 0, whatever its slope.
@builtin(category=CATEGORY, aliases=("square root", "root"))
def sqrt(x: Array["..."]) -> Array["..."]:
    """Gives the square root of every entry.

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
    root = np.sqrt(x)
    kept = root.copy()
    return root, lambda g: (_over(0.5 * g, kept),)


# From about 709.8 on the result is larger than the largest float64 and becomes `inf`. That is the right answer to the
# question, so it comes without a warning. Code that meets it usually wanted a difference of exponents in the first
# place: `softmax`, `log_softmax`, `softplus` and `sigmoid` are written so that they never raise e to a large power.
#
# **The gradient.** This is the one function that is its own slope, so the tape keeps the value and multiplies by it.
@builtin(category=CATEGORY, aliases=("exponential", "e to the x"))
def exp(x: Array["..."]) -> Array["..."]:
    """Raises e to the power of every entry.

    Args:
        x: Exponents.

    Returns:
        An array of x's shape; `inf` where the power is too large for a float.

    Source:
        The function `exp` of IEEE 754-2019, section 9.2.
    """
    with np.errstate(over="ignore"):
        return np.exp(x)


# The natural logarithm, to base e. At 0 the value is −∞, which is the limit from the right and what IEEE 754 asks for;
# it comes without a warning.
#
# A loss that takes the logarithm of a `softmax` should use `log_softmax`: a probability that has been rounded to 0 can
# not be mended afterwards.
#
# **The gradient.** The slope is 1 / x, and ∞ at 0. As for `sqrt`, an entry with the cotangent 0 has the gradient 0 all
# the same, so that a probability of 0 that plays no part in a loss does not turn its gradient into NaN.
@builtin(category=CATEGORY, aliases=("natural logarithm", "ln", "logarithm"))
def log(x: Array["..."]) -> Array["..."]:
    """Gives the natural logarithm of every entry.

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
    kept = x.copy()
    with np.errstate(divide="ignore"):
        return np.log(x), lambda g: (_over(g, kept),)


# Angles are in radians, as everywhere in analysis: only then is the slope of the sine the cosine, with no factor of
# 180/π.
#
# An infinite angle has no sine. The result is NaN, and no warning.
#
# **The gradient.** The slope of the sine is the cosine of the same angle.
@builtin(category=CATEGORY, aliases=("sine",))
def sin(x: Array["..."]) -> Array["..."]:
    """Gives the sine of every entry.

    Args:
        x: Angles in radians.

    Returns:
        An array of x's shape, between -1 and 1.

    Source:
        The function `sin` of IEEE 754-2019, section 9.2.
    """
    with np.errstate(invalid="ignore"):
        return np.sin(x)


# Angles are in radians. An infinite angle has no cosine. The result is NaN, and no warning.
#
# An infinite angle has no cosine. The result is NaN, and no warning.
#
# **The gradient.** The slope of the cosine is the sine with the sign turned round: where the cosine stands at its top,
# at 0, it is level, and from there it falls.
@builtin(category=CATEGORY, aliases=("cosine",))
def cos(x: Array["..."]) -> Array["..."]:
    """Gives the cosine of every entry.

    Args:
        x: Angles in radians.

    Returns:
        An array of x's shape, between -1 and 1.

    Source:
        The function `cos` of IEEE 754-2019, section 9.2.
    """
    with np.errstate(invalid="ignore"):
        return np.cos(x)


# A number halfway between two candidates goes to the even one: 0.5 becomes 0, 1.5 and 2.5 both become 2. Always going
# up would push the mean of many rounded numbers upwards; going to the even neighbour goes up as often as down. The
# choice is also NumPy's and that of IEEE 754.
#
# As in NumPy, the number is multiplied by a power of ten, rounded to a whole number, and divided again. Most decimal
# fractions have no exact binary form, so few that look like halves are: 1.005 · 100 is 100.49999999999999 in floats,
# and with two digits 1.005 becomes 1.
#
# What rounds to zero is plain `0`, never `-0`: the sign would tell of something that rounding was meant to remove. (The
# `+ 0.0` does it, as −0 + 0 is 0.)
#
# An entry of 2⁵² or more has no decimals to round. It is passed on as it is, so that scaling it by a power of ten can't
# overflow.
#
# **The gradient.** As a function of x it is a staircase. It is level wherever it has a slope, so the gradient is 0.
@builtin(category=CATEGORY, aliases=("rint", "decimals"))
def round(x: Array["..."], digits: int = 0) -> Array["..."]:
    """Rounds every entry to a number of decimals, halves to the even neighbour.

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


# Entry by entry, with broadcasting, so `maximum(x, 0)` cuts off what is below zero. For the largest entry of one array
# there is `max`.
#
# A NaN on either side makes the result NaN; it is never quietly dropped.
#
# **The gradient.** The cotangent goes to the one that was chosen. Where the two are equal each gets one half: then the
# two parts add up to the cotangent, as they must, since a step that moves both by the same amount moves the result by
# that amount. (The whole of it to both would count the step twice.)
@builtin(category=CATEGORY, aliases=("larger of two", "elementwise max"))
def maximum(x: Array["..."], y: Array["..."]) -> Array["..."]:
    """Gives the larger of two numbers, entry by entry.

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


# Entry by entry, with broadcasting. For the smallest entry of one array there is `min`; to keep numbers within two
# bounds, nest the two: `minimum(maximum(x, low), high)`. A NaN on either side makes the result NaN.
#
# **The gradient.** The cotangent goes to the one that was chosen, and in equal halves to two that are equal, so that
# the parts add up to the whole.
@builtin(category=CATEGORY, aliases=("smaller of two", "elementwise min"))
def minimum(x: Array["..."], y: Array["..."]) -> Array["..."]:
    """Gives the smaller of two numbers, entry by entry.

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


def _over(g, divisor):
    """Divide, with 0 where g is 0: what nobody asks for is not NaN."""
    with np.errstate(divide="ignore", over="ignore"):
        return np.divide(g, divisor, out=np.zeros_like(g), where=g != 0)
