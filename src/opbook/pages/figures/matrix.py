"""A matrix as cells: pale to strong, one colour for each sign, with numbers where there is room for them."""

import math
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any

from opbook.figures import Heatmap
from opbook.figures.numbers import coarser, finite, short, span, span_from_zero
from opbook.pages.figures.canvas import FONT, LETTER, Sheet, label
from opbook.pages.figures.colours import COLD, HOT, INK, LINE

MOST_CELLS = 32
"""A matrix of more rows or columns is drawn coarser."""

MOST_NUMBERS = 10
"""A matrix of more rows or columns shows no numbers."""

LEVELS, PALEST = 20, 2
LONGEST = 18
WIDE, HIGH = 50, 32
LABELS = 22
SCALE = 62

Cells = Sequence[Sequence[float]]


def draw_matrix(figure: Heatmap) -> Sheet:
    """Draw a matrix.

    Args:
        figure: The matrix.

    Returns:
        The sheet.
    """
    down, across = (math.ceil(n / MOST_CELLS) for n in (len(figure.values), len(figure.values[0])))
    cells = coarser(figure.values, down, across) if down > 1 or across > 1 else figure.values
    count, length = len(cells), len(cells[0])
    has_numbers = max(count, length) <= MOST_NUMBERS
    rows, columns = (
        _labels(figure.rows, len(figure.values), down),
        _labels(figure.columns, len(figure.values[0]), across),
    )
    wide, high = _cell(has_numbers, max(count, length), figure.columns)
    left = 8 + LETTER * max(map(len, rows.values()), default=-1)
    top = LABELS if columns else 2
    right = 2 if has_numbers else SCALE
    sheet = Sheet(left + wide * length + right, top + high * count + 2)
    axes = sheet.axes(left, top, wide * length, high * count)
    axes.set(xlim=(0, length), ylim=(count, 0))
    label(axes, "top", {i + 0.5: _clip(text, wide) for i, text in columns.items()})
    label(axes, "left", {i + 0.5: text for i, text in rows.items()})
    level = _levels(figure.entries, figure.limit)
    _fill(axes, cells, level, 1 / wide, 1 / high)
    if has_numbers:
        _write(axes, cells, high)
    else:
        _draw_scale(sheet, figure, level, left + wide * length + 14, top, min(high * count, 140))
    return sheet


def _cell(has_numbers: bool, most: int, columns: Sequence[str]) -> tuple[float, float]:
    if not has_numbers:
        size = min(max(round(300 / most), 9), 24)
        return size, size
    room = LETTER * max(map(len, columns), default=0) + 10
    return min(max(WIDE, room), 2 * WIDE), HIGH


def _labels(given: Sequence[str], count: int, step: int) -> dict[int, str]:
    """The labels by the cell that they stand at: those that were given, or some of the positions if there are many."""
    names = [name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…" for name in given]
    if not names and count <= MOST_NUMBERS:
        return {}
    every = step if names and count <= 16 else step * (4 if count <= 40 * step else 8)
    return {i // step: names[i] if names else str(i) for i in range(0, count, every)}


def _clip(text: str, width: float) -> str:
    most = max(int(width / LETTER), 2) if width >= WIDE else len(text)
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _levels(entries: Sequence[float], limit: float | None) -> Callable[[float], int]:
    """How strong an entry's colour is: from 0 to LEVELS, negative for the colour of negative numbers."""
    low, high = span(entries)
    largest = limit or max(abs(low), abs(high)) or 1.0
    # numbers of one sign that lie close together would all look alike beside 0
    close = limit is None and low * high > 0 and high > low and high - low < largest / 4
    sign, nearest = (1 if high > 0 else -1), min(abs(low), abs(high))

    def level(value: float) -> int:
        if close:
            return sign * (PALEST + round((abs(value) - nearest) / (largest - nearest) * (LEVELS - PALEST)))
        return round(value / largest * LEVELS)

    return level


def _fill(axes: Any, cells: Cells, level: Callable[[float], int], gap_x: float, gap_y: float) -> None:
    """Draw the cells, all that have the same colour as one path."""
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    corners: dict[int, list[tuple[float, float]]] = defaultdict(list)
    for i, row in enumerate(cells):
        for j, value in enumerate(row):
            if math.isfinite(value):
                right, bottom = j + 1 - gap_x, i + 1 - gap_y
                corners[level(value)] += [(j, i), (right, i), (right, bottom), (j, bottom), (j, i)]
    codes = [Path.MOVETO, Path.LINETO, Path.LINETO, Path.LINETO, Path.CLOSEPOLY]
    for strength, points in sorted(corners.items()):
        look: dict[str, Any] = {"facecolor": "none", "edgecolor": LINE, "linewidth": 1}
        if strength:
            look = {"facecolor": HOT if strength > 0 else COLD, "alpha": abs(strength) / LEVELS, "linewidth": 0}
        path = Path(points, codes * (len(points) // len(codes)))
        path.should_simplify = False
        axes.add_artist(PathPatch(path, clip_on=False, **look))


def _write(axes: Any, cells: Cells, high: float) -> None:
    largest = max(map(abs, finite(value for row in cells for value in row)))
    for i, row in enumerate(cells):
        for j, value in enumerate(row):
            text = short(value, largest).replace("-", "−")
            axes.text(j + 0.5, i + 0.5 + 0.35 * FONT / high, text, ha="center", va="baseline", color=INK)


def _draw_scale(
    sheet: Sheet, figure: Heatmap, level: Callable[[float], int], left: float, top: float, high: float
) -> None:
    low, most = span(figure.entries)
    if abs(level(min(low, most, key=abs))) != PALEST:
        low, most = span_from_zero(figure.entries, figure.limit)
    axes = sheet.axes(left, top, 10, high)
    steps = 14
    axes.set(xlim=(0, 1), ylim=(steps, 0))
    _fill(axes, [[most + (low - most) * i / (steps - 1)] for i in range(steps)], level, 0, 0)
    largest = max(abs(low), abs(most))
    ends = {0.5: most, steps - 0.5: low}
    label(axes, "right", {place: short(value, largest).replace("-", "−") for place, value in ends.items()})
