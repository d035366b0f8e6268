"""The site's `objects.inv`, by which other projects link to it."""

import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.pages import Page

from opbook.pages.machine import Link, inventory


def write_inventory(path: Path, links: Iterable[Iterable[str]], project: str) -> None:
    """Add entries to an inventory.

    Args:
        path: The file; it may be there already, written by mkdocstrings.
        links: The entries.
        project: The project's name, if there is no file yet.
    """
    entries: list[Link] = [(name, domain, role, url, text) for name, domain, role, url, text in links]
    if path.is_file():
        *header, body = path.read_bytes().split(b"\n", 4)
        lines = zlib.decompress(body).decode().splitlines()
        entries += [read for line in lines if (read := _read(line))]
        project = header[1].decode().partition(": ")[2]
    if entries:
        path.write_bytes(inventory(entries, project))


def register(config: MkDocsConfig, page: Page, links: Iterable[Iterable[str]]) -> None:
    """Let mkdocstrings find a page's entries, so that other pages can link to them by name.

    Args:
        config: The site's configuration; without mkdocstrings nothing is done.
        page: The page.
        links: The entries of all pages.
    """
    autorefs: Any = config.plugins.get("autorefs")
    if autorefs is None:
        return
    for name, _, _, url, _ in links:
        address, _, anchor = url.partition("#")
        if address == page.url:
            autorefs.register_anchor(page, name, anchor)


def _read(line: str) -> Link | None:
    name, kind, _, url, text = line.split(" ", 4)
    domain, _, role = kind.partition(":")
    return (name, domain, role, url, text) if role else None
