"""SVG as it is drawn: boxes, lines and texts, and a picture that is as large as they are.

Nothing can be cut off, as the picture's size is found from what was drawn. How wide a text is depends on the reader's
font, which nobody knows here; so letters are taken for as wide as those of Verdana, the widest of the common fonts, and
narrow ones for as wide as in a font whose letters are all the same.
"""

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from math import ceil, floor, inf, sqrt
from xml.sax.saxutils import escape, quoteattr

FONT = 12
"""The size of all text, in pixels."""

LONGEST = 40
"""A label of more letters is shortened; all of it is shown where a pointer rests on it."""

# The style sheet of a page says what the variables are, in the light and in the dark. The colours behind them are for
# pages without it: they can be told from white and from black.
INK, ON_CELL = "currentColor", "var(--ob-on-cell,currentColor)"
GRID = "var(--ob-line,#8884)"
POSITIVE, NEGATIVE = "var(--ob-hot,#2f837a)", "var(--ob-cold,#b0642c)"
SERIES = tuple(
    f"var(--ob-series-{i},{colour})"
    for i, colour in enumerate(("#2a9187", "#cb6a35", "#a06cc0", "#5484cf", "#cf5680", "#86902f"), 1)
)

_WIDEST, _WIDE = "%@MW_mw", "#&+<=>^~−"
_SLANT = sqrt(0.5)

Point = tuple[float, float]
Box = tuple[float, float, float, float]
"""Its left and its upper edge, its width and its height."""


def width_of(text: str) -> float:
    """Find how many pixels a text needs at most, as a drawing writes it.

    Returns:
        Its width in any of the fonts that pages are commonly set in.
    """
    return FONT * sum(map(_ems, _shortened(text)))


def _ems(letter: str) -> float:
    if letter in _WIDE:
        return 0.84
    if unicodedata.category(letter) in ("Mn", "Me", "Cf"):  # drawn over the letter before
        return 0
    if letter in _WIDEST or unicodedata.east_asian_width(letter) in "WFA":
        return 1.1
    return 0.84 if letter.isupper() or not letter.isascii() else 0.66


def _shortened(label: str) -> str:
    """A label, or the beginning of one that is too long for a picture."""
    return label if len(label) <= LONGEST else f"{label[: LONGEST - 1]}…"


class Drawing:
    """A sheet of any size. The place of whatever is drawn is in pixels from some point, to the right and down."""

    def __init__(self) -> None:
        self._elements: list[str] = []
        self._left = self._top = inf
        self._right = self._bottom = -inf

    def boxes(self, boxes: Iterable[Box], **look: object) -> None:
        """Draw filled rectangles that look alike.

        Args:
            boxes: Where they are.
            **look: Their `fill`, `opacity` and what else SVG has, with an underline for a hyphen.
        """
        steps = []
        for x, y, width, height in boxes:
            self._reach(x, y)
            self._reach(x + width, y + height)
            steps.append(f"M{_pixels(x)} {_pixels(y)}h{_pixels(width)}v{_pixels(height)}h{_pixels(-width)}z")
        if steps:
            self._elements.append(f'<path d="{"".join(steps)}"{_attributes(look)}/>')

    def lines(self, lines: Iterable[Sequence[Point]], colour: str, width: float = 1, **look: object) -> None:
        """Draw lines that look alike.

        Args:
            lines: The points that each of them joins. A line from a point to itself is a dot, if it has round ends.
            colour: Their colour.
            width: Their width.
            **look: What else SVG has, with an underline for a hyphen.
        """
        steps = []
        for points in lines:
            for x, y in points:
                self._reach(x - width / 2, y - width / 2)
                self._reach(x + width / 2, y + width / 2)
            steps.append("M" + "L".join(f"{_pixels(x)} {_pixels(y)}" for x, y in points))
        if steps:
            look = {"fill": "none", "stroke": colour, "stroke_width": _pixels(width), **look}
            self._elements.append(f'<path d="{"".join(steps)}"{_attributes(look)}/>')

    def text(
        self, x: float, y: float, text: str, anchor: str = "start", *, slanted: bool = False, **look: object
    ) -> None:
        """Write a text.

        Args:
            x: Where it starts, ends or has its middle.
            y: The middle of its height.
            text: The text; of a long one, the beginning.
            anchor: Which part of it is at x: its `start`, `middle` or `end`.
            slanted: Whether it leads upwards to the right, from its start.
            **look: What else SVG has, with an underline for a hyphen.
        """
        shown, width = _shortened(text), width_of(text)
        start = x - width * {"start": 0, "middle": 0.5, "end": 1}[anchor]
        place = f'x="{_pixels(x)}" y="{_pixels(y + 0.35 * FONT)}"'
        if slanted:
            place = f'transform="translate({_pixels(x)} {_pixels(y)})rotate(-45)" y="{_pixels(0.35 * FONT)}"'
            self._reach(x - FONT / 2, y + FONT / 2)
            self._reach(x + (width + FONT / 2) * _SLANT, y - (width + FONT / 2) * _SLANT)
        else:
            self._reach(start, y - 0.65 * FONT)
            self._reach(start + width, y + 0.65 * FONT)
        look = look if anchor == "start" else {"text_anchor": anchor, **look}
        whole = "" if shown == text else f"<title>{escaped(text)}</title>"
        self._elements.append(f"<text {place}{_attributes(look)}>{escaped(shown)}{whole}</text>")

    def number(self, x: float, y: float, text: str, anchor: str = "start", **look: object) -> None:
        """Write a number, with a minus sign that is as wide as its digits."""
        self.text(x, y, text.replace("-", "−"), anchor, slanted=False, **look)

    def numbers(self, numbers: Iterable[tuple[float, float, str]], **look: object) -> None:
        """Write numbers that look alike, each around the place of its middle."""
        texts = []
        for x, y, text in numbers:
            half = width_of(text) / 2
            self._reach(x - half, y - 0.65 * FONT)
            self._reach(x + half, y + 0.65 * FONT)
            place = f'x="{_pixels(x)}" y="{_pixels(y + 0.35 * FONT)}"'
            texts.append(f"<text {place}>{escaped(text.replace('-', '−'))}</text>")
        if texts:
            self._elements.append(f'<g text-anchor="middle"{_attributes(look)}>{"".join(texts)}</g>')

    @property
    def elements(self) -> str:
        """What was drawn, as SVG elements in one line."""
        return "".join(self._elements)

    @property
    def box(self) -> tuple[int, int, int, int]:
        """Where all of it is: the left and the upper edge, the width and the height, in whole pixels."""
        if not self._elements:
            return (0, 0, 1, 1)
        left, top = floor(self._left), floor(self._top)
        return left, top, ceil(self._right) - left, ceil(self._bottom) - top

    def _reach(self, x: float, y: float) -> None:
        self._left, self._right = min(self._left, x), max(self._right, x)
        self._top, self._bottom = min(self._top, y), max(self._bottom, y)


def escaped(text: str) -> str:
    """Write a text as XML in one line; letters that XML does not have are left out."""
    return escape("".join(letter for letter in " ".join(text.split()) if letter.isprintable()))


def _attributes(look: Mapping[str, object]) -> str:
    return "".join(f" {name.replace('_', '-')}={quoteattr(str(value))}" for name, value in look.items())


def _pixels(value: float) -> str:
    """A tenth of a pixel is all that can be seen."""
    text = f"{value:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text
