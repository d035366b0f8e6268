"""The plugin itself: a thin adapter that lets MkDocs serve the pages of `opbook.pages`."""

import base64
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.livereload import LiveReloadServer
from mkdocs.plugins import BasePlugin, CombinedEvent, event_priority
from mkdocs.structure.files import File, Files, InclusionLevel
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page
from pathspec import PathSpec

from opbook.examples.collection import read
from opbook.mkdocs.beside import write_markdown, write_redirects
from opbook.mkdocs.checking import FinalCheck, Known, put_in
from opbook.mkdocs.final import EXTENSION, without_plain_tokens
from opbook.mkdocs.former import FormerSite
from opbook.mkdocs.head import describe, with_tags
from opbook.mkdocs.inventory import register, write_inventory
from opbook.mkdocs.languages import generated, is_translation
from opbook.mkdocs.navigation import section_of, splice, with_index
from opbook.mkdocs.notice import Notice
from opbook.mkdocs.options import OpbookConfig
from opbook.mkdocs.playground import Playground, is_private
from opbook.mkdocs.progress import doing
from opbook.mkdocs.rebuilding import rebuilding
from opbook.mkdocs.search import SearchIndex
from opbook.mkdocs.worker import ask, refuse
from opbook.pages.formulas import EXTENSION as FORMULAS
from opbook.pages.formulas import formula_place
from opbook.pages.python_in_page import fetched
from opbook.pages.site import Site
from opbook.pages.site_options import ASSETS, SiteOptions
from opbook.pages.writing import MARKDOWN_EXTENSIONS, SCRIPTS, SEARCH_SCRIPT, STYLES, assets
from opbook.playground.files import FOLDER, missing

TEMPLATES = Path(__file__).parent / "templates"
"""Parts of the theme Material that this plugin has its own way of."""

SEARCHES = ("search", "material/search")
"""The plugins that a theme shows a search box for."""

CACHE = Path(".cache", "opbook", "verification.json")
"""Where it is kept what the checks said, from where `mkdocs.yml` is; not watched."""

GUIDES = "Guides"
"""What the guides of plugins are called where the navigation has no place for them."""


@event_priority(-200)
def _note_progress(plugin: Any, context: Any, /, page: Page, **_: Any) -> Any:
    doing(f"writing {page.file.src_uri}")
    return context


class OpbookPlugin(BasePlugin[OpbookConfig]):
    """Adds an index of builtins and a page for each, with examples that the build has run."""

    def __init__(self) -> None:
        self._former = FormerSite()
        self._empties = self._is_built = False
        self._begin()

    def _begin(self) -> None:
        """Know nothing of any page. MkDocs keeps a plugin with `on_startup` while it serves, from build to build."""
        self._site = Site()
        self._options: SiteOptions | None = None
        self._check = FinalCheck()
        self._search = SearchIndex()
        self._has_search = False
        self._markdown: dict[str, str] = {}  # the text of pages, by their addresses in the docs
        self._page: Page | None = None  # the one that Markdown is converting

    def on_startup(self, *, command: str, dirty: bool) -> None:
        """Note down whether MkDocs is going to empty the folder of a site that is to stay if the build fails."""
        self._empties = command == "build" and not dirty

    def on_pre_build(self, config: MkDocsConfig) -> None:
        """Move the site that is there aside, before MkDocs empties its folder."""
        if self._empties:
            self._former.take(Path(config.site_dir))
            self._empties = False  # further languages are builds of their own, into the same folder

    def on_build_error(self, *, error: Exception) -> None:
        """Put the site back that was there."""
        self._former.put_back()

    def on_shutdown(self) -> None:
        """Let go of the site that was there, unless Ctrl-C has stopped the build."""
        if self._is_built:
            self._former.forget()
        self._former.put_back()

    def on_config(self, config: MkDocsConfig) -> MkDocsConfig:
        """Add what the generated pages need to the site's configuration."""
        for name, options in MARKDOWN_EXTENSIONS.items():
            if name not in config.markdown_extensions:
                config.markdown_extensions.append(name)
            config.mdx_configs[name] = options | (config.mdx_configs.get(name) or {})
        if EXTENSION not in config.markdown_extensions:
            config.markdown_extensions.append(EXTENSION)
        config.mdx_configs[EXTENSION] = {"take": self._check.taker()}
        config.mdx_configs[FORMULAS] = {"failed": self._refuse_formula}
        # in front, so that the site's own styles have the last word
        config.extra_css[:0] = [f"{ASSETS}/{name}" for name in STYLES]
        config.extra_javascript[:0] = [f"{ASSETS}/{name}" for name in SCRIPTS]
        is_material = config.theme.name == "material"
        self._has_search = is_material and self.config.search and any(name in config.plugins for name in SEARCHES)
        if self._has_search:
            # behind the site's own templates, before the theme's
            config.theme.dirs.insert(1 if config.theme.custom_dir else 0, str(TEMPLATES))
            config.extra_javascript.append(f"{ASSETS}/{SEARCH_SCRIPT}")
        return config

    @event_priority(-75)  # behind those that add and remove pages, before the one that sorts them by language
    def on_files(self, files: Files, config: MkDocsConfig) -> Files:
        """Make the pages, and add them with the styles and scripts that they need."""
        self._make([file for file in files.documentation_pages() if self._is_made_with_builtins(file, config)], config)
        for uri, text in self._site.pages.items():
            if files.get_file_from_path(uri) is not None:
                raise PluginError(
                    f"opbook: {Path(config.docs_dir, uri)} is where a generated page goes: rename it, or set the "
                    "plugin's option index to another folder"
                )
            inclusion = InclusionLevel.NOT_IN_NAV if uri in self._site.unlisted else InclusionLevel.INCLUDED
            files.append(generated(config, uri, text, inclusion))
        for uri, text in self._site.files.items():
            if files.get_file_from_path(uri) is None:  # a site's own `llms.txt` stays
                files.append(generated(config, uri, text))
        for uri, content in self._site.binaries.items():
            files.append(File.generated(config, uri, content=base64.b64decode(content)))
        for uri, path in (*assets(), *fetched(self._fetched(config))):
            if uri not in self._site.files:
                files.append(File.generated(config, uri, abs_src_path=str(path)))
        if config.nav is not None:
            section, guides = section_of(self._site.nav), section_of(self._site.guides)
            nav, placed = splice(config.nav, f"{self.config.folder()}/guides", guides)
            if guides and not placed:
                section.append({GUIDES: guides})
            config.nav = with_index(nav, self.config.folder(), section)
        return files

    def on_nav(self, nav: Navigation, config: MkDocsConfig, files: Files) -> Navigation:
        """Put pages that the navigation does not list below the section that leads to them."""
        for uri, beside in self._site.unlisted.items():
            file, listed = files.get_file_from_path(uri), files.get_file_from_path(beside)
            if file and file.page and listed and listed.page:
                file.page.parent = listed.page.parent
        return nav

    def on_page_read_source(self, page: Page, config: MkDocsConfig) -> str | None:
        """Read a page as `opbook.pages` has finished it.

        Returns:
            The page's source; None leaves it to MkDocs to read it.
        """
        doing(f"reading {page.file.src_uri}")
        uri, site = page.file.src_uri, self._site
        if uri in site.pages or uri in site.sources:
            page.edit_url = site.sources.get(uri)
        return site.pages.get(uri) or site.documents.get(uri)

    @event_priority(-1000)
    def on_page_markdown(self, markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
        """Announce that the page's text is ready; Markdown converts it next."""
        self._page = page
        self._markdown[page.file.src_uri] = markdown
        if page.file.src_uri in self._site.pages or self._is_guide(page.file):
            self._check.announce(self._known(page.file, config))
        return markdown

    def _finish(self, html: str, /, page: Page, config: MkDocsConfig, files: Files) -> str:
        """Take away what no reader sees, and tell mkdocstrings where builtins are."""
        register(config, page, self._site.links)
        return without_plain_tokens(html)

    @event_priority(-1000)
    def _look_at(self, html: str, /, page: Page, config: MkDocsConfig, files: Files) -> str:
        self._check.finished(html)
        return html

    on_page_content = CombinedEvent(_finish, _look_at)

    def on_env(self, env: Any, config: MkDocsConfig, files: Files) -> Any:
        """Run what snippets, macros, included files and hooks have put into pages, before any page is written."""
        check = self._check
        if check.pages and self._options:
            doing("running examples of pages that were put together")
            check.failures += ask(asdict(self._options), str(_home(config)), check.pages).failures
        refuse(check.failures)
        check.pages.clear()
        return env

    def _index(self, context: Any, /, page: Page, **_: Any) -> Any:
        if self._has_search:
            self._search.add(page)
            page.meta["search"] = {"exclude": True}  # the theme's own index is not needed
        return context

    on_page_context = CombinedEvent(event_priority(100)(describe), event_priority(90)(_index), _note_progress)

    def on_post_page(self, output: str, /, page: Page, config: MkDocsConfig) -> str:
        """Put into the head of a page what networks show of a link to it, and where its Markdown is."""
        return with_tags(output, page, config)

    def on_post_build(self, config: MkDocsConfig) -> None:
        """Write what stands beside the pages: the inventory of links, the search's index, Markdown and redirects."""
        site = Path(config.site_dir)
        write_inventory(site / "objects.inv", self._site.links, config.site_name)
        if self._has_search:
            self._search.write(site)
        write_markdown(site, self._markdown)
        write_redirects(site, self._site.redirects, config.use_directory_urls)
        self._is_built = True

    def on_serve(self, server: LiveReloadServer, config: MkDocsConfig, builder: Callable[[], None]) -> LiveReloadServer:
        """Watch the source of the plugins and of opbook, but nothing that was installed for good.

        After a rebuild that fails because of an example, pages say why and are what they were.
        """
        for path in self._site.watch:
            if not {"site-packages", "dist-packages"} & set(Path(path).parts):
                server.watch(path)

        def build_again() -> None:
            self._begin()
            builder()

        notice = Notice(server.serve_request)
        server.set_app(notice)
        server.builder = rebuild = rebuilding(notice, build_again, Path(config.site_dir))
        if is_private(config):
            playground = Playground(notice, config.dev_addr.port, _home(config), self.config.plugins)
            server.set_app(playground)
            server.builder = playground.renewed_by(rebuild)
        return server

    def _make(self, guides: list[File], config: MkDocsConfig) -> None:
        """Make the pages, unless this build has made them: with several languages, MkDocs builds several times."""
        options = SiteOptions(
            docs=config.docs_dir,
            guides=tuple(sorted(str(file.abs_src_path) for file in guides)),
            put_in=put_in(config),
            folder=self.config.folder(),
            plugins=tuple(self.config.plugins),
            only=tuple(self.config.only),
            verify=self.config.verify,
            figures=self.config.figures,
            cache=str(_home(config) / CACHE),
            playground=self._fetched(config),
            directory_urls=config.use_directory_urls,
            source_url=self.config.checked_source_url(),
            install=self.config.checked_install(),
            name=config.site_name or SiteOptions.name,
            description=config.site_description or "",
            url=config.site_url or "",
        )
        if options == self._options:
            return
        doing("running examples and checks")
        self._site = ask(asdict(options), str(_home(config)))
        refuse(self._site.failures)
        self._options = options
        self._check.put_in = options.put_in or ()

    def _refuse_formula(self, latex: str, reason: str) -> None:
        """Note down where a formula stands that can't be set."""
        assert self._page is not None
        file = self._page.file
        written = self._site.prose.get(file.src_uri) or [file.abs_src_path or ""]
        where = formula_place(latex, map(Path, written)) or f"{file.src_uri}"
        self._check.failures.append(
            f"{where}: the formula ${latex}$ can't be set: {reason}. Write it with LaTeX's usual commands for formulas"
        )

    def _fetched(self, config: MkDocsConfig) -> str:
        """The folder with the files of Python in the page; "" if the site is to have none, or one is not there."""
        folder = _home(config) / FOLDER
        return "" if not self.config.playground or missing(folder) else str(folder)

    def _known(self, file: File, config: MkDocsConfig) -> Known:
        uri, site = file.src_uri, self._site
        if uri in site.pages:
            return Known(f"{uri} (made by opbook)", "", site.pages[uri])
        if file.generated_by or not Path(config.docs_dir, uri).is_file():
            return Known(f"{uri} (made by {file.generated_by or 'a plugin'})", "", "")
        path = Path(config.docs_dir, uri)
        text = read(path)
        was_run = self._options is not None and str(path) in self._options.guides
        return Known(str(path), text, (site.documents.get(uri) or text) if was_run else "")

    def _is_made_with_builtins(self, file: File, config: MkDocsConfig) -> bool:
        """Whether examples of a page are run, and shown at builtins, before it is put together; others are run then."""
        is_of_project = file.generated_by is None and file.src_dir == config.docs_dir
        return is_of_project and self._is_guide(file) and not is_translation(file.src_uri, config)

    def _is_guide(self, file: File) -> bool:
        if file.inclusion.is_excluded():
            return False
        patterns = PathSpec.from_lines("gitignore", [f"/{pattern}" for pattern in self.config.guides])
        return patterns.match_file(file.src_uri)


def _home(config: MkDocsConfig) -> Path:
    return Path(config.config_file_path).resolve().parent if config.config_file_path else Path.cwd()
