"""Lets a search find a builtin's page first by its other names, and spares it what it would not keep.

Search plugins weigh titles far more than text, and read the title of a page when its context is made. Just for them it
has the words behind the name that the page's front matter gives under `search`, `words`; no reader sees them there.
They also read every element of sections that they are told to leave out, which takes most of their time.
"""

import re
from typing import Any

from mkdocs.structure.pages import Page

_BEFORE, _WHOLE = "opbook_title", "opbook_content"
_SECTION = re.compile(r"(?=<h2\b)")
_PLAIN = re.compile(r'<span class="(?:n|w)">([^<]*)</span>')
"""Names and spaces in code: the tokens that have the colour of the code around them in every theme."""

_LEFT_OUT = re.compile(r"<h2\b[^>]*\bdata-search-exclude\b")


def without_plain_tokens(html: str) -> str:
    """Take away the elements around tokens that have no colour of their own: they are a fifth of a page with code."""
    return _PLAIN.sub(r"\1", html)


def add_words(plugin: Any, /, context: Any, page: Page, **_: Any) -> Any:
    """Put the words into the title, before search plugins read it."""
    search = page.meta.get("search")
    words = search.get("words") if isinstance(search, dict) else None
    if words is not None:
        page.meta.update({_BEFORE: page.meta["title"], _WHOLE: page.content})
        page.meta["title"] += f": {words}" if words else ""
        page.content = "".join(part for part in _SECTION.split(page.content or "") if not _LEFT_OUT.match(part))
    return context


def remove_words(plugin: Any, /, context: Any, page: Page, **_: Any) -> Any:
    """Take the words away again."""
    if _BEFORE in page.meta:
        page.meta["title"], page.content = page.meta.pop(_BEFORE), page.meta.pop(_WHOLE)
    return context
