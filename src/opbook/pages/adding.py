"""Sections that plugins add to pages: made to fit below their title, and refused where they have what nothing runs."""

import re
from pathlib import Path

from opbook.examples import PageError, find
from opbook.examples.fences import Text, scan
from opbook.pages.addresses import slugs
from opbook.pages.model import AddedSection, Failure
from opbook.plugins.catalogue import Catalogue
from opbook.plugins.discovery import PluginInfo
from opbook.plugins.section import Section

LEVEL = 3
"""The level of the first heading in a section's text: the title has the second."""

_HEADING = re.compile(r"#{1,6}")
_UNDERLINE = re.compile(r"(?:=+|-+)[ \t]*")


def added_sections(name: str, catalogue: Catalogue) -> tuple[AddedSection, ...]:
    """Find the sections that plugins add to a builtin's page.

    Args:
        name: The builtin.
        catalogue: Where it is.

    Returns:
        The sections, in the order of the plugins.
    """
    found = catalogue.sections(name)
    anchors = slugs(section.title for _, section in found)
    return tuple(
        AddedSection(
            title=section.title.strip(),
            anchor=f"section-{anchors[section.title]}",
            text=below(section.text.strip()),
            plugin=info.source.name,
            distribution=info.source.distribution,
        )
        for info, section in found
    )


def refused_sections(name: str, catalogue: Catalogue) -> list[Failure]:
    """Find what stands in the way of publishing the sections that plugins add to a builtin's page.

    Args:
        name: The builtin.
        catalogue: Where it is.

    Returns:
        A failure for each that has an example, which nothing would run, or a fence that is no fence.
    """
    refused = ((info, section, _fault(section)) for info, section in catalogue.sections(name))
    return [_failure(info, section, fault) for info, section, fault in refused if fault]


def below(text: str, level: int = LEVEL) -> str:
    """Put the headings of a text below a title.

    Args:
        text: Markdown.
        level: The level that its highest heading gets.

    Returns:
        The text, whose headings keep their distances as far as there are levels. One that can't be read stays as it is.
    """
    lines = text.split("\n")
    try:
        blocks = list(scan(Path(), lines))
    except PageError:
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


def _failure(info: PluginInfo, section: Section, fault: str) -> Failure:
    message = f"{info.source}: its section {section.title!r} of {section.builtin}, {fault}"
    return Failure(Path(info.path), 1, message)
