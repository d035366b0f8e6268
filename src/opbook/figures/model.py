"""What a figure is: its numbers and labels, frozen, and a description for those who cannot see it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from opbook.figures.numbers import finite, short, span

TOLD = 64
"""A figure of at most this many numbers is described by all of them."""


@dataclass(frozen=True)
class Heatmap:
    """A matrix, with a colour for each entry.

    Attributes:
        values: The rows. Entries that are not finite are gaps.
        title: What it shows.
        rows: A label for each row, or none.
        columns: A label for each column, or none.
        limit: The absolute value with the strongest colour; None for that of the entry furthest from 0.
    """

    values: tuple[tuple[float, ...], ...]
    title: str = ""
    rows: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    limit: float | None = None

    @property
    def entries(self) -> list[float]:
        """All entries, row by row."""
        return [value for row in self.values for value in row]

    @property
    def description(self) -> str:
        """What can be seen, in words."""
        count = f"{_count(len(self.values), 'row')} and {_count(len(self.values[0]), 'column')}"
        if len(self.entries) > TOLD:
            return f"A matrix of {count}, {_range(self.entries)}."
        across = f" The columns are {', '.join(self.columns)}." if self.columns else ""
        return f"A matrix of {count}.{across} {'; '.join(self._told())}."

    def _told(self) -> Iterator[str]:
        largest = _largest(self.entries)
        for i, row in enumerate(self.values):
            name = self.rows[i] if self.rows else f"Row {i}"
            yield f"{name}: {', '.join(short(value, largest) for value in row)}"


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


@dataclass(frozen=True)
class Plot:
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
            f"{line.name or f'Line {i}'}: {_count(len(line.y), 'point')} over {_from_to(line.x)}, {_range(line.y)}"
            for i, line in enumerate(self.lines)
        ]
        return f"{_count(len(self.lines), 'line')}. {'; '.join(parts)}."


@dataclass(frozen=True)
class Bars:
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
    def description(self) -> str:
        """What can be seen, in words."""
        if len(self.values) > TOLD:
            return f"A bar for each of {len(self.values)} numbers, {_range(self.values)}."
        names = self.labels or tuple(str(i) for i in range(len(self.values)))
        largest = _largest(self.values)
        told = (f"{name}: {short(value, largest)}" for name, value in zip(names, self.values, strict=True))
        return f"A bar for each of {_count(len(self.values), 'number')}. {'; '.join(told)}."


Figure = Heatmap | Plot | Bars
"""What can be drawn."""


def _largest(values: Sequence[float]) -> float:
    return max(map(abs, finite(values)), default=0.0)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _from_to(values: Sequence[float]) -> str:
    low, high = span(values)
    largest = _largest(values)
    return f"{short(low, largest)} to {short(high, largest)}"


def _range(values: Sequence[float]) -> str:
    return f"values from {_from_to(values)}"
