"""Makes the pages of a catalogue's builtins."""

import ast
import functools
import inspect
import textwrap
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from opbook.builtin import Builtin
from opbook.catalogue import Catalogue, PluginInfo
from opbook.examples.model import place
from opbook.pages.gathering import Gathered, gather, page_of
from opbook.pages.model import Book, BuiltinPage, Failure, Guide, Origin, Verification
from opbook.pages.shapes import describe

_ON_THE_PAGE = ("Args", "Returns")


def build(
    catalogue: Catalogue, guides: Iterable[Guide] = (), verifications: Mapping[str, Verification] | None = None
) -> Book:
    """Make the page of every builtin, and run every example.

    Args:
        catalogue: The builtins.
        guides: Pages that may call them; all their examples are run, also those that call no builtin.
        verifications: What the checks said of builtins, if they were run.

    Returns:
        The pages. If there are failures, an example failed or a builtin has none.
    """
    gathered = gather(catalogue, guides)
    checked = verifications or {}
    pages = {
        name: replace(_page(op, catalogue, gathered), verification=checked.get(name)) for name, op in catalogue.items()
    }
    missing = [
        _no_example(page, page_of(catalogue.plugin_of(page.name).path)) for page in pages.values() if not page.examples
    ]
    return Book(pages, (*gathered.failures, *missing), tuple(gathered.files))


def page(name: str, catalogue: Catalogue, guides: Iterable[Guide] = ()) -> Book:
    """Make the page of one builtin, and run only the examples that call it.

    Args:
        name: The builtin.
        catalogue: Where it is.
        guides: Pages that may call it.

    Returns:
        A book of one page.

    Raises:
        UnknownBuiltinError: There is no such builtin.
    """
    op = catalogue[name]
    gathered = gather(catalogue, guides, only=name)
    return Book({name: _page(op, catalogue, gathered)}, tuple(gathered.failures), tuple(gathered.files))


def _page(op: Builtin, catalogue: Catalogue, gathered: Gathered) -> BuiltinPage:
    info = catalogue.plugin_of(op.name)
    examples, elsewhere = gathered.of(op.name, page_of(info.path))
    return BuiltinPage(
        name=op.name,
        category=op.category,
        aliases=op.aliases,
        summary=op.summary,
        description=op.doc.description,
        sections={title: text for title, text in op.doc.sections.items() if title not in _ON_THE_PAGE},
        calls=tuple(map(describe, op.call_shapes)),
        examples=tuple(examples),
        elsewhere=tuple(elsewhere),
        note=op.note,
        origin=_origin(op, info),
    )


def _no_example(page: BuiltinPage, own: Path) -> Failure:
    origin = page.origin
    advice = (
        f"Add one to {place(own, 1).rpartition(':')[0]}, or call it in a guide: a ```qu or "
        "```python fence with an ```output fence behind it."
    )
    return Failure(origin.path, origin.line, f"{place(origin.path, origin.line)}: {page.name} has no example. {advice}")


def _origin(op: Builtin, info: PluginInfo) -> Origin:
    path = Path(op.source_file)
    return Origin(
        plugin=info.source.name,
        distribution=info.source.distribution,
        version=info.source.version,
        licence=info.source.licence,
        module=op.__module__,
        file=_seen_from_package(path, op.__module__, info),
        path=path,
        line=op.source_line,
        code=_source(op.definition),
        rule=_source(op.rule) if op.rule else "",
        importable=not info.source.is_file and op.name in _functions(path),
    )


def _seen_from_package(path: Path, module: str, info: PluginInfo) -> str:
    """The file's path from the folder that its top-level package is in: the same on every machine."""
    depth = 1 if info.source.is_file else module.count(".") + 1 + (path.name == "__init__.py")
    return "/".join(path.parts[-depth:])


def _source(function: Callable[..., Any]) -> str:
    try:
        return textwrap.dedent(inspect.getsource(function))
    except (OSError, TypeError):  # made by `exec`, or a callable object
        return ""


def _functions(path: Path) -> frozenset[str]:
    """The functions that a file defines, as a tool sees them that only reads it."""
    try:
        return _parsed(path, path.stat().st_mtime_ns)
    except (OSError, SyntaxError, ValueError):
        return frozenset()


@functools.lru_cache(maxsize=256)
def _parsed(path: Path, modified: int) -> frozenset[str]:
    tree = ast.parse(path.read_bytes())
    return frozenset(node.name for node in tree.body if isinstance(node, ast.FunctionDef))
