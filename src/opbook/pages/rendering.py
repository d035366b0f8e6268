"""Writes a book as Markdown pages, with Jinja2 templates."""

import functools
import itertools
import json
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jinja2

from opbook.examples.collection import read
from opbook.pages import markdown
from opbook.pages.addresses import Addresses, between
from opbook.pages.figures import Gallery
from opbook.pages.highlighting import Highlighter
from opbook.pages.model import Book, BuiltinPage, Guide
from opbook.pages.processes import spread

LISTED = ("Raises", "Warns", "Yields")
"""Sections of a docstring that are lists of names, which mkdocstrings shows with the signature."""

BOOST, PREFIX_BOOST = 2, 10
"""How much more a builtin's page weighs in search than other pages, and the same where its name begins another one's:
whoever looks for `log` should find it before `log_softmax`, which matches as well and is the rarer word."""

MANY = 200
"""With more builtins than this, the index lists categories, each of which has its own table, and the navigation ends at
categories: a page that listed all would be heavy, and so would be a navigation that every page has."""

MANY_PLUGINS = 16
"""With more distributions than this, the index has a list of them, and the navigation has none."""

Nav = list[tuple[str, Any]]
"""Entries with a title ("" where the page has its own) and an address or further entries."""


@dataclass(frozen=True)
class Setting:
    """What pages need to know of the site that they are written for.

    Attributes:
        folder: Where the pages go, from the root of the docs.
        autodoc: Whether what renders the Markdown has mkdocstrings, which then shows signatures and source.
        highlight: Whether code is set in colours here; else it is written as fences.
        directory_urls: Whether each page has a folder of its own on the site.
        source_url: The address of a line of source, with `{path}` and `{line}` in it, or "".
        root: The folder that those paths are counted from.
    """

    folder: str = "builtins"
    autodoc: bool = False
    highlight: bool = False
    directory_urls: bool = True
    source_url: str = ""
    root: str = "."


@dataclass(frozen=True)
class Rendered:
    """A book as Markdown.

    Attributes:
        pages: The text of each page by its address; the index is among them.
        addresses: Where they are.
        nav: The pages as entries of a navigation.
        unlisted: For pages that are not in it, the address of one that they are found beside.
        pictures: The HTML by the mark that stands for it in a page.
        sources: For pages whose builtin has a line of source on the web, its address.
    """

    pages: dict[str, str]
    addresses: Addresses
    nav: Nav
    unlisted: dict[str, str]
    pictures: dict[str, str]
    sources: dict[str, str]


def render(
    book: Book,
    setting: Setting | None = None,
    gallery: Gallery | None = None,
    guides: Sequence[Guide] = (),
    highlighter: Highlighter | None = None,
) -> Rendered:
    """Write the pages of a book.

    Args:
        book: The book.
        setting: The site that they are for.
        gallery: What draws the figures of examples; without it they are left out.
        guides: The guides that plugins bring along, which get pages too.
        highlighter: What sets code in colours.

    Returns:
        The pages.
    """
    setting = setting or Setting()
    addresses = Addresses(book, setting.folder, setting.directory_urls)
    gallery = gallery or Gallery(False)
    highlighter = highlighter or Highlighter()
    write = _Writer(book, addresses, setting, gallery, highlighter)
    categories, groups = book.categories(), book.groups()
    pictures: dict[str, str] = {}
    unlisted = _unlisted(book, addresses)
    plugins = {name: members for name, members in groups.items() if addresses.groups[name] in unlisted}
    pages = {
        addresses.index: write("index", addresses.index, categories=categories, plugins=plugins),
        addresses.letters: write("letters", addresses.letters, letters=_letters(book)),
    }
    for name, members in categories.items():
        uri = addresses.categories[name]
        pages[uri] = write("category", uri, category=name, members=members)
    for name, members in groups.items():
        uri = addresses.groups[name]
        pages[uri] = write("plugin", uri, name=name, members=members, origin=members[0].origin)
    prefixes = _prefixes(sorted(book.pages))

    def write_builtin(name: str) -> tuple[str, dict[str, str], dict[str, str | None]]:
        boost = PREFIX_BOOST if name in prefixes else BOOST
        text = write("builtin", addresses.builtins[name], page=book.pages[name], boost=boost)
        return text, gallery.take(), highlighter.take()

    used = highlighter.take()
    written = spread(write_builtin, list(book.pages), MANY, chunk=16)
    for name, (text, blocks, coloured) in zip(book.pages, written, strict=True):
        pages[addresses.builtins[name]] = text
        pictures |= blocks
        used |= coloured
    highlighter.keep(used)
    pages |= {guide.uri: read(guide.path) for guide in guides}
    sources = {
        addresses.builtins[name]: _source_link(setting, page.origin.path, page.origin.line)
        for name, page in book.pages.items()
    } | {guide.uri: _source_link(setting, guide.path) for guide in guides}
    return Rendered(
        pages,
        addresses,
        _nav(book, addresses, unlisted),
        unlisted,
        pictures | gallery.blocks,
        {uri: url for uri, url in sources.items() if url},
    )


class _Writer:
    """Fills in templates."""

    def __init__(
        self, book: Book, addresses: Addresses, setting: Setting, gallery: Gallery, highlighter: Highlighter
    ) -> None:
        self._environment = _environment()
        self._environment.filters.update(figures=gallery.mark, block=gallery.keep)
        if setting.highlight:
            self._environment.filters["fence"] = lambda *code: gallery.keep(highlighter(*code))
        self._addresses = addresses
        self._shared: dict[str, Any] = {
            "addresses": addresses,
            "api": _api_link if setting.autodoc else _code,
            "autodoc": setting.autodoc,
            "is_coloured": setting.highlight,
            "is_long": len(book.pages) > MANY,
            "listed": LISTED,
            "pages": book.pages,
            "source_link": lambda origin: _source_link(setting, origin.path, origin.line),
        }

    def __call__(self, template: str, here: str, **values: Any) -> str:
        helpers: dict[str, Callable[..., str]] = {
            "href": functools.partial(self._addresses.href, here),
            "link": functools.partial(between, here),
            "link_to": functools.partial(self._link_to, here),
        }
        text = self._environment.get_template(f"{template}.md.jinja").render(self._shared | helpers | values)
        return markdown.tidy(text)

    def _link_to(self, here: str, name: str) -> str:
        """A builtin's name as a link, where it has a page."""
        uri = self._addresses.builtins.get(name)
        return f"[`{name}`]({between(here, uri)})" if uri else f"`{name}`"


def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("opbook.pages"),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )
    environment.filters.update(
        fence=markdown.fence,
        found_by=markdown.found_by,
        items=markdown.items,
        json=json.dumps,
        one_line=markdown.one_line,
        other_names=markdown.other_names,
        side_by_side=markdown.side_by_side,
    )
    return environment


def _code(identifier: str, text: str) -> str:
    return f"`{text}`"


def _api_link(identifier: str, text: str) -> str:
    """A link that mkdocstrings resolves where the site has the API on one of its pages, and else leaves as text."""
    return f'<autoref optional identifier="{identifier}"><code>{text}</code></autoref>'


def _source_link(setting: Setting, file: Path, line: int = 1) -> str:
    """The address of a line of source; "" if there is none, or the file is not of the project."""
    path, root = file.resolve(), Path(setting.root).resolve()
    if not setting.source_url or not path.is_relative_to(root):
        return ""
    return setting.source_url.format(path=path.relative_to(root).as_posix(), line=line)


def _prefixes(names: list[str]) -> set[str]:
    """Those of some sorted names that another one begins with."""
    return {name for name, after in itertools.pairwise(names) if after.startswith(name)}


def _letters(book: Book) -> dict[str, list[tuple[str, BuiltinPage]]]:
    """Names and aliases by their first letters, with the pages that they lead to."""
    words = [(word, page) for page in book.pages.values() for word in (page.name, *page.aliases)]
    grouped: dict[str, list[tuple[str, BuiltinPage]]] = {}
    for word, page in sorted(words, key=lambda entry: (entry[0].casefold(), entry[1].name)):
        grouped.setdefault(word[0].upper(), []).append((word, page))
    return grouped


def _nav(book: Book, addresses: Addresses, unlisted: Collection[str]) -> Nav:
    nav: Nav = [("", addresses.index), ("A to Z", addresses.letters)]
    for name, members in book.categories().items():
        uri = addresses.categories[name]
        below = [(page.name, addresses.builtins[page.name]) for page in members]
        listed = [entry for entry in below if entry[1] not in unlisted]
        nav.append((name, [("", uri), *listed] if listed else uri))
    plugins: Nav = [entry for entry in addresses.groups.items() if entry[1] not in unlisted]
    return [*nav, ("Plugins", plugins)] if plugins else nav


def _unlisted(book: Book, addresses: Addresses) -> dict[str, str]:
    """The pages that the navigation leaves out as there are many of them, each with the one that leads to it."""
    found: dict[str, str] = {}
    if len(book.pages) > MANY:
        found |= {addresses.builtins[name]: addresses.categories[page.category] for name, page in book.pages.items()}
    if len(addresses.groups) > MANY_PLUGINS:
        found |= dict.fromkeys(addresses.groups.values(), addresses.index)
    return found
