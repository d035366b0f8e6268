"""Writes a book as Markdown pages, with Jinja2 templates."""

import functools
import itertools
import json
import posixpath
import re
from dataclasses import dataclass
from typing import Any

import jinja2

from opbook.pages.model import Book, BuiltinPage, Guide

LISTED = ("Raises", "Warns", "Yields")
"""Sections of a docstring that are lists of names, which mkdocstrings shows with the signature."""

BOOST, PREFIX_BOOST = 2, 10
"""How much more a builtin's page weighs in search than other pages, and the same where its name begins another one's:
whoever looks for `log` should find it before `log_softmax`, which matches as well and is the rarer word."""

_RESERVED = {"index", "readme"}
_ITEM = re.compile(r"^(\w[\w.]*): ", re.MULTILINE)


@dataclass(frozen=True)
class Rendered:
    """A book as Markdown.

    Attributes:
        pages: The text of each page by its address; the index is among them.
        index: The index's address.
        nav: For each category its pages, as pairs of a title and an address.
    """

    pages: dict[str, str]
    index: str
    nav: dict[str, list[tuple[str, str]]]


def render(book: Book, folder: str = "builtins", autodoc: bool = False) -> Rendered:
    """Write the pages of a book.

    Args:
        book: The book.
        folder: Where the pages go, from the root of the docs.
        autodoc: Whether what renders the Markdown has mkdocstrings, which then shows signatures and source.

    Returns:
        The pages.
    """
    templates = _environment(folder)
    categories = book.categories()
    uris = {name: _file_name(name) for name in book.pages}
    shared: dict[str, Any] = {
        "autodoc": autodoc,
        "category_anchors": _anchors(list(categories)),
        "listed": LISTED,
        "uris": uris,
    }
    prefixes = _prefixes(sorted(book.pages))
    index = templates.get_template("index.md.jinja")
    builtin = templates.get_template("builtin.md.jinja")
    pages = {f"{folder}/index.md": index.render(pages=book.pages, categories=categories, **shared)}
    for name, page in book.pages.items():
        boost = PREFIX_BOOST if name in prefixes else BOOST
        pages[f"{folder}/{uris[name]}"] = _tidy(builtin.render(page=page, boost=boost, **shared))
    nav = {
        category: [(page.name, f"{folder}/{uris[page.name]}") for page in members]
        for category, members in categories.items()
    }
    return Rendered(pages, f"{folder}/index.md", nav)


def fence(code: str, language: str) -> str:
    """Put code between fences that are longer than any in it.

    Args:
        code: The code.
        language: Its language.

    Returns:
        The fenced block.
    """
    longest = max((len(run) for run in re.findall("`{3,}", code)), default=2)
    ticks = "`" * (longest + 1)
    return f"{ticks}{language}\n{code.rstrip()}\n{ticks}"


def _environment(folder: str) -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("opbook.pages"),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )
    environment.filters.update(fence=fence, items=_items, json=json.dumps, link=functools.partial(_link, folder))
    environment.filters.update(one_line=_one_line, other_names=_other_names)
    return environment


def _file_name(name: str) -> str:
    """A builtin's page; a builtin called `index` must not take the index's place."""
    return f"{name}.md" if name.lower() not in _RESERVED else f"{name}-builtin.md"


def _prefixes(names: list[str]) -> set[str]:
    """Those of some sorted names that another one begins with."""
    return {name for name, after in itertools.pairwise(names) if after.startswith(name)}


def _anchors(categories: list[str]) -> dict[str, str]:
    anchors: dict[str, str] = {}
    for category in categories:
        anchor = "-".join(re.findall(r"\w+", category.lower())) or "category"
        while anchor in anchors.values():
            anchor += "-"
        anchors[category] = anchor
    return anchors


def _link(folder: str, guide: Guide) -> str:
    return posixpath.relpath(guide.uri, folder)


def _other_names(page: BuiltinPage) -> list[str]:
    """The aliases, and the name as separate words."""
    words = page.name.strip("_").replace("_", " ")
    return [*([words] if " " in words and words not in page.aliases else []), *page.aliases]


def _one_line(text: str) -> str:
    """A message in a list, in which Markdown must not see more than text."""
    return re.sub(r"([\\\\`*_{}\[\]<>#|])", r"\\\1", " ".join(text.split()))


def _items(section: str) -> str:
    """A docstring's section; lines that begin with a name and a colon become a list."""
    return _ITEM.sub(r"- `\1`: ", section)


def _tidy(text: str) -> str:
    """Templates leave blank lines where something is left out; in code they stay."""
    parts = re.split(r"(^(`{3,})[^\n]*\n.*?^\2$)", text, flags=re.DOTALL | re.MULTILINE)
    # split gives text, fence, ticks, text, and so on; the ticks are in the fence already
    kept = (re.sub(r"\n{3,}", "\n\n", part) if i % 3 == 0 else part for i, part in enumerate(parts) if i % 3 != 2)
    return "".join(kept).lstrip()
