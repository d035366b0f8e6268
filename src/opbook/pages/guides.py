"""Guides: Markdown pages whose examples belong to the builtins that they call."""

import re
from collections.abc import Iterable
from os import PathLike
from pathlib import Path

from opbook.examples.finding import read
from opbook.pages.model import Guide

_FRONT_MATTER = re.compile(r"---\r?\n(.*?)^---\r?\n", re.DOTALL | re.MULTILINE)
_META_TITLE = re.compile(r"^title:[ \t]*(['\"]?)(.+?)\1[ \t]*\r?$", re.MULTILINE)
_HEADING = re.compile(r"^#[ \t]+(.+?)[ \t]*#*(?:[ \t]*\{[^}]*\})?[ \t]*\r?$", re.MULTILINE)


def read_guides(root: str | PathLike[str], paths: Iterable[str | PathLike[str]]) -> list[Guide]:
    """Make guides of Markdown files.

    Args:
        root: The folder that addresses are counted from.
        paths: The files, in or under it.

    Returns:
        The guides, in the order of their addresses.

    Raises:
        ExampleError: A file cannot be read.
    """
    base = Path(root)
    guides = [Guide(Path(path), Path(path).relative_to(base).as_posix(), title(Path(path))) for path in paths]
    return sorted(guides, key=lambda guide: guide.uri)


def title(path: Path) -> str:
    """Find the title of a Markdown page.

    Args:
        path: The file.

    Returns:
        The title of its front matter, or its first heading, or a title made of the file's name.

    Raises:
        ExampleError: The file cannot be read.
    """
    text = read(path).removeprefix("\ufeff")
    front = _FRONT_MATTER.match(text)
    found = (_META_TITLE.search(front[1]) if front else None) or _HEADING.search(text[front.end() if front else 0 :])
    if found:
        return found[found.re.groups].strip()
    return path.stem.replace("-", " ").replace("_", " ").capitalize()
