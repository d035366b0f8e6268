"""Guides: Markdown pages whose examples belong to the builtins that they call, and show the figures that they draw."""

import itertools
import re
from collections.abc import Collection, Iterable
from os import PathLike
from pathlib import Path

from opbook.errors import ExampleError
from opbook.examples.collection import read
from opbook.examples.lines import split_lines, split_prefix
from opbook.pages.page import Guide
from opbook.plugins.catalogue import Catalogue

_FRONT_MATTER = re.compile(r"---\r?\n(.*?)^---\r?\n", re.DOTALL | re.MULTILINE)
_META_TITLE = re.compile(r"^title:[ \t]*(['\"]?)(.+?)\1[ \t]*\r?$", re.MULTILINE)
_HEADING = re.compile(r"^#[ \t]+(.+?)[ \t]*#*(?:[ \t]*\{[^}]*\})?[ \t]*\r?$", re.MULTILINE)


def read_guides(root: str | PathLike[str], paths: Iterable[str | PathLike[str]]) -> list[Guide]:
    """Make guides of Markdown files.

    Raises:
        ExampleError: A file cannot be read.
    """
    base = Path(root)
    guides = [Guide(Path(path), Path(path).relative_to(base).as_posix(), title(Path(path))) for path in paths]
    return sorted(guides, key=lambda guide: guide.uri)


def shipped_guides(catalogue: Catalogue, folder: str = "builtins", only: Collection[str] = ()) -> list[Guide]:
    """Find the guides that plugins bring along.

    Args:
        catalogue: The plugins.
        folder: Where the generated pages go, from the root of the docs; the guides go to `guides` in it.
        only: Some builtins; then only the plugins that these come from are looked at.
    """
    plugins = [catalogue.plugin_of(name) for name in only] if only else catalogue.plugins
    files = {Path(file) for info in plugins for file in info.contributes["guides"]}
    guides = [Guide(path, f"{folder}/guides/{path.stem}.md", _title_or_name(path)) for path in files]
    return sorted(guides, key=lambda guide: guide.uri)


def _title_or_name(path: Path) -> str:
    try:
        return title(path)
    except ExampleError:  # whoever runs its examples says so
        return path.stem


def title(path: Path) -> str:
    """The title in the front matter of a Markdown page, or its first heading, or one made of the file's name."""
    text = read(path).removeprefix("\ufeff")
    front = _FRONT_MATTER.match(text)
    found = (_META_TITLE.search(front[1]) if front else None) or _HEADING.search(text[front.end() if front else 0 :])
    if found:
        return found[found.re.groups].strip()
    return path.stem.replace("-", " ").replace("_", " ").capitalize()


def with_blocks(text: str, blocks: Iterable[tuple[int, int, str]]) -> str:
    """Put pictures and finished exercises into a page of Markdown.

    Args:
        text: The page, as it is in its file.
        blocks: Each with the first and the last of the lines that it takes the place of, from 1; a picture takes the
            place of none, and its last line is the one that it goes behind.

    Returns:
        The page, with each block indented and quoted as its last line is.
    """
    lines, endings = split_lines(text)
    for first, last, block in sorted(blocks, reverse=True):
        prefix = split_prefix(lines[last - 1])[0]
        new = ["", *block.splitlines(), ""]
        lines[first - 1 : last] = [f"{prefix}{line}" if line else prefix.rstrip() for line in new]
        if last < first:
            endings[last - 1] = endings[last - 1] or "\n"
        endings[first - 1 : last] = ["\n"] * len(new)
    return "".join(itertools.chain.from_iterable(zip(lines, endings, strict=True)))
