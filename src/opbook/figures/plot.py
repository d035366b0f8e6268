"""Numbers as lines, over a quiet grid: each in a colour and a dash of its own, with their names above."""

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from opbook.figures.axis import Axis
from opbook.figures.drawing import GRID, INK, SERIES, Drawing, Point, width_of
from opbook.figures.figure import Figure, count, from_to
from opbook.figures.terminal import places_of

WIDTH, HEIGHT, NARROWEST = 325, 180, 200
DASHES = ("", "8 4", "2 4", "10 4 2 4")
"""Lines differ in more than their colours."""

FEW = 12
"""A line of at most so many points shows where they are."""

GROUPS = 300
"""A line of many points is drawn with the lowest and the highest of each of so many groups."""

NAMES, SWATCH = 22, 24
"""How high a row of names is, and how long the piece of line before each."""

ROWS, WIDEST = 12, 64
MARKS, PLAIN_MARKS = "•ox+*#%@", "*ox+-#%@"


@dataclass(frozen=True)
class Line:
    """One line of a plot.

    Attributes:
        x: Where its points are.
        y: How high they are. Points that are not finite are gaps.
        name: What it is called, or "".
    """

    x: tuple[float, ...]
    y: tuple[float, ...]
    name: str = ""

    @property
    def pieces(self) -> list[list[Point]]:
        """Its points in order, cut where one is not finite."""
        points = zip(self.x, self.y, strict=True)
        groups = itertools.groupby(points, lambda point: all(map(math.isfinite, point)))
        return [list(group) for is_finite, group in groups if is_finite]


@dataclass(frozen=True)
class Plot(Figure):
    """Lines over a common axis.

    Attributes:
        lines: The lines.
        title: What it shows.
    """

    lines: tuple[Line, ...]
    title: str = ""

    @property
    def description(self) -> str:
        """What can be seen, in words."""
        parts = [
            f"{line.name or f'Line {i}'}: {count(len(line.y), 'point')} over {from_to(line.x)}, "
            f"values from {from_to(line.y)}"
            for i, line in enumerate(self.lines)
        ]
        return f"{count(len(self.lines), 'line')}{'. ' if parts else ''}{'; '.join(parts)}."

    @property
    def _points(self) -> list[Point]:
        return [point for line in self.lines for piece in line.pieces for point in piece]

    def draw(self, drawing: Drawing) -> None:
        up = Axis.around(y for _, y in self._points)
        room = max(WIDTH - max(map(width_of, up.labels)) - 20, NARROWEST)
        across = Axis.inside((x for x, _ in self._points), room, width_of)

        def place(point: Point) -> Point:
            return across.part(point[0]) * room, (1 - up.part(point[1])) * HEIGHT

        _draw_grid(drawing, across, up, room)
        for i, line in enumerate(self.lines):
            pieces = [[place(point) for point in _fewer(piece)] for piece in line.pieces]
            drawing.lines((piece for piece in pieces if len(piece) > 1), **_look(i))
            shown = pieces if len(line.x) <= FEW else [piece for piece in pieces if len(piece) == 1]
            dots = [[point, point] for piece in shown for point in piece]
            drawing.lines(dots, SERIES[i % len(SERIES)], 6, stroke_linecap="round")
        _draw_names(drawing, [line.name for line in self.lines], room)

    def characters(self, width: int, blocks: bool) -> Iterator[str]:
        marks = MARKS if blocks else PLAIN_MARKS
        up = Axis.around(y for _, y in self._points)
        margin = max(map(len, up.labels))
        room = max(min(width - margin - 2, WIDEST), 2)
        across = Axis.inside((x for x, _ in self._points), room)
        canvas = [[" "] * room for _ in range(ROWS)]
        for line, mark in zip(self.lines, itertools.cycle(marks)):
            for piece in line.pieces:
                points = [(across.part(x) * (room - 1), (1 - up.part(y)) * (ROWS - 1)) for x, y in piece]
                for column, row in _cells(points):
                    canvas[row][column] = mark
        labels = {
            round((1 - up.part(tick)) * (ROWS - 1)): label for tick, label in zip(up.ticks, up.labels, strict=True)
        }
        vertical, tick, corner, below, flat = "│┤└┴─" if blocks else "||++-"
        for i, cells in enumerate(canvas):
            yield f"{labels.get(i, ''):>{margin}} {tick if i in labels else vertical}{''.join(cells)}"
        columns = [round(across.part(tick) * (room - 1)) for tick in across.ticks]
        yield " " * (margin + 1) + corner + "".join(below if i in columns else flat for i in range(room))
        yield " " * (margin + 2) + _spread(columns, across.labels, room)
        names = [f"{mark} {line.name}" for line, mark in zip(self.lines, itertools.cycle(marks)) if line.name]
        for line_of_names in _wrapped([places_of(name) + 3 for name in names], width - margin - 2):
            yield " " * (margin + 2) + "   ".join(names[i] for i in line_of_names)


def _look(i: int) -> dict[str, Any]:
    dash = DASHES[i % len(DASHES)]
    return {"colour": SERIES[i % len(SERIES)], "width": 2, "stroke_linejoin": "round"} | (
        {"stroke_dasharray": dash} if dash else {"stroke_linecap": "round"}
    )


def _draw_grid(drawing: Drawing, across: Axis, up: Axis, room: float) -> None:
    columns = [across.part(tick) * room for tick in across.ticks]
    rows = [(1 - up.part(tick)) * HEIGHT for tick in up.ticks]
    drawing.lines([[(x, 0), (x, HEIGHT)] for x in columns] + [[(0, y), (room, y)] for y in rows], GRID)
    if up.low < 0 < up.high:
        zero = (1 - up.part(0)) * HEIGHT
        drawing.lines([[(0, zero), (room, zero)]], INK, opacity=0.5)
    for x, label in zip(columns, across.labels, strict=True):
        drawing.number(x, HEIGHT + 15, label, "middle")
    for y, label in zip(rows, up.labels, strict=True):
        drawing.number(-8, y, label, "end")


def _draw_names(drawing: Drawing, names: Sequence[str], room: float) -> None:
    named = [i for i, name in enumerate(names) if name]
    widths = [SWATCH + 6 + width_of(names[i]) + 16 for i in named]
    rows = _wrapped(widths, room)
    for above, row in enumerate(reversed(rows)):
        y = -20 - NAMES * above
        starts = itertools.accumulate((widths[i] for i in row), initial=0)
        for i, x in zip(row, starts, strict=False):
            drawing.lines([[(x, y), (x + SWATCH, y)]], **_look(named[i]))
            drawing.text(x + SWATCH + 6, y, names[named[i]])


def _wrapped(widths: Sequence[float], room: float) -> list[list[int]]:
    """Fill rows one after another: which of the things that have these widths come into each."""
    rows: list[list[int]] = []
    left = -math.inf
    for i, width in enumerate(widths):
        if width > left:
            rows.append([])
            left = room
        rows[-1].append(i)
        left -= width
    return rows


def _fewer(points: list[Point]) -> list[Point]:
    """The points of a line; of very many, those that show."""
    if len(points) <= 3 * GROUPS:
        return points
    step = math.ceil(len(points) / GROUPS)
    kept = {len(points) - 1}
    for start in range(0, len(points), step):
        group = range(start, min(start + step, len(points)))
        kept |= {start, min(group, key=lambda i: points[i][1]), max(group, key=lambda i: points[i][1])}
    return [points[i] for i in sorted(kept)]


def _cells(points: Sequence[Point]) -> Iterator[tuple[int, int]]:
    """The cells of a grid that a line through some points goes through."""
    for (x, y), (next_x, next_y) in itertools.pairwise([points[0], *points]):
        steps = max(math.ceil(max(abs(next_x - x), abs(next_y - y))), 1)
        for i in range(steps + 1):
            yield round(x + (next_x - x) * i / steps), round(y + (next_y - y) * i / steps)


def _spread(columns: Sequence[int], labels: Sequence[str], room: int) -> str:
    """Labels in one row, the middle of each at its column, as far as the row reaches."""
    row = ""
    for column, label in zip(columns, labels, strict=True):
        start = max(min(column - len(label) // 2, room - len(label)), len(row) and len(row) + 1)
        row += " " * (start - len(row)) + label
    return row
