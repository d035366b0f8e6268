"""Figures as characters, for a terminal."""

from typing import Any, TextIO

from opbook.figures.figure import Figure

WIDEST = 100
"""A figure is never wider than this many characters, however wide the terminal is."""

NARROWEST = 20

BLOCKS = "░▒▓█▏▎▍▌▋▊▉·•│┤└┴─"
"""What figures are drawn with, beside ASCII."""


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

    Returns:
        The lines, without a line break at the end.
    """
    width = max(width, NARROWEST)
    rows = [*([figure.title] if figure.title else []), *figure.characters(width, blocks)]
    text = "\n".join(row.rstrip() for row in rows)
    return text if blocks else text.encode("ascii", "replace").decode()
