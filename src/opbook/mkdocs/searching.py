"""Lets a search find a builtin's page first by its other names.

Search plugins weigh titles far more than text, and read the title of a page when its context is made. Just for them it
has the words behind the name that the page's front matter gives under `search`, `words`; no reader sees them there.
"""

from typing import Any

from mkdocs.structure.pages import Page

_BEFORE = "opbook_title"


def widen(plugin: Any, /, context: Any, page: Page, **_: Any) -> Any:
    """Put the words into the title, before search plugins read it.

    Args:
        plugin: The plugin that this is an event of.
        context: The page's context.
        page: The page.
        **_: What MkDocs passes as well.

    Returns:
        The same context.
    """
    search = page.meta.get("search")
    words = search.get("words") if isinstance(search, dict) else None
    if words:
        page.meta.update({_BEFORE: page.meta["title"], "title": f"{page.meta['title']}: {words}"})
    return context


def narrow(plugin: Any, /, context: Any, page: Page, **_: Any) -> Any:
    """Take the words away again.

    Args:
        plugin: The plugin that this is an event of.
        context: The page's context.
        page: The page.
        **_: What MkDocs passes as well.

    Returns:
        The same context.
    """
    if _BEFORE in page.meta:
        page.meta["title"] = page.meta.pop(_BEFORE)
    return context
