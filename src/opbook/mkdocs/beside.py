"""What stands beside the pages of a built site: their Markdown, and pages that lead from other names to builtins."""

import posixpath
from collections.abc import Mapping
from pathlib import Path

from opbook.pages.addresses import between
from opbook.pages.plain import readable
from opbook.pages.redirects import redirect_page


def write_markdown(site: Path, texts: Mapping[str, str]) -> None:
    """Write the Markdown of pages, where their sources stand in the docs, so that links among them hold.

    Args:
        site: The site's folder.
        texts: The text of each page by its address in the docs.
    """
    for uri, text in texts.items():
        path = site / uri
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(readable(text), encoding="utf-8")


def write_redirects(site: Path, redirects: Mapping[str, str], has_folders: bool) -> None:
    """Write a page for each other name of a builtin; one that is there already stays.

    Args:
        site: The site's folder.
        redirects: The address of a builtin's page in the docs, by the address that leads to it.
        has_folders: Whether each page has a folder of its own.
    """
    for uri, target in redirects.items():
        name = posixpath.basename(target).removesuffix(".md")
        there = between(uri, target).removesuffix(".md")
        stem = uri.removesuffix(".md")
        path = site / (f"{stem}/index.html" if has_folders else f"{stem}.html")
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(redirect_page(name, f"../{there}/" if has_folders else f"{there}.html"), encoding="utf-8")
