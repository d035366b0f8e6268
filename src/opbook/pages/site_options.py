"""What pages depend on beside the builtins: the options of the site that they are for."""

from dataclasses import dataclass
from pathlib import Path

from opbook.pages.installing import BY_NAME

ASSETS = "assets/opbook"
"""The folder of styles and scripts, from the root of the docs."""


@dataclass(frozen=True)
class SiteOptions:
    """The options of a site, as its `mkdocs.yml` or the command line gives them.

    Attributes:
        docs: The folder of its own pages; "" where there are only generated ones.
        guides: Those of its pages whose examples are run, as paths.
        put_in: What in an example, beside a snippet's marker, says that the site generator puts other text there. Such
            an example is left until the page is put together; None if nobody looks at it then.
        folder: Where the generated pages go, from the root of the docs.
        plugins: Paths of one-file plugins.
        only: Builtins, categories, plugins or distributions to show; nothing stands for all.
        verify: Whether to run the checks.
        figures: Whether to show figures.
        cache: The file in which what the checks said is kept from build to build, or "".
        directory_urls: Whether each page gets a folder of its own on the site.
        playground: The folder with the files of Python in the page, or "" if the site has none.
        source_url: The address of a line of source, with `{path}` and `{line}` in it, or "".
        install: How a distribution is installed that came by its name, with `{distribution}` in it.
        root: The folder that those paths are counted from.
        name: The site's name.
        description: What it is, in a sentence, or "".
        url: Its address, or "".
    """

    docs: str = ""
    guides: tuple[str, ...] = ()
    put_in: tuple[str, ...] | None = None
    folder: str = "builtins"
    plugins: tuple[str, ...] = ()
    only: tuple[str, ...] = ()
    verify: bool = True
    figures: bool = True
    cache: str = ""
    directory_urls: bool = True
    playground: str = ""
    source_url: str = ""
    install: str = BY_NAME
    root: str = "."
    name: str = "Builtins"
    description: str = ""
    url: str = ""

    def source_link(self, file: Path, line: int = 1) -> str:
        """The address of a line of source; "" if there is none, or the file is not of the project."""
        path, root = file.resolve(), Path(self.root).resolve()
        if not self.source_url or not path.is_relative_to(root):
            return ""
        return self.source_url.format(path=path.relative_to(root).as_posix(), line=line)
