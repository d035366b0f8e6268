"""What depends on the order of entries along an axis: sort and cumsum."""

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from opbook import Array, builtin


# The smallest entry comes first. Equal entries stay in their order, which nobody can see in the values, but in the
# gradient: it is what *stable* means. NaN comes last.
#
# **The gradient.** The entries only move: as long as no two are equal, a small change of x moves none of them to
# another place. So each entry of the cotangent goes back to where its value came from.
@builtin(category="Arrays", aliases=("order", "ascending", "rank", "msort"))
def sort(x: Array["..."], axis: int = -1) -> Array["..."]:
    """Puts entries in ascending order along an axis.

    Medians, quantiles and the best of many are read from sorted entries. The result has x's shape; each row, or each
    line along `axis`, is sorted by itself. Each entry's gradient goes back to where the entry came from. For the
    largest few, and where they are, there is `top_k`.

    Args:
        x: The entries.
        axis: The axis to sort along, counted from 0, or from -1 at the end; the last if it is left out.

    Returns:
        An array of x's shape. Among equal entries, the first gets the gradient of the first.

    Raises:
        InputError: x has no such axis.

    Source:
        NumPy's `np.sort` with `kind="stable"`.
    """
    return np.take_along_axis(x, _order(x, axis), axis=axis)


@sort.defvjp
def _(x, axis=-1):
    order = _order(x, axis)

    def pullback(g):
        gradient = np.empty_like(g)
        np.put_along_axis(gradient, order, g, axis=axis)
        return gradient, None

    return np.take_along_axis(x, order, axis=axis), pullback


# Each entry of the result is the sum of all entries up to there, that one included. With `exclusive` it is left out, so
# that the first sum is 0. With `reverse` the sums run from the end to the start.
#
# The last sum is the sum of all. Differences undo it: each entry is its sum less the one before.
#
# **The gradient.** An entry counts in its own sum and in all that come after it. So with g for the cotangent, the
# gradient of some number L by y, the gradient by xᵢ is the sum of g from i to the end, which is `cumsum` again, from
# the other side:
#
# $$\frac{\partial L}{\partial x_i} = \sum_{j \ge i} g_j.$$
#
# With `exclusive` it is the sum over j > i. With `reverse` the signs turn round, and the gradient is a sum from the
# start.
@builtin(category="Arrays", aliases=("cumulative sum", "running total", "prefix sum", "CumSum", "partial sums", "scan"))
def cumsum(x: Array["..."], axis: int = -1, *, exclusive: bool = False, reverse: bool = False) -> Array["..."]:
    r"""Adds entries up along an axis and gives every sum on the way.

    Of probabilities it makes the cumulative distribution that one samples with, and of steps the places that they lead
    to. The result has x's shape, and its last entry along `axis` is the sum of all. With `exclusive` it starts at 0
    instead, and with `reverse` it sums from the end.

    Args:
        x: The entries.
        axis: The axis to sum along, counted from 0, or from -1 at the end; the last if it is left out.
        exclusive: Whether each entry is left out of its own sum.
        reverse: Whether the sums run from the end to the start.

    Returns:
        An array of x's shape.

    Raises:
        InputError: x has no such axis.

    Formula:
        $$y_i = \sum_{j \le i} x_j$$

    Source:
        NumPy's `np.cumsum`; operator `CumSum` of ONNX opset 14.
    """
    axis = normalize_axis_index(axis, x.ndim)
    sums = np.cumsum(np.flip(x, axis) if reverse else x, axis=axis)
    if exclusive:  # 0 comes in at the start, and the last sum goes out
        sums = np.delete(np.insert(sums, 0, 0.0, axis=axis), -1, axis=axis)
    return np.flip(sums, axis) if reverse else sums


@cumsum.defvjp
def _(x, axis=-1, *, exclusive=False, reverse=False):
    def pullback(g):
        return cumsum(g, axis, exclusive=exclusive, reverse=not reverse), None

    return cumsum.definition(x.astype(np.float64), axis, exclusive=exclusive, reverse=reverse), pullback


def _order(x, axis):
    """For each place of the sorted array, the place that its entry comes from."""
    normalize_axis_index(axis, x.ndim)
    return np.argsort(x, axis=axis, kind="stable")
