"""Puts figures on pages: a mark in the Markdown, which becomes the pictures when the page is HTML.

A mark is a word that no renderer changes, so that it comes through lists, tabs and admonitions, and the Markdown stays
small. The word names its pictures; their ids are made when they are placed, so that no two on a page are the same.
"""

import hashlib
import itertools
import re
from collections.abc import Iterable, Mapping
from html import escape

from opbook.examples.lines import split_lines, split_prefix
from opbook.figures import Figure
from opbook.figures.svg import svg
from opbook.pages.model import Drawn

IDS = "@figure@"
"""What the ids in a picture begin with until it has a place on a page."""

_MARK = re.compile(r"(?:<p>)?(obfigures[0-9a-f]{24}x)(?:</p>)?")
_NOTE = re.compile(r"<!--(obfigures[0-9a-f]{24}x)-->")


class Gallery:
    """The figures of a build.

    Attributes:
        blocks: The HTML by the mark that stands for it.
    """

    def __init__(self, draws: bool) -> None:
        """Set up a gallery.

        Args:
            draws: Whether figures are drawn, or left out.
        """
        self.blocks: dict[str, str] = {}
        self._draws = draws

    def mark(self, figures: Iterable[Figure]) -> str:
        """Draw the figures of an example.

        Args:
            figures: The figures.

        Returns:
            The mark that stands for them, to be a paragraph of its own; "" if there are none.
        """
        drawn = "".join(f"<figure>{_caption(figure)}{svg(figure, IDS)}</figure>" for figure in figures if self._draws)
        return self.keep(f'<div class="ob-figures">{drawn}</div>') if drawn else ""

    def keep(self, html: str) -> str:
        """Keep a block of HTML.

        Args:
            html: The block.

        Returns:
            The mark that stands for it.
        """
        mark = _mark(html)
        self.blocks[mark] = html.strip()
        return mark

    def take(self) -> dict[str, str]:
        """Take what has been kept since the last time.

        Returns:
            The HTML by its mark.
        """
        taken, self.blocks = self.blocks, {}
        return taken

    def marks(self, drawn: Iterable[Drawn]) -> dict[str, list[tuple[int, str]]]:
        """Draw the figures of guides.

        Args:
            drawn: What their examples drew.

        Returns:
            For each guide, by its address, what [`illustrate`][opbook.pages.figures.illustrate] takes.
        """
        found: dict[str, list[tuple[int, str]]] = {}
        for one in drawn:
            found.setdefault(one.guide.uri, []).append((one.line, self.mark(one.figures)))
        return found


def _mark(content: str) -> str:
    return f"obfigures{hashlib.sha256(content.encode()).hexdigest()[:24]}x"


def _caption(figure: Figure) -> str:
    return f"<figcaption>{escape(figure.title)}</figcaption>" if figure.title else ""


def illustrate(text: str, marks: Iterable[tuple[int, str]]) -> str:
    """Put marks into a page of Markdown.

    Args:
        text: The page, as it is in its file.
        marks: For each the line behind which it goes, from 1: the closing fence of an example or its output.

    Returns:
        The page, with each mark as a paragraph that is indented and quoted as that line is.
    """
    lines, endings = split_lines(text)
    for line, mark in sorted(marks, reverse=True):
        prefix = split_prefix(lines[line - 1])[0]
        lines[line:line] = [prefix.rstrip(), prefix + mark, prefix.rstrip()]
        endings[line - 1] = endings[line - 1] or "\n"
        endings[line:line] = ["\n"] * 3
    return "".join(itertools.chain.from_iterable(zip(lines, endings, strict=True)))


def hide(html: str, blocks: Mapping[str, str]) -> str:
    """Make comments of marks, which no search finds. Nothing in a picture is worth finding by a search for words.

    Args:
        html: The content of a page.
        blocks: The pictures by their marks.

    Returns:
        The same, with each mark of a picture as a comment.
    """
    return _MARK.sub(lambda match: f"<!--{match[1]}-->" if match[1] in blocks else match[0], html)


def place(html: str, blocks: Mapping[str, str]) -> str:
    """Put pictures where [`hide`][opbook.pages.figures.hide] has left their marks.

    Args:
        html: The content of a page.
        blocks: The pictures by their marks.

    Returns:
        The page with the pictures, whose ids are numbered from the top.
    """
    numbers = itertools.count(1)

    def numbered(block: str) -> str:
        first, *others = block.split("<svg ")
        return first + "".join(f"<svg {part}".replace(IDS, f"figure-{next(numbers)}") for part in others)

    return _NOTE.sub(lambda match: numbered(blocks[match[1]]) if match[1] in blocks else match[0], html)
