"""Normalization by the root of the mean square: rms_norm."""

import numpy as np

from opbook import Array, builtin
from opbook.errors import InputError


# Every row is divided by the root of the mean of its squares, its *RMS*. Then each column gets a scale gamma, which is
# learned. It is `layer_norm` without the mean: nothing is subtracted before, and nothing is added after. That saves one
# pass over the row, and models from T5 to Llama show that it is enough.
#
# `eps` stands under the root and is added to the mean square as it is, however large or small the row. So a row of
# zeros gives 0, and not 0/0.
#
# Squares can overflow: in float16 the square of 300 is already infinite. The definition and the rule take them in
# float64.
#
# Gemma stores its scale as an offset from 1. To use its weights, pass `gamma = 1 + weight`.
#
# **The gradient.** Write s = √(mean(x²) + ε) for what the row is divided by, and x̂ = x / s for the normalized row. Let
# g be the cotangent, the gradient of some number L by y, and h = g · γ. An entry of x changes its own entry of x̂, and
# through s all others. The derivative of s by x is x / (D s) = x̂ / D, so
#
# $$\frac{\partial L}{\partial x} = \frac{1}{s}\left(h - \hat x\,\operatorname{mean}(h\,\hat x)\right),$$
#
# where mean(…) is the mean over the D entries of the row. The part of h along x̂ is missing because it can change
# nothing: but for ε, y stays the same if the row is stretched. The gradient of `layer_norm` has one part less still,
# the mean of h.
#
# All rows share γ, so its gradient is the sum over the rows of g · x̂.
@builtin(
    category="Normalization",
    aliases=("RMSNorm", "RMSNormalization", "root mean square normalization", "T5 layer norm", "LlamaRMSNorm"),
)
def rms_norm(x: Array["... D"], gamma: Array["D"], *, eps: float = 1e-5) -> Array["... D"]:
    r"""Divides every row of x by its root mean square, then scales it by gamma.

    It keeps the rows that flow through a deep network at one size, each on its own. Most language models of today have
    it in the place of `layer_norm`.

    Args:
        x: The rows to normalize.
        gamma: A scale for each column.
        eps: Added to the mean square, under the root; at least 0.

    Returns:
        An array of x's shape and dtype. A row of zeros gives zeros.

    Raises:
        ShapeError: gamma has another length than x's rows.
        InputError: eps is negative, or it is 0 and a row is all zeros, or the rows have no entries.

    Formula:
        $$y_i = \gamma_i\,\frac{x_i}{\sqrt{\frac{1}{D}\sum_{j=1}^{D} x_j^2 + \varepsilon}}$$

        for each row x of D entries, with eps as ε.

    Source:
        Zhang and Sennrich, *Root Mean Square Layer Normalization* (2019), equation 4; operator `RMSNormalization` of
        ONNX opset 23.
    """
    _check_columns(x)
    mean_square = (x**2).mean(axis=-1, keepdims=True)
    _check_eps(eps, mean_square)
    return gamma * x / np.sqrt(mean_square + eps)


@rms_norm.defvjp
def _(x, gamma, *, eps=1e-5):
    _check_columns(x)
    x, gamma = x.astype(np.float64), gamma.astype(np.float64)  # in float32 the square of 1e30 would be infinite
    mean_square = (x**2).mean(axis=-1, keepdims=True)
    _check_eps(eps, mean_square)
    s = np.sqrt(mean_square + eps)
    x_hat = x / s
    rows = tuple(range(x.ndim - 1))  # all axes but the last

    def pullback(g):
        h = g * gamma
        dx = (h - x_hat * (h * x_hat).mean(axis=-1, keepdims=True)) / s
        return dx, (g * x_hat).sum(axis=rows)

    return gamma * x_hat, pullback


def _check_columns(x):
    if x.shape[-1] == 0:
        raise InputError(f"rms_norm: the rows of x have no entries to normalize; its shape is {x.shape}")


def _check_eps(eps, mean_square):
    """Refuse an eps that is negative, or 0 where a row is all zeros."""
    if not eps >= 0:
        raise InputError(f"rms_norm: eps must be at least 0, but is {eps:g}")
    if eps == 0 and np.any(mean_square == 0):
        raise InputError("rms_norm: a row of x is all zeros and can't be divided by its size, 0; pass eps > 0")
