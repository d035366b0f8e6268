"""The MkDocs plugin `opbook`, which serves the pages of `opbook.pages`, and MkDocs driven from Python.

May import MkDocs and all rooms below; needs the extra `opbook[site]`.
"""

from typing import TYPE_CHECKING, Any

from opbook.mkdocs.driver import SiteError, build, serve

if TYPE_CHECKING:
    from opbook.mkdocs.plugin import OpbookPlugin

__all__ = ["OpbookPlugin", "SiteError", "build", "serve"]


def __getattr__(name: str) -> Any:
    # The plugin is imported when MkDocs asks for it: without MkDocs, `build` can still say what to install.
    if name == "OpbookPlugin":
        from opbook.mkdocs.plugin import OpbookPlugin

        return OpbookPlugin
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
