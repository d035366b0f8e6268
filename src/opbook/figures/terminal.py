"""Figures as characters, for a terminal."""

import math
from collections.abc import Iterator
from typing import Any, TextIO

from opbook.figures.lines import draw_lines
from opbook.figures.model import Bars, Figure, Heatmap, Plot
from opbook.figures.numbers import coarser, short, span, span_from_zero

WIDEST = 100
"""A figure is never wider than this many characters, however wide the terminal is."""

NARROWEST = 20

TALLEST = 32
"""More rows of a matrix than this are drawn coarser."""

SHADES = " ░▒▓█"
PLAIN_SHADES = " .:+#"
GAP = "·"
PLAIN_GAP = "?"

EIGHTHS = "▏▎▍▌▋▊▉█"
LONGEST_LABEL = 16


def can_write_blocks(stream: TextIO | Any) -> bool:
    """Tell whether a stream can hold the characters that figures are drawn with.

    Args:
        stream: Such as `sys.stdout`. One without an encoding holds any.

    Returns:
        True if none of them is beyond its encoding.
    """
    encoding = getattr(stream, "encoding", None)
    if not encoding:
        return True
    try:
        f"{SHADES}{EIGHTHS}{GAP}│┤└─•".encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def render(figure: Figure, width: int = 80, *, blocks: bool = True) -> str:
    """Draw a figure with characters.

    Args:
        figure: The figure.
        width: How many characters a line may have; fewer than 20 are taken for 20.
        blocks: Whether block characters may be used; without them the result is ASCII.

    Returns:
        The lines, without a line break at the end.
    """
    width = max(width, NARROWEST)
    if isinstance(figure, Heatmap):
        lines = _matrix(figure, width, blocks)
    elif isinstance(figure, Plot):
        lines = draw_lines(figure, width, blocks)
    else:
        lines = _horizontal(figure, width, blocks)
    text = "\n".join(line.rstrip() for line in [*([figure.title] if figure.title else []), *lines])
    return text if blocks else text.encode("ascii", "replace").decode()


def clip(text: str, width: int) -> str:
    """Shorten a text that is too long; its end says so.

    Args:
        text: The text.
        width: How many characters there is room for.

    Returns:
        The text, or its beginning and two dots.
    """
    return text if len(text) <= width else f"{text[: width - 2]}.."


def _matrix(figure: Heatmap, width: int, blocks: bool) -> Iterator[str]:
    shades, gap = (SHADES, GAP) if blocks else (PLAIN_SHADES, PLAIN_GAP)
    low, high = span(figure.entries) if figure.limit is None else span_from_zero(figure.entries, figure.limit)
    names = [clip(name, LONGEST_LABEL) for name in figure.rows] or [""] * len(figure.values)
    margin = max(map(len, names))
    margin += margin > 0
    largest = max(map(abs, (low, high)))
    texts = [[short(value, largest) for value in row] for row in figure.values]
    columns = [clip(name, LONGEST_LABEL) for name in figure.columns]
    cell = 3 + max(len(text) for row in [*texts, columns] for text in row)  # two shades and a blank
    shade = _shader(low, high, shades, gap)
    if margin + len(figure.values[0]) * (cell + 1) <= width:
        if columns:
            yield " " * margin + " ".join(f"{name:>{cell}}" for name in columns)
        for name, row, words in zip(names, figure.values, texts, strict=True):
            cells = (f"{shade(value) * 2} {text:>{cell - 3}}" for value, text in zip(row, words, strict=True))
            yield f"{name:{margin}}" + " ".join(cells)
        return
    across = math.ceil(len(figure.values[0]) / max((width - margin) // 2, 1))
    down = math.ceil(len(figure.values) / TALLEST)
    for name, row in zip(names[::down], coarser(figure.values, down, across), strict=True):
        yield f"{name:{margin}}" + "".join(shade(value) * 2 for value in row)
    yield f"from {short(low, largest)} ({shades[0]}) to {short(high, largest)} ({shades[-1]})"


def _shader(low: float, high: float, shades: str, gap: str) -> Any:
    def shade(value: float) -> str:
        if not math.isfinite(value):
            return gap
        part = (value - low) / (high - low) if high > low else 0.5
        return shades[min(int(part * len(shades)), len(shades) - 1)]

    return shade


def _horizontal(figure: Bars, width: int, blocks: bool) -> Iterator[str]:
    low, high = span_from_zero(figure.values, figure.limit)
    largest = max(-low, high)
    names = [clip(name, LONGEST_LABEL) for name in figure.labels] or [str(i) for i in range(len(figure.values))]
    texts = [short(value, largest) for value in figure.values]
    margin, tail = max(map(len, names)), max(map(len, texts))
    room = max(width - margin - tail - 4, 4)
    left = round(room * -low / (high - low)) if high > low else 0
    axis = "│" if blocks else "|"
    for name, value, text in zip(names, figure.values, texts, strict=True):
        length = value / (high - low) * room if high > low and math.isfinite(value) else 0.0
        before = _bar(-length, left, blocks, True) if length < 0 else " " * left
        after = _bar(length, room - left, blocks, False) if length > 0 else ""
        yield f"{name:>{margin}} {before}{axis}{after} {text}"


def _bar(length: float, room: int, blocks: bool, leftwards: bool) -> str:
    if not blocks or leftwards:  # there are no characters for a block that is filled from the right
        whole = min(round(length), room)
        return f"{('█' if blocks else '#') * whole:>{room}}" if leftwards else "#" * whole
    eighths = min(round(length * 8), room * 8)
    whole, rest = divmod(eighths, 8)
    return EIGHTHS[-1] * whole + (EIGHTHS[rest - 1] if rest else "")
