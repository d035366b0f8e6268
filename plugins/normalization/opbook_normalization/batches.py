"""Normalization with the statistics of a batch: batch_norm."""

import math
from typing import Literal, TypedDict

import numpy as np

from opbook import Array, builtin
from opbook.errors import InputError


class BatchNormed(TypedDict):
    """The normalized rows, and the running statistics after them."""

    y: Array["... D"]
    mean: Array["D"]
    var: Array["D"]


# Every *column* is moved and divided so that its mean over all rows of the batch is 0, and its variance 1. `layer_norm`
# does the same to every row. So here a row's result depends on the other rows of its batch, and a batch of one row is
# an error, as it has no variance.
#
# After training there may be only one row, and its result should not depend on others. So training also keeps *running*
# statistics: after each batch, `mean` and `var` move towards those of the batch by the share `momentum`. They are
# returned with y, to be passed to the next call. Without `training` they are used in the place of the batch's
# statistics, and do not change.
#
# Two things differ silently between libraries. `momentum` is the weight of the *new* statistics here and in PyTorch,
# and that of the old ones in Keras and ONNX: 0.1 here is 0.9 there. And y is always normalized by the biased variance,
# divided by the number n of rows; but the running variance takes the unbiased one, divided by n − 1, here and in
# PyTorch, and the biased one in Keras and ONNX. `running="biased"` gives theirs.
#
# The last axis has the columns, and all other axes count as rows. An image whose channels come second must be
# transposed so that they come last.
#
# **The gradient.** Write μ and σ² for the statistics that are used, s = √(σ² + ε), and x̂ = (x − μ) / s. Let g be the
# cotangent of y, the gradient of some number L by y, and h = g · γ. The gradients of γ and β are the sums over the rows
# of g · x̂ and of g.
#
# Without `training`, μ and σ² are constants, and
#
# $$\frac{\partial L}{\partial x} = \frac{h}{s}, \qquad \frac{\partial L}{\partial \mu} = -\frac{1}{s}\sum h, \qquad
# \frac{\partial L}{\partial \sigma^2} = -\frac{1}{2 s^2}\sum h\,\hat x.$$
#
# In training they depend on all rows, and h loses two parts, as in `layer_norm`, but with means over the rows:
#
# $$\frac{\partial L}{\partial x} =
# \frac{1}{s}\left(h - \operatorname{mean}(h) - \hat x\,\operatorname{mean}(h\,\hat x)\right) +
# \frac{m}{n}\left(g_\mu + \frac{2\,n}{d}\,(x - \mu)\,g_{\sigma^2}\right).$$
#
# The second term is there only if L depends on the running statistics too, which have the cotangents g_μ and g_σ²; m is
# the momentum, and d is n − 1, or n if `running` is biased.
@builtin(
    category="Normalization",
    aliases=("BatchNorm", "BatchNorm1d", "BatchNorm2d", "BatchNormalization", "batch normalization", "running mean"),
)
def batch_norm(
    x: Array["... D"],
    gamma: Array["D"],
    beta: Array["D"],
    mean: Array["D"],
    var: Array["D"],
    *,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
    running: Literal["unbiased", "biased"] = "unbiased",
) -> BatchNormed:
    r"""Normalizes every column of x over the rows of a batch, or by statistics kept from earlier batches.

    Between the layers of a network it keeps each column at one size while the weights before it change, which lets one
    train with larger steps. It is the norm of most convolutional networks.

    Args:
        x: The rows of the batch; all axes but the last are taken for rows.
        gamma: A scale for each column.
        beta: An offset for each column.
        mean: The running mean of each column.
        var: The running variance of each column.
        training: Whether the statistics of this batch are used, and the running ones moved towards them.
        momentum: The share by which they move, from 0 to 1.
        eps: Added to the variance, under the root; at least 0.
        running: Which variance of the batch the running one moves towards.

    Returns:
        A record of y, which has x's shape and dtype, and of the running mean and var after this batch.

    Raises:
        ShapeError: gamma, beta, mean or var has another length than x's rows.
        InputError: There are fewer than two rows to train on, momentum is not between 0 and 1, eps is negative, or a
            variance is negative, or 0 with eps = 0.

    Formula:
        $$y_i = \gamma_i\,\frac{x_i - \mu_i}{\sqrt{\sigma_i^2 + \varepsilon}} + \beta_i$$

        for each column i, with eps as ε. In training μᵢ and σᵢ² are the mean and the variance of the column, and the
        running statistics become

        $$\begin{gathered}
        \text{mean}'_i = (1 - m)\,\text{mean}_i + m\,\mu_i, \\
        \text{var}'_i = (1 - m)\,\text{var}_i + m\,\frac{n}{n - 1}\,\sigma_i^2
        \end{gathered}$$

        with the momentum m and n rows.

    Source:
        Ioffe and Szegedy, *Batch Normalization* (2015), algorithms 1 and 2; operator `BatchNormalization` of ONNX opset
        15.
    """
    _check_options(momentum, eps)
    if not training:
        y = gamma * (x - mean) / _root(var, eps) + beta
        return {"y": y, "mean": mean, "var": var}
    mu, centred, variance, n = _statistics(x)
    y = gamma * centred / _root(variance, eps) + beta
    spread = variance * n / (n - 1) if running == "unbiased" else variance
    return {
        "y": y,
        "mean": (1 - momentum) * mean + momentum * mu,
        "var": (1 - momentum) * var + momentum * spread,
    }


@batch_norm.defvjp
def _(x, gamma, beta, mean, var, *, training=False, momentum=0.1, eps=1e-5, running="unbiased"):
    _check_options(momentum, eps)
    x, gamma, mean, var = (array.astype(np.float64) for array in (x, gamma, mean, var))
    mu, centred, variance, n = _statistics(x) if training else (mean, x - mean, var, 0)
    s, d, m = _root(variance, eps), n - 1 if running == "unbiased" else n, momentum if training else 0.0
    x_hat, rows = centred / s, tuple(range(x.ndim - 1))  # all axes but the last

    def pullback(g):
        h = g["y"] * gamma
        d_gamma, d_beta = (g["y"] * x_hat).sum(axis=rows), g["y"].sum(axis=rows)
        if not training:
            d_mean = g["mean"] - (h / s).sum(axis=rows)
            return h / s, d_gamma, d_beta, d_mean, g["var"] - (h * x_hat).sum(axis=rows) / (2 * s**2)
        dx = (h - h.mean(axis=rows) - x_hat * (h * x_hat).mean(axis=rows)) / s
        dx = dx + m / n * (g["mean"] + 2 * n / d * centred * g["var"])
        return dx, d_gamma, d_beta, (1 - m) * g["mean"], (1 - m) * g["var"]

    moved = (1 - m) * var + m * variance * n / d if training else var
    return {"y": gamma * x_hat + beta, "mean": (1 - m) * mean + m * mu, "var": moved}, pullback


def _statistics(x):
    """The mean of each column, what is left of it, its biased variance, and the number of rows."""
    n, rows = math.prod(x.shape[:-1]), tuple(range(x.ndim - 1))
    if n < 2:
        raise InputError(
            f"batch_norm: training takes the mean and variance of the batch's rows, and needs 2 of them, but x has {n}"
        )
    first = x[(0,) * (x.ndim - 1)]  # taken away before, as in layer_norm, so that a constant column gives exactly beta
    shifted = x - first
    mu = shifted.mean(axis=rows)
    centred = shifted - mu
    return first + mu, centred, (centred**2).mean(axis=rows), n


def _root(variance, eps):
    """What is divided by; there must be something."""
    if np.any(variance < 0):
        raise InputError(f"batch_norm: var must be at least 0, but has the value {np.min(variance):g}")
    if eps == 0 and np.any(variance == 0):
        raise InputError("batch_norm: a column has the variance 0, which can't be divided by; pass eps > 0")
    return np.sqrt(variance + eps)


def _check_options(momentum, eps):
    if not 0 <= momentum <= 1:
        raise InputError(f"batch_norm: momentum must be between 0 and 1, but is {momentum:g}")
    if not eps >= 0:
        raise InputError(f"batch_norm: eps must be at least 0, but is {eps:g}")
