"""Sections that plugins add to pages: made to fit below their title, and refused where they have what nothing runs."""

import re
from pathlib import Path

from opbook.examples import PageError, find
from opbook.examples.fences import Text, scan
from opbook.pages.addresses import slugs
from opbook.pages.entries import Entry
from opbook.pages.page import AddedSection
from opbook.plugins.contributions import Section

LEVEL = 3
"""The level of the first heading in a section's text: the title has the second."""

_HEADING = re.compile(r"#{1,6}")
_UNDERLINE = re.compile(r"(?:=+|-+)[ \t]*")


def added_sections(entry: Entry) -> tuple[AddedSection, ...]:
    """The sections that plugins add to a builtin's page, in the order of the plugins, each with its own anchor."""
    anchors = slugs(one.thing.title for one in entry.sections)
    return tuple(
        AddedSection(
            title=one.thing.title.strip(),
            anchor=f"section-{anchors[one.thing.title]}",
            text=below(one.thing.text.strip()),
            plugin=one.plugin.source.name,
            distribution=one.plugin.source.distribution,
        )
        for one in entry.sections
    )


def refused_sections(entry: Entry) -> list[str]:
    """A failure for each section that has an example, which nothing would run, or a fence that is no fence."""
    refused = ((one, _fault(one.thing)) for one in entry.sections)
    return [
        f"{one.plugin.source}: its section {one.thing.title!r} of {one.thing.builtin}, {fault}"
        for one, fault in refused
        if fault
    ]


def below(text: str, level: int = LEVEL) -> str:
    """Put the headings of a text below a title: the highest gets the level, and they keep their distances."""
    lines = text.split("\n")
    try:
        blocks = list(scan(Path(), lines))
    except PageError:  # refused later, with its line
        return text
    texts = [block.line - 1 for block in blocks if isinstance(block, Text)]
    headings = {line: match.end() for line in texts if (match := _HEADING.match(lines[line]))}
    shift = max(level - min(headings.values(), default=level), 0)
    for line, depth in headings.items():
        lines[line] = "#" * min(depth + shift, 6) + lines[line][depth:]
    return "\n".join(lines)


def _fault(section: Section) -> str:
    lines = section.text.split("\n")
    try:
        examples = find(Path("section.md"), section.text)
        texts = {block.line for block in scan(Path(), lines) if isinstance(block, Text)}
    except PageError as error:
        return f"line {error.line}: {error.problem}"
    for line in sorted(texts):
        if _UNDERLINE.fullmatch(lines[line - 1]) and line - 1 in texts:
            return f"line {line}: a heading that is underlined keeps its level; write it with ###"
    if examples:
        return (
            f"line {examples[0].line}: an example in a section would never be run; put it into the plugin's "
            "examples.md or into a guide, or set the code as `text`"
        )
    return ""
