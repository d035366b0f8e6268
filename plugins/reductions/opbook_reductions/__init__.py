"""Reductions, as an opbook plugin: sum, mean, max, min and argmax here, logsumexp and norm in `sizes`."""

from typing import Literal

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from opbook import Array, Family, Int, builtin, hookimpl
from opbook.errors import InputError
from opbook_reductions.sizes import logsumexp, norm


# Without `axis`, all entries are added up to one number. With it, the sum runs along that axis, and the other axes
# stay: in a matrix, `axis=0` adds the rows and gives one number for each column, and `axis=1` gives one number for each
# row. With `keepdims` the axis stays too, with length 1, so that the result broadcasts against x.
#
# Numbers are added in float64, whatever dtype x has, and the result is rounded once, so no digits are lost on the way.
#
# **The gradient.** Every entry is added once to its sum, so each gets the cotangent of that sum, g = ∂L/∂y for some
# loss L, unchanged:
#
# $$\frac{\partial L}{\partial x_i} = g.$$
#
# So the rule needs nothing but the shape of x. Summing and broadcasting belong together: the gradient of one is the
# other.
@builtin(category="Reductions", aliases=("total", "add up", "ReduceSum"))
def sum(x: Array["..."], axis: int | None = None, *, keepdims: bool = False) -> Array["..."]:
    r"""Adds entries up, all of them or along one axis.

    Without `axis` it is one number for the whole array. With it, that axis goes: in a matrix, `axis=0` adds the rows
    and gives one number for each column, and `axis=1` gives one for each row. `keepdims` keeps the axis with length 1,
    so that the result can be divided by or subtracted. A loss must be one number before it can be differentiated, and
    often a sum makes it one.

    Args:
        x: The entries.
        axis: The axis to sum along, counted from 0, or from -1 at the end; all axes if it is left out.
        keepdims: Whether the axis stays, with length 1.

    Returns:
        The sums, without the axis; a number if it is left out. The sum of nothing is 0.

    Raises:
        InputError: x has no such axis.

    Formula:
        $$y = \sum_i x_i$$

    Source:
        NumPy's `np.sum`.
    """
    return np.sum(x, axis=axis, keepdims=keepdims)


@sum.defvjp
def _(x, axis=None, *, keepdims=False):
    shape = x.shape
    y = np.sum(x, axis=axis, keepdims=keepdims, dtype=np.float64)
    return y, lambda g: (_spread(g, shape, axis, keepdims), None)


# The mean is the sum divided by the number of entries. As in `sum`, numbers are added in float64.
#
# The mean of no entries is an error. It would be 0/0, so NaN, and one would have to look for where it came from.
#
# **The gradient.** Each of the n entries gets the same part of the cotangent g = ∂L/∂y of some loss L:
#
# $$\frac{\partial L}{\partial x_i} = \frac{g}{n}.$$
@builtin(category="Reductions", aliases=("average", "avg", "ReduceMean"))
def mean(x: Array["..."], axis: int | None = None, *, keepdims: bool = False) -> Array["..."]:
    r"""Takes the mean of entries, all of them or along one axis.

    Without `axis` it is one number for the whole array. With it, that axis goes: in a matrix, `axis=0` gives the mean
    of each column, and `axis=1` that of each row. A loss is usually a mean, so that its size does not depend on how
    many rows a batch has. The mean of no entries is an error, where NumPy gives NaN.

    Args:
        x: The entries.
        axis: The axis to average along, counted from 0, or from -1 at the end; all axes if it is left out.
        keepdims: Whether the axis stays, with length 1.

    Returns:
        The means, without the axis; a number if it is left out.

    Raises:
        InputError: x has no such axis, or there are no entries to average.

    Formula:
        $$y = \frac{1}{n}\sum_{i=1}^{n} x_i$$

    Source:
        NumPy's `np.mean`.
    """
    _count(x, axis, "mean")
    return np.mean(x, axis=axis, keepdims=keepdims)


@mean.defvjp
def _(x, axis=None, *, keepdims=False):
    shape, n = x.shape, _count(x, axis, "mean")
    y = np.mean(x, axis=axis, keepdims=keepdims, dtype=np.float64)
    return y, lambda g: (_spread(g / n, shape, axis, keepdims), None)


# If one of the entries is NaN, so is the result. No entries have no largest one, so that is an error. For the larger of
# two arrays, entry by entry, there is `maximum`.
#
# **The gradient.** The cotangent goes to the largest entry, and the others get 0: a small change of them changes
# nothing. If several entries are equally large, they get equal parts, which add up to the cotangent. So the gradient
# does not depend on the order of the entries.
@builtin(category="Reductions", aliases=("maximum of an array", "largest", "amax", "ReduceMax"))
def max(x: Array["..."], axis: int | None = None, *, keepdims: bool = False) -> Array["..."]:
    """Finds the largest entry, of all or along one axis.

    Without `axis` it is one number for the whole array. With it, that axis goes: in a matrix, `axis=1` gives the
    largest entry of each row. NaN anywhere makes the result NaN, and no entries at all are an error. For the place of
    the largest entry there is `argmax`, for the larger of two arrays `maximum`.

    Args:
        x: The entries.
        axis: The axis to look along, counted from 0, or from -1 at the end; all axes if it is left out.
        keepdims: Whether the axis stays, with length 1.

    Returns:
        The largest entries, without the axis; a number if it is left out. Equal entries share the gradient.

    Raises:
        InputError: x has no such axis, or there are no entries to choose from.

    Source:
        NumPy's `np.max`.
    """
    _count(x, axis, "max")
    return np.max(x, axis=axis, keepdims=keepdims)


# If one of the entries is NaN, so is the result. No entries have no smallest one, so that is an error. For the smaller
# of two arrays, entry by entry, there is `minimum`.
#
# **The gradient.** The cotangent goes to the smallest entry, and the others get 0. If several entries are equally
# small, they get equal parts, which add up to the cotangent.
@builtin(category="Reductions", aliases=("minimum of an array", "smallest", "amin", "ReduceMin"))
def min(x: Array["..."], axis: int | None = None, *, keepdims: bool = False) -> Array["..."]:
    """Finds the smallest entry, of all or along one axis.

    Without `axis` it is one number for the whole array. With it, that axis goes: in a matrix, `axis=1` gives the
    smallest entry of each row. NaN anywhere makes the result NaN, and no entries at all are an error. For the smaller
    of two arrays there is `minimum`.

    Args:
        x: The entries.
        axis: The axis to look along, counted from 0, or from -1 at the end; all axes if it is left out.
        keepdims: Whether the axis stays, with length 1.

    Returns:
        The smallest entries, without the axis; a number if it is left out. Equal entries share the gradient.

    Raises:
        InputError: x has no such axis, or there are no entries to choose from.

    Source:
        NumPy's `np.min`.
    """
    _count(x, axis, "min")
    return np.min(x, axis=axis, keepdims=keepdims)


# Where `max` gives the largest entry, this gives its place, counted from 0: of the scores of a classifier, the class
# that it decides for. Along an axis the places are counted in each row or column. Without one, all entries are counted
# row by row, as `reshape` puts them into one row.
#
# Of several entries that are equally large the first counts, or with `ties="last"` the last. A NaN counts as larger
# than all, so that it is seen.
#
# **The gradient.** There is none. A place is a whole number: for almost every x, a small change of it changes no place,
# and where it does, the place jumps. What is trained instead is `softmax` or `logsumexp`, which lean towards the
# largest entry smoothly.
@builtin(category="Reductions", aliases=("ArgMax", "index of the maximum", "place of the largest", "predicted class"))
def argmax(
    x: Array["..."], axis: int | None = None, *, keepdims: bool = False, ties: Literal["first", "last"] = "first"
) -> Int["..."]:
    r"""Finds the place of the largest entry, of all or along one axis.

    It turns scores into decisions: the class of a picture, or the next word of a text. In a matrix, `axis=1` gives the
    place in each row; without `axis` the entries are counted row by row. Of several largest entries the first counts,
    unless `ties` says otherwise. Places have no gradient; to learn from scores, use `softmax`.

    Args:
        x: The entries.
        axis: The axis to look along, counted from 0, or from -1 at the end; all entries in one row if it is left out.
        keepdims: Whether the axis stays, with length 1.
        ties: Which of several equally large entries counts.

    Returns:
        The places, counted from 0, without the axis; a number if it is left out.

    Raises:
        InputError: x has no such axis, or there are no entries to choose from.

    Formula:
        $$y = \min\,\{\, i : x_i = \max_j x_j \,\}$$

    Source:
        NumPy's `np.argmax`; operator `ArgMax` of ONNX opset 13.
    """
    n = _count(x, axis, "argmax")
    if ties == "first":
        return np.argmax(x, axis=axis, keepdims=keepdims)
    return n - 1 - np.argmax(np.flip(x, axis), axis=axis, keepdims=keepdims)


def _count(x, axis, name):
    """How many entries one result is made of; there must be some."""
    count = x.size if axis is None else x.shape[normalize_axis_index(axis, x.ndim)]
    if count == 0:
        along = "" if axis is None else f" along axis {axis}"
        raise InputError(f"{name}: x must have at least one entry{along}, but has shape {x.shape}")
    return count


def _spread(g, shape, axis, keepdims):
    """Broadcast a cotangent to the shape of x."""
    if axis is not None and not keepdims:
        g = np.expand_dims(g, axis)
    return np.broadcast_to(g, shape)


@hookimpl
def opbook_builtins():
    """Add the reductions."""
    return [argmax, logsumexp, max, mean, min, norm, sum]


@hookimpl
def opbook_families():
    """Say what the category has in common."""
    return [Family("Reductions", "family.md")]
