"""Figures as characters, for a terminal."""

import unicodedata
from typing import Any, TextIO

from opbook.figures.figure import Figure

WIDEST = 100
"""A figure is never wider than this many characters, however wide the terminal is."""

NARROWEST = 20

LONGEST = 16
"""A label that takes more places than this is shortened."""

BLOCKS = "░▒▓█▏▎▍▌▋▊▉·•│┤└┴─"
"""What figures are drawn with, beside ASCII."""


def can_write_blocks(stream: TextIO | Any) -> bool:
    """Tell whether a stream can hold the characters that figures are drawn with."""
    encoding = getattr(stream, "encoding", None)
    if not encoding:
        return True
    try:
        BLOCKS.encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def render(figure: Figure, width: int = 80, *, blocks: bool = True) -> str:
    """Draw a figure with characters.

    Args:
        figure: The figure.
        width: How many characters a line may have; fewer than 20 are taken for 20.
        blocks: Whether block characters may be used; without them the result is ASCII.
    """
    width = max(width, NARROWEST)
    rows = [*([figure.title] if figure.title else []), *figure.characters(width, blocks)]
    text = "\n".join(row.rstrip() for row in rows)
    return text if blocks else text.encode("ascii", "replace").decode()


def places_of(text: str) -> int:
    """Count the places of a terminal's row that a text takes: two for each letter of Chinese, Japanese or Korean."""
    return sum(
        0 if unicodedata.combining(letter) else 1 + (unicodedata.east_asian_width(letter) in "WF") for letter in text
    )


def clip(label: str) -> str:
    """A label, or the beginning of one that is too long and two dots."""
    if places_of(label) <= LONGEST:
        return label
    while places_of(label) > LONGEST - 2:
        label = label[:-1]
    return f"{label}.."


def ljust(text: str, places: int) -> str:
    """A text at the left of so many places."""
    return text + " " * (places - places_of(text))


def rjust(text: str, places: int) -> str:
    """A text at the right of so many places."""
    return " " * (places - places_of(text)) + text
