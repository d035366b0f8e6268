"""Lines of a Markdown file and what they begin with: indentation and quote marks."""

import re

TAB = 4  # Python-Markdown expands tabs to stops of four columns before it looks for fences.

_PREFIX = re.compile(r"[> \t]*")
_NEWLINE = re.compile(r"(\r\n|\r|\n)")


def split_lines(text: str) -> tuple[list[str], list[str]]:
    """Split a text at line feeds and carriage returns only (not at form feeds and the like, as `str.splitlines` does).

    Returns:
        The lines, and the ending of each; the last ending is empty.
    """
    parts = _NEWLINE.split(text)
    return parts[0::2], [*parts[1::2], ""]


def split_prefix(line: str) -> tuple[str, str]:
    """Split a line into its indentation and quote marks, and the rest."""
    end = _PREFIX.match(line).end()  # type: ignore[union-attr]  # it matches the empty text too
    return line[:end], line[end:]


def columns(prefix: str) -> str:
    """Write a prefix with blanks instead of tabs."""
    return prefix.expandtabs(TAB)


def strip_prefix(line: str, prefix: str) -> str | None:
    """Take the prefix of a fence off a line inside it.

    Returns:
        The line's content, empty for a line of blanks; None where the line does not begin with the prefix.
    """
    wanted = columns(prefix)
    own = columns(split_prefix(line)[0])
    if not line.strip(" \t>") and own.rstrip() == wanted.rstrip():
        return ""
    if not own.startswith(wanted):
        return None
    column = used = 0
    while column < len(wanted):
        column += TAB - column % TAB if line[used] == "\t" else 1
        used += 1
    return " " * (column - len(wanted)) + line[used:]
