"""softmax, relu and gelu, as an opbook plugin."""

from typing import Literal

import numpy as np
from numpy.lib.array_utils import normalize_axis_index
from opbook_math import erf

from opbook import Array, builtin, hookimpl
from opbook.errors import InputError

CATEGORY = "Statistics & ML"


# exp makes every score positive, and dividing by the sum makes them weights that add up to 1. Only differences of
# scores count: a score that is larger by 1 gets e times the weight.
#
# For the same reason the largest score may be subtracted from all of them, which changes nothing mathematically.
# Numerically it is what makes the function work: every exponent is then at most 0, so nothing overflows, and one of the
# terms is exp(0) = 1, so the sum is never 0.
#
# A score of −∞ gets the weight 0. A row of nothing else has no weights to give, and comes out as zeros with gradient 0,
# as attention has it for a query that may attend to nothing. A score of +∞ is refused: it has overflowed somewhere.
#
# **The gradient.** The slope of weight i by score j is pᵢ(δᵢⱼ − pⱼ). Multiplied out with the cotangent g, the matrix
# never has to be built:
#
# $$\frac{\partial}{\partial x} = p \cdot \Big(g - \sum_j p_j g_j\Big).$$
#
# The subtracted sum is the mean of g under the weights. It keeps the gradient of a row at the sum 0: moving all scores
# together changes nothing. The rule keeps the exponentials and their sum rather than the weights, as those are the
# caller's, who may write into them.
@builtin(category=CATEGORY, aliases=("normalized exponential", "soft argmax"))
def softmax(x: Array["..."], axis: int = -1) -> Array["..."]:
    r"""Turns scores into weights that are positive and add up to 1.

    Args:
        x: Scores.
        axis: The axis along which the weights add up to 1; the last if it is left out.

    Returns:
        An array of x's shape. Scores of -inf get 0; so does a row that has no others, with gradient 0.

    Raises:
        InputError: x has no such axis, or an entry is +inf.

    Formula:
        $$p_i = \frac{e^{x_i}}{\sum_j e^{x_j}}$$

    Source:
        Bridle, *Training Stochastic Model Recognition Algorithms as Networks* (1989); operator `Softmax` of ONNX
        opset 13.
    """
    e = np.exp(_below_zero(x, axis, "softmax"))
    return e / _positive(np.sum(e, axis=axis, keepdims=True))


@softmax.defvjp
def _(x, axis=-1):
    e = np.exp(_below_zero(x, axis, "softmax"))
    total = _positive(np.sum(e, axis=axis, keepdims=True))

    def pullback(g):
        p = e / total
        return p * (g - np.sum(p * g, axis=axis, keepdims=True)), None

    return e / total, pullback


# The logarithm of `softmax`, without taking the logarithm of it. A weight below about 1e-308 is rounded to 0, and its
# logarithm would be −∞ where −800 is right. Written out, the logarithm of the quotient is a difference,
# x − log(sum(exp(x))), and nothing is rounded away. The largest score is subtracted first, as in `softmax`.
#
# Cross-entropy is minus this function at the target. That is why it stays finite, with a useful gradient, however sure
# a model is of the wrong answer.
#
# **The gradient.** For g the cotangent and p the weights it is
#
# $$\frac{\partial}{\partial x} = g - p \sum_j g_j:$$
#
# the score's own share, less its part of what all of them have lost to the sum. In a row of nothing but −∞ the weights
# are 0, and g passes unchanged.
@builtin(category=CATEGORY, aliases=("log softmax", "log-probabilities"))
def log_softmax(x: Array["..."], axis: int = -1) -> Array["..."]:
    r"""Gives the logarithm of softmax, precisely also where the weights are too small for a float.

    Args:
        x: Scores.
        axis: The axis along which the weights add up to 1; the last if it is left out.

    Returns:
        An array of x's shape. Scores of -inf stay -inf.

    Raises:
        InputError: x has no such axis, or an entry is +inf.

    Formula:
        $$y_i = x_i - \log \sum_j e^{x_j}$$

    Source:
        Operator `LogSoftmax` of ONNX opset 13.
    """
    shifted = _below_zero(x, axis, "log_softmax")
    return shifted - np.log(_positive(np.sum(np.exp(shifted), axis=axis, keepdims=True)))


@log_softmax.defvjp
def _(x, axis=-1):
    shifted = _below_zero(x, axis, "log_softmax")
    log_total = np.log(_positive(np.sum(np.exp(shifted), axis=axis, keepdims=True)))

    def pullback(g):
        return g - np.exp(shifted - log_total) * np.sum(g, axis=axis, keepdims=True), None

    return shifted - log_total, pullback


# What is positive passes, everything else becomes 0. Two linear layers with nothing between them are one linear layer;
# this kink is the least that makes them more.
#
# It asks for `x <= 0` rather than `x > 0`, so that a NaN passes and is seen.
#
# **The gradient.** It passes where x is positive and stops elsewhere. At 0 itself it stops: any number from 0 to 1
# would do there, and 0 is what other libraries take and what makes an unused unit stay unused. This is also why the
# definition is not `maximum(x, 0)`: `maximum` would share the cotangent of a tie, and give 1/2.
@builtin(category=CATEGORY, aliases=("rectified linear unit", "rectifier", "ramp"))
def relu(x: Array["..."]) -> Array["..."]:
    r"""Replaces negative entries by 0.

    Args:
        x: Numbers.

    Returns:
        An array of x's shape. The gradient at 0 is 0.

    Formula:
        $$y = \max(0, x)$$

    Source:
        Nair and Hinton, *Rectified Linear Units Improve Restricted Boltzmann Machines* (2010); operator `Relu` of ONNX
        opset 14.
    """
    return np.where(x <= 0, 0.0, x)


@relu.defvjp
def _(x):
    stopped = x <= 0
    return np.where(stopped, 0.0, x), lambda g: (np.where(stopped, 0.0, g),)


# Where `relu` asks whether x is positive, `gelu` asks how likely a standard normal number is to be smaller than x, and
# multiplies x by that probability: x · Φ(x). The kink becomes a smooth bend, with a shallow dip below 0 that is deepest
# near −0.75.
#
# Φ(x) is (1 + erf(x / √2)) / 2. `approximate="tanh"` replaces it by a step made of `tanh`,
# (1 + tanh(√(2/π)(x + 0.044715 x³))) / 2, which differs from it by less than 0.0005. It dates from when erf was slow.
# Weights that were trained with one form should be run with the same one.
#
# Beyond ±40 either step is exactly 0 or 1, so x is held within these bounds before x³ can overflow or an infinity meet
# the factor 0. What x has above 40 is added as it is.
#
# **The gradient.** It is a product's,
#
# $$\frac{\mathrm d}{\mathrm dx}\,x\,\Phi(x) = \Phi(x) + x\,\varphi(x), \qquad
# \varphi(x) = \frac{1}{\sqrt{2\pi}}\,e^{-x^2/2},$$
#
# with φ the bell curve, the slope of Φ. For the other form φ is the slope of its own step, (1 − tanh²)/2 times the
# slope of what is inside.
@builtin(category=CATEGORY, aliases=("gaussian error linear unit",))
def gelu(x: Array["..."], approximate: Literal["none", "tanh"] = "none") -> Array["..."]:
    r"""Multiplies every entry by the probability that a standard normal number is smaller.

    Args:
        x: Numbers.
        approximate: "none" for the exact form, by the error function; "tanh" for the approximation by tanh.

    Returns:
        An array of x's shape, nowhere below -0.171.

    Raises:
        InputError: approximate is another text.

    Formula:
        $$y = x\,\Phi(x) = \frac{x}{2}\left(1 + \operatorname{erf}\frac{x}{\sqrt 2}\right)$$

        or, with `approximate="tanh"`,

        $$y = \frac{x}{2}\left(1 + \tanh\left(\sqrt{2/\pi}\,(x + 0.044715\,x^3)\right)\right).$$

    Source:
        Hendrycks and Gimpel, *Gaussian Error Linear Units* (2016); operator `Gelu` of ONNX opset 20.
    """
    low = np.maximum(x, -_SATURATED)
    z = np.minimum(low, _SATURATED)
    step = erf(z / np.sqrt(2)) if approximate == "none" else np.tanh(_SCALE * (z + _CUBIC * z**3))
    return z * 0.5 * (1 + step) + (low - z)


_SATURATED = 40.0
_SCALE = float(np.sqrt(2 / np.pi))
_CUBIC = 0.044715


@gelu.defvjp
def _(x, approximate="none"):
    low = np.maximum(x, -_SATURATED)
    z = np.clip(x, -_SATURATED, _SATURATED)
    if approximate == "none":
        gate = 0.5 * (1 + erf.definition(z * 0.5**0.5))
    else:
        gate = 0.5 * (1 + np.tanh(_SCALE * (z + _CUBIC * z**3)))

    def pullback(g):
        if approximate == "none":
            slope = np.exp(-0.5 * z * z) * (2 * np.pi) ** -0.5
        else:
            slope = 2 * gate * (1 - gate) * _SCALE * (1 + 3 * _CUBIC * z * z)
        return g * (gate + z * slope), None

    return low * gate, pullback


def _below_zero(x, axis, name):
    """Subtract the largest score along an axis, or nothing where all are -inf."""
    if x.shape[normalize_axis_index(axis, x.ndim)] == 0:
        return np.copy(x)
    largest = np.max(x, axis=axis, keepdims=True)
    if np.any(largest == np.inf):
        raise InputError(f"{name}: x must be finite or -inf, but has an entry of inf, which no weight belongs to")
    return x - np.where(largest == -np.inf, 0.0, largest)


def _positive(total):
    """Replace the sum of a row that has no weights to give; 0 divided by it is 0."""
    return np.where(total == 0, 1.0, total)


@hookimpl
def opbook_builtins():
    """Add the activations."""
    return [gelu, log_softmax, relu, softmax]
