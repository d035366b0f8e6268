"""The options of the plugin in `mkdocs.yml`."""

from mkdocs.config import config_options as c
from mkdocs.config.base import Config
from mkdocs.exceptions import PluginError

from opbook.pages.installing import BY_NAME


class OpbookConfig(Config):
    """The plugin's options in `mkdocs.yml`."""

    only = c.ListOfItems(c.Type(str), default=[])
    """Builtins, categories, plugins or distributions: only these get pages. An author's `serve` is quick with it."""

    plugins = c.ListOfItems(c.File(exists=True), default=[])
    """One-file plugins whose builtins are shown as well, as paths from where `mkdocs.yml` is."""

    guides = c.ListOfItems(c.Type(str), default=["**"])
    """Patterns of the pages whose examples are run and shown at builtins, from the docs folder on."""

    verify = c.Type(bool, default=True)
    """Whether the build runs the checks of every builtin and shows on its page what they said."""

    figures = c.Type(bool, default=True)
    """Whether the figures that examples draw are shown, on the pages of builtins and in the guides."""

    playground = c.Type(bool, default=True)
    """Whether pages can run Python and the notation by themselves, where `opbook playground fetch` was run."""

    source_url = c.Type(str, default="")
    """Where a line of the project's source can be seen, with `{path}` and `{line}` in it."""

    search = c.Type(bool, default=True)
    """Whether the search box of Material is the one that knows builtins; other themes keep theirs."""

    install = c.Type(str, default=BY_NAME)
    """How a reader installs a distribution that came by its name, with `{distribution}` in it."""

    index = c.Type(str, default="builtins/")
    """The folder of the generated pages; an entry of that name in `nav` is where they are shown."""

    def folder(self) -> str:
        """The folder of the generated pages."""
        folder = self.index.strip("/")
        if not folder or ".." in folder.split("/"):
            raise PluginError(f"opbook: the option index must name a folder in the docs, but is {self.index!r}")
        return folder

    def checked_install(self) -> str:
        """How a distribution is installed, with a place for its name."""
        line: str = self.install
        if "{distribution}" not in line:
            raise PluginError(f"opbook: the option install must have {{distribution}} in it, but is {line!r}")
        return line

    def checked_source_url(self) -> str:
        """Where a line of source can be seen, with no other braces than those of its path and line."""
        url: str = self.source_url
        try:
            url.format(path="", line=1)
        except (IndexError, KeyError, ValueError):
            raise PluginError(
                f"opbook: the option source_url may have {{path}} and {{line}} in it, no other braces, but is {url!r}"
            ) from None
        return url
