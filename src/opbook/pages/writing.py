"""Writes pages into a folder, with the styles and scripts that they need, for any site generator to take."""

import base64
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from opbook.errors import OpbookError
from opbook.examples.files import replacing
from opbook.pages.machine import inventory
from opbook.pages.python_in_page import fetched
from opbook.pages.site import Site
from opbook.pages.site_options import ASSETS, SiteOptions

STYLES = ("opbook.css", "opbook-play.css", "opbook-tape.css", "opbook-touch.css")
SCRIPTS = (
    "opbook-access.js",
    "opbook-parts.js",
    "opbook-play.js",
    "opbook-table.js",
    "opbook-tape.js",
    "opbook-touch.js",
)

SEARCH_SCRIPT = "opbook-search.js"
"""What finds pages, where a site has an index for it; the adapter for MkDocs writes one."""

MARKDOWN_EXTENSIONS: dict[str, dict[str, Any]] = {
    "attr_list": {},
    "def_list": {},
    "md_in_html": {},
    "tables": {},
    "pymdownx.highlight": {"pygments_lang_class": True},
    "pymdownx.superfences": {},
    "pymdownx.tabbed": {"alternate_style": True},
    "opbook.pages.formulas": {},
}
"""What the pages are written with, and the options that they count on."""

MARK = ".written-by-opbook"
"""An empty file in a folder that was written: what stands there may be replaced."""


class WritingError(OpbookError):
    """A folder that pages can't be written to."""


def assets() -> Iterator[tuple[str, Path]]:
    """The styles, scripts and fonts, each with its address from the root of the docs."""
    folder = Path(__file__).parent / "assets"
    for path in sorted(folder.rglob("*.*")):
        yield f"{ASSETS}/{path.relative_to(folder).as_posix()}", path


def write(site: Site, options: SiteOptions, target: Path) -> None:
    """Write a site's pages.

    Args:
        site: The pages.
        options: What they were made for; the other files of its docs folder are copied.
        target: The folder. What an earlier call has written there goes.

    Raises:
        WritingError: The folder holds something else.
    """
    if target.is_file() or (target.is_dir() and any(target.iterdir()) and not (target / MARK).is_file()):
        raise WritingError(f"{target} holds what opbook has not written; choose another folder")
    target.parent.mkdir(parents=True, exist_ok=True)
    with replacing(target) as draft:
        if options.docs:
            shutil.copytree(options.docs, draft)
        draft.mkdir(exist_ok=True)
        (draft / MARK).touch()
        for name, text in site.files.items():
            if not (draft / name).exists():  # a site's own llms.txt stays
                _file(draft / name).write_text(text, encoding="utf-8")
        for uri, content in site.binaries.items():
            _file(draft / uri).write_bytes(base64.b64decode(content))
        for uri, path in (*assets(), *fetched(options.playground)):
            if uri not in site.files:
                _file(draft / uri).write_bytes(path.read_bytes())
        (draft / "objects.inv").write_bytes(inventory(site.links, options.name))
        for uri, text in (site.pages | site.documents).items():
            _file(draft / uri).write_text(text, encoding="utf-8")


def _file(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    return path
