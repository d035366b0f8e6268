"""All pages of a site, made in five steps: load, verify, run the examples, write the pages, look after their links."""

import os
import traceback
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

import opbook
from opbook.errors import OpbookError
from opbook.examples.collection import EXAMPLES_PAGE, markdown_files
from opbook.pages.book import build
from opbook.pages.entries import examples_page
from opbook.pages.exercises import folded
from opbook.pages.families import astray
from opbook.pages.guides import read_guides, shipped_guides, with_blocks
from opbook.pages.links import broken, lacks, without
from opbook.pages.machine import Link, builtins_json, links, llms_full_txt, llms_txt
from opbook.pages.page import Book, Guide
from opbook.pages.pictures import behind
from opbook.pages.python_in_page import texts
from opbook.pages.redirects import redirects
from opbook.pages.reference import filled
from opbook.pages.rendering import Nav, Rendered, render
from opbook.pages.selection import select
from opbook.pages.site_options import SiteOptions
from opbook.pages.verification import verified
from opbook.plugins.catalogue import Catalogue, catalogue
from opbook.plugins.discovery import PluginInfo


@dataclass(frozen=True)
class Site:
    """The finished pages of a site, in values that JSON has as well.

    Attributes:
        pages: The text of each generated page by its address.
        documents: The text of those of the site's own pages that show more than their files say.
        files: What goes to the root of the site, by name.
        binaries: What else goes there that is no text, likewise, in base64.
        nav: The generated pages as entries of a navigation.
        guides: The guides that plugins bring along, likewise.
        unlisted: For pages that are not in it, the address of one that they are found beside.
        redirects: The addresses of builtins, by those that pages of their other names would have.
        links: The entries of an inventory.
        sources: The address of the source of a page, by the page's address.
        prose: The files that the text of a generated page is taken from, by its address.
        failures: Why nothing should be published; then there may be no pages.
        warnings: What else is wrong.
        watch: The files and folders whose change changes the pages.
        traceback: Where in opbook itself it went wrong.
    """

    pages: dict[str, str] = field(default_factory=dict)
    documents: dict[str, str] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)
    binaries: dict[str, str] = field(default_factory=dict)
    nav: Nav = field(default_factory=list)
    guides: Nav = field(default_factory=list)
    unlisted: dict[str, str] = field(default_factory=dict)
    redirects: dict[str, str] = field(default_factory=dict)
    links: list[Link] = field(default_factory=list)
    sources: dict[str, str] = field(default_factory=dict)
    prose: dict[str, list[str]] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    watch: list[str] = field(default_factory=list)
    traceback: str = ""


def make(options: SiteOptions) -> Site:
    """Make the pages of a site.

    Returns:
        The pages. If there are failures, nothing should be published; an error of our own is one too.
    """
    return guarded(lambda: _make(options))


def guarded(work: Callable[[], Site]) -> Site:
    """Do something for a site, and make a failure of every error."""
    try:
        return work()
    except OpbookError as error:
        return Site(failures=[str(error)])
    except Exception as error:
        message = f"opbook could not make the pages: {type(error).__name__}: {error}"
        return Site(failures=[message], traceback=traceback.format_exc())


def _make(options: SiteOptions) -> Site:
    files = [str(Path(file).resolve()) for file in options.plugins]
    loaded = load_with(files)
    failed = [info for info in loaded.plugins if info.state == "failed"]

    names = select(loaded, options.only)
    verification = verified(loaded, names, Path(options.cache) if options.cache else None) if options.verify else {}

    shipped = shipped_guides(loaded, options.folder, names if options.only else ())
    guides = [*read_guides(options.docs, options.guides), *shipped]
    book = build(loaded, guides, verification, options.only, options.put_in)

    rendered = render(book, options)
    addresses = rendered.addresses
    left_out = {addresses.builtin(name) for name in loaded if name not in book.pages}
    left_out |= {guide.uri for guide in shipped_guides(loaded, options.folder, ())} - {guide.uri for guide in shipped}
    documents = _documents(options, book, rendered, shipped, left_out)
    pages = {uri: without(text, uri, left_out) for uri, text in rendered.pages.items()}
    pages |= {guide.uri: documents.pop(guide.uri) for guide in shipped}

    parts, binaries = texts(loaded) if options.playground else ({}, {})
    shown = {addresses.builtins[name]: page for name, page in book.pages.items()}
    return Site(
        pages=pages,
        documents=documents,
        files={
            "builtins.json": builtins_json(book, addresses),
            **parts,
            "llms.txt": llms_txt(book, addresses, guides, options.name, options.description, options.url),
            "llms-full.txt": llms_full_txt(
                _read(guides, documents, pages), addresses, options.name, options.description, options.url
            ),
        },
        binaries=binaries,
        nav=rendered.nav,
        guides=[(guide.title, guide.uri) for guide in shipped],
        unlisted=rendered.unlisted,
        redirects=redirects(book, addresses),
        links=links(book, addresses),
        sources=_sources(options, book, rendered, shipped),
        prose=_prose(book, rendered, shipped),
        failures=[
            *(info.error for info in failed if info.source.module in files),
            *book.failures,
            *broken(shown, rendered.pages, {*pages, *left_out}, Path(options.docs)),
        ],
        warnings=[
            *(info.error for info in failed if info.source.module not in files),
            *loaded.conflicts(),
            *astray(loaded),
        ],
        watch=sorted({path for info in loaded.plugins for path in _watched(info)} | _settings(loaded)),
    )


def load_with(files: list[str]) -> Catalogue:
    """The catalogue of this process, so that `from opbook.ops import ...` in an example sees the files too."""
    named = [part for part in os.environ.get("OPBOOK_PLUGINS", "").split(os.pathsep) if part]
    os.environ["OPBOOK_PLUGINS"] = os.pathsep.join([*named, *files])
    return catalogue()


def _documents(
    options: SiteOptions, book: Book, rendered: Rendered, shipped: Iterable[Guide], left_out: set[str]
) -> dict[str, str]:
    """The guides of plugins, finished, and those of the site's own pages that have something put into them."""
    found = {}
    own = markdown_files(options.docs) if options.docs else []
    files = {path.relative_to(options.docs).as_posix(): path for path in own} | {one.uri: one.path for one in shipped}
    for uri, path in files.items():
        text = path.read_text("utf-8-sig", errors="replace")  # what cannot be read is a failure of its examples
        exercises = [
            (proof.exercise.stub.line, proof.exercise.end, folded(proof, uri, rendered.addresses))
            for proof in book.exercises.get(uri, ())
        ]
        drawn = behind(book.drawings.get(uri, ()), options.figures)
        finished = with_blocks(text, [*exercises, *drawn])
        # a plugin's guide may lead to pages of its own project, which other sites lack
        lacking = (
            left_out if path in own else left_out | lacks(finished, uri, {*files, *rendered.pages}, options.folder)
        )
        finished = without(filled(finished, uri, rendered.addresses), uri, lacking)
        if finished != text or path not in own:
            found[uri] = finished
    return found


def _sources(options: SiteOptions, book: Book, rendered: Rendered, shipped: Iterable[Guide]) -> dict[str, str]:
    found = {guide.uri: options.source_link(guide.path) for guide in shipped}
    for category, family in book.families.items():
        found[rendered.addresses.categories[category]] = options.source_link(family.path)
    for name, page in book.pages.items():
        found[rendered.addresses.builtins[name]] = options.source_link(page.origin.path, page.origin.line)
    return {uri: url for uri, url in found.items() if url}


def _read(guides: Iterable[Guide], documents: dict[str, str], pages: dict[str, str]) -> dict[str, str]:
    """The text of every page that is worth reading: guides, then the pages of builtins."""
    found = {}
    for guide in guides:
        text = documents.get(guide.uri) or pages.get(guide.uri)
        found[guide.uri] = text or guide.path.read_text("utf-8-sig", errors="replace")
    return found | {uri: text for uri, text in pages.items() if uri not in found}


def _prose(book: Book, rendered: Rendered, shipped: Iterable[Guide]) -> dict[str, list[str]]:
    found = {guide.uri: [str(guide.path)] for guide in shipped}
    for name, page in book.pages.items():
        path = page.origin.path
        found[rendered.addresses.builtins[name]] = [str(path), str(path.parent / EXAMPLES_PAGE)]
    return found


def _watched(info: PluginInfo) -> list[str]:
    if not info.path:
        return []
    if Path(info.path).name == "__init__.py":
        home = _home(info.path)
        return [home, *(str(file) for file in info.documents if not file.resolve().is_relative_to(home))]
    beside = examples_page(info)
    return [info.path, *map(str, info.documents), *([str(beside)] if beside.is_file() else [])]


def _settings(loaded: Catalogue) -> set[str]:
    return {_home(opbook.__file__), *([str(loaded.settings.file)] if loaded.settings.file else [])}


def _home(file: str) -> str:
    return str(Path(file).resolve().parent)
