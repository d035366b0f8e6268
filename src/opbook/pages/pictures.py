"""Figures as HTML for a page of Markdown: part of a paragraph, so that they may stand in a list or a tab."""

from collections.abc import Iterable, Iterator
from html import escape
from itertools import count

from opbook.examples.example import Frame
from opbook.figures import Figure
from opbook.figures.svg import svg
from opbook.pages.markdown import inline, needed
from opbook.pages.page import Drawing, ShownExample


def behind(drawings: Iterable[Drawing], has_figures: bool) -> list[tuple[int, int, str]]:
    """Write what goes behind the examples of a page, as `with_blocks` takes it.

    Args:
        drawings: What it is.
        has_figures: Whether the site shows what examples drew.
    """
    numbers = count(1)
    return [
        (one.line + 1, one.line, needed(one.needs) if one.needs else drawn(one, numbers))
        for one in drawings
        if one.needs or has_figures
    ]


def drawn(example: Drawing | ShownExample, numbers: Iterator[int]) -> str:
    """Write what an example drew, and where it has a choice what it gives for each value, as a paragraph."""
    if not example.frames:
        return pictures(example.figures, numbers)
    frames = "".join(_frame(frame, numbers) for frame in example.frames)
    return inline(f'<span class="ob-frames" data-name="{example.frames[0].name}">{frames}</span>')


def _frame(frame: Frame, numbers: Iterator[int]) -> str:
    shown = ' data-shown=""' if frame.is_default else ""
    printed = escape(frame.printed.rstrip()).replace("\n", "&#10;")
    return (
        f'<span class="ob-frame" data-value="{escape(frame.value)}"{shown}> '
        f'<span class="ob-frame-name">{escape(f"{frame.name} = {frame.value}")}</span> '
        f'<span class="ob-printed">{printed}</span> {_together(frame.figures, numbers)}</span>'
    )


def pictures(figures: Iterable[Figure], numbers: Iterator[int]) -> str:
    """Draw the figures of an example, to be a paragraph of its own.

    Returns:
        HTML on one line; "" if there are no figures.
    """
    return inline(_together(figures, numbers))


def _together(figures: Iterable[Figure], numbers: Iterator[int]) -> str:
    drawn = "".join(_drawn(figure, next(numbers)) for figure in figures)
    return f'<span class="ob-figures">{drawn}</span>' if drawn else ""


def _drawn(figure: Figure, number: int) -> str:
    caption = f'<span class="ob-caption">{escape(figure.title)}</span>' if figure.title else ""
    # nothing in a picture is worth finding by a search for words
    picture = svg(figure, f"figure-{number}").replace("<svg ", '<svg data-search-exclude="" ', 1)
    return f'<span class="ob-figure">{caption}{picture}</span>'
