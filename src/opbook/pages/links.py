"""The links of finished pages: those that lead to no page are found, those to builtins that are left out go."""

import html
import posixpath
import re
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from opbook.errors import nearest
from opbook.examples.collection import ENDINGS, EXAMPLES_PAGE
from opbook.examples.example import place
from opbook.pages.markdown import outside_code
from opbook.pages.page import BuiltinPage

_PAGE = rf"[^)#\s]+(?:{'|'.join(map(re.escape, ENDINGS))})(?=[)#\s])"
_TARGET = re.compile(rf"\]\((?!\w+:|/)({_PAGE})(?:#[^)\s]*)?[^)]*\)")
_SCRIPT = re.compile(r"(?:\]\(|\]:|[<=])[\s<\"']*((?:javascript|vbscript)\s*:)", re.IGNORECASE)
_LINK = re.compile(rf"\[([^\[\]]*)\]\(({_PAGE})(?:#[^)\s]*)?\)")


def broken(
    shown: Mapping[str, BuiltinPage], texts: Mapping[str, str], pages: Collection[str], docs: Path
) -> Iterator[str]:
    """Look for links to pages that are not there.

    Args:
        shown: The pages of builtins, by their addresses.
        texts: The Markdown of each.
        pages: The addresses of all pages that there are beside the files of the docs.
        docs: The folder of the docs.

    Yields:
        A message for each link, with the line of the plugin's source that it stands in.
    """
    for uri, page in shown.items():
        folder = posixpath.dirname(uri)
        if script := _SCRIPT.search(html.unescape("".join(outside_code(texts[uri])))):
            yield (
                f"{place(page.origin.path, page.origin.line)}: {page.name} has a link to {script[1]}…, which runs "
                "whatever stands behind it in a reader's browser. Write what it says as text"
            )
        for target in dict.fromkeys(match[1] for part in outside_code(texts[uri]) for match in _TARGET.finditer(part)):
            there = posixpath.normpath(posixpath.join(folder, target))
            if there in pages or (docs / there).is_file():
                continue
            added = next((section.origin for section in page.added_sections if f"]({target}" in section.text), "")
            by = f", in a section added by {added}," if added else ""
            hint = nearest(target, [posixpath.relpath(known, folder) for known in pages])
            yield (
                f"{_place(page, target)}: {page.name}{by} links to {target}, which is no page.{hint} Write the path "
                f"as seen from {folder}/, such as ({posixpath.basename(next(iter(shown)))}) for a builtin"
            )


def _place(page: BuiltinPage, target: str) -> str:
    """The line of the source, or of the plugin's examples, that has the link."""
    origin = page.origin
    for path in (origin.path, origin.path.parent / EXAMPLES_PAGE):
        if path.is_file():
            lines = path.read_text("utf-8", errors="replace").splitlines()
            found = [i for i, line in enumerate(lines, 1) if f"]({target}" in line]
            if found:  # a file may have several builtins: the nearest line is this one's
                return place(path, min(found, key=lambda line: abs(line - origin.line)))
    return place(origin.path, origin.line)


def lacks(text: str, uri: str, pages: Collection[str], folder: str) -> set[str]:
    """The pages outside of a folder that a page links to, and a site has not.

    Args:
        text: The page.
        uri: Its address.
        pages: The addresses of all pages of the site.
        folder: The folder of the generated pages: a link within it is held to be meant for this site.
    """
    here = posixpath.dirname(uri)
    linked = {posixpath.normpath(posixpath.join(here, link[2])) for link in _LINK.finditer(text)}
    return {there for there in linked if there not in pages and not there.startswith(f"{folder}/")}


def without(text: str, uri: str, left_out: Collection[str]) -> str:
    """Make plain text of the links to pages that a site leaves out, in the page at an address."""
    if not left_out:
        return text
    folder = posixpath.dirname(uri)

    def kept(link: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(folder, link[2]))
        return link[1] if target in left_out else link[0]

    return _LINK.sub(kept, text)
