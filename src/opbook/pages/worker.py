"""Answers a site generator's request for pages; requests and answers are JSON-like dictionaries.

A request has `plugins` (paths of one-file plugins), `docs` (the folder of the docs), `guides` (paths of Markdown files
in it), `folder` (where the pages go), `autodoc` (whether mkdocstrings renders them), `fragments` (names of reference
texts), `verify` (whether to run the checks) and `known` (the `verification` of an earlier answer, or None). An answer
has `pages` (texts by address), `index` and `nav`, `fragments`, `verification`, `failures` and `warnings` (messages) and
`watch` (files and folders whose change changes the answer).
"""

import os
import traceback
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import opbook
from opbook.catalogue import Catalogue, PluginInfo, catalogue
from opbook.errors import OpbookError
from opbook.pages.building import build
from opbook.pages.guides import read_guides
from opbook.pages.reference import FRAGMENTS
from opbook.pages.rendering import render
from opbook.pages.verification import read, verified


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
        "fragments": {},
        "verification": {},
        "warnings": [],
        "watch": [],
    }
    return nothing | {"failures": [message]}


def _answer(request: Mapping[str, Any]) -> dict[str, Any]:
    files = [str(Path(file).resolve()) for file in request["plugins"]]
    loaded = _load(files)
    failures = [info.error for info in loaded.plugins if info.state == "failed" and info.source.module in files]
    warnings = [
        info.error for info in loaded.plugins if info.state == "failed" and info.source.module not in files
    ] + loaded.conflicts()
    verification = verified(loaded, request.get("known")) if request["verify"] else {}
    guides = read_guides(request["docs"], request["guides"])
    book = build(loaded, guides, {name: read(result) for name, result in verification.items()})
    rendered = render(book, request["folder"], request["autodoc"])
    return {
        "pages": rendered.pages,
        "index": rendered.index,
        "nav": rendered.nav,
        "fragments": {name: _fragment(name) for name in request["fragments"]},
        "failures": failures + [failure.message for failure in book.failures],
        "warnings": warnings,
        "verification": verification,
        "watch": sorted({path for info in loaded.plugins for path in _watched(info)} | {_home(opbook.__file__)}),
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
        return [_home(info.path)]
    beside = Path(info.path).parent / "examples.md"
    return [info.path, *([str(beside)] if beside.is_file() else [])]


def _home(file: str) -> str:
    return str(Path(file).resolve().parent)
