"""Numbers as bars: each as long as it is large, with its name before it and the number behind."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

from opbook.figures.drawing import INK, NEGATIVE, POSITIVE, Drawing, width_of
from opbook.figures.figure import TOLD, Figure, count, from_to, largest
from opbook.figures.numbers import short, span_from_zero
from opbook.figures.terminal import clip, places_of, rjust

WIDTH, SHORTEST = 325, 120
ROW, THICKNESS = 27, 18
GAP = 6

EIGHTHS = "▏▎▍▌▋▊▉█"


@dataclass(frozen=True)
class Bars(Figure):
    """Numbers side by side, each as long as it is large.

    Attributes:
        values: The numbers. Those that are not finite are gaps.
        labels: A label for each, or none.
        title: What it shows.
        limit: The absolute value with the longest bar; None for that of the number furthest from 0.
    """

    values: tuple[float, ...]
    labels: tuple[str, ...] = ()
    title: str = ""
    limit: float | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The labels, or the positions where there are none."""
        return self.labels or tuple(str(i) for i in range(len(self.values)))

    @property
    def numbers(self) -> tuple[str, ...]:
        """The values as they are written."""
        return tuple(short(value, largest(self.values)) for value in self.values)

    @property
    def description(self) -> str:
        """What can be seen, in words."""
        if len(self.values) > TOLD:
            return f"A bar for each of {len(self.values)} numbers, values from {from_to(self.values)}."
        told = (f"{name}: {number}" for name, number in zip(self.names, self.numbers, strict=True))
        return f"A bar for each of {count(len(self.values), 'number')}. {'; '.join(told)}."

    def _lengths(self, room: float) -> tuple[float, list[float]]:
        """Where 0 is, and how long each bar is, towards the left if below 0, in a room of some width."""
        low, high = span_from_zero(self.values, self.limit)
        unit = max(-low, high) or 1.0  # large numbers may be further apart than any number is large
        whole = high / unit - low / unit or 1.0
        parts = (value / unit / whole if math.isfinite(value) else 0.0 for value in self.values)
        return -low / unit / whole * room, [part * room for part in parts]

    def draw(self, drawing: Drawing) -> None:
        names = max(map(width_of, self.names), default=0)
        numbers = max(map(width_of, self.numbers), default=0)
        has_left = any(-math.inf < value < 0 for value in self.values)
        room = max(WIDTH - names - (numbers + GAP) * (1 + has_left) - 2 * GAP, SHORTEST)
        zero, lengths = self._lengths(room)
        edge = -(numbers + 2 * GAP) * has_left - GAP
        for sign, colour in ((1, POSITIVE), (-1, NEGATIVE)):
            drawing.boxes(
                (
                    (min(zero, zero + length), ROW * i + (ROW - THICKNESS) / 2, abs(length), THICKNESS)
                    for i, length in enumerate(lengths)
                    if length * sign > 0
                ),
                fill=colour,
            )
        for i, (name, number, length) in enumerate(zip(self.names, self.numbers, lengths, strict=True)):
            middle = ROW * (i + 0.5)
            drawing.text(edge, middle, name, "end")
            side, anchor = (-GAP, "end") if length < 0 else (GAP, "start")
            drawing.number(zero + length + side, middle, number, anchor)
        drawing.lines([[(zero, 0), (zero, ROW * len(lengths))]], INK, opacity=0.6)

    def characters(self, width: int, blocks: bool) -> Iterator[str]:
        names = [clip(name) for name in self.names]
        margin, tail = (max(map(places_of, texts), default=0) for texts in (names, self.numbers))
        room = max(width - margin - tail - 4, 4)
        zero, lengths = self._lengths(room)
        left = round(zero)
        axis = "│" if blocks else "|"
        for name, number, length in zip(names, self.numbers, lengths, strict=True):
            before = _bar(-length, left, blocks, True) if length < 0 else " " * left
            after = _bar(length, room - left, blocks, False) if length > 0 else ""
            yield f"{rjust(name, margin)} {before}{axis}{after} {number}"


def _bar(length: float, room: int, blocks: bool, leftwards: bool) -> str:
    if not blocks or leftwards:  # there are no characters for a block that is filled from the right
        whole = min(round(length), room)
        return f"{('█' if blocks else '#') * whole:>{room}}" if leftwards else "#" * whole
    eighths = min(round(length * 8), room * 8)
    whole, rest = divmod(eighths, 8)
    return EIGHTHS[-1] * whole + (EIGHTHS[rest - 1] if rest else "")
