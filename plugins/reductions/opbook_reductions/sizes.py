"""Reductions that must not overflow on the way: logsumexp and norm."""

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from opbook import Array, builtin
from opbook.errors import InputError


# Probabilities that are kept as logarithms are added by this function: it is the logarithm of the sum of their
# exponentials. As it stands the formula overflows for 1000, and gives log(0) for −1000. So the largest entry is taken
# out of the sum before, log(Σ exp(xᵢ)) = m + log(Σ exp(xᵢ − m)), after which no exponent is above 0, and one term is 1.
#
# It is a soft maximum: never below the largest entry, and above it by at most the logarithm of the number of entries.
#
# An entry of −∞ adds nothing. If there are no others, or none at all, the sum is 0 and its logarithm −∞. An entry of +∞
# is refused as in `softmax`, because it must have overflowed.
#
# **The gradient.** With g for the cotangent, the gradient of some number L by y, it is `softmax`:
#
# $$\frac{\partial L}{\partial x_i} = g\,\frac{e^{x_i}}{\sum_j e^{x_j}} = g\,e^{x_i - y}.$$
#
# So the parts that the entries get add up to g. Where all of them are −∞, each gets 0.
@builtin(category="Reductions", aliases=("log-sum-exp", "LSE", "ReduceLogSumExp", "soft maximum", "log partition"))
def logsumexp(x: Array["..."], axis: int | None = -1, *, keepdims: bool = False) -> Array["..."]:
    r"""Takes the logarithm of a sum of exponentials, without overflow on the way.

    It adds up probabilities that are kept as logarithms, and is the normalizer of `softmax` and of cross-entropy.

    Args:
        x: The entries, which are logarithms of what is added up.
        axis: The axis to sum along, counted from 0, or from -1 at the end; None for all axes.
        keepdims: Whether the axis stays, with length 1.

    Returns:
        The logarithms of the sums, without the axis. Nothing but -inf gives -inf, with gradient 0.

    Raises:
        InputError: x has no such axis, or an entry is +inf.

    Formula:
        $$y = \log \sum_i e^{x_i}$$

    Source:
        Blanchard, Higham and Higham, *Accurately Computing the Log-Sum-Exp and Softmax Functions* (2021); operator
        `ReduceLogSumExp` of ONNX opset 18.
    """
    largest = _largest(x, axis)
    total = np.sum(np.exp(x - largest), axis=axis, keepdims=True)
    y = np.where(total == 0, -np.inf, largest + np.log(np.where(total == 0, 1.0, total)))
    return y if keepdims else np.squeeze(y, axis)


@logsumexp.defvjp
def _(x, axis=-1, *, keepdims=False):
    largest = _largest(x, axis)
    e = np.exp(x - largest)
    total = np.sum(e, axis=axis, keepdims=True)
    positive = np.where(total == 0, 1, total)
    y, p = np.where(total == 0, -np.inf, largest + np.log(positive)), e / positive
    kept = y.shape

    return y if keepdims else np.squeeze(y, axis), lambda g: (p * np.reshape(g, kept), None)


# It is the length of a vector: the root of the sum of its squares. Without an axis all entries count, whatever the
# number of axes; for a matrix this is the *Frobenius* norm.
#
# The square of 1e200 is too large for a float, and the square of 1e-200 is too small for one. So x is divided by its
# largest entry before, and the result is multiplied by it again.
#
# **The gradient.** With g for the cotangent, the gradient of some number L by y,
#
# $$\frac{\partial L}{\partial x_i} = g\,\frac{x_i}{y}.$$
#
# A vector is lengthened most if one pulls in its own direction, so the gradient is a vector of length g in this
# direction. A vector of zeros has no direction, and every way out of it is as long as any other: it gets the gradient
# 0, and not 0/0. A network that has only zeros somewhere would otherwise be NaN from then on.
@builtin(
    category="Reductions",
    aliases=(
        "L2 norm",
        "ReduceL2",
        "Euclidean norm",
        "length of a vector",
        "magnitude",
        "Frobenius norm",
        "vector_norm",
        "linalg.norm",
        "LpNorm",
    ),
)
def norm(x: Array["..."], axis: int | None = None, *, keepdims: bool = False) -> Array["..."]:
    r"""Gives the Euclidean length of an array, or of each vector along an axis.

    Gradients are clipped by it, embeddings are compared after a division by it, and weights are held small with it.
    Without `axis` it is one number for the whole array; with it, one for each vector along that axis. At a vector of
    zeros there is no direction in which it grows fastest, and the gradient is 0.

    Args:
        x: The entries.
        axis: The axis along which the vectors lie, counted from 0, or from -1 at the end; all axes if it is left out.
        keepdims: Whether the axis stays, with length 1.

    Returns:
        The lengths, without the axis; a number if it is left out. The length of nothing is 0. Zeros get the gradient 0.

    Raises:
        InputError: x has no such axis.

    Formula:
        $$y = \sqrt{\sum_i x_i^2}$$

    Source:
        NumPy's `np.linalg.norm`; operator `ReduceL2` of ONNX opset 18.
    """
    scale = _scale(x, axis)
    y = scale * np.linalg.norm(x / scale, axis=axis, keepdims=True)
    return y if keepdims else np.squeeze(y, axis)


@norm.defvjp
def _(x, axis=None, *, keepdims=False):
    scale = _scale(x, axis)
    y = scale * np.linalg.norm(x / scale, axis=axis, keepdims=True)
    lost = (y == 0) | (y == np.inf)  # nothing to point along
    direction = np.where(lost, 0, x) / np.where(lost, 1, y)
    kept = y.shape

    return y if keepdims else np.squeeze(y, axis), lambda g: (direction * np.reshape(g, kept), None)


def _largest(x, axis):
    """The largest entries, to be subtracted; 0 where there are none but -inf."""
    if _is_empty(x, axis):
        return np.zeros(np.sum(x, axis=axis, keepdims=True).shape)
    largest = np.max(x, axis=axis, keepdims=True)
    if np.any(largest == np.inf):
        raise InputError("logsumexp: x must be finite or -inf, but has an entry of inf")
    return np.where(largest == -np.inf, 0.0, largest)


def _scale(x, axis):
    """The sizes of the largest entries, to be divided by; 1 where that is not possible."""
    if _is_empty(x, axis):
        return 1.0
    largest = np.max(np.abs(x), axis=axis, keepdims=True)
    return np.where((largest > 0) & (largest < np.inf), largest, 1.0)


def _is_empty(x, axis):
    """Whether a result is made of no entries at all."""
    return (x.size if axis is None else x.shape[normalize_axis_index(axis, x.ndim)]) == 0
