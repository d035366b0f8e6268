"""Highlighted code as HTML, the same that pymdown-extensions makes of a fence, and nothing that has no colour.

A page of code is half its own highlighting, and what renders Markdown sets a highlighter up for every fence anew. Here
it is set up once for a language.
"""

import functools
import re
from collections.abc import Sequence
from typing import Any

from pygments import highlight as set_colours
from pygments.formatters import HtmlFormatter
from pygments.lexers import TextLexer, get_lexer_by_name
from pygments.util import ClassNotFound

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


@functools.cache
def _lexer(language: str) -> Any:
    try:
        return get_lexer_by_name(language)
    except ClassNotFound:
        return TextLexer()


@functools.cache
def _formatter(cssclass: str) -> Any:
    return HtmlFormatter(cssclass=cssclass, wrapcode=True)
