"""Arrays made of a few numbers: constants, the identity, and evenly spaced entries."""

import math

import numpy as np

from opbook import Array, builtin
from opbook.errors import InputError


# One number gives a vector, two give a matrix, and a tuple gives any shape: `zeros(shape(x))` has the shape of x.
#
# The sizes are whole numbers, so there is no gradient. More than 10⁸ entries are an error, before any memory is used.
@builtin(category="Arrays", aliases=("zero matrix", "empty array", "ConstantOfShape"))
def zeros(n: int) -> Array["N"]:
    """Makes an array of zeros.

    Biases and running sums start as zeros. `zeros(3)` is a vector, `zeros(2, 3)` a matrix, and a tuple gives any shape:
    `zeros(shape(x))` is as large as x.

    Args:
        n: How many entries.

    Returns:
        A vector, a matrix, or an array of the shape asked for, in float64.

    Raises:
        InputError: A size is negative, or there would be more than 10**8 entries.

    Source:
        NumPy's `np.zeros`.
    """
    return np.zeros(_checked("zeros", n=n))


@zeros.overload
def _(rows: int, columns: int) -> Array["M N"]:
    """Makes a matrix of zeros.

    Args:
        rows: How many rows.
        columns: How many columns.
    """
    return np.zeros(_checked("zeros", rows=rows, columns=columns))


@zeros.overload
def _(shape: tuple[int, ...]) -> Array["..."]:
    """Makes an array of zeros of any shape.

    Args:
        shape: The length of each axis.
    """
    return np.zeros(_checked_shape("zeros", shape))


# Sizes are given as in `zeros`. With a vector of ones as its scale, `layer_norm` only normalizes. A product with a
# vector of ones adds up rows or columns.
@builtin(category="Arrays", aliases=("all ones", "constant array", "ConstantOfShape"))
def ones(n: int) -> Array["N"]:
    """Makes an array of ones.

    It is the scale of a norm that has learned nothing yet, and a product with it adds up rows or columns. `ones(3)` is
    a vector, `ones(2, 3)` a matrix, and a tuple gives any shape: `ones(shape(x))` is as large as x.

    Args:
        n: How many entries.

    Returns:
        A vector, a matrix, or an array of the shape asked for, in float64.

    Raises:
        InputError: A size is negative, or there would be more than 10**8 entries.

    Source:
        NumPy's `np.ones`.
    """
    return np.ones(_checked("ones", n=n))


@ones.overload
def _(rows: int, columns: int) -> Array["M N"]:
    """Makes a matrix of ones.

    Args:
        rows: How many rows.
        columns: How many columns.
    """
    return np.ones(_checked("ones", rows=rows, columns=columns))


@ones.overload
def _(shape: tuple[int, ...]) -> Array["..."]:
    """Makes an array of ones of any shape.

    Args:
        shape: The length of each axis.
    """
    return np.ones(_checked_shape("ones", shape))


# The matrix has ones on its diagonal and zeros elsewhere, so a product with it changes nothing. As a weight of a layer
# or of an attention head it leaves its input as it is, so that one can look at the rest alone.
@builtin(category="Arrays", aliases=("identity matrix", "identity", "EyeLike"))
def eye(n: int) -> Array["N N"]:
    """Makes an identity matrix.

    It has n rows and n columns. A product with it changes nothing, so as a weight it lets its input pass, and one can
    look at the rest of a layer alone. Its rows are the one-hot vectors of n classes; for a list of classes there is
    `one_hot`.

    Args:
        n: How many rows and columns.

    Returns:
        A matrix with ones on its diagonal, in float64.

    Raises:
        InputError: n is negative, or there would be more than 10**8 entries.

    Source:
        NumPy's `np.eye`.
    """
    _checked("eye", rows=n, columns=n)
    return np.eye(n)


# The end is not included, as in Python's `range` and NumPy's `arange`. So `arange(n)` has n entries, and `arange(b, c)`
# continues `arange(a, b)`: no number is missing, and none comes twice. Steps are whole numbers, because with a step
# such as 0.1 rounding would decide whether there is one more entry. For such steps there is `linspace`, which takes the
# number of entries instead.
@builtin(category="Arrays", aliases=("range", "count up", "sequence"))
def arange(stop: int) -> Array["N"]:
    """Counts from 0, or from a start, up to but not including an end.

    It numbers rows and positions, and makes points to plot over. `arange(stop)` counts from 0, `arange(start, stop)`
    from start, and `step` may be negative to count down. All numbers are whole; for steps such as 0.1 there is
    [`linspace`](linspace.md).

    Args:
        stop: The end, which is not counted in.

    Returns:
        A vector in float64, empty if the end lies behind the start.

    Raises:
        InputError: step is 0, or there would be more than 10**8 entries.

    Source:
        NumPy's `np.arange`, for whole numbers.
    """
    return _count(0, stop, 1)


@arange.overload
def _(start: int, stop: int, step: int = 1) -> Array["N"]:
    """Counts from start up to but not including stop.

    Args:
        start: The first entry.
        stop: The end, which is not counted in.
        step: The distance between entries; negative to count down.
    """
    return _count(start, stop, step)


# Both ends are included, and they are exact: entry i is start · (1 − tᵢ) + stop · tᵢ, where tᵢ goes from 0 to 1.
#
# **The gradient.** Each entry depends on start with the factor 1 − tᵢ, and on stop with the factor tᵢ. With the
# cotangent g = ∂L/∂x of some loss L,
#
# $$\frac{\partial L}{\partial\,\text{start}} = \sum_i g_i\,(1 - t_i), \qquad
# \frac{\partial L}{\partial\,\text{stop}} = \sum_i g_i\,t_i.$$
@builtin(category="Arrays", aliases=("evenly spaced", "grid"))
def linspace(start: float, stop: float, count: int) -> Array["N"]:
    r"""Makes evenly spaced numbers, both ends included.

    It makes the points over which a function is drawn. It takes the number of entries, where [`arange`](arange.md)
    takes whole steps. With a count of 1 there is only start, and with 0 nothing. start and stop have gradients.

    Args:
        start: The first entry.
        stop: The last entry.
        count: How many entries; a single one is start.

    Returns:
        A vector of count entries, in float64.

    Raises:
        InputError: count is negative or more than 10**8.

    Formula:
        $$\begin{gathered}
        x_i = (1 - t_i)\,\text{start} + t_i\,\text{stop}, \\
        t_i = \frac{i}{n - 1}, \\
        i = 0, \dots, n - 1
        \end{gathered}$$

    Source:
        NumPy's `np.linspace`.
    """
    _checked("linspace", count=count)
    t = np.arange(count) / np.maximum(count - 1, 1)
    return start * (1 - t) + stop * t


LARGEST = 10**8
"""Arrays of more entries are refused: that is 800 MB, and nearly always a slip in a size."""


def _count(start, stop, step):
    if step == 0:
        raise InputError("arange: step must not be 0, as counting would never end")
    entries = -((start - stop) // step)  # the quotient (stop - start) / step, rounded up
    _refuse_large("arange", entries, f"{start} to {stop}")
    return start + step * np.arange(np.maximum(entries, 0), dtype=np.float64)


def _checked(name, **sizes):
    for what, size in sizes.items():
        if size < 0:
            raise InputError(f"{name}: {what} must be at least 0, but is {size}")
    _refuse_large(name, math.prod(sizes.values()), " by ".join(map(str, sizes.values())))
    return tuple(sizes.values())


def _checked_shape(name, shape):
    return _checked(name, **{f"shape[{axis}]": size for axis, size in enumerate(shape)})


def _refuse_large(name, entries, what):
    if entries > LARGEST:
        raise InputError(f"{name}: {what} would be more than {LARGEST:,} entries, the most that an array may have")
