"""The text of pages as Markdown turns it into HTML, after plugins, hooks and snippets have put in what they put in.

It is seen in the last moment before fences are looked for, by a Markdown extension. HTML that is made later can only be
compared with it: every output block of a finished page must stand in that page's text.
"""

import html
import re
from collections.abc import Callable
from typing import Any

from markdown import Extension, Markdown
from markdown.preprocessors import Preprocessor

EXTENSION = "opbook.mkdocs.final"
"""How `mkdocs.yml` would name the extension."""

_PRIORITY = 25.5
"""Behind pymdownx.snippets (32) and the clean-up of blanks (30), just before pymdownx.superfences (25)."""

_BLOCK = re.compile(r'<div class="language-output\b.*?<code[^>]*>(.*?)</code>', re.DOTALL)
_TAG = re.compile(r"<[^>]*>")

_PLAIN = re.compile(r'<span class="(?:n|w)">([^<]*)</span>')
"""Names and spaces in code: the tokens that have the colour of the code around them in every theme."""


class _Last(Preprocessor):
    def __init__(self, md: Markdown, take: Callable[[str], None]) -> None:
        super().__init__(md)
        self._take = take

    def run(self, lines: list[str]) -> list[str]:
        self._take("\n".join(lines))
        return lines


class FinalText(Extension):
    """Hands on the text that it is given last."""

    def __init__(self, **options: Any) -> None:
        self.config = {"take": [lambda text: None, "What is called with the text."]}
        super().__init__(**options)

    def extendMarkdown(self, md: Markdown) -> None:
        """Add itself.

        Args:
            md: What converts the text.
        """
        md.preprocessors.register(_Last(md, self.getConfig("take")), "opbook_final", _PRIORITY)


def makeExtension(**options: Any) -> FinalText:
    """Make the extension, as Python-Markdown asks for it by its name."""
    return FinalText(**options)


def strange_outputs(content: str, text: str) -> list[str]:
    """Find what a finished page shows as output though its text has no fence with it.

    Args:
        content: The page's HTML.
        text: Its text.

    Returns:
        The output blocks, without indentation.
    """
    blocks = [_flush(html.unescape(_TAG.sub("", block))) for block in _BLOCK.findall(content)]
    flush = _flush(text)
    return [block for block in blocks if not _stands_in(block, flush)] if blocks else []


def _stands_in(block: str, text: str) -> bool:
    fence = re.compile(rf"^[`~]{{3,}}[^\n]*output[^\n]*\n{re.escape(block)}\s*^[`~]{{3}}", re.MULTILINE)
    return fence.search(text) is not None


def _flush(text: str) -> str:
    """A text without indentation, quote marks and blanks at the ends of lines."""
    return "\n".join(line.strip(" \t>") for line in text.strip("\n").split("\n"))


def without_plain_tokens(content: str) -> str:
    """Take away the elements around tokens that have no colour of their own: they are a fifth of a page with code."""
    return _PLAIN.sub(r"\1", content)
