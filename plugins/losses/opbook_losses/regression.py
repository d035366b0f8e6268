"""Losses of numbers that should have been other numbers."""

import numpy as np

from opbook import Array, builtin
from opbook.errors import InputError
from opbook_losses.reduction import Reduction, divisor


# An error that is twice as large costs four times as much. So the loss cares most about the largest errors, and among
# all constants the one with the smallest loss is the mean of the targets.
#
# The mean is taken over *all entries*, not over the rows: with 3 outputs for each of 10 rows it divides by 30. Some
# books sum over the outputs first, and their loss is 3 times as large.
#
# x and target must have the same shape. If they were broadcast, a column of 10 predictions and 10 targets in a row
# would silently give the 100 differences of all pairs.
#
# The square of a float32 can be too large for float32 while the mean is not, so the rule works in float64.
#
# **The gradient.** Let n be the number of entries, and g the cotangent of the mean, which is 1 where the loss itself is
# what is differentiated. Every entry has one term (x − t)² / n, so
#
# $$\frac{\partial L}{\partial x_i} = \frac{2g}{n}\,(x_i - t_i), \qquad
# \frac{\partial L}{\partial t_i} = -\frac{\partial L}{\partial x_i}.$$
#
# With `reduction="sum"` there is no n, and with `"none"` each entry has its own g and no n.
@builtin(
    category="Losses",
    aliases=(
        "mean squared error", "mse", "MSELoss", "l2_loss", "L2 loss", "squared error", "squared_error",
        "MeanSquaredError", "quadratic loss",
    "mean_squared_error"),
)  # fmt: skip
def mse_loss(x: Array["*B"], target: Array["*B"], *, reduction: Reduction = "mean") -> Array["..."]:
    r"""Takes the mean of the squared differences between two arrays.

    It is the loss of models that predict numbers. Training makes it small, and so brings predictions close to targets.
    Both arrays have the same shape, and the mean is taken over all entries. Errors are squared, so one large error
    counts more than many small ones; [`huber_loss`](huber_loss.md) is milder.

    Args:
        x: What was predicted.
        target: What it should have been.
        reduction: "mean" for the mean over all entries, "sum" for their sum, "none" for the loss of each entry.

    Returns:
        A number, or with "none" an array of x's shape. The mean over no entries is 0.

    Raises:
        ShapeError: x and target have different shapes.
        InputError: reduction is another text.

    Formula:
        $$L = \frac{1}{n}\sum_{i=1}^{n} (x_i - t_i)^2$$

        with the entries t of target.

    Source:
        Legendre, *Nouvelles méthodes pour la détermination des orbites des comètes* (1805), for the sum of squares;
        PyTorch's `mse_loss`.
    """
    losses = (x - target) ** 2
    return losses if reduction == "none" else np.sum(losses) / divisor(reduction, x.size)


@mse_loss.defvjp
def _(x, target, *, reduction="mean"):
    n = divisor(reduction, x.size)
    error = np.subtract(x, target, dtype=np.float64)
    losses = error**2

    def pullback(g):
        dx = 2 * g / n * error
        return dx, -dx

    return losses if reduction == "none" else np.sum(losses) / n, pullback


# Up to delta the loss is half the square of the error, as in `mse_loss` but for the half. Beyond delta it goes on along
# a straight line with the slope that it has there. So an outlier costs in proportion to its distance, and not to the
# square of it: the loss is *robust*.
#
# Both parts are one formula. Let c be the error, held between −delta and delta. Then the loss is c (e − c / 2): for a
# small error c = e, and e²/2 is left; for a large one, c = ±delta gives delta (|e| − delta / 2). No square of a large
# error is ever taken, so nothing overflows.
#
# The `smooth_l1_loss` of other libraries is this loss divided by delta, which they call beta.
#
# **The gradient.** The slope of e²/2 is e, and that of the line is ±delta. Both are c, the error held between −delta
# and delta. So with the cotangent g of the mean over n entries,
#
# $$\frac{\partial L}{\partial x_i} = \frac{g}{n}\,c_i, \qquad
# \frac{\partial L}{\partial t_i} = -\frac{\partial L}{\partial x_i}.$$
#
# Where the two parts meet, at |e| = delta, the slope has no jump; only its own slope has. This is gradient clipping,
# done to each entry.
@builtin(
    category="Losses",
    aliases=(
        "HuberLoss", "Huber", "smooth_l1_loss", "SmoothL1Loss", "smooth L1", "robust loss", "clipped squared error",
    ),
)  # fmt: skip
def huber_loss(
    x: Array["*B"], target: Array["*B"], *, delta: float = 1.0, reduction: Reduction = "mean"
) -> Array["..."]:
    r"""Takes the mean of a loss that is half the squared error for small errors, and a straight line for large ones.

    It is for data with outliers, such as faulty measurements: a large error pulls at the model no harder than an error
    of delta. Both arrays have the same shape, and the mean is taken over all entries. Beyond delta the slope stays the
    same; at delta value and slope are continuous.

    Args:
        x: What was predicted.
        target: What it should have been.
        delta: The error from which on the loss is a straight line; above 0.
        reduction: "mean" for the mean over all entries, "sum" for their sum, "none" for the loss of each entry.

    Returns:
        A number, or with "none" an array of x's shape. The mean over no entries is 0.

    Raises:
        ShapeError: x and target have different shapes.
        InputError: delta is not above 0, or reduction is another text.

    Formula:
        $$\begin{gathered}
        L = \frac{1}{n}\sum_{i=1}^{n} \begin{cases} \tfrac12 e_i^2 & |e_i| \le \delta \\
        \delta\,(|e_i| - \tfrac12\delta) & |e_i| > \delta \end{cases} \\
        e_i = x_i - t_i
        \end{gathered}$$

        with the entries t of target.

    Source:
        Huber, *Robust Estimation of a Location Parameter* (1964), equation 2.4; PyTorch's `huber_loss`.
    """
    check_delta(delta)
    error = x - target
    c = np.clip(error, -delta, delta)
    losses = c * (error - c / 2)
    return losses if reduction == "none" else np.sum(losses) / divisor(reduction, x.size)


@huber_loss.defvjp
def _(x, target, *, delta=1.0, reduction="mean"):
    check_delta(delta)
    n = divisor(reduction, x.size)
    error = np.subtract(x, target, dtype=np.float64)
    c = np.clip(error, -delta, delta)
    losses = c * (error - c / 2)

    def pullback(g):
        dx = g / n * c
        return dx, -dx

    return losses if reduction == "none" else np.sum(losses) / n, pullback


def check_delta(delta):
    """Refuse a delta that no error is below."""
    if not delta > 0:
        raise InputError(
            f"delta must be above 0, but is {delta:g}; for the absolute error, divide the loss by a small delta"
        )
