"""Answers a site generator's request for pages; requests and answers are JSON-like dictionaries.

A request has `plugins` (paths of one-file plugins), `docs` (the folder of the docs), `guides` (paths of Markdown files
in it), `folder` (where the pages go), `autodoc` (whether mkdocstrings renders them), `highlight` (whether code is set
in colours here, rather than by what renders Markdown), `fragments` (names of reference texts), `verify` (whether to run
the checks), `figures` (whether to show them) and `cache` (a folder to keep highlighted code and what the
checks said in from build to build, or None). It may have `only` (builtins, categories, plugins or distributions to
show), `directory_urls` (whether each page gets a folder), `source_url` (where a line of source can be seen) and `site`
(its `name`, `description` and `url`).

An answer has `pages` (texts by address), `index`, `nav` and `unlisted` (for pages that are not in it, the address of
one that they are found beside), `guides` (title and address of those that plugins bring along), `fragments`, `failures`
and `warnings` (messages), `watch` (files and folders whose change changes the answer), `figures` (the HTML by the mark
that stands for it in a page), `marks` (for each guide that draws, by its address, pairs of a line and the mark that
goes behind it), `files` (texts for the root of the site), `links` (entries of an inventory), `sources` (the address of
the source of a page) and `left_out` (the addresses of builtins that are not shown).
"""

import os
import traceback
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import opbook
from opbook.errors import OpbookError
from opbook.pages.addresses import Addresses
from opbook.pages.building import build
from opbook.pages.choosing import choose
from opbook.pages.crosslinks import broken
from opbook.pages.figures import Gallery
from opbook.pages.guides import read_guides, shipped_guides
from opbook.pages.highlighting import Highlighter
from opbook.pages.machine import builtins_json, links, llms_txt
from opbook.pages.model import Book, Guide
from opbook.pages.reference import FRAGMENTS
from opbook.pages.rendering import Setting, render
from opbook.pages.verification import verified
from opbook.plugins.catalogue import Catalogue, catalogue
from opbook.plugins.discovery import PluginInfo


def answer(request: Mapping[str, Any]) -> dict[str, Any]:
    """Answer a request.

    Args:
        request: The request.

    Returns:
        The answer. If it has failures, nothing should be published; an error of our own is one too, with its traceback
        under `traceback`.
    """
    try:
        return _answer(request)
    except OpbookError as error:
        return _failed(str(error))
    except Exception as error:
        return _failed(f"opbook could not make the pages: {type(error).__name__}: {error}") | {
            "traceback": traceback.format_exc()
        }


def _failed(message: str) -> dict[str, Any]:
    nothing: dict[str, Any] = {
        "pages": {},
        "index": "",
        "nav": {},
        "guides": [],
        "unlisted": {},
        "fragments": {},
        "figures": {},
        "marks": {},
        "files": {},
        "links": [],
        "sources": {},
        "left_out": [],
        "warnings": [],
        "watch": [],
    }
    return nothing | {"failures": [message]}


def _answer(request: Mapping[str, Any]) -> dict[str, Any]:
    files = [str(Path(file).resolve()) for file in request["plugins"]]
    loaded = _load(files)
    loaded.load_samples()
    failures = [info.error for info in loaded.plugins if info.state == "failed" and info.source.module in files]
    warnings = [
        info.error for info in loaded.plugins if info.state == "failed" and info.source.module not in files
    ] + loaded.conflicts()
    only = request.get("only") or []
    names = choose(loaded, only)
    kept = Path(request["cache"]) if request.get("cache") else None
    results = kept / "verification" / "results.json" if kept else None
    verification = verified(loaded, names, results) if request["verify"] else {}
    shipped = shipped_guides(loaded, request["folder"], names if only else ())
    guides = [*read_guides(request["docs"], request["guides"]), *shipped]
    book = build(loaded, guides, verification, only)
    gallery = Gallery(bool(request.get("figures")))
    highlighter = Highlighter(kept / "code" / "highlighted.json" if kept else None)
    rendered = render(book, _setting(request), gallery, shipped, highlighter)
    marks = gallery.marks(book.drawn) if request.get("figures") else {}
    left_out = [rendered.addresses.builtin(name) for name in loaded if name not in book.pages]
    failures += [failure.message for failure in book.failures]
    failures += [f.message for f in broken(book, rendered.addresses, Path(request["docs"]), rendered.pages, left_out)]
    return {
        "pages": rendered.pages,
        "index": rendered.addresses.index,
        "nav": rendered.nav,
        "guides": [(guide.title, guide.uri) for guide in shipped],
        "unlisted": rendered.unlisted,
        "fragments": {name: _fragment(name) for name in request["fragments"]},
        "failures": failures,
        "warnings": warnings,
        "figures": rendered.pictures | gallery.blocks,
        "marks": marks,
        "files": _files(book, rendered.addresses, guides, request.get("site") or {}),
        "links": links(book, rendered.addresses),
        "sources": rendered.sources,
        "left_out": left_out,
        "watch": sorted({path for info in loaded.plugins for path in _watched(info)} | _settings(loaded)),
    }


def _setting(request: Mapping[str, Any]) -> Setting:
    return Setting(
        folder=request["folder"],
        autodoc=request["autodoc"],
        highlight=request.get("highlight", False),
        directory_urls=request.get("directory_urls", True),
        source_url=request.get("source_url") or "",
        root=os.getcwd(),
    )


def _files(book: Book, addresses: Addresses, guides: list[Guide], site: Mapping[str, str]) -> dict[str, str]:
    name, description, url = (site.get(key) or "" for key in ("name", "description", "url"))
    return {
        "builtins.json": builtins_json(book, addresses),
        "llms.txt": llms_txt(book, addresses, guides, name or "Builtins", description, url),
    }


def _load(files: list[str]) -> Catalogue:
    """The catalogue of this process, so that `from opbook.ops import ...` in an example sees the files too."""
    named = [part for part in os.environ.get("OPBOOK_PLUGINS", "").split(os.pathsep) if part]
    os.environ["OPBOOK_PLUGINS"] = os.pathsep.join([*named, *files])
    return catalogue()


def _fragment(name: str) -> str:
    make = FRAGMENTS.get(name)
    if make is None:
        raise OpbookError(f"there is no reference text {name!r} to put in a page; there are {', '.join(FRAGMENTS)}")
    return make()


def _watched(info: PluginInfo) -> list[str]:
    if not info.path:
        return []
    if Path(info.path).name == "__init__.py":
        home = _home(info.path)
        return [home, *(file for file in info.contributes["guides"] if not Path(file).resolve().is_relative_to(home))]
    beside = Path(info.path).parent / "examples.md"
    return [info.path, *info.contributes["guides"], *([str(beside)] if beside.is_file() else [])]


def _settings(loaded: Catalogue) -> set[str]:
    return {_home(opbook.__file__), *([str(loaded.settings.file)] if loaded.settings.file else [])}


def _home(file: str) -> str:
    return str(Path(file).resolve().parent)
