"""Puts the generated pages into a site's navigation."""

from collections.abc import Iterable, Sequence
from typing import Any

TITLE = "Builtin index"


def fill(nav: list[Any], placeholder: str, section: list[Any]) -> list[Any]:
    """Replace the entry that stands for the generated pages.

    Args:
        nav: The navigation as configured.
        placeholder: The entry: the folder that the pages go to, with or without a slash behind it.
        section: What to put there.

    Returns:
        The navigation with the section in it; at the end, if the entry is not there.
    """
    filled, found = _replace(nav, placeholder.rstrip("/"), section)
    return filled if found else [*filled, {TITLE: section}]


def section_of(entries: Iterable[Sequence[Any]]) -> list[Any]:
    """Arrange the generated pages.

    Args:
        entries: Pairs of a title ("" where the page has its own) and an address or further entries.

    Returns:
        A navigation section.
    """
    section: list[Any] = []
    for title, target in entries:
        inner = section_of(target) if isinstance(target, list) else target
        section.append({title: inner} if title else inner)
    return section


def splice(nav: list[Any], placeholder: str, pages: list[Any]) -> tuple[list[Any], bool]:
    """Put pages among others, where an entry stands for them.

    Args:
        nav: The navigation as configured.
        placeholder: The entry: a folder, with or without a slash behind it. One with a title becomes a section.
        pages: What to put there; nothing, and the entry goes.

    Returns:
        The navigation, and whether the entry was there.
    """
    entries: list[Any] = []
    anywhere = False
    for entry in nav:
        title, target = next(iter(entry.items())) if isinstance(entry, dict) else ("", entry)
        if isinstance(target, str) and target.rstrip("/") == placeholder:
            entries += [{title: pages}] * bool(pages) if title else pages
            anywhere = True
        elif isinstance(target, list):
            inner, found = splice(target, placeholder, pages)
            entries.append({title: inner})
            anywhere = anywhere or found
        else:
            entries.append(entry)
    return entries, anywhere


def _replace(item: Any, placeholder: str, section: list[Any]) -> tuple[Any, bool]:
    if isinstance(item, str):
        return (section, True) if item.rstrip("/") == placeholder else (item, False)
    if isinstance(item, dict):
        pairs = {title: _replace(value, placeholder, section) for title, value in item.items()}
        return {title: value for title, (value, _) in pairs.items()}, any(found for _, found in pairs.values())
    if not isinstance(item, list):
        return item, False
    entries: list[Any] = []
    anywhere = False
    for entry in item:
        replaced, found = _replace(entry, placeholder, section)
        # an entry without a title of its own gets one: a list in a list is no navigation
        entries.append({TITLE: section} if found and isinstance(entry, str) else replaced)
        anywhere = anywhere or found
    return entries, anywhere
