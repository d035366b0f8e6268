"""The plugin itself: a thin adapter between MkDocs and `opbook.pages`."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mkdocs.config import config_options as c
from mkdocs.config.base import Config
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import Abort, PluginError
from mkdocs.livereload import LiveReloadServer
from mkdocs.plugins import BasePlugin
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from opbook.mkdocs.asking import PagesError, ask, log
from opbook.mkdocs.navigation import fill, section_of

ASSETS = Path(__file__).parent / "assets"
SITE_ASSETS = "assets/opbook"

MARKDOWN_EXTENSIONS: dict[str, dict[str, Any]] = {
    "attr_list": {},
    "def_list": {},
    "md_in_html": {},
    "pymdownx.highlight": {"pygments_lang_class": True},
    "pymdownx.superfences": {},
    "pymdownx.arithmatex": {"generic": True},
}
"""What the generated pages are written with, and the options that they count on where the site sets no others."""

_FRAGMENT = re.compile(r"^<!-- opbook: ([\w-]+) -->[ \t]*$", re.MULTILINE)


class OpbookConfig(Config):
    """The plugin's options in `mkdocs.yml`."""

    plugins = c.ListOfItems(c.File(exists=True), default=[])
    """One-file plugins whose builtins are shown as well, as paths from where `mkdocs.yml` is."""

    guides = c.ListOfItems(c.Type(str), default=["**/*.md"])
    """Patterns of the pages whose examples are run and shown at builtins, from the docs folder on."""

    verify = c.Type(bool, default=True)
    """Whether the build runs the checks of every builtin and shows on its page what they said."""

    index = c.Type(str, default="builtins/")
    """The folder of the generated pages; an entry of that name in `nav` is where they are shown."""


class OpbookPlugin(BasePlugin[OpbookConfig]):
    """Adds an index of builtins and a page for each, with examples that the build has run."""

    def __init__(self) -> None:
        self._answer: dict[str, Any] = {}

    def on_config(self, config: MkDocsConfig) -> MkDocsConfig:
        """Add what the generated pages need to the site's configuration.

        Args:
            config: The site's configuration.

        Returns:
            The same.
        """
        for name, options in MARKDOWN_EXTENSIONS.items():
            if name not in config.markdown_extensions:
                config.markdown_extensions.append(name)
            config.mdx_configs[name] = options | (config.mdx_configs.get(name) or {})
        # in front, so that the site's own styles have the last word
        config.extra_css.insert(0, f"{SITE_ASSETS}/opbook.css")
        config.extra_javascript.insert(0, f"{SITE_ASSETS}/opbook.js")
        return config

    def on_pre_build(self, config: MkDocsConfig) -> None:
        """Make the pages, before MkDocs empties the site's folder: a failing example leaves the old site as it was.

        Args:
            config: The site's configuration.
        """
        docs = Path(config.docs_dir)
        guides = self._guides(docs, config)
        self._answer = ask(
            {
                "plugins": self.config.plugins,
                "docs": str(docs),
                "guides": [str(path) for path in guides],
                "folder": self._folder(),
                "autodoc": "mkdocstrings" in config.plugins,
                "verify": self.config.verify,
                "known": _verified.get(config.config_file_path),
                "fragments": sorted({name for path in docs.rglob("*.md") for name in _fragments_in(path)}),
            },
            str(Path(config.config_file_path).parent) if config.config_file_path else ".",
        )
        _verified[config.config_file_path] = self._answer["verification"]

    def on_files(self, files: Files, config: MkDocsConfig) -> Files:
        """Add the pages, and the styles and scripts that they need.

        Args:
            files: The site's files.
            config: The site's configuration.

        Returns:
            The same files and ours.
        """
        for uri, text in self._answer["pages"].items():
            if files.get_file_from_path(uri) is not None:
                raise PluginError(
                    f"opbook: {Path(config.docs_dir, uri)} is where a generated page goes: rename it, or set the "
                    "plugin's option index to another folder"
                )
            files.append(File.generated(config, uri, content=text))
        for path in sorted(ASSETS.rglob("*.*")):
            uri = f"{SITE_ASSETS}/{path.relative_to(ASSETS).as_posix()}"
            files.append(File.generated(config, uri, abs_src_path=str(path)))
        if config.nav is not None:
            section = section_of(self._answer["index"], self._answer["nav"])
            config.nav = fill(config.nav, self._folder(), section)
        return files

    def on_page_markdown(self, markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
        """Replace the comments that ask for a reference text.

        Args:
            markdown: The page.
            page: What MkDocs knows of it.
            config: The site's configuration.
            files: The site's files.

        Returns:
            The page with the texts.
        """
        fragments = self._answer["fragments"]
        return _FRAGMENT.sub(lambda match: fragments.get(match[1], match[0]), markdown)

    def on_serve(self, server: LiveReloadServer, config: MkDocsConfig, builder: Callable[[], None]) -> LiveReloadServer:
        """Watch the source of the plugins and of opbook, but nothing that was installed for good.

        A rebuild that fails before anything was touched is forgotten, where MkDocs would stop answering.

        Args:
            server: The server.
            config: The site's configuration.
            builder: What rebuilds the site.

        Returns:
            The same server.
        """
        for path in self._answer["watch"]:
            if not {"site-packages", "dist-packages"} & set(Path(path).parts):
                server.watch(path)

        def rebuild() -> None:
            try:
                builder()
            except Abort as error:
                if not isinstance(error.__context__, PagesError):
                    raise
                log.info("the site stays as it was until the next change")

        server.builder = rebuild
        return server

    def _folder(self) -> str:
        folder = self.config.index.strip("/")
        if not folder or ".." in folder.split("/"):
            raise PluginError(f"opbook: the option index must name a folder in the docs, but is {self.config.index!r}")
        return folder

    def _guides(self, docs: Path, config: MkDocsConfig) -> list[Path]:
        found = {path for pattern in self.config.guides for path in docs.glob(pattern) if path.suffix == ".md"}
        excluded = config.exclude_docs
        kept = (path for path in found if not (excluded and excluded.match_file(path.relative_to(docs).as_posix())))
        return sorted(kept)


_verified: dict[str | None, Any] = {}
"""What the checks said in this process's last build of each site: `serve` makes a new plugin for every build."""


def _fragments_in(path: Path) -> list[str]:
    return _FRAGMENT.findall(path.read_text("utf-8", errors="replace"))
