"""A book as Markdown, written with Jinja2 templates: every page is finished, whatever serves it."""

import itertools
import json
import posixpath
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import jinja2

from opbook.examples.collection import markdown_files
from opbook.examples.processes import spread
from opbook.figures import Figure
from opbook.pages import markdown
from opbook.pages.addresses import Addresses, between
from opbook.pages.families import FamilyText, family_text
from opbook.pages.guides import with_blocks
from opbook.pages.installing import install_line
from opbook.pages.page import Book, BuiltinPage, Guide, ShownExample
from opbook.pages.pictures import behind, drawn
from opbook.pages.plain import plain
from opbook.pages.site_options import SiteOptions
from opbook.pages.yours import signature_of_yours

LISTED = ("Raises", "Warns", "Yields")
"""Sections of a docstring that are lists of names."""

BOOST = 2
"""How much more a builtin's page weighs in search than other pages."""

NOTATION = "reference/notation.md"
"""Where a site's docs say what `qu` is, if they do."""

MANY = 200
"""With more builtins than this, the index lists categories, each of which has its own table, and the navigation ends at
categories: a page that listed all would be heavy, and so would be a navigation that every page has."""

MANY_PLUGINS = 16
"""With more distributions than this, the index has a list of them, and the navigation has none."""

Nav = list[tuple[str, Any]]
"""Entries with a title ("" where the page has its own) and an address or further entries."""

_RELATIVE = re.compile(r"\]\((?![\w+.-]+:|/)([^)\s#]*)(#[^)\s]*)?\)")
_DOCUMENTED = re.compile(r"^::: ([\w.]+)\n((?:[ \t]+.*\n|\n)*)", re.MULTILINE)
_MEMBERS = re.compile(r"members: \[(.*)\]")


@dataclass(frozen=True)
class Rendered:
    """A book as Markdown.

    Attributes:
        pages: The text of each page by its address; the index is among them.
        addresses: Where they are.
        nav: The pages as entries of a navigation.
        unlisted: For pages that are not in it, the address of one that they are found beside.
    """

    pages: dict[str, str]
    addresses: Addresses
    nav: Nav
    unlisted: dict[str, str]


def render(book: Book, options: SiteOptions | None = None) -> Rendered:
    """Write the pages of a book."""
    options = options or SiteOptions()
    addresses = Addresses(book, options.folder, options.directory_urls)
    write = _Writer(book, addresses, options)
    categories, groups = book.categories(), book.groups()
    unlisted = _unlisted(book, addresses)
    plugins = {name: members for name, members in groups.items() if addresses.groups[name] in unlisted}
    pages = {
        addresses.index: write("index", addresses.index, categories=categories, plugins=plugins),
        addresses.letters: write("letters", addresses.letters, letters=_letters(book)),
    }
    for name, members in categories.items():
        uri = addresses.categories[name]
        family = _family(book, name, options)
        pages[uri] = write("category", uri, category=name, members=members, family=family)
    for name, members in groups.items():
        uri = addresses.groups[name]
        pages[uri] = write("plugin", uri, name=name, members=members, origin=members[0].origin)

    def write_builtin(name: str) -> str:
        return write("builtin", addresses.builtins[name], page=book.pages[name], boost=BOOST)

    written = spread(write_builtin, list(book.pages), MANY, chunk=16)
    pages |= {addresses.builtins[name]: text for name, text in zip(book.pages, written, strict=True)}
    return Rendered(pages, addresses, _nav(book, addresses, unlisted), unlisted)


def render_plain(book: Book, name: str, draw: Callable[[Figure], str]) -> str:
    """Write the page of one builtin for a terminal."""
    addresses = Addresses(book, SiteOptions().folder)
    write = _Writer(
        book,
        addresses,
        SiteOptions(),
        lambda example: "\n\n".join(markdown.fence(draw(one), "text") for one in example.figures),
    )
    page = book.pages[name]
    rules = tuple(replace(rule, code="") for rule in page.rules)
    page = replace(page, tape=None, rules=rules)  # a picture can't be seen there, and much code is not looked for
    return plain(write("builtin", addresses.builtins[name], page=page, boost=BOOST))


def _family(book: Book, category: str, options: SiteOptions) -> FamilyText:
    if category not in book.families:
        return FamilyText()
    family = book.families[category]
    return family_text(with_blocks(family.text, behind(family.drawings, options.figures)))


class _Writer:
    """Fills in templates."""

    def __init__(
        self,
        book: Book,
        addresses: Addresses,
        options: SiteOptions,
        draw: Callable[[ShownExample], str] | None = None,
    ) -> None:
        self._environment = environment()
        self._addresses = addresses
        self._api = _api_pages(options.docs)
        self._has_notation = Path(options.docs, NOTATION).is_file()
        self._draw = draw
        self._has_figures = options.figures
        self._shared: dict[str, Any] = {
            "addresses": addresses,
            "is_long": len(book.pages) > MANY,
            "listed": LISTED,
            "pages": book.pages,
            "install": lambda distribution: install_line(distribution, Path(options.root).resolve(), options.install),
            "source_link": lambda origin: options.source_link(origin.path, origin.line),
        }

    def __call__(self, template: str, here: str, **values: Any) -> str:
        numbers = itertools.count(1)
        helpers = {
            "api": lambda identifier, text: self._api_link(here, identifier, text),
            "intro": lambda text, guide: self._intro(here, text, guide),
            "language": lambda name: self._language_link(here, name),
            "link": lambda uri: between(here, uri),
            "link_to": lambda name: self._link_to(here, name),
            "drawn": self._draw or (lambda example: drawn(example, numbers) if self._has_figures else ""),
        }
        text = self._environment.get_template(f"{template}.md.jinja").render(self._shared | helpers | values)
        return markdown.tidy(text)

    def _link_to(self, here: str, name: str) -> str:
        """A builtin's name as a link, where it has a page."""
        uri = self._addresses.builtins.get(name)
        return f"[`{name}`]({between(here, uri)})" if uri else f"`{name}`"

    def _intro(self, here: str, text: str, guide: Guide | None) -> str:
        """The paragraphs above an example, with the links of a guide as they are seen from here."""
        if guide is None:
            return text
        home = posixpath.dirname(guide.uri)

        def rebased(match: re.Match[str]) -> str:
            path, anchor = match[1], match[2]
            uri = posixpath.normpath(posixpath.join(home, path)) if path else guide.uri
            return f"]({between(here, uri)}{anchor or ''})"

        return _RELATIVE.sub(rebased, text)

    def _language_link(self, here: str, name: str) -> str:
        """The name of a language, as a link to the page of the notation where the site has it."""
        return f"[{name}]({between(here, NOTATION)})" if name == "qu" and self._has_notation else name

    def _api_link(self, here: str, identifier: str, text: str) -> str:
        """The name of something in Python as a link, where a page of the site documents its module or class."""
        uri = self._api.get(identifier) or self._api.get(identifier.rpartition(".")[0])
        return f"[`{text}`]({between(here, uri)}#{identifier})" if uri else f"`{text}`"


def environment() -> jinja2.Environment:
    """What templates are filled in with."""
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("opbook.pages"),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )
    environment.filters.update(
        cell=markdown.cell,
        as_html=markdown.as_html,
        fence=markdown.fence,
        items=markdown.items,
        json=json.dumps,
        needed=markdown.needed,
        one_line=markdown.one_line,
        other_names=markdown.other_names,
        signature_of_yours=signature_of_yours,
        join_lines=lambda text: " ".join(text.split()),
        text=markdown.text,
    )
    return environment


def _api_pages(docs: str) -> Mapping[str, str]:
    """The pages on which a site has mkdocstrings document modules, or some of their members, by the names of those."""
    found: dict[str, str] = {}
    for path in markdown_files(docs) if docs else ():
        for module, options in _DOCUMENTED.findall(path.read_text("utf-8", errors="replace") + "\n"):
            members = _MEMBERS.search(options)
            names = [f"{module}.{name}" for name in members[1].split(", ")] if members else [module]
            found |= dict.fromkeys(names, path.relative_to(docs).as_posix())
    return found


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
        nav.append((markdown.text(name), [("", uri), *listed] if listed else uri))
    plugins: Nav = [(markdown.text(name), uri) for name, uri in addresses.groups.items() if uri not in unlisted]
    return [*nav, ("Plugins", plugins)] if plugins else nav


def _unlisted(book: Book, addresses: Addresses) -> dict[str, str]:
    """The pages that the navigation leaves out as there are many of them, each with the one that leads to it."""
    found: dict[str, str] = {}
    if len(book.pages) > MANY:
        found |= {addresses.builtins[name]: addresses.categories[page.category] for name, page in book.pages.items()}
    if len(addresses.groups) > MANY_PLUGINS:
        found |= dict.fromkeys(addresses.groups.values(), addresses.index)
    return found
