"""Sum, mean, max and min, as an opbook plugin."""

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from opbook import Array, builtin, hookimpl
from opbook.errors import InputError

CATEGORY = "Reductions"


# Without `axis` everything is added up to one number. With it, the sum runs along that axis and the others stay: in a
# matrix, `axis=0` adds the rows together and gives one number a column, `axis=1` gives one number a row. `keepdims`
# leaves the axis standing with length 1, so that the result broadcasts against x again.
#
# Numbers are added in float64 whatever they came in, and the result is rounded once, so a long float16 or float32 array
# loses nothing on the way.
#
# **The gradient.** Every entry counts once in the sum of its group, so each gets its group's cotangent, unchanged. The
# sum forgets the entries and the gradient does not need them: all that the rule keeps is the shape of x. (Spreading out
# and summing up are each other's transpose; that is why broadcasting is undone by a sum.)
@builtin(category=CATEGORY, aliases=("total", "add up"))
def sum(x: Array["..."], axis: int | None = None, *, keepdims: bool = False) -> Array["..."]:
    r"""Adds entries up, all of them or along one axis.

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
    total = np.sum(x, axis=axis, keepdims=keepdims, dtype=np.float64)
    spread = _spreader(x, axis, keepdims)
    return total, lambda g: (spread(g), None)


# The sum divided by how many entries went into it. As in `sum`, the adding is done in float64.
#
# The mean of nothing is refused. 0/0 would be NaN, and would turn up far from where it was made.
#
# **The gradient** of a group's mean is its cotangent divided by the number of entries, the same for each of them: to
# move the mean of n numbers by 1, one of them alone has to move by n.
@builtin(category=CATEGORY, aliases=("average", "avg"))
def mean(x: Array["..."], axis: int | None = None, *, keepdims: bool = False) -> Array["..."]:
    r"""Takes the mean of entries, all of them or along one axis.

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
    _refuse_nothing(x, axis, "mean")
    return np.mean(x, axis=axis, keepdims=keepdims)


@mean.defvjp
def _(x, axis=None, *, keepdims=False):
    count = _refuse_nothing(x, axis, "mean")
    average = np.mean(x, axis=axis, keepdims=keepdims, dtype=np.float64)
    spread = _spreader(x, axis, keepdims)
    return average, lambda g: (spread(g / count), None)


# A NaN anywhere in a group makes its result NaN. There is no largest of no entries, so that is refused. For the larger
# of two arrays, entry by entry, there is `maximum`.
#
# **The gradient.** The cotangent goes to the entry that is largest, and to no other: a small change of the others
# changes nothing. Where several are equally large they share it in equal parts, which add up to the whole. Giving all
# of it to each would count it several times; giving it to the first would make the gradient depend on the order of the
# entries.
@builtin(category=CATEGORY, aliases=("maximum of an array", "largest", "amax"))
def max(x: Array["..."], axis: int | None = None, *, keepdims: bool = False) -> Array["..."]:
    """Finds the largest entry, of all or along one axis.

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
    _refuse_nothing(x, axis, "max")
    return np.max(x, axis=axis, keepdims=keepdims)


# A NaN anywhere in a group makes its result NaN. There is no smallest of no entries, so that is refused. For the
# smaller of two arrays, entry by entry, there is `minimum`.
#
# A NaN anywhere in a group makes its result NaN. There is no smallest of no entries, so that is refused.
#
# **The gradient.** The cotangent goes to the entry that is smallest, and in equal parts to several that are equally
# small, so that the parts add up to the whole.
@builtin(category=CATEGORY, aliases=("minimum of an array", "smallest", "amin"))
def min(x: Array["..."], axis: int | None = None, *, keepdims: bool = False) -> Array["..."]:
    """Finds the smallest entry, of all or along one axis.

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
    _refuse_nothing(x, axis, "min")
    return np.min(x, axis=axis, keepdims=keepdims)


def _refuse_nothing(x, axis, name):
    """Count the entries of one group; there must be some."""
    count = x.size if axis is None else x.shape[normalize_axis_index(axis, x.ndim)]
    if count == 0:
        along = "" if axis is None else f" along axis {axis}"
        raise InputError(f"{name}: x must have at least one entry{along}, but has shape {x.shape}")
    return count


def _spreader(x, axis, keepdims):
    """Make the function that stretches a cotangent back to x's shape, in memory of its own."""
    shape, dtype = x.shape, x.dtype

    def spread(g):
        if axis is not None and not keepdims:
            g = np.expand_dims(g, axis)
        return np.broadcast_to(g, shape).astype(dtype)

    return spread


@hookimpl
def opbook_builtins():
    """Add the reductions."""
    return [max, mean, min, sum]
