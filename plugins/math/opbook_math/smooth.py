"""The smooth steps and ramps: tanh, sigmoid and softplus."""

import numpy as np

from opbook import Array, builtin


# The curve is a smooth step from −1 to 1, with slope 1 in the middle. It is `sigmoid`, stretched and moved:
# tanh(x) = 2 · sigmoid(2x) − 1.
#
# **The gradient.** The usual formula for the slope is 1 − tanh²(x). For |x| above 19 (9 in float32) tanh² is rounded to
# 1, and the formula gives exactly 0, though the slope is not 0. Another formula, 1 / cosh²(x), overflows at 1000. The
# rule uses a third form of the same function, which has neither fault. With t = exp(−2|x|), a number between 0 and 1,
# and the cotangent g = ∂L/∂y of some loss L,
#
# $$\frac{\partial L}{\partial x} = g\,\frac{4t}{(1 + t)^2}.$$
@builtin(category="Elementwise & activations", aliases=("hyperbolic tangent",))
def tanh(x: Array["..."]) -> Array["..."]:
    r"""Gives the hyperbolic tangent of every entry: a smooth step from -1 to 1.

    It keeps numbers between -1 and 1, and is what recurrent networks bend their states with. It works entry by entry,
    on an array of any shape. Near 0 it is almost x itself; far from 0 it is flat, and gradients all but vanish. It is
    [`sigmoid`](sigmoid.md), stretched and moved.

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
    t = np.exp(-2 * np.abs(x))
    return np.tanh(x), lambda g: (g * 4 * t / (1 + t) ** 2,)


# The form in most books, 1 / (1 + exp(−x)), overflows for x = −1000. If numerator and denominator are multiplied by
# exp(x), it becomes exp(x) / (1 + exp(x)), which overflows for x = 1000. So the first form is used for positive x, and
# the second for negative x. Both need only e = exp(−|x|), a number between 0 and 1.
#
# In the definition −|x| is written with `where`, and not with `abs`: the values are the same, but `abs` has a kink at
# 0, and the tape would give it to a function that has none.
#
# **The gradient.** With y for the value, and the cotangent g = ∂L/∂y of some loss L,
#
# $$\frac{\partial L}{\partial x} = g\,y\,(1 - y) = g\,\frac{e}{(1 + e)^2}.$$
#
# The first form loses digits where y is close to 1. The second keeps them, so the rule uses it.
@builtin(category="Elementwise & activations", aliases=("logistic", "expit"))
def sigmoid(x: Array["..."]) -> Array["..."]:
    r"""Gives the logistic function 1 / (1 + exp(-x)) of every entry: a smooth step from 0 to 1.

    It turns a score into the probability of a yes, and is the gate of recurrent networks: near 0 the gate is closed,
    near 1 it is open. It works entry by entry, on an array of any shape. Far from 0 the curve is flat, and gradients
    all but vanish. A loss should take the scores instead, as `binary_cross_entropy` does.

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


# The curve is a smooth form of `maximum(x, 0)`: for large x it is close to x, for very negative x close to 0.
#
# As it stands, log(1 + exp(x)) overflows for large x, and it gives 0 for very negative x, where 1 + exp(x) is rounded
# to 1. NumPy's `logaddexp(0, x)` is the same function without these faults. It takes the larger exponent out of the sum
# first: log(exp(a) + exp(b)) = max(a, b) + log(1 + exp(−|a − b|)). With a = 0 and b = x this is what the rule computes;
# `log1p(e)` is log(1 + e), but precise for a very small e too.
#
# **The gradient.** The derivative is `sigmoid(x)`. With e = exp(−|x|), and the cotangent g = ∂L/∂y of some loss L,
#
# $$\frac{\partial L}{\partial x} = g\,\frac{1}{1 + e} \text{ if } x \ge 0, \qquad
# \frac{\partial L}{\partial x} = g\,\frac{e}{1 + e} \text{ if } x < 0.$$
@builtin(category="Elementwise & activations", aliases=("smooth relu", "log1pexp"))
def softplus(x: Array["..."]) -> Array["..."]:
    r"""Gives log(1 + exp(x)) of every entry: a smooth ramp that is never below 0.

    It makes a positive number of any number, such as the variance that a network predicts. It works entry by entry, on
    an array of any shape. It is `relu` without the kink: close to x for large x, close to 0 for very negative x, and
    its slope is [`sigmoid`](sigmoid.md). It does not overflow, as `log(1 + exp(x))` does for x above 709.

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
    slope = np.where(x >= 0, 1.0, e) / (1 + e)
    return np.maximum(x, 0) + np.log1p(e), lambda g: (g * slope,)
