"""Puts the generated pages into a site's navigation."""

from collections.abc import Iterable, Sequence
from typing import Any

TITLE = "Builtin index"


def section_of(entries: Iterable[Sequence[Any]]) -> list[Any]:
    """Arrange the generated pages.

    Args:
        entries: Pairs of a title ("" where the page has its own) and an address or further entries.
    """
    section: list[Any] = []
    for title, target in entries:
        inner = section_of(target) if isinstance(target, list) else target
        section.append({title: inner} if title else inner)
    return section


def with_index(nav: list[Any], folder: str, index: list[Any]) -> list[Any]:
    """Put the index where its folder stands in the navigation as configured, or else at the end."""
    titled = [{TITLE: index}]
    filled, found = splice(nav, folder, index, titled)
    return filled if found else [*filled, *titled]


def splice(nav: list[Any], folder: str, pages: list[Any], untitled: list[Any] | None = None) -> tuple[list[Any], bool]:
    """Put pages where an entry of the navigation stands for them.

    Args:
        nav: The navigation as configured.
        folder: The entry: the folder of the pages, with or without a slash behind it. With a title it becomes a section
            of them, if there are any.
        pages: The pages.
        untitled: What takes the place of an entry without a title; the pages unless given.

    Returns:
        The navigation, and whether it has such an entry.
    """
    entries: list[Any] = []
    anywhere = False
    for entry in nav:
        title, target = next(iter(entry.items())) if isinstance(entry, dict) else ("", entry)
        if isinstance(target, str) and target.rstrip("/") == folder:
            section = [{title: pages}] if pages else []
            entries += section if title else pages if untitled is None else untitled
            anywhere = True
        elif isinstance(target, list):
            inner, found = splice(target, folder, pages, untitled)
            entries.append({title: inner})
            anywhere = anywhere or found
        else:
            entries.append(entry)
    return entries, anywhere
