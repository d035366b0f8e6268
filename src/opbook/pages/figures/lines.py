"""Numbers as lines: a quiet grid, one colour and one dash for each line, and names above."""

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from opbook.figures import Line, Plot
from opbook.figures.numbers import short, span
from opbook.pages.figures.canvas import FONT, LETTER, Sheet, label
from opbook.pages.figures.colours import DASHES, INK, LINE, SERIES

WIDTH, HEIGHT = 325, 180
NAMES = 24
BOTTOM = 28
RIGHT = 16

FEW = 12
"""A line of at most so many points shows where they are."""

BUCKETS = 300
"""A line of many points is drawn with the lowest and the highest of each of so many groups."""


def draw_plot(figure: Plot) -> Sheet:
    """Draw lines.

    Args:
        figure: The lines.

    Returns:
        The sheet.
    """
    start, end = _wide(x for line in figure.lines for x, y in zip(line.x, line.y, strict=True) if math.isfinite(y))
    across = [tick for tick in _ticks([start, end]) if start <= tick <= end]
    up = _ticks(y for line in figure.lines for y in line.y)
    labels = [_tick(value, up) for value in up]
    left = 10 + LETTER * max(map(len, labels))
    names = list(_rows_of_names(figure.lines, WIDTH - left))
    top = 10 + NAMES * len(names)
    sheet = Sheet(WIDTH, top + HEIGHT + BOTTOM)
    axes = sheet.axes(left, top, WIDTH - left - RIGHT, HEIGHT)
    axes.set(xlim=(start, end), ylim=(up[0], up[-1]))
    _draw_grid(axes, across, up)
    label(axes, "bottom", {value: _tick(value, across) for value in across})
    label(axes, "left", dict(zip(up, labels, strict=True)))
    if up[0] < 0 < up[-1]:
        axes.axhline(0, color=INK, linewidth=1, alpha=0.5)
    for i, line in enumerate(figure.lines):
        _draw_line(axes, line, _look(i))
    _draw_names(sheet, names, left)
    return sheet


def _draw_grid(axes: Any, across: Sequence[float], up: Sequence[float]) -> None:
    from matplotlib.lines import Line2D

    along_x, along_y = axes.get_xaxis_transform(), axes.get_yaxis_transform()
    lines = [((value, value), (0, 1), along_x) for value in across] + [
        ((0, 1), (value, value), along_y) for value in up
    ]
    for x, y, transform in lines:
        axes.add_artist(Line2D(x, y, transform=transform, clip_on=False, color=LINE, linewidth=1))


def _ticks(values: Iterable[float]) -> list[float]:
    from matplotlib.ticker import MaxNLocator

    return [float(tick) for tick in MaxNLocator(5, steps=[1, 2, 2.5, 5, 10]).tick_values(*_wide(values))]


def _wide(values: Iterable[float]) -> tuple[float, float]:
    low, high = span(values)
    return (low, high) if low < high else (low - 1, high + 1)


def _tick(value: float, ticks: Sequence[float]) -> str:
    return short(value, max(map(abs, ticks))).replace("-", "−")


def _look(i: int) -> dict[str, Any]:
    return {"color": SERIES[i % len(SERIES)], "linestyle": DASHES[i % len(DASHES)], "linewidth": 2}


def _draw_line(axes: Any, line: Line, look: dict[str, Any]) -> None:
    from matplotlib.lines import Line2D
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    x, y = _fewer(line)
    axes.add_artist(Line2D(x, y, clip_on=False, solid_capstyle="round", **look))
    dots = [p for i, p in enumerate(zip(x, y, strict=True)) if _is_finite(p) and (len(x) <= FEW or _is_alone(y, i))]
    if dots:  # a line of no length with round ends
        path = Path([point for point in dots for _ in range(2)], [Path.MOVETO, Path.LINETO] * len(dots))
        path.should_simplify = False
        axes.add_artist(
            PathPatch(path, clip_on=False, facecolor="none", edgecolor=look["color"], linewidth=6, capstyle="round")
        )


def _is_finite(point: tuple[float, float]) -> bool:
    return all(map(math.isfinite, point))


def _is_alone(y: Sequence[float], i: int) -> bool:
    return not any(0 <= j < len(y) and math.isfinite(y[j]) for j in (i - 1, i + 1))


def _fewer(line: Line) -> tuple[Sequence[float], Sequence[float]]:
    """The points of a line; of very many, those that show."""
    if len(line.x) <= 3 * BUCKETS:
        return line.x, line.y
    step = math.ceil(len(line.x) / BUCKETS)
    kept: list[int] = []
    for start in range(0, len(line.x), step):
        group = range(start, min(start + step, len(line.x)))
        known = [i for i in group if math.isfinite(line.y[i])] or [start]
        gaps = [i for i in group if not math.isfinite(line.y[i])][:1]
        kept += sorted({known[0], min(known, key=line.y.__getitem__), max(known, key=line.y.__getitem__), *gaps})
    kept.append(len(line.x) - 1)
    return [line.x[i] for i in kept], [line.y[i] for i in kept]


def _rows_of_names(lines: Sequence[Line], room: float) -> Iterator[list[tuple[float, int, str]]]:
    """Where the names go: each with its place from the left and the number of its line."""
    row: list[tuple[float, int, str]] = []
    place = 0.0
    for i, line in enumerate(lines):
        width = 30 + LETTER * len(line.name) + 18
        if row and place + width > room:
            yield row
            row, place = [], 0.0
        if line.name:
            row.append((place, i, line.name))
            place += width
    if row:
        yield row


def _draw_names(sheet: Sheet, rows: Sequence[Sequence[tuple[float, int, str]]], left: float) -> None:
    if not rows:
        return
    from matplotlib.lines import Line2D

    axes = sheet.axes(left, 0, WIDTH - left, NAMES * len(rows))
    axes.set(xlim=(0, WIDTH - left), ylim=(NAMES * len(rows), 0))
    for i, row in enumerate(rows):
        middle = NAMES * (i + 0.5)
        for place, number, name in row:
            axes.add_artist(Line2D([place, place + 24], [middle, middle], clip_on=False, **_look(number)))
            axes.text(place + 30, middle + 0.35 * FONT, name, va="baseline")
