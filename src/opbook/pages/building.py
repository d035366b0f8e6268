"""Makes the pages of a catalogue's builtins."""

import ast
import functools
import inspect
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from opbook.builtins.builtin import Builtin
from opbook.builtins.rule import Rule
from opbook.examples.example import place
from opbook.pages.adding import added_sections, refused_sections
from opbook.pages.choosing import choose
from opbook.pages.findings import OtherRule, Verification
from opbook.pages.gathering import Gathered, gather, page_of
from opbook.pages.gradients import gradient_of, split
from opbook.pages.links import Parts, parts_of
from opbook.pages.model import Book, BuiltinPage, Failure, Guide, Origin, Tape
from opbook.pages.processes import spread
from opbook.pages.shapes import describe
from opbook.plugins.catalogue import Catalogue
from opbook.plugins.contributions import Contribution
from opbook.plugins.discovery import PluginInfo, PluginSource
from opbook.plugins.distributions import metadata_called

MANY = 100
"""From so many builtins on, it is worth while to start processes that make their pages."""

_ON_THE_PAGE = ("Args", "Returns")
"""Sections of a docstring that the inputs and the output are described with."""


def build(
    catalogue: Catalogue,
    guides: Iterable[Guide] = (),
    verifications: Mapping[str, Verification] | None = None,
    only: Sequence[str] = (),
) -> Book:
    """Make the pages of builtins, and run the examples.

    Args:
        catalogue: The builtins.
        guides: Pages that may call them; all their examples are run, also those that call no builtin.
        verifications: What the checks said of builtins, if they were run.
        only: Names, categories, plugins or distributions; then only these builtins get pages, and only the examples
            that call one of them are run.

    Returns:
        The pages. If there are failures, an example failed, or a builtin has none, or it has no note.

    Raises:
        UnknownBuiltinError: One of `only` is nothing of that kind.
    """
    catalogue.load_samples()
    names = choose(catalogue, only)
    gathered = gather(catalogue, guides, names if only else None)
    parts = parts_of(catalogue)
    checked = verifications or {}

    def make(name: str) -> BuiltinPage:
        shown = _page(catalogue[name], catalogue, gathered, parts)
        return replace(shown, tape=_tape(catalogue[name]), verification=checked.get(name))

    pages = dict(zip(names, spread(make, names, MANY, chunk=16), strict=True))
    missing = [_no_note(page) for page in pages.values() if not catalogue[page.name].note]
    missing += [
        _no_example(page, page_of(catalogue.plugin_of(page.name).path)) for page in pages.values() if not page.examples
    ]
    missing += [failure for name in pages for failure in refused_sections(name, catalogue)]
    return Book(pages, (*gathered.failures, *missing), tuple(gathered.files), tuple(gathered.drawn()))


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
    catalogue.load_samples()
    op = catalogue[name]
    gathered = gather(catalogue, guides, only=(name,))
    shown = _page(op, catalogue, gathered, parts_of(catalogue))
    return Book({name: shown}, tuple(gathered.failures), tuple(gathered.files))


def _page(op: Builtin, catalogue: Catalogue, gathered: Gathered, parts: Parts) -> BuiltinPage:
    from opbook.pages.edges import edges  # here, as it needs the checks, which `opbook list` has no use for

    info = catalogue.plugin_of(op.name)
    examples, elsewhere = gathered.of(op.name, page_of(info.path))
    how, about_gradient = split(op.note)
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
        note=how,
        origin=_origin(op, info, catalogue.replaced(op.name)),
        gradient=gradient_of(op, about_gradient),
        edges=edges(op),
        uses=tuple(parts.of[op.name]),
        used_by=tuple(parts.users.get(op.name, ())),
        properties=tuple(stated.sentence for stated in op.properties),
        rules=tuple(_other_rule(op, one) for one in catalogue.contributions(Rule, op.name)),
        added_sections=added_sections(op.name, catalogue),
    )


def _other_rule(op: Builtin, one: Contribution[Rule]) -> OtherRule:
    rule, source = one.thing, one.plugin.source
    return OtherRule(rule.name, source.name, source.distribution, source.version, rule.priority, rule.name in op.asked)


def _tape(op: Builtin) -> Tape | None:
    from opbook.pages.graph import draw, trace  # here for the same reason

    found = trace(op)
    if found is None:
        return None
    return Tape(draw(found, op.name), found.computed, found.length, found.has_builtins, found.is_rule)


def _no_note(page: BuiltinPage) -> Failure:
    origin = page.origin
    return Failure(
        origin.path,
        origin.line,
        f"{place(origin.path, origin.line)}: {page.name} has no note. Write a comment block right above its decorator "
        'that says how it works and why it is written that way: it becomes "How it works".',
    )


def _no_example(page: BuiltinPage, own: Path) -> Failure:
    origin = page.origin
    advice = (
        f"Add one to {place(own, 1).rpartition(':')[0]}, or call it in a guide: a ```qu or "
        "```python fence with an ```output fence behind it."
    )
    return Failure(origin.path, origin.line, f"{place(origin.path, origin.line)}: {page.name} has no example. {advice}")


def _origin(op: Builtin, info: PluginInfo, replaced: Iterable[PluginInfo]) -> Origin:
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
        rule=_source(op.own_rule) if op.own_rule else "",
        importable=not info.source.is_file and op.name in _functions(path),
        summary=_stated(info.source.distribution, "Summary"),
        replaces=tuple(_short(other.source) for other in replaced),
        is_ours=_stated(info.source.distribution, "Author") == _stated("opbook", "Author"),
    )


def _short(source: PluginSource) -> str:
    return f"{source.distribution} {source.version}" if source.distribution else f"{source.name}, a single file"


@functools.cache  # a distribution has many builtins, and its metadata is a file to be read and parsed
def _stated(distribution: str, what: str) -> str:
    metadata = metadata_called(distribution) if distribution else None
    return str(metadata.get(what, "")) if metadata else ""


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
