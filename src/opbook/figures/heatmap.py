"""A matrix as cells: pale to strong, one colour for each sign, with numbers where there is room for them."""

import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from opbook.errors import InputError
from opbook.figures.drawing import GRID, NEGATIVE, ON_CELL, POSITIVE, Box, Drawing, width_of
from opbook.figures.figure import TOLD, Figure, count, from_to, largest
from opbook.figures.numbers import coarser, short, span, span_from_zero
from opbook.figures.terminal import clip, ljust, places_of, rjust

MOST_CELLS = 32
"""A matrix of more rows or columns is drawn coarser."""

POINTED_DIGITS = 4
"""Significant digits of the entry that a reader points at."""

MOST_NUMBERS = 10
"""A matrix of more rows or columns shows no numbers."""

LEVELS, PALEST = 20, 2
"""How many strengths a colour has, and the weakest where even the number nearest to 0 is far from it."""

NARROWEST, WIDEST, HIGH = 40, 90, 32
SIDE, SMALLEST, LARGEST = 300, 9, 24
"""How long a side of cells without numbers is, and a cell of it."""

LETTERS = 14
"""How far apart rows of text are at least."""

SWATCHES, SWATCH = 8, 16

SHADES, GAP = " ░▒▓█", "·"
PLAIN_SHADES, PLAIN_GAP = " .:+#", "?"

Cells = Sequence[Sequence[float]]


@dataclass(frozen=True)
class Switches:
    """What becomes of each row of a matrix where a reader switches some of its entries off.

    Attributes:
        rows: For each row as many rows as there are choices of its entries: with those on that are bits of the place.
        chosen: The choice of each row that the matrix itself shows.
        presets: Names of choices that a reader may want, each with the choice of each row.
    """

    rows: tuple[tuple[tuple[float, ...], ...], ...]
    chosen: tuple[int, ...]
    presets: tuple[tuple[str, tuple[int, ...]], ...] = ()


@dataclass(frozen=True)
class Heatmap(Figure):
    """A matrix, with a colour for each entry.

    Attributes:
        values: The rows. Entries that are not finite are gaps.
        title: What it shows.
        rows: A label for each row, or none.
        columns: A label for each column, or none.
        limit: The absolute value with the strongest colour; None for that of the entry furthest from 0.
        told: What a page says of each entry that a reader points at, beside its labels and its value: for at most 32
            rows and columns. In it `{value}` is the entry and `{row}` its row, as they are shown; `{on 1 2 3}` is a
            list of what stands there, with −∞ for each entry of the row that is switched off.
        switches: What makes the entries buttons on a page.

    Raises:
        InputError: `told` or `switches` are not for as many entries as there are.
    """

    values: tuple[tuple[float, ...], ...]
    title: str = ""
    rows: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    limit: float | None = None
    told: tuple[tuple[str, ...], ...] = ()
    switches: Switches | None = None

    def __post_init__(self) -> None:
        rows, columns = self.shape
        if self.told and [len(row) for row in self.told] != [columns] * rows:
            raise InputError(f"Heatmap: told must have a text for each entry of {rows} rows and {columns} columns")
        if self.switches and [len(choices) for choices in self.switches.rows] != [2**columns] * rows:
            raise InputError(
                f"Heatmap: switches.rows must have 2 ** {columns} = {2**columns} choices for each of {rows} rows"
            )

    @property
    def entries(self) -> list[float]:
        """All entries, row by row."""
        return [value for row in self.values for value in row]

    @property
    def shape(self) -> tuple[int, int]:
        """How many rows and columns it has."""
        return len(self.values), len(self.values[0]) if self.values else 0

    @property
    def span(self) -> tuple[float, float]:
        """The lowest and the highest number that the colours are for."""
        return span(self.entries) if self.limit is None else span_from_zero(self.entries, self.limit)

    @property
    def description(self) -> str:
        """What can be seen, in words."""
        size = f"A matrix of {count(self.shape[0], 'row')} and {count(self.shape[1], 'column')}"
        if len(self.entries) > TOLD:
            return f"{size}, values from {from_to(self.entries)}."
        across = f" The columns are {', '.join(self.columns)}." if self.columns else ""
        names = self.rows or [f"Row {i}" for i in range(len(self.values))]
        told = (f"{name}: {', '.join(row)}" for name, row in zip(names, self._numbers(), strict=True))
        return f"{size}.{across} {'; '.join(told)}."

    def _numbers(self) -> list[list[str]]:
        return [[short(value, largest(self.entries)) for value in row] for row in self.values]

    @property
    def cells(self) -> Mapping[str, object]:
        if not self.entries:
            return {}
        switched = [value for rows in self.switches.rows for row in rows for value in row] if self.switches else []
        (down, across), most = self._joined, largest([*self.entries, *switched])
        found: dict[str, object] = {
            "size": self._cell_size,
            "values": [_exact(row, most) for row in coarser(self.values, down, across)],
            "rows": _names("row", self.rows, self.shape[0], down),
            "columns": _names("column", self.columns, self.shape[1], across),
            "joined": down * across,
        }
        if self.told:
            found |= _shared_lines(self.told)
        if self.switches:
            found["choices"] = [[_exact(row, most) for row in rows] for rows in self.switches.rows]
            found |= {"chosen": self.switches.chosen, "presets": self.switches.presets, "most": self.limit or most}
        return found

    @property
    def _joined(self) -> tuple[int, int]:
        """How many rows and how many columns are one cell."""
        down, across = (max(math.ceil(n / MOST_CELLS), 1) for n in self.shape)
        return down, across

    @property
    def _has_numbers(self) -> bool:
        return max(self.shape) <= MOST_NUMBERS

    @property
    def _cell_size(self) -> tuple[float, float]:
        if self._has_numbers:
            return self._number_size()
        return _size(max(math.ceil(n / joined) for n, joined in zip(self.shape, self._joined, strict=True)))

    def draw(self, drawing: Drawing) -> None:
        (down, across), has_numbers = self._joined, self._has_numbers
        cells = coarser(self.values, down, across)
        wide, high = self._cell_size
        level = _levels(self.entries, self.limit)
        _draw_cells(drawing, cells, level, wide, high)
        if has_numbers:
            rows = enumerate(self._numbers())
            numbers = (((j + 0.5) * wide, (i + 0.5) * high, text) for i, row in rows for j, text in enumerate(row))
            drawing.numbers(numbers, fill=ON_CELL)
        else:
            self._draw_scale(drawing, level, len(cells[0]) * wide + 14)
        self._draw_labels(drawing, wide / across, high / down, has_numbers)

    def _number_size(self) -> tuple[float, float]:
        """How wide and how high a cell with a number is: the label above it has room as well, unless it is long."""
        number, label = (
            max((width_of(text) + 10 for row in rows for text in row), default=0)
            for rows in (self._numbers(), [self.columns])
        )
        return max(number, min(label, WIDEST), NARROWEST), HIGH

    def _draw_labels(self, drawing: Drawing, wide: float, high: float, has_numbers: bool) -> None:
        """Write at rows and columns, at as many as there is room for."""
        rows, columns = (
            labels or [str(i) for i in range(0 if has_numbers else number)]
            for labels, number in zip((self.rows, self.columns), self.shape, strict=True)
        )
        for i in _some(len(rows), LETTERS * (1 if self.rows else 1.5) / high):
            drawing.text(-8, (i + 0.5) * high, rows[i], "end")
        widest = max((width_of(label) for label in columns), default=0) + 8
        slanted = bool(self.columns) and widest > wide
        for j in _some(len(columns), (LETTERS * math.sqrt(2) if slanted else widest) / wide):
            drawing.text((j + 0.5) * wide, -10, columns[j], "start" if slanted else "middle", slanted=slanted)

    def _draw_scale(self, drawing: Drawing, level: Callable[[float], int], left: float) -> None:
        """Show what the colours mean, from the highest number down to the lowest."""
        low, high = self.span
        if abs(level(min(low, high, key=abs))) != PALEST:
            low, high = span_from_zero(self.entries, self.limit)
        steps = [i / (SWATCHES - 1) for i in range(SWATCHES)]
        _draw_cells(drawing, [[high * (1 - step) + low * step] for step in steps], level, SWATCH, SWATCH, left)
        ends = {0: high, SWATCHES - 1: low} if low < high else {0: high}
        for i, value in ends.items():
            drawing.number(left + SWATCH + 6, (i + 0.5) * SWATCH, short(value, max(abs(low), abs(high))))

    def characters(self, width: int, blocks: bool) -> Iterator[str]:
        shades, gap = (SHADES, GAP) if blocks else (PLAIN_SHADES, PLAIN_GAP)
        low, high = self.span
        names = [clip(name) for name in self.rows] or [""] * len(self.values)
        margin = max(map(places_of, names), default=0)
        margin += margin > 0
        numbers, columns = self._numbers(), [clip(name) for name in self.columns]
        widest = max((places_of(text) for row in [*numbers, columns] for text in row), default=0)
        cell = 3 + widest  # two shades and a blank

        def shade(value: float) -> str:
            if not math.isfinite(value):
                return gap * 2
            unit = max(abs(low), abs(high))
            part = (value / unit - low / unit) / (high / unit - low / unit) if high > low else 0.5
            return shades[min(int(part * len(shades)), len(shades) - 1)] * 2

        if margin + self.shape[1] * (cell + 1) <= width:
            if columns:
                yield " " * margin + " ".join(rjust(name, cell) for name in columns)
            for name, row, texts in zip(names, self.values, numbers, strict=True):
                cells = (f"{shade(value)} {text:>{cell - 3}}" for value, text in zip(row, texts, strict=True))
                yield ljust(name, margin) + " ".join(cells)
            return
        down, across = math.ceil(self.shape[0] / MOST_CELLS), math.ceil(self.shape[1] / max((width - margin) // 2, 1))
        for name, row in zip(names[::down], coarser(self.values, down, across), strict=True):
            yield ljust(name, margin) + "".join(map(shade, row))
        first, last = (short(value, max(abs(low), abs(high))) for value in (low, high))
        yield f"from {first} ({shades[0]}) to {last} ({shades[-1]})"


def _size(most: int) -> tuple[float, float]:
    """How wide and how high a cell without a number is, where there are so many beside or below each other."""
    size = min(max(round(SIDE / most), SMALLEST), LARGEST)
    return size, size


def _exact(row: Sequence[float], most: float) -> str:
    """The entries of a row that a reader may point at, with blanks between them."""
    return " ".join(short(value, most, POINTED_DIGITS).replace("-", "−") for value in row)


def _shared_lines(told: Sequence[Sequence[str]]) -> dict[str, list[str]]:
    """All lines of what is told, each once, and by their numbers those of each entry: cells of a row share some."""
    lines = list(dict.fromkeys(line for row in told for text in row for line in text.splitlines()))
    numbers = {line: str(i) for i, line in enumerate(lines)}
    rows = (";".join(" ".join(numbers[line] for line in text.splitlines()) for text in row) for row in told)
    return {"lines": lines, "told": list(rows)}


def _names(noun: str, labels: Sequence[str], number: int, joined: int) -> list[str]:
    """What the rows or columns of cells are called."""
    ends = [(i, min(i + joined, number) - 1) for i in range(0, number, joined)]
    if labels:
        return [labels[i] if i == j else f"{labels[i]} to {labels[j]}" for i, j in ends]
    return [f"{noun} {i}" if i == j else f"{noun}s {i} to {j}" for i, j in ends]


def _levels(entries: Sequence[float], limit: float | None) -> Callable[[float], int]:
    """How strong an entry's colour is: from 0 to LEVELS, negative for the colour of negative numbers."""
    low, high = span(entries)
    most = limit or max(abs(low), abs(high)) or 1.0
    # numbers of one sign that lie close together would all look alike beside 0
    sign, nearest = (1 if high > 0 else -1), min(abs(low), abs(high))
    close = limit is None and low < high and (low > 0 or high < 0) and nearest > 3 / 4 * most

    def level(value: float) -> int:
        if close:
            return sign * (PALEST + round((abs(value) - nearest) / (most - nearest) * (LEVELS - PALEST)))
        return round(value / most * LEVELS)

    return level


def _draw_cells(
    drawing: Drawing, cells: Cells, level: Callable[[float], int], wide: float, high: float, left: float = 0
) -> None:
    """Draw cells with a pixel between them, all that have the same colour at once; a number near 0 has only an edge."""
    boxes: dict[int, list[Box]] = defaultdict(list)
    for i, row in enumerate(cells):
        for j, value in enumerate(row):
            if math.isfinite(value):
                boxes[level(value)].append((left + j * wide, i * high, wide - 1, high - 1))
    for strength, alike in sorted(boxes.items()):
        if strength:
            colour = POSITIVE if strength > 0 else NEGATIVE
            drawing.boxes(alike, fill=colour, opacity=f"{abs(strength) / LEVELS:g}")
        else:
            edges = ((x + 0.5, y + 0.5, width - 1, height - 1) for x, y, width, height in alike)
            drawing.boxes(edges, fill="none", stroke=GRID)


def _some(number: int, apart: float) -> range:
    """Every one of some positions, or every second, fourth and so on, so that they are far enough apart."""
    step = 1
    while step < apart:
        step *= 2
    return range(0, number, step)
