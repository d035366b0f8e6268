"""What moves entries about without changing them, and the shape that they stand in."""

import math
from typing import Any

import numpy as np

from opbook import Array, builtin, stop_gradient, unbroadcast
from opbook.autodiff import tree
from opbook.autodiff.dtypes import as_float_array
from opbook.errors import InputError, ShapeError


# The shape is a tuple of whole numbers, one for each axis: (rows, columns) for a matrix, (n,) for a vector, and () for
# a single number. It does not depend on the entries, so it has no gradient.
@builtin(category="Arrays", aliases=("size", "dimensions", "rows and columns"))
def shape(x: Array["..."]) -> tuple[int, ...]:
    """Tells how many rows, columns and so on an array has.

    A matrix has the shape (rows, columns), a vector (n,), and a number (). With it one makes an array as large as
    another, `zeros(shape(x))`, and finds out why two arrays do not fit.

    Args:
        x: An array, or a number.

    Returns:
        The length of each axis.

    Source:
        NumPy's `np.shape`.
    """
    return tuple(x.shape)


# Rows become columns. If there are more axes, the first ones are a batch of matrices, and each of these is transposed.
# In the notation, x' means the same.
#
# A vector has no rows and columns, so it is an error: it is not clear what is meant. `[v;]` makes a matrix with one row
# of it, and `transpose([v;])` a matrix with one column.
#
# The result has memory of its own: a change in it does not change x.
#
# **The gradient.** The entries only move, so the gradient moves back with them: it is the transpose of the cotangent.
@builtin(category="Arrays", aliases=("swap rows and columns", "matrix transpose", "T", "permute", "swapaxes"))
def transpose(x: Array["... M N"]) -> Array["... N M"]:
    """Swaps the rows and columns of a matrix, or of each of several.

    A matrix of M rows and N columns becomes one of N rows and M columns. Axes in front are a batch, and each matrix in
    it is transposed; NumPy's `np.transpose` would turn all axes round. A vector is an error, as it is neither a row nor
    a column. In the notation, `x'` means the same.

    Args:
        x: A matrix, with any batch axes in front.

    Returns:
        An array with the last two axes swapped.

    Raises:
        ShapeError: x is a vector or a number.

    Source:
        NumPy's `np.matrix_transpose`. (`np.transpose` turns the order of all axes round.)
    """
    return np.copy(np.swapaxes(x, -1, -2))


# The entries are read row by row, and written into the new shape row by row, so they keep their order. One length may
# be −1; it is then computed from the others.
#
# **The gradient.** Every entry keeps its place in this order, so the gradient is the cotangent in the shape of x.
@builtin(category="Arrays", aliases=("view", "flatten", "ravel"))
def reshape(x: Array["..."], shape: tuple[int, ...]) -> Array["..."]:
    """Gives the same entries in another shape.

    It makes a vector of a matrix, or splits an axis into two, as for the heads of attention. Entries keep their order,
    row by row, and their number must stay the same; one length may be -1, and is computed from the others. It does not
    turn rows into columns: that is [`transpose`](transpose.md).

    Args:
        x: The entries.
        shape: The new length of each axis; one of them may be -1.

    Returns:
        An array of that shape.

    Raises:
        ShapeError: The shape has another number of entries than x.
        InputError: A length is below -1, or more than one is -1.

    Source:
        NumPy's `np.reshape`.
    """
    if any(size < -1 for size in shape) or sum(size == -1 for size in shape) > 1:
        raise InputError(f"reshape: lengths must be at least 0, and one of them may be -1, but shape is {shape}")
    known = math.prod(size for size in shape if size != -1)
    if -1 in shape and known == 0:
        raise InputError(f"reshape: with a length of 0, -1 can't be computed; write every length, but shape is {shape}")
    if x.size % known if -1 in shape else x.size != known:
        times = "a multiple of " if -1 in shape else ""
        raise ShapeError(
            f"reshape: x has {x.size} entries (its shape is {x.shape}), but shape {shape} needs {times}{known}"
        )
    return np.copy(np.reshape(x, shape))


# The arrays are put one after the other along one axis. In all other axes they must have the same lengths. To join them
# along a new axis, give each of them that axis first, with `reshape`. Textbooks write several attention heads so: their
# results are put side by side, and multiplied by one large matrix.
#
# **The gradient.** Each array gets its own part of the cotangent.
@builtin(category="Arrays", aliases=("join", "append", "cat", "hstack", "vstack"))
def concatenate(arrays: tuple[Any, ...], axis: int = 0) -> Array["..."]:
    """Joins arrays along one of their axes.

    Two matrices of 2 and 3 rows make one of 5 rows if they have equally many columns: all lengths but the one along
    `axis` must be equal. The arrays come as one tuple, and there may be any number of them. In multi-head attention it
    puts the results of the heads side by side.

    Args:
        arrays: A tuple of arrays, alike in every length but that along the axis.
        axis: The axis along which they are joined, counted from 0, or from -1 at the end.

    Returns:
        One array.

    Raises:
        ShapeError: The arrays do not fit together, or are single numbers.
        InputError: There are no arrays, or no such axis.

    Source:
        NumPy's `np.concatenate`.
    """
    if not arrays:
        raise InputError("concatenate: arrays must hold at least one array, but is empty")
    parts = [as_float_array(array, f"concatenate: arrays[{i}]") for i, array in enumerate(arrays)]
    first = parts[0].shape
    for i, part in enumerate(parts):
        if part.ndim == 0:
            raise ShapeError(f"concatenate: arrays[{i}] is a single number; put it in brackets to make it a vector")
        if part.ndim != len(first):
            raise ShapeError(
                f"concatenate: arrays[{i}] has {part.ndim} {'axis' if part.ndim == 1 else 'axes'} "
                f"but arrays[0] has {len(first)}; they must be equal"
            )
        differ = [a for a in range(len(first)) if part.shape[a] != first[a] and a != axis % len(first)]
        if differ and -len(first) <= axis < len(first):
            raise ShapeError(
                f"concatenate: arrays[{i}] has shape {part.shape} but arrays[0] has {first}; "
                f"they may differ along axis {axis} only"
            )
    return np.concatenate(parts, axis=axis)


# Each entry is that of x where the condition is true, and that of y where it is false. All three broadcast. Both x and
# y are computed before, with all their entries: `where` chooses between results, and saves no work.
#
# The condition may also be numbers, of which 0 is false. It has no gradient.
#
# **The gradient.** With g for the cotangent, the gradient of x is g where the condition is true, and 0 elsewhere; that
# of y is g where it is false, and 0 elsewhere. That holds also where the entry that was not taken is NaN or infinite.
@builtin(category="Arrays", aliases=("select", "choose", "if else", "conditional"))
def where(condition: Any, x: Array["..."], y: Array["..."]) -> Array["..."]:
    """Chooses between two arrays, entry by entry.

    It is for formulas that change at a point, as `relu` does at 0. The condition and both arrays broadcast. Both x and
    y are computed with all their entries before: it chooses between results, and saves no work. Each gets the gradient
    of the entries that were taken from it, and 0 elsewhere, even where an entry that was not taken is NaN.

    Args:
        condition: True and false, or numbers, of which 0 is false.
        x: What to take where the condition holds.
        y: What to take elsewhere.

    Returns:
        An array of the shape that the three broadcast to.

    Raises:
        ShapeError: The shapes do not broadcast.

    Source:
        NumPy's `np.where`.
    """
    return np.where(_truth(condition, x, y), x, y)


@where.defvjp
def _(condition, x, y):
    truth = _truth(condition, x, y)
    x_shape, y_shape = x.shape, y.shape

    def pullback(g):
        return None, unbroadcast(np.where(truth, g, 0), x_shape), unbroadcast(np.where(truth, 0, g), y_shape)

    return np.where(truth, x, y), pullback


# Entries, rows or columns are picked by number, counted from 0, or from −1 at the end. A number may come several times,
# and numbers may come in any order. An embedding layer does the same: `take(table, [2, 0, 2])` is row 2, row 0, and row
# 2 again.
#
# A single number picks one row, and its axis is gone. A vector of numbers keeps the axis, with one entry for each
# number.
#
# **The gradient.** Each entry of the cotangent is added to the place where its value came from. Row 2 above gets two of
# them, and what was not picked gets 0.
@builtin(category="Arrays", aliases=("index", "gather", "embedding", "row", "select rows", "index_select"))
def take(x: Array["..."], indices: Any, axis: int = 0) -> Array["..."]:
    """Picks entries along an axis by number.

    It is indexing for the notation: `take(m, 0)` is the first row of a matrix, and `take(m, [2, 0, 2])` a matrix of
    three rows. A single number removes the axis, a vector of numbers keeps it. -1 means the last; a number out of range
    is an error. An entry that is picked twice gets two gradients, added up.

    Args:
        x: The array to pick from.
        indices: Whole numbers, counted from 0, or from -1 at the end: a single one, or an array of them.
        axis: The axis to pick along; by default the first, so that numbers mean rows.

    Returns:
        x with the axis replaced by the axes of indices.

    Raises:
        InputError: A number is not whole or out of range, or there is no such axis.

    Source:
        NumPy's `np.take`.
    """
    return np.take(x, _whole(indices, np.shape(x), axis), axis=axis)


@take.defvjp
def _(x, indices, axis=0):
    shape, places = x.shape, _whole(indices, x.shape, axis)

    def pullback(g):
        gradient = np.zeros(shape, g.dtype)
        np.add.at(gradient, (slice(None),) * (axis % len(shape)) + (places,), g)
        return gradient, None, None

    return np.take(x, places, axis=axis), pullback


def _truth(condition, x, y):
    """The condition as a new array of true and false."""
    numbers = as_float_array(tree.map(stop_gradient, condition), "where: condition")
    try:
        np.broadcast_shapes(numbers.shape, x.shape, y.shape)
    except ValueError:
        raise ShapeError(
            f"where: condition has shape {numbers.shape}, which does not broadcast with x {x.shape} and y {y.shape}"
        ) from None
    return numbers != 0


def _whole(indices, shape, axis):
    """The indices as a new array of integers, after they have been compared with the length of the axis."""
    indices = tree.map(stop_gradient, indices)
    numbers = as_float_array(indices, "take: indices")
    if np.asarray(indices).dtype == np.bool_:
        raise InputError("take: indices must be numbers, but are true and false; to choose by a condition, use where")
    if np.any(numbers != np.floor(numbers)):
        raise InputError(f"take: indices must be whole numbers, but has {numbers[numbers != np.floor(numbers)][0]:g}")
    length = shape[np.lib.array_utils.normalize_axis_index(axis, len(shape))]
    outside = (numbers < -length) | (numbers >= length)
    if np.any(outside):
        raise InputError(
            f"take: indices has {numbers[outside][0]:g}, but x has {length} entries along axis {axis}; "
            f"count from 0 to {length - 1}, or from -1 to {-length}"
        )
    return numbers.astype(np.intp)
