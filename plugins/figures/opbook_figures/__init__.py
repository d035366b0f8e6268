"""Builtins that draw, as an opbook plugin: heatmaps, lines and bars."""

import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from opbook import Array, Family, builtin, hookimpl, stop_gradient
from opbook.autodiff.dtypes import as_float_array
from opbook.errors import InputError, ShapeError
from opbook.figures import Bars, Heatmap, Line, Plot, show


# The further an entry is from 0, the stronger is its colour. If there are entries of both signs, each sign has a colour
# of its own. The entry that is furthest from 0 has the strongest colour, so the colours of two heatmaps can be compared
# only if both have the same `limit`. Small heatmaps also show the numbers.
#
# An entry that is not finite is left blank. So in scores that a mask has set to −∞, the blank cells show the mask. On a
# page, a matrix of more than 32 rows or columns is drawn coarser: each cell shows the mean of several entries.
#
# A figure has no value and no gradient. A function that is being differentiated may draw, too.
@builtin(category="Figures", aliases=("matrix plot", "imshow", "matshow"))
def heatmap(
    x: Array["M N"],
    *,
    title: str = "",
    rows: tuple[str, ...] = (),
    columns: tuple[str, ...] = (),
    limit: float | None = None,
) -> None:
    """Draws a matrix, with a colour for each entry.

    It is for looking at attention weights, masks and gradients: a matrix of M rows and N columns becomes as many cells.
    A stronger colour is further from 0, and each sign has a colour of its own. Entries that are not finite stay blank,
    so in scores of −∞ one sees the mask. Give two heatmaps the same `limit` to compare their colours.
    On a page, point at a cell to read its row, its column and its value.

    Args:
        x: The matrix. Booleans are drawn as 0 and 1; entries that are not finite are left blank.
        title: What it shows.
        rows: A label for each row.
        columns: A label for each column.
        limit: The absolute value that has the strongest colour, so that several heatmaps compare.

    Returns:
        Nothing; the figure goes to the page, or as characters to the terminal.

    Raises:
        ShapeError: x is not a matrix.
        InputError: x has no finite entry or more than 256 rows or columns, there are not as many labels as rows or
            columns, or limit is smaller than an entry.

    Source:
        Matplotlib's `imshow`.
    """
    values = _drawable("heatmap: x", x)
    for axis, (noun, labels) in enumerate((("rows", rows), ("columns", columns))):
        if values.shape[axis] > MOST_ROWS:
            raise InputError(f"heatmap: x has {values.shape[axis]} {noun}; at most {MOST_ROWS} can be drawn")
        _check_labels(f"heatmap: {noun}", labels, values.shape[axis], f"x has {noun}")
    limit = _checked_limit("heatmap", limit, values)
    show(Heatmap(tuple(map(tuple, values.tolist())), title, tuple(rows), tuple(columns), limit))


# With one argument, the points stand at 0, 1, 2 and so on. With two, the first says where they stand. Several lines are
# the rows of a matrix, with `names` if they need names, or the fields of a record, which have names already:
# `plot(x, {relu = relu(x), gelu = gelu(x)})`.
#
# Points are joined by straight lines. A point that is not finite makes a gap.
@builtin(category="Figures", aliases=("line chart", "curve", "graph"))
def plot(y: Any, *, names: tuple[str, ...] = (), title: str = "") -> None:
    """Draws numbers as lines.

    It draws learning curves and functions. A vector is one line, a matrix has a line in each row, and a record has a
    line in each field, with the field's name. With one argument the points stand at 0, 1, 2 and so on; `plot(x, y)`
    says where they stand. An entry that is not finite makes a gap.

    Args:
        y: A vector; or a matrix, with a line in each row; or a record of vectors, with a line in each field.
        names: What the lines are called, where y is no record.
        title: What it shows.

    Returns:
        Nothing; the figure goes to the page, or as characters to the terminal.

    Raises:
        DTypeError: y is neither numbers nor a record of vectors.
        ShapeError: y has more than two axes, or another number of points than x.
        InputError: There is nothing finite to draw, or more than 8 lines or 10,000 points, or not as many names as
            lines.

    Source:
        Matplotlib's `plot`.
    """
    _draw_lines(None, y, names, title)


@plot.overload
def _(x: Any, y: Any, *, names: tuple[str, ...] = (), title: str = "") -> None:
    """Draws numbers as lines over given positions.

    Args:
        x: A vector of positions, which all lines share.
        y: A vector; or a matrix, with a line in each row; or a record of vectors, with a line in each field.
        names: What the lines are called, where y is no record.
        title: What it shows.
    """
    _draw_lines(x, y, names, title)


# Each bar begins at 0, and goes to one side for positive and to the other for negative numbers. The number stands
# beside it. Bars are for numbers that belong to names, such as the weights that `softmax` gives to classes. For numbers
# along an axis, `plot` is better.
#
# A number that is not finite has a place, but no bar.
@builtin(category="Figures", aliases=("bar chart", "histogram"))
def bars(y: Array["N"], *, labels: tuple[str, ...] = (), title: str = "", limit: float | None = None) -> None:
    """Draws a bar for each number.

    It is for numbers that belong to names, such as the probabilities of classes: a vector of N entries becomes N bars.
    Negative numbers go to the other side of 0. The longest bar is the largest number of its own figure, so give two
    figures the same `limit` to compare them.

    Args:
        y: The numbers.
        labels: What they are called; without labels, they are numbered from 0.
        title: What it shows.
        limit: The absolute value that has the longest bar, so that several such figures compare.

    Returns:
        Nothing; the figure goes to the page, or as characters to the terminal.

    Raises:
        ShapeError: y is not a vector.
        InputError: y has no finite entry or more than 64 entries, there are not as many labels as entries, or limit is
            smaller than an entry.

    Source:
        Matplotlib's `bar`.
    """
    values = _drawable("bars: y", y)
    if len(values) > MOST_BARS:
        raise InputError(f"bars: y has {len(values)} entries; at most {MOST_BARS} can be drawn")
    _check_labels("bars: labels", labels, len(values), "y has entries")
    show(Bars(tuple(values.tolist()), tuple(labels), title, _checked_limit("bars", limit, values)))


MOST_ROWS = 256
"""A heatmap has at most this many rows, and as many columns: beyond that an entry is smaller than a dot."""

MOST_POINTS = 10_000
MOST_LINES = 8
MOST_BARS = 64


def _draw_lines(x: Any, y: Any, names: tuple[str, ...], title: str) -> None:
    given = isinstance(y, Mapping)
    if given and names:
        raise InputError("plot: y is a record, which has the names of its lines already; leave names out")
    rows = {str(name): _vector(f"plot: y.{name}", row) for name, row in y.items()} if given else _rows(y)
    if not rows:
        raise InputError("plot: y has no lines, so there is nothing to draw")
    if len(rows) > MOST_LINES:
        raise InputError(f"plot: y has {len(rows)} lines; at most {MOST_LINES} can be told apart")
    _check_labels("plot: names", names, len(rows), "y has lines")
    places = None if x is None else _vector("plot: x", x)
    lines = []
    for i, (name, row) in enumerate(rows.items()):
        over = np.arange(len(row)) if places is None else places
        what = f"y.{name}" if given else "y"
        if len(row) > MOST_POINTS:
            raise InputError(f"plot: {what} has {len(row):,} points; at most {MOST_POINTS:,} can be drawn")
        if len(over) != len(row):
            raise ShapeError(
                f"plot: {what} has {len(row)} {'point' if len(row) == 1 else 'points'} but x has {len(over)}; "
                "they must be equal"
            )
        label = name if given else names[i] if names else ""
        lines.append(Line(tuple(over.astype(float).tolist()), tuple(row.tolist()), label))
    if not any(np.isfinite(line.y).any() for line in lines):
        raise InputError("plot: y has no finite numbers, so there is nothing to draw")
    show(Plot(tuple(lines), title))


def _rows(y: Any) -> dict[int, Any]:
    array = _numbers("plot: y", y)
    if array.ndim not in (1, 2):
        raise ShapeError(
            f"plot: y must be a vector, a matrix with a line in each row, or a record of vectors, but has shape "
            f"{array.shape}"
        )
    return dict(enumerate(np.atleast_2d(array)))


def _vector(what: str, value: Any) -> Any:
    array = _numbers(what, value)
    if array.ndim != 1:
        raise ShapeError(f"{what} must be a vector, but has shape {array.shape}")
    return array


def _numbers(what: str, value: Any) -> Any:
    return stop_gradient(as_float_array(value, what))


def _drawable(what: str, value: Any) -> Any:
    values = stop_gradient(value)
    if not np.isfinite(values).any():
        reason = "entries" if values.size == 0 else "finite entries"
        raise InputError(f"{what} has no {reason}, so there is nothing to draw")
    return values


def _checked_limit(name: str, limit: Any, values: Any) -> float | None:
    if limit is None:
        return None
    limit = float(stop_gradient(limit))
    largest = np.abs(values[np.isfinite(values)]).max()
    if not largest <= limit < np.inf or limit == 0:
        raise InputError(f"{name}: limit must be a number of at least {largest:g}, the largest entry, but is {limit:g}")
    return limit


def _check_labels(what: str, labels: tuple[str, ...], count: int, has: str) -> None:
    if labels and len(labels) != count:
        raise InputError(f"{what} must have as many texts as {has} ({count}), but has {len(labels)}")


@hookimpl
def opbook_builtins():
    """Add heatmap, plot and bars."""
    return [heatmap, plot, bars]


@hookimpl
def opbook_commands():
    """Add `opbook draw`."""
    import click

    def read(file):
        try:
            numbers = np.load(file) if file.endswith(".npy") else np.loadtxt(file, delimiter=",", ndmin=2)
        except ValueError as error:
            raise InputError(f"draw: {file} has no numbers that can be read: {error}") from None
        return numbers[0] if numbers.ndim == 2 and len(numbers) == 1 else numbers

    drawing = {"heatmap": heatmap, "plot": plot, "bars": bars}

    @click.command()
    @click.argument("file", type=click.Path(exists=True, dir_okay=False))
    @click.option(
        "--as", "how", type=click.Choice([*drawing]), help="How; without it, a matrix as a heatmap, else bars."
    )
    @click.option("--title", default="", help="A title; the file's name unless given.")
    def draw(file, how, title):
        """Draw the numbers in FILE, a .npy or a .csv file, in the terminal.

        \b
        Examples:
            opbook draw weights.npy
            opbook draw losses.csv --as plot
        """
        numbers = read(file)
        name = how or ("heatmap" if numbers.ndim == 2 and min(numbers.shape) > 1 else "bars")
        if name == "bars":
            numbers = numbers.reshape(-1)
        drawing[name](numbers, title=title or os.path.basename(file))

    return [draw]


@hookimpl
def opbook_families():
    """Say what the category has in common."""
    return [Family("Figures", "family.md")]
