"""Makes the book: the page of each builtin, of its source, its examples and its checks."""

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from opbook.builtins.builtin import Builtin
from opbook.examples.example import place
from opbook.examples.processes import spread
from opbook.pages.calls import describe
from opbook.pages.entries import Entry, entries
from opbook.pages.examples import Examples, run_examples
from opbook.pages.gradients import gradient_of, split
from opbook.pages.page import Book, BuiltinPage, FamilyPage, Guide, Helper, Origin, ShownTape, Verification
from opbook.pages.sections import added_sections, refused_sections
from opbook.pages.source import code_of, helpers, whole
from opbook.plugins.catalogue import Catalogue
from opbook.plugins.contributions import Family
from opbook.plugins.discovery import PluginSource
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
    put_in: Sequence[str] | None = None,
) -> Book:
    """Make the pages of builtins, and run the examples.

    Args:
        catalogue: The builtins.
        guides: Pages that may call them; all their examples are run, also those that call no builtin.
        verifications: What the checks said of builtins, if they were run.
        only: Names, categories, plugins or distributions; then only these builtins get pages, and only the examples
            that call one of them are run.
        put_in: What marks examples of guides that are left until the site generator has put the page together.

    Returns:
        The pages. If there are failures, an example failed, or a builtin has none, or it has no note.

    Raises:
        UnknownBuiltinError: One of `only` is nothing of that kind.
    """
    catalogue.load_samples()
    shown = entries(catalogue, only)
    families = _families(catalogue, shown)
    examples = run_examples(shown, guides, catalogue, bool(only), put_in, families.values())
    checked = verifications or {}
    made = spread(lambda name: _page(shown[name], examples, checked.get(name)), list(shown), MANY, chunk=16)
    pages = dict(zip(shown, made, strict=True))
    missing = [failure for name, entry in shown.items() for failure in _missing(entry, pages[name])]
    told = {category: _family(path, examples) for category, path in families.items()}
    return Book(pages, (*examples.failures, *missing), examples.drawings(), told, examples.proofs)


def build_one(name: str, catalogue: Catalogue, guides: Iterable[Guide] = ()) -> Book:
    """Make the page of one builtin, and run only the examples that call it.

    Raises:
        UnknownBuiltinError: There is no such builtin.
    """
    return build(catalogue, guides, only=[catalogue[name].name])


def _families(catalogue: Catalogue, shown: Mapping[str, Entry]) -> dict[str, Path]:
    """The texts of the categories that some builtins are in."""
    categories = {entry.op.category for entry in shown.values()}
    families = [one.thing for one in catalogue.contributions(Family)]
    return {family.category: family.path for family in families if family.category in categories}


def _family(path: Path, run: Examples) -> FamilyPage:
    text = path.read_text("utf-8-sig", errors="replace")  # what cannot be read is a failure of its examples
    return FamilyPage(path, text, tuple(ran.drawing for ran in run.own[path] if ran.drawing))


def _page(entry: Entry, run: Examples, verification: Verification | None) -> BuiltinPage:
    from opbook.pages.edges import edges  # here, as it needs the checks, which `opbook list` has no use for

    op = entry.op
    groups, elsewhere = run.of(op.name, entry.examples_page)
    how, about_gradient = split(op.note)
    return BuiltinPage(
        name=op.name,
        category=op.category,
        aliases=op.aliases,
        summary=op.summary,
        description=op.doc.description,
        sections={title: text for title, text in op.doc.sections.items() if title not in _ON_THE_PAGE},
        calls=tuple(map(describe, op.call_shapes)),
        groups=groups,
        elsewhere=elsewhere,
        note=how,
        origin=_origin(entry),
        gradient=gradient_of(op, about_gradient),
        edges=edges(op),
        uses=entry.uses,
        used_by=entry.used_by,
        properties=tuple(stated.sentence for stated in op.properties),
        rules=entry.rules,
        added_sections=added_sections(entry),
        tape=_tape(op),
        verification=verification,
    )


def _tape(op: Builtin) -> ShownTape | None:
    from opbook.pages.tape import as_data, as_list, draw, trace  # here for the same reason

    found = trace(op)
    if found is None:
        return None
    data = as_data(found, op)
    return ShownTape(draw(found, op.name), as_list(found), data, found.length, found.has_builtins, found.is_whole)


def _missing(entry: Entry, page: BuiltinPage) -> list[str]:
    """What a builtin must have to be published, and has not."""
    here = place(page.origin.path, page.origin.line)
    failures = refused_sections(entry)
    if not entry.op.note:
        failures.append(
            f"{here}: {page.name} has no note. Write a comment block right above its decorator "
            'that says how it works and why it is written that way: it becomes "How it works".'
        )
    if not page.examples:
        own = place(entry.examples_page, 1).rpartition(":")[0]
        failures.append(
            f"{here}: {page.name} has no example. Add one to {own}, or call it in a guide: a ```qu or "
            "```python fence with an ```output fence behind it."
        )
    return failures


def _origin(entry: Entry) -> Origin:
    op, source = entry.op, entry.plugin.source
    called = helpers(op.definition, entry.packages)
    path = Path(op.source_file)
    return Origin(
        plugin=source.name,
        distribution=source.distribution,
        version=source.version,
        licence=source.licence,
        module=op.__module__,
        file=_seen_from_package(path, op.__module__, source),
        path=path,
        line=op.source_line,
        code=code_of(op.definition),
        rule=whole(op.own_rule) if op.own_rule else "",
        helpers=tuple(map(_helper, called)),
        rule_helpers=tuple(_helper(one) for one in helpers(op.own_rule, entry.packages) if one not in called),
        summary=_stated(source.distribution, "Summary"),
        replaces=tuple(_short(other.source) for other in entry.replaced),
        is_ours=_stated(source.distribution, "Author") == _stated("opbook", "Author"),
    )


def _helper(function: Callable[..., Any]) -> Helper:
    brief, _, _ = (function.__doc__ or "").strip().partition("\n")
    return Helper(function.__name__, brief, code_of(function))


def _short(source: PluginSource) -> str:
    return f"{source.distribution} {source.version}" if source.distribution else f"{source.name}, a single file"


@functools.cache  # a distribution has many builtins, and its metadata is a file to be read and parsed
def _stated(distribution: str, what: str) -> str:
    metadata = metadata_called(distribution) if distribution else None
    return str(metadata.get(what, "")) if metadata else ""


def _seen_from_package(path: Path, module: str, source: PluginSource) -> str:
    """The file's path from the folder that its top-level package is in: the same on every machine."""
    depth = 1 if source.is_file else module.count(".") + 1 + (path.name == "__init__.py")
    return "/".join(path.parts[-depth:])
