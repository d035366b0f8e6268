"""What moves entries about without changing them, and the shape that they stand in."""

import math
from typing import Any

import numpy as np

from opbook import Array, builtin, stop_gradient, unbroadcast
from opbook.autodiff import tree
from opbook.autodiff.dtypes import as_float_array
from opbook.errors import InputError, ShapeError

CATEGORY = "Arrays"


# A tuple of whole numbers, one for each axis, from the outermost to the innermost: a matrix has (rows, columns), a
# vector (n,), and a single number (). It says nothing about the entries, so no gradient passes through it.
@builtin(category=CATEGORY, aliases=("size", "dimensions", "rows and columns"))
def shape(x: Array["..."]) -> tuple[int, ...]:
    """Tells how many rows, columns and so on an array has.

    Args:
        x: An array, or a number.

    Returns:
        The length of each axis.

    Source:
        NumPy's `np.shape`.
    """
    return tuple(x.shape)


# Rows become columns. Leading axes are a batch of matrices, each of which is transposed. In the notation x' means the
# same.
#
# A vector has no rows and columns to swap and is refused, since it is not clear what was meant by it: `[v;]` makes a
# matrix of one row of it, and `transpose([v;])` one of one column.
#
# The result is memory of its own: a change in it does not change x.
#
# **The gradient.** Moving entries about is undone by moving them back, so it is the transpose of the cotangent.
@builtin(category=CATEGORY, aliases=("swap rows and columns", "matrix transpose", "T"))
def transpose(x: Array["... M N"]) -> Array["... N M"]:
    """Swaps the rows and columns of a matrix, or of each of several.

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


# The entries are read row by row and written into the new shape row by row, so their order stays. One length may be −1
# and is then worked out from the others.
#
# **The gradient** is the cotangent in the old shape.
@builtin(category=CATEGORY, aliases=("view", "flatten", "ravel"))
def reshape(x: Array["..."], shape: tuple[int, ...]) -> Array["..."]:
    """Gives the same entries in another shape.

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
        raise InputError(f"reshape: beside a length of 0, -1 could be any number; shape {shape} must say which")
    if x.size % known if -1 in shape else x.size != known:
        times = "a multiple of " if -1 in shape else ""
        raise ShapeError(
            f"reshape: x has {x.size} entries (its shape is {x.shape}), but shape {shape} needs {times}{known}"
        )
    return np.copy(np.reshape(x, shape))


# The arrays are laid end to end along one axis and must agree in all others. To join along a new axis, give each that
# axis first, with `reshape`. This is the textbook form of several attention heads, whose results are laid side by side
# before one large projection.
#
# **The gradient** is the cotangent cut up again at the seams: each array gets the piece that it became.
@builtin(category=CATEGORY, aliases=("join", "append", "cat", "hstack", "vstack"))
def concatenate(arrays: tuple[Any, ...], axis: int = 0) -> Array["..."]:
    """Joins arrays along one of their axes.

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
                f"concatenate: arrays[{i}] has {part.ndim} axes but arrays[0] has {len(first)}; they must be equal"
            )
        differ = [a for a in range(len(first)) if part.shape[a] != first[a] and a != axis % len(first)]
        if differ and -len(first) <= axis < len(first):
            raise ShapeError(
                f"concatenate: arrays[{i}] has shape {part.shape} but arrays[0] has {first}; "
                f"they may differ along axis {axis} only"
            )
    return np.concatenate(parts, axis=axis)


# Each entry comes from x where the condition holds and from y where it does not; all three broadcast. Both x and y have
# been computed by then, in full: `where` chooses between results, it does not skip work.
#
# **The gradient.** It follows the choice. What was not taken gets 0, whatever stands there, a NaN or an infinity
# included. That holds for x and y themselves. If y is `log(x)`, the 0 still goes back through the logarithm, and at x =
# 0 some other functions would make 0 · ∞ of it; the sure way is to choose first and take the logarithm then.
#
# The condition is true or false, or numbers, where 0 is false. It decides by jumps, so it has no gradient.
@builtin(category=CATEGORY, aliases=("select", "choose", "if else", "conditional"))
def where(condition: Any, x: Array["..."], y: Array["..."]) -> Array["..."]:
    """Chooses between two arrays, entry by entry.

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
    of_x, of_y = x.shape, y.shape

    def pullback(g):
        return None, unbroadcast(np.where(truth, g, 0), of_x), unbroadcast(np.where(truth, 0, g), of_y)

    return np.where(truth, x, y), pullback


# Picks entries, rows or columns by number, counted from 0, or from −1 at the end. A number may be used several times,
# and in any order. `take(table, [2, 0, 2])` is what an embedding layer does: row 2, row 0 and row 2 again.
#
# A single number picks one row and drops the axis; a vector of numbers keeps it, with as many entries as numbers.
#
# **The gradient.** Each cotangent is put back where its entry came from, and those that came from the same place are
# added up: row 2 above gets two contributions. Entries that were not picked get 0.
@builtin(category=CATEGORY, aliases=("index", "gather", "embedding", "row", "select rows"))
def take(x: Array["..."], indices: Any, axis: int = 0) -> Array["..."]:
    """Picks entries along an axis by number.

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
    """Take a condition as an array of true and false of its own."""
    numbers = as_float_array(tree.map_leaves(stop_gradient, condition), "where: condition")
    try:
        np.broadcast_shapes(numbers.shape, x.shape, y.shape)
    except ValueError:
        raise ShapeError(
            f"where: condition has shape {numbers.shape}, which does not broadcast with x {x.shape} and y {y.shape}"
        ) from None
    return numbers != 0


def _whole(indices, shape, axis):
    """Take indices as an array of integers of its own, after checking them against the length of an axis."""
    indices = tree.map_leaves(stop_gradient, indices)
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
