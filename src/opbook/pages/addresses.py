"""Where the pages of a book go, and how one of them points at another."""

import posixpath
import re
from collections.abc import Iterable

from opbook.pages.page import Book

_RESERVED = {"index", "readme"}


class Addresses:
    """The addresses of a book's pages, from the root of the docs on.

    Attributes:
        folder: The folder of all of them.
        index: The index.
        letters: The list from A to Z.
        builtins: The page of each builtin.
        categories: The page of each category.
        groups: The page of each distribution, or plugin of a single file.
    """

    def __init__(self, book: Book, folder: str, directory_urls: bool = True) -> None:
        self.folder = folder
        self.index = f"{folder}/index.md"
        self.letters = f"{folder}/a-z.md"
        self.builtins = {name: self.builtin(name) for name in book.pages}
        self.categories = {name: f"{folder}/category/{slug}.md" for name, slug in slugs(book.categories()).items()}
        self.groups = {name: f"{folder}/plugin/{slug}.md" for name, slug in slugs(book.groups()).items()}
        self._directory_urls = directory_urls

    def builtin(self, name: str) -> str:
        """Where a builtin's page is, or would be if the book had it; one called `index` leaves the index its place."""
        return f"{self.folder}/{name}.md" if name.lower() not in _RESERVED else f"{self.folder}/{name}-builtin.md"

    def url(self, uri: str) -> str:
        """Where a page is on the built site: `builtins/relu/` for `builtins/relu.md`."""
        stem = uri.removesuffix(".md")
        if posixpath.basename(stem) in ("index", "README"):
            parent = posixpath.dirname(stem)
            return (f"{parent}/" if parent else "") if self._directory_urls else posixpath.join(parent, "index.html")
        return f"{stem}/" if self._directory_urls else f"{stem}.html"


def between(here: str, there: str) -> str:
    """The relative path from one page among the docs to another."""
    return posixpath.relpath(there, posixpath.dirname(here) or ".")


def slugs(names: Iterable[str]) -> dict[str, str]:
    """Make names fit to be those of files, each another: `convolution-pooling` for `Convolution & pooling`."""
    found: dict[str, str] = {}
    for name in names:
        slug = "-".join(re.findall(r"\w+", name.lower())) or "category"
        while slug in found.values() or slug in _RESERVED:
            slug += "-"
        found[name] = slug
    return found
