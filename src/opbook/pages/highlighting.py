"""Highlighted code as HTML, the same that pymdown-extensions makes of a fence, and nothing that has no colour.

A page of code is half its own highlighting, and what renders Markdown sets a highlighter up for every fence anew. Here
it is set up once for a language, and code that has not changed since the last build is not read again.
"""

import functools
import hashlib
import inspect
import json
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pygments
from pygments import highlight as set_colours
from pygments.formatters import HtmlFormatter
from pygments.lexers import TextLexer, get_lexer_by_name
from pygments.util import ClassNotFound

from opbook.pages.files import read_kept, write

_PLAIN = re.compile(r'<span class="(?:n|w)">([^<]*)</span>')
"""Names and spaces: the tokens that have the colour of the code around them in every theme."""


def slim(html: str) -> str:
    """Take away the elements around tokens that have no colour of their own.

    Args:
        html: A page, or its content.

    Returns:
        The same, with those tokens as plain text.
    """
    return _PLAIN.sub(r"\1", html)


def highlight(code: str, language: str, classes: Sequence[str] = ()) -> str:
    """Write code as HTML.

    Args:
        code: The code.
        language: Its language, as a fence names it.
        classes: Further classes of the block.

    Returns:
        A `div` with the code.
    """
    lexer = _lexer(language)
    formatter = _formatter(" ".join([f"language-{language}", *classes, "highlight"]))
    return slim(set_colours(code.rstrip() + "\n", lexer, formatter)).rstrip()


class Highlighter:
    """Writes code as HTML, or finds it as an earlier build has written it."""

    def __init__(self, file: Path | None = None) -> None:
        """Set up a highlighter.

        Args:
            file: Where the HTML is kept from build to build; None keeps it nowhere.
        """
        self._file = file
        self._kept: dict[str, str] = read_kept(file)
        self._used: dict[str, str | None] = {}

    def __call__(self, code: str, language: str, classes: Sequence[str] = ()) -> str:
        """Write code as [`highlight`][opbook.pages.highlighting.highlight] does.

        Args:
            code: The code.
            language: Its language.
            classes: Further classes of the block.

        Returns:
            The same.
        """
        name = _name(code, language, classes)
        html = self._kept.get(name) or self._used.get(name) or highlight(code, language, classes)
        self._used[name] = None if name in self._kept else html
        return html

    def take(self) -> dict[str, str | None]:
        """Take the names of what has been used since the last time.

        Returns:
            The HTML by its name; None for what an earlier build has kept.
        """
        taken, self._used = self._used, {}
        return taken

    def keep(self, used: Mapping[str, str | None]) -> None:
        """Keep what a build has used and nothing else, if some of it is new.

        Args:
            used: What [`take`][opbook.pages.highlighting.Highlighter.take] gave, of all processes.
        """
        if self._file and any(used.values()):
            kept = {name: html or self._kept[name] for name, html in used.items()}
            with suppress(OSError):
                write(self._file, json.dumps(kept, sort_keys=True))


def _name(code: str, language: str, classes: Sequence[str]) -> str:
    return hashlib.sha256(json.dumps([_rules(language), language, *classes, code]).encode()).hexdigest()[:32]


@functools.cache
def _rules(language: str) -> str:
    """What else the HTML depends on: this module, and what takes the language apart."""
    digest = hashlib.sha256(pygments.__version__.encode())
    for file in (__file__, inspect.getfile(type(_lexer(language)))):
        digest.update(Path(file).read_bytes())
    return digest.hexdigest()


@functools.cache
def _lexer(language: str) -> Any:
    try:
        return get_lexer_by_name(language)
    except ClassNotFound:
        return TextLexer()


@functools.cache
def _formatter(cssclass: str) -> Any:
    return HtmlFormatter(cssclass=cssclass, wrapcode=True)
