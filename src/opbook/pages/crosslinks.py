"""Finds links in the texts of builtins that lead to no page, before the site is touched."""

import posixpath
import re
from collections.abc import Collection, Iterator
from pathlib import Path

from opbook.errors import nearest
from opbook.examples.example import place
from opbook.pages.addresses import Addresses
from opbook.pages.gathering import page_of
from opbook.pages.model import Book, BuiltinPage, Failure

_LINK = re.compile(r"\]\((?!\w+:|/)([^)#\s]+\.md)(?:#[^)\s]*)?[^)]*\)")


def broken(
    book: Book, addresses: Addresses, docs: Path, pages: Collection[str], left_out: Collection[str]
) -> list[Failure]:
    """Look for links to pages that are not there.

    Args:
        book: The pages.
        addresses: Where they are.
        docs: The folder of the docs.
        pages: The addresses of all generated pages.
        left_out: The addresses of builtins that this site does not show.

    Returns:
        A failure for each link, with the line that it stands in.
    """
    failures = []
    for page in book.pages.values():
        folder = posixpath.dirname(addresses.builtins[page.name])
        for target in _targets(page):
            uri = posixpath.normpath(posixpath.join(folder, target))
            if uri in pages or uri in left_out or (docs / uri).is_file():
                continue
            path, line = _where(page, target)
            added = next((section.origin for section in page.added_sections if f"]({target}" in section.text), "")
            by = f", in a section added by {added}," if added else ""
            names = [posixpath.relpath(known, folder) for known in pages]
            failures.append(
                Failure(
                    path,
                    line,
                    f"{place(path, line)}: {page.name}{by} links to {target}, which is no page."
                    f"{nearest(target, names)} Write the path as seen from {folder}/, "
                    f"such as ({next(iter(book.pages))}.md) for a builtin",
                )
            )
    return failures


def _targets(page: BuiltinPage) -> Iterator[str]:
    texts = [page.description, page.note, page.gradient.note, *page.sections.values()]
    texts += [one.description for call in page.calls for one in call.inputs]
    texts += [call.output.description for call in page.calls]
    texts += [example.text for example in page.examples]
    texts += [section.text for section in page.added_sections]
    yield from dict.fromkeys(match[1] for text in texts for match in _LINK.finditer(text))


def _where(page: BuiltinPage, target: str) -> tuple[Path, int]:
    """The line of the source, or of the plugin's examples, that has the link."""
    origin = page.origin
    for path in (origin.path, page_of(str(origin.path))):
        if path.is_file():
            lines = path.read_text("utf-8", errors="replace").splitlines()
            found = [i for i, line in enumerate(lines, 1) if f"]({target}" in line]
            if found:  # a file may have several builtins: the nearest line is this one's
                return path, min(found, key=lambda line: abs(line - origin.line))
    return origin.path, origin.line
