"""Layer normalization, as an opbook plugin."""

import numpy as np

from opbook import Array, builtin, hookimpl
from opbook.errors import InputError


# Every row is moved so that its mean is 0, and divided so that its variance is 1. Then each column gets a scale and an
# offset, gamma and beta, which are learned.
#
# The variance is the *biased* one: the sum of squares is divided by D, not by D − 1. `eps` stands under the root, so a
# row whose entries are all alike gives exactly `beta`, and not 0/0.
#
# The first entry of a row is subtracted before the mean is taken. Mathematically that changes nothing, as it drops out
# again when the mean is subtracted. Numerically it keeps the digits of a row such as 10 000 000 ± 1, because the
# difference of two floats that are close together is exact.
#
# **The gradient.** Write s = √(σ² + ε) for what the centred row is divided by, and x̂ = (x − μ) / s for the normalized
# row. Let g = ∂L/∂y be the cotangent, for some loss L, and h = g · γ. Both μ and s depend on every entry of the row. So
# the gradient with respect to x has two more terms beside h, its mean and its part along x̂:
#
# $$\frac{\partial L}{\partial x} =
# \frac{1}{s}\left(h - \operatorname{mean}(h) - \hat x\,\operatorname{mean}(h\,\hat x)\right),$$
#
# where mean(…) is the mean over the D entries of the row. The two terms are subtracted because these parts of a row
# can't change y: it stays the same if the whole row is moved and, but for ε, if it is stretched.
#
# All rows share γ and β, so these gradients are sums over the rows: of g · x̂ for γ, and of g for β.
@builtin(category="Normalization", aliases=("layernorm", "layer normalization", "ln", "LayerNormalization"))
def layer_norm(x: Array["... D"], gamma: Array["D"], beta: Array["D"], *, eps: float = 1e-5) -> Array["... D"]:
    r"""Normalizes every row of x to mean 0 and variance 1, then scales it by gamma and shifts it by beta.

    The statistics are taken over the last axis, for each row on its own, so the result does not depend on the batch.

    Args:
        x: The rows to normalize.
        gamma: A scale for each column.
        beta: An offset for each column.
        eps: Added to the variance, under the root; at least 0.

    Returns:
        An array of x's shape and dtype.

    Raises:
        ShapeError: gamma or beta has another length than x's rows.
        InputError: eps is negative, or it is 0 and a row is constant, or the rows have no entries.

    Formula:
        $$\begin{gathered}
        y_i = \gamma_i\,\frac{x_i - \mu}{\sqrt{\sigma^2 + \varepsilon}} + \beta_i, \\
        \mu = \frac{1}{D}\sum_{j=1}^{D} x_j, \\
        \sigma^2 = \frac{1}{D}\sum_{j=1}^{D} (x_j - \mu)^2
        \end{gathered}$$

        for each row x of D entries, with eps as ε.

    Source:
        Ba, Kiros and Hinton, *Layer Normalization* (2016), equation 4; operator `LayerNormalization` of ONNX opset 17.
    """
    check_columns(x)
    shifted = x - x[..., :1]
    centred = shifted - shifted.mean(axis=-1, keepdims=True)
    variance = (centred**2).mean(axis=-1, keepdims=True)
    check_eps(eps, variance)
    return gamma * centred / np.sqrt(variance + eps) + beta


@layer_norm.defvjp
def _(x, gamma, beta, *, eps=1e-5):
    check_columns(x)
    x = x.astype(np.float64)  # in float32 the square of 1e30 would be infinite
    shifted = x - x[..., :1]
    centred = shifted - shifted.mean(axis=-1, keepdims=True)
    variance = (centred**2).mean(axis=-1, keepdims=True)
    check_eps(eps, variance)
    s = np.sqrt(variance + eps)
    x_hat = centred / s
    rows = tuple(range(x.ndim - 1))  # all axes but the last

    def pullback(g):
        h = g * gamma
        dx = (h - h.mean(axis=-1, keepdims=True) - x_hat * (h * x_hat).mean(axis=-1, keepdims=True)) / s
        return dx, (g * x_hat).sum(axis=rows), g.sum(axis=rows)

    return gamma * x_hat + beta, pullback


def check_columns(x):
    """Refuse rows that have no entries."""
    if x.shape[-1] == 0:
        raise InputError(f"layer_norm: the rows of x have no entries to normalize; its shape is {x.shape}")


def check_eps(eps, variance):
    """Refuse an eps that is negative, or 0 where a row is constant."""
    if not eps >= 0:
        raise InputError(f"layer_norm: eps must be at least 0, but is {eps:g}")
    if eps == 0 and np.any(variance == 0):
        raise InputError(
            "layer_norm: a row of x is constant, so its variance is 0 and can't be divided by; pass eps > 0"
        )


@hookimpl
def opbook_builtins():
    """Add layer_norm."""
    return [layer_norm]
