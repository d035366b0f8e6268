"""Activations, as an opbook plugin: softmax, relu and gelu here, their relatives in `units`."""

from typing import Literal

import numpy as np
from numpy.lib.array_utils import normalize_axis_index
from opbook_math import erf

from opbook import Array, Family, builtin, hookimpl
from opbook.errors import InputError
from opbook_activations.units import elu, leaky_relu, log_sigmoid, silu


# exp makes every score positive, and dividing by the sum makes them weights that add up to 1. Only differences of
# scores count: a score that is larger by 1 gets e times the weight.
#
# For the same reason the largest score can be subtracted from all of them. Mathematically that changes nothing.
# Numerically it is what makes the function safe: every exponent is then at most 0, so nothing overflows, and one of the
# terms is exp(0) = 1, so the sum is never 0.
#
# A score of −∞ gets the weight 0. If all scores of a row are −∞, all its weights are 0, and so is its gradient: this is
# what attention needs for a query that may attend to nothing. A score of +∞ is refused, because it must have
# overflowed.
#
# **The gradient.** The derivative of pᵢ with respect to xⱼ is pᵢ(δᵢⱼ − pⱼ), where δᵢⱼ is 1 if i = j, and 0 otherwise.
# With the cotangent g = ∂L/∂p of some loss L, the gradient is a sum over all weights i. The matrix of all derivatives
# is never needed:
#
# $$\frac{\partial L}{\partial x_j} = \sum_i g_i\,p_i(\delta_{ij} - p_j) = p_j\Bigl(g_j - \sum_i p_i g_i\Bigr).$$
#
# The sum on the right is the mean of g with the weights p. Because it is subtracted, the gradient of a row adds up to
# 0, as it must: adding a number to all scores changes nothing.
@builtin(category="Elementwise & activations", aliases=("normalized exponential", "soft argmax"))
def softmax(x: Array["..."], axis: int = -1) -> Array["..."]:
    r"""Turns scores into weights that are positive and add up to 1.

    It is the last step of a classifier, where scores of classes become probabilities, and the middle of attention. x
    may have any shape; each row, or each line along `axis`, is treated by itself. Only differences count: the same
    number added to all scores changes nothing. A score of -inf gets the weight 0, which is how a mask works, and a row
    with no other score gets zeros, not NaN.

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
    p = e / _positive(np.sum(e, axis=axis, keepdims=True))

    def pullback(g):
        return p * (g - np.sum(p * g, axis=axis, keepdims=True)), None

    return p, pullback


# This is the logarithm of `softmax`, but it is not computed from it. A weight below about 1e-308 is rounded to 0, and
# its logarithm would be −∞ where −800 is right. The logarithm of the quotient is the difference x − log(sum(exp(x))),
# and in this form nothing is rounded to 0. The largest score is subtracted first, as in `softmax`.
#
# Cross-entropy is minus this function at the target. That is why it stays finite, with a useful gradient, even where a
# model is very sure of a wrong answer.
#
# **The gradient.** Let p be the weights, softmax(x). The derivative of yᵢ with respect to xⱼ is δᵢⱼ − pⱼ, where δᵢⱼ is
# 1 if i = j, and 0 otherwise. So with the cotangent g = ∂L/∂y of some loss L,
#
# $$\frac{\partial L}{\partial x_j} = \sum_i g_i(\delta_{ij} - p_j) = g_j - p_j \sum_i g_i.$$
#
# In a row of nothing but −∞ the weights are 0, and g passes unchanged.
@builtin(category="Elementwise & activations", aliases=("log softmax", "log-probabilities", "LogSoftmax"))
def log_softmax(x: Array["..."], axis: int = -1) -> Array["..."]:
    r"""Gives the logarithm of softmax, precisely also where the weights are too small for a float.

    Losses are made of it, as its results are the logarithms of probabilities, all 0 or less. x may have any shape; each
    row, or each line along `axis`, is treated by itself. The logarithm of a computed [`softmax`](softmax.md) would be
    −∞ where a probability is too small for a float; this one is right.

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
    y = shifted - np.log(_positive(np.sum(np.exp(shifted), axis=axis, keepdims=True)))
    p = np.exp(y)

    def pullback(g):
        return g - p * np.sum(g, axis=axis, keepdims=True), None

    return y, pullback


# Positive entries stay as they are, all others become 0. Without such a function between them, two linear layers would
# be one linear layer.
#
# The condition is `x <= 0` and not `x > 0`, so that a NaN stays a NaN and is seen.
#
# **The gradient.** With the cotangent g = ∂L/∂y of some loss L,
#
# $$\frac{\partial L}{\partial x} = \begin{cases} 0 & \text{if } x \le 0 \\ g & \text{otherwise.} \end{cases}$$
#
# At 0 the function has a kink, and any slope from 0 to 1 could be taken; 0 is what other libraries take. This is also
# why the definition is not `maximum(x, 0)`: there the two equal numbers would share the cotangent, and x would get half
# of it.
@builtin(category="Elementwise & activations", aliases=("rectified linear unit", "rectifier", "ramp"))
def relu(x: Array["..."]) -> Array["..."]:
    r"""Replaces negative entries by 0.

    It is the simplest activation: without one between them, two linear layers would be one linear layer. It works entry
    by entry, on an array of any shape. Where x is 0 or less the gradient is 0, so a unit whose input is never positive
    stops learning; [`leaky_relu`](leaky_relu.md) keeps a small slope there.

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
    is_off = x <= 0
    return np.where(is_off, 0.0, x), lambda g: (np.where(is_off, 0.0, g),)


# `relu` multiplies x by 1 if it is positive, and by 0 if it is not. `gelu` multiplies it by Φ(x), the probability that
# a standard normal number is smaller than x. So there is no kink: the curve bends smoothly, and it is a little below 0
# for negative x, lowest near x = −0.75.
#
# Φ(x) is (1 + erf(x / √2)) / 2. With `approximate="tanh"` it is replaced by (1 + tanh u) / 2, where
# u = √(2/π) (x + 0.044715 x³). The two differ by less than 0.0005; the second is from a time when erf was slow. A model
# should be run with the form that it was trained with.
#
# Beyond ±40 both forms of Φ are exactly 0 or 1. So Φ is computed from z, which is x held between −40 and 40: x³ can't
# overflow, and an infinite x never meets the factor 0.
#
# **The gradient.** Let φ be the derivative of Φ. By the product rule, with the cotangent g = ∂L/∂y of some loss L,
#
# $$\frac{\partial L}{\partial x} = g\,\bigl(\Phi(x) + x\,\varphi(x)\bigr), \qquad
# \varphi(x) = \frac{1}{\sqrt{2\pi}}\,e^{-x^2/2}.$$
#
# This φ is the bell curve of the normal distribution. With `approximate="tanh"` it is the derivative of (1 + tanh u) /
# 2,
#
# $$\varphi(x) = \tfrac{1}{2}\,\bigl(1 - \tanh^2 u\bigr)\,\frac{\mathrm du}{\mathrm dx}, \qquad
# \frac{\mathrm du}{\mathrm dx} = \sqrt{2/\pi}\,(1 + 3 \cdot 0.044715\,x^2).$$
@builtin(category="Elementwise & activations", aliases=("gaussian error linear unit",))
def gelu(x: Array["..."], approximate: Literal["none", "tanh"] = "none") -> Array["..."]:
    r"""Multiplies every entry by the probability that a standard normal number is smaller.

    It is the activation of BERT and GPT-2: close to [`relu`](relu.md), but smooth, and a little below 0 for negative
    entries. It works entry by entry, on an array of any shape. The exact form and the older one by tanh differ by less
    than 0.0005; run a model with the form that it was trained with.

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
    low = np.maximum(x, -40.0)
    z = np.minimum(low, 40.0)
    if approximate == "none":
        Phi = 0.5 * (1 + erf(z / np.sqrt(2)))
    else:
        u = np.sqrt(2 / np.pi) * (z + 0.044715 * z**3)
        Phi = 0.5 * (1 + np.tanh(u))
    return z * Phi + (low - z)  # beyond 40, Phi is 1, and x has more than z


@gelu.defvjp
def _(x, approximate="none"):
    z = np.clip(x, -40.0, 40.0)
    if approximate == "none":
        Phi = 0.5 * (1 + erf(z / np.sqrt(2)))
        phi = np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi)
    else:
        u = np.sqrt(2 / np.pi) * (z + 0.044715 * z**3)
        Phi = 0.5 * (1 + np.tanh(u))
        phi = 0.5 * (1 - np.tanh(u) ** 2) * np.sqrt(2 / np.pi) * (1 + 3 * 0.044715 * z**2)
    return np.maximum(x, -40.0) * Phi, lambda g: (g * (Phi + z * phi), None)


def _below_zero(x, axis, name):
    """Subtract the largest score along an axis, or nothing where all are -inf."""
    if x.shape[normalize_axis_index(axis, x.ndim)] == 0:
        return np.copy(x)
    largest = np.max(x, axis=axis, keepdims=True)
    if np.any(largest == np.inf):
        raise InputError(
            f"{name}: x must be finite or -inf, but has an entry of inf, for which weights are not defined"
        )
    return x - np.where(largest == -np.inf, 0.0, largest)


def _positive(total):
    """Replace the sum of a row that has no weights to give; 0 divided by it is 0."""
    return np.where(total == 0, 1.0, total)


@hookimpl
def opbook_builtins():
    """Add the activations."""
    return [elu, gelu, leaky_relu, log_sigmoid, log_softmax, relu, silu, softmax]


@hookimpl
def opbook_families():
    """Say what the category has in common."""
    return [Family("Elementwise & activations", "family.md")]
