"""The smooth steps and ramps: tanh, sigmoid and softplus."""

import numpy as np

from opbook import Array, builtin

CATEGORY = "Elementwise math"


# A smooth step from −1 to 1 with slope 1 in the middle. It is `sigmoid` stretched: tanh(x) = 2 · sigmoid(2x) − 1.
#
# **The gradient.** The usual formula 1 − tanh² takes two nearly equal numbers apart, and from |x| ≈ 19 on (9 in
# float32) it gives exactly 0, though the slope is not 0 yet. The other formula, 1 / cosh², overflows at 1000. The rule
# uses a third one, which is the same function again and does neither: with t = exp(−2|x|), a number between 0 and 1,
#
# $$\frac{\partial}{\partial x}\tanh x = \frac{4t}{(1 + t)^2}.$$
#
# t does not depend on the sign of x, and neither does the slope: the curve is the same read from either end.
@builtin(category=CATEGORY, aliases=("hyperbolic tangent",))
def tanh(x: Array["..."]) -> Array["..."]:
    r"""Gives the hyperbolic tangent of every entry: a smooth step from -1 to 1.

    Args:
        x: Numbers.

    Returns:
        An array of x's shape, between -1 and 1.

    Formula:
        $$y = \frac{e^x - e^{-x}}{e^x + e^{-x}}$$

    Source:
        The function `tanh` of IEEE 754-2019, section 9.2; operator `Tanh` of ONNX opset 13.
    """
    return np.tanh(x)


@tanh.defvjp
def _(x):
    size = np.abs(x)

    def pullback(g):
        t = np.exp(-2 * size)
        return (g * 4 * t / (1 + t) ** 2,)

    return np.tanh(x), pullback


# 1 / (1 + exp(−x)) as it stands in books overflows for x = −1000. Multiplied above and below by exp(x) it is
# exp(x) / (1 + exp(x)), which overflows for +1000 instead. Each form is used on the side where it is well behaved. Both
# need only e = exp(−|x|), a number between 0 and 1, so there is one exponential and no overflow anywhere.
#
# The minus sign is put on with `where` rather than by `-abs(x)`: the two agree in value, but `abs` has a kink at 0, and
# the tape would see the kink in a function that has none.
#
# **The gradient.** For s the value it is
#
# $$\frac{\mathrm ds}{\mathrm dx} = s\,(1 - s) = \frac{e}{(1 + e)^2}.$$
#
# The first form loses its digits where s is close to 1; the second, with the e from above, keeps them on both sides.
@builtin(category=CATEGORY, aliases=("logistic", "expit"))
def sigmoid(x: Array["..."]) -> Array["..."]:
    r"""Gives the logistic function 1 / (1 + exp(-x)) of every entry: a smooth step from 0 to 1.

    Args:
        x: Numbers.

    Returns:
        An array of x's shape, between 0 and 1.

    Formula:
        $$y = \frac{1}{1 + e^{-x}}$$

    Source:
        Operator `Sigmoid` of ONNX opset 13.
    """
    e = np.exp(np.where(x >= 0, -x, x))
    return np.where(x >= 0, 1.0, e) / (1.0 + e)


@sigmoid.defvjp
def _(x):
    e = np.exp(-np.abs(x))
    return np.where(x >= 0, 1.0, e) / (1 + e), lambda g: (g * e / (1 + e) ** 2,)


# A smooth `maximum(x, 0)`: far to the right it is x, far to the left it is 0, and its slope is `sigmoid(x)`.
#
# log(1 + exp(x)) overflows for large x, and for very negative x it gives log(1) = 0 although exp(x) is not 0.
# `logaddexp(0, x)` is the same function without either fault: it takes the larger of the two exponents out first,
# log(exp(a) + exp(b)) = max(a, b) + log1p(exp(−|a − b|)). The rule does this step by step.
#
# **The gradient.** The slope is `sigmoid(x)`. With e = exp(−|x|), which the value has needed anyway, it is
# 1 / (1 + e) on the right and e / (1 + e) on the left, and keeps its digits on both sides.
@builtin(category=CATEGORY, aliases=("smooth relu", "log1pexp"))
def softplus(x: Array["..."]) -> Array["..."]:
    r"""Gives log(1 + exp(x)) of every entry: a smooth ramp that is never below 0.

    Args:
        x: Numbers.

    Returns:
        An array of x's shape.

    Formula:
        $$y = \log\left(1 + e^x\right)$$

    Source:
        Dugas, Bengio and others, *Incorporating Second-Order Functional Knowledge for Better Option Pricing* (2000);
        operator `Softplus` of ONNX opset 22.
    """
    return np.logaddexp(0.0, x)


@softplus.defvjp
def _(x):
    e = np.exp(-np.abs(x))
    right = x >= 0
    return np.maximum(x, 0) + np.log1p(e), lambda g: (g * np.where(right, 1.0, e) / (1 + e),)
