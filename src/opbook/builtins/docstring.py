"""Reads what the terminal page needs of a Google-style docstring; the site leaves it to mkdocstrings."""

import inspect
import re
from dataclasses import dataclass, field

_SECTION = re.compile(r"^(?P<title>[A-Z][A-Za-z ]*):(?P<rest>.*)$")
_ITEM = re.compile(r"^\*{0,2}(?P<name>\w+)(?: \([^)]*\))?: ?(?P<text>.*)$")


@dataclass(frozen=True)
class Docstring:
    """A docstring's parts.

    Attributes:
        summary: The first paragraph, on one line.
        description: The paragraphs after it, as Markdown.
        sections: The text of each section by its title, such as "Returns" or "Source".
        arguments: The descriptions in the section "Args", each on one line.
    """

    summary: str = ""
    description: str = ""
    sections: dict[str, str] = field(default_factory=dict)
    arguments: dict[str, str] = field(default_factory=dict)


def parse(text: str | None) -> Docstring:
    """Take a Google-style docstring apart.

    Args:
        text: The docstring, or None.
    """
    lines = inspect.cleandoc(text or "").splitlines()
    starts = [i for i, line in enumerate(lines) if _SECTION.match(line) and _is_section(lines, i)]
    head = "\n".join(lines[: starts[0] if starts else None]).strip()
    summary, _, description = head.partition("\n\n")
    sections = {}
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=False):
        match = _SECTION.match(lines[start])
        if match:
            body = inspect.cleandoc("\n".join(["", *lines[start + 1 : end]]))
            sections[match["title"]] = (match["rest"].strip() + "\n" + body).strip()
    return Docstring(" ".join(summary.split()), description.strip(), sections, _items(sections.get("Args", "")))


def _is_section(lines: list[str], i: int) -> bool:
    """A section's title stands alone above indented lines; "Note: the text" in a paragraph does not."""
    below = lines[i + 1] if i + 1 < len(lines) else ""
    return below.startswith("    ")


def _items(section: str) -> dict[str, str]:
    items: dict[str, str] = {}
    name = ""
    for line in section.splitlines():
        match = _ITEM.match(line)
        if match:
            name = match["name"]
            items[name] = match["text"].strip()
        elif name:
            items[name] = f"{items[name]} {line.strip()}".strip()
    return items
