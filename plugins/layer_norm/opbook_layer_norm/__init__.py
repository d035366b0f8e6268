"""Layer normalization, as an opbook plugin."""

import numpy as np

from opbook import Array, builtin, hookimpl
from opbook.errors import InputError
from opbook_layer_norm.blocks import Normalized, normalize, pull_back


# Every row is shifted to mean 0, scaled to variance 1, and then given a learned scale and offset per column.
#
# The variance is the *biased* one (divided by D, not D − 1) and `eps` stands under the root, so a row whose entries are
# all alike comes out as exactly `beta` instead of 0/0.
#
# The mean is taken of `x - x[..., :1]` rather than of `x`. Mathematically that changes nothing, as the mean drops out
# of the difference; numerically it decides whether a row such as 10 000 000 ± 1 keeps any digits, because the first
# subtraction is exact for numbers that are close together.
#
# **The gradient.** With x̂ = (x − μ) / σ and the cotangent g of the value, let h = g · gamma. Both μ and σ depend on
# every entry of the row, so the gradient is h with two of its components taken out: its mean, and its part along x̂,
#
# $$\frac{\partial}{\partial x} = \frac{1}{\sigma}\left(h - \overline{h} - \hat x\,\overline{h \hat x}\right).$$
#
# That is why moving a whole row up, or stretching it, changes nothing: both directions are the ones removed. The rule
# keeps x̂ and 1/σ and nothing else. gamma and beta are shared by all rows, so their gradients are sums over rows.
@builtin(category="Statistics & ML", aliases=("layernorm", "layer normalization", "ln"))
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
        $$y_i = \gamma_i\,\frac{x_i - \mu}{\sqrt{\sigma^2 + \varepsilon}} + \beta_i, \qquad
        \mu = \frac{1}{D}\sum_{j=1}^{D} x_j, \qquad \sigma^2 = \frac{1}{D}\sum_{j=1}^{D} (x_j - \mu)^2$$

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
    rows, gamma = x.reshape(-1, x.shape[-1]), gamma.copy()
    value, normalized = (eps >= 0 and normalize(rows, gamma, beta, eps)) or _normalize_carefully(rows, gamma, beta, eps)

    def pullback(g):
        dx, d_gamma, d_beta = pull_back(g.reshape(rows.shape), gamma, normalized)
        return dx.reshape(g.shape), d_gamma, d_beta

    return value.reshape(x.shape), pullback


def _normalize_carefully(x, gamma, beta, eps):
    """What `normalize` does, for any numbers: means far from 0, constant rows, squares beyond float32."""
    centred = x - x[:, :1]
    centred -= centred.mean(axis=-1, keepdims=True)
    # float64 here keeps the squares of 1e30-sized float32 values from overflowing
    variance = np.einsum("nd,nd->n", centred, centred, dtype=np.float64)[:, None] / x.shape[-1]
    check_eps(eps, variance)
    reciprocal = 1 / np.sqrt(variance + eps)  # of rows of 1e-42 it is beyond float32, though what it scales is not
    normed = (centred * reciprocal).astype(x.dtype)
    with np.errstate(over="ignore"):
        return gamma * normed + beta, Normalized(normed, reciprocal.astype(x.dtype))


def check_columns(x):
    """Refuse rows that have no entries.

    Args:
        x: (..., D) rows.

    Raises:
        InputError: D is 0.
    """
    if x.shape[-1] == 0:
        raise InputError(f"layer_norm: the rows of x have no entries to normalize; its shape is {x.shape}")


def check_eps(eps, variance):
    """Refuse an eps that is negative, or 0 where a row is constant.

    Args:
        eps: What is added to the variances.
        variance: The variances.

    Raises:
        InputError: eps is one of these.
    """
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
