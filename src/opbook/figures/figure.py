"""What every kind of figure has. A new kind is one module: its numbers, and how they look as characters and as SVG."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence

from opbook.figures.drawing import Drawing
from opbook.figures.numbers import finite, short, span

TOLD = 64
"""A figure of at most this many numbers is described by all of them."""


class Figure(ABC):
    """What can be drawn: numbers and labels, frozen.

    Attributes:
        title: What it shows, or "".
    """

    title: str

    @property
    @abstractmethod
    def description(self) -> str:
        """What can be seen, in words."""

    @property
    def cells(self) -> Mapping[str, object]:
        """What a page's script says of the place that a reader points at, as JSON has it; a kind may have nothing."""
        return {}

    @abstractmethod
    def characters(self, width: int, blocks: bool) -> Iterator[str]:
        """Draw it with characters.

        Args:
            width: How many characters a row may have.
            blocks: Whether characters beyond ASCII may be used.

        Yields:
            The rows, without the title.
        """

    @abstractmethod
    def draw(self, drawing: Drawing) -> None:
        """Draw it with boxes, lines and texts.

        Args:
            drawing: What it is drawn on. It has room on all sides.
        """


def largest(values: Sequence[float]) -> float:
    """The largest absolute value of those that are finite; 0 if none is."""
    return max(map(abs, finite(values)), default=0.0)


def count(number: int, noun: str) -> str:
    """A number with its noun: 1 row, 2 rows."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def from_to(values: Sequence[float]) -> str:
    """The lowest and the highest value."""
    return " to ".join(short(value, largest(values)) for value in span(values))
