"""Lines as characters: a small chart with a frame and the ends of both axes."""

import itertools
import math
from collections.abc import Iterator

from opbook.figures.model import Line, Plot
from opbook.figures.numbers import short, span

HEIGHT = 12
WIDEST_CHART = 64

MARKS = "•ox+*#%@"
PLAIN_MARKS = "*ox+-#%@"


def draw_lines(figure: Plot, width: int, blocks: bool) -> Iterator[str]:
    """Draw lines with characters.

    Args:
        figure: The lines.
        width: How many characters a row may have.
        blocks: Whether characters beyond ASCII may be used.

    Yields:
        The rows of the chart, the axis below it, and the names of the lines where they have any.
    """
    marks = MARKS if blocks else PLAIN_MARKS
    vertical, corner, flat = ("┤", "└", "─") if blocks else ("|", "+", "-")
    left, right = span(x for line in figure.lines for x, y in _points(line))
    bottom, top = span(y for line in figure.lines for _, y in _points(line))
    low, high = short(bottom, max(abs(bottom), abs(top))), short(top, max(abs(bottom), abs(top)))
    margin = max(len(low), len(high))
    room = min(width - margin - 2, WIDEST_CHART)
    canvas = [[" "] * room for _ in range(HEIGHT)]
    for line, mark in zip(figure.lines, itertools.cycle(marks)):
        for x, y in _steps(line, (left, right, room), (bottom, top, HEIGHT)):
            canvas[HEIGHT - 1 - y][x] = mark
    for i, row in enumerate(canvas):
        number = high if i == 0 else low if i == HEIGHT - 1 else ""
        yield f"{number:>{margin}} {vertical}{''.join(row)}"
    yield " " * (margin + 1) + corner + flat * room
    start, end = (short(number, max(abs(left), abs(right))) for number in (left, right))
    yield " " * (margin + 2) + f"{start}{end:>{max(room - len(start), len(end) + 1)}}"
    names = [f"{mark} {line.name}" for line, mark in zip(figure.lines, itertools.cycle(marks)) if line.name]
    if names:
        yield from _wrapped(names, width - margin - 2, " " * (margin + 2))


def _points(line: Line) -> Iterator[tuple[float, float]]:
    return ((x, y) for x, y in zip(line.x, line.y, strict=True) if math.isfinite(x) and math.isfinite(y))


def _steps(line: Line, across: tuple[float, float, int], up: tuple[float, float, int]) -> Iterator[tuple[int, int]]:
    """The cells that a line goes through; a point that is not finite breaks it."""
    last: tuple[float, float] | None = None
    for x, y in zip(line.x, line.y, strict=True):
        if not (math.isfinite(x) and math.isfinite(y)):
            last = None
            continue
        here = (_place(x, *across), _place(y, *up))
        start = here if last is None else last
        count = max(math.ceil(max(abs(here[0] - start[0]), abs(here[1] - start[1]))), 1)
        for i in range(count + 1):
            yield tuple(round(a + (b - a) * i / count) for a, b in zip(start, here, strict=True))  # type: ignore[misc]
        last = here


def _place(value: float, low: float, high: float, cells: int) -> float:
    return (value - low) / (high - low) * (cells - 1) if high > low else (cells - 1) / 2


def _wrapped(names: list[str], width: int, indent: str) -> Iterator[str]:
    row = ""
    for name in names:
        if row and len(row) + 3 + len(name) > width:
            yield indent + row
            row = ""
        row += ("   " if row else "") + name
    yield indent + row
