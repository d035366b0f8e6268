"""Families: what a plugin says of a category, on the category's page."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from opbook.errors import nearest
from opbook.pages.markdown import parts
from opbook.plugins.catalogue import Catalogue
from opbook.plugins.contributions import Family

_APART = re.compile(r"^`(\w+)`\n: +(.+(?:\n +\S.*)*)\n*", re.MULTILINE)
_HEADING = re.compile(r"^#", re.MULTILINE)


@dataclass(frozen=True)
class FamilyText:
    """The text of a family in the parts that its page shows.

    Attributes:
        opening: What stands before the first heading.
        rest: What stands from there on.
        apart: What sets builtins apart, by their names; it stands in neither.
    """

    opening: str = ""
    rest: str = ""
    apart: Mapping[str, str] = field(default_factory=dict)


def family_text(text: str) -> FamilyText:
    """Take a family's Markdown apart."""
    apart: dict[str, str] = {}

    def noted(entry: re.Match[str]) -> str:
        apart[entry[1]] = " ".join(entry[2].split())
        return ""

    kept = ["", ""]
    for part, is_text in parts(text):
        words = _APART.sub(noted, part) if is_text else part
        first = _HEADING.search(words) if is_text and not kept[1] else None
        end = first.start() if first else len(words) * (not kept[1])
        kept = [kept[0] + words[:end], kept[1] + words[end:]]
    opening, rest = kept
    return FamilyText(opening.strip(), rest.strip(), apart)


def astray(catalogue: Catalogue) -> Iterator[str]:
    """Say which families are of a category that no builtin has, or tell of builtins that it has not."""
    categories = catalogue.categories()
    for one in catalogue.contributions(Family):
        category, path = one.thing.category, one.thing.path
        if category not in categories:
            yield (
                f"{path}: the plugin {one.plugin.source} brings a text for the category {category}, which no builtin "
                f"has.{nearest(category, categories)}"
            )
            continue
        members = [op.name for op in categories[category]]
        for name in family_text(path.read_text("utf-8-sig", errors="replace")).apart:
            if name not in members:
                yield f"{path}: says what sets {name} apart, which is not in {category}.{nearest(name, members)}"
