"""Figures as HTML for a page of Markdown: part of a paragraph, so that they may stand in a list or a tab."""

from collections.abc import Iterable, Iterator
from html import escape
from itertools import count

from opbook.figures import Figure
from opbook.figures.svg import svg
from opbook.pages.markdown import inline, needed
from opbook.pages.page import Drawing


def behind(drawings: Iterable[Drawing], has_figures: bool) -> list[tuple[int, int, str]]:
    """Write what goes behind the examples of a page, as `with_blocks` takes it.

    Args:
        drawings: What it is.
        has_figures: Whether the site shows what examples drew.
    """
    numbers = count(1)
    return [
        (one.line + 1, one.line, needed(one.needs) if one.needs else pictures(one.figures, numbers))
        for one in drawings
        if one.needs or has_figures
    ]


def pictures(figures: Iterable[Figure], numbers: Iterator[int]) -> str:
    """Draw the figures of an example, to be a paragraph of its own.

    Returns:
        HTML on one line; "" if there are no figures.
    """
    drawn = "".join(_drawn(figure, next(numbers)) for figure in figures)
    return inline(f'<span class="ob-figures">{drawn}</span>') if drawn else ""


def _drawn(figure: Figure, number: int) -> str:
    caption = f'<span class="ob-caption">{escape(figure.title)}</span>' if figure.title else ""
    # nothing in a picture is worth finding by a search for words
    picture = svg(figure, f"figure-{number}").replace("<svg ", '<svg data-search-exclude="" ', 1)
    return f'<span class="ob-figure">{caption}{picture}</span>'
