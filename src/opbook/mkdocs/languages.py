"""Sites in several languages, as the plugin mkdocs-static-i18n makes them: it builds a site once for each language."""

from pathlib import Path, PurePosixPath

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, InclusionLevel

_PLUGIN = "i18n"


def is_translation(uri: str, config: MkDocsConfig) -> bool:
    """Tell whether a page is in another language than the site's first one.

    Such a page is not there when the site is built in the first language, so no builtin's page can link to it.

    Args:
        uri: The page's address in the docs.
        config: The site's configuration.
    """
    plugin = config.plugins.get(_PLUGIN)
    if plugin is None:
        return False
    path = PurePosixPath(uri)
    word = path.parts[0] if plugin.config.docs_structure == "folder" else PurePosixPath(path.stem).suffix[1:]
    return word in plugin.all_languages and word != plugin.default_language


def generated(config: MkDocsConfig, uri: str, text: str, inclusion: InclusionLevel = InclusionLevel.UNDEFINED) -> File:
    """Make a file that is in memory only, also where there are several languages.

    Args:
        config: The site's configuration.
        uri: Its address in the docs.
        text: Its content.
        inclusion: Whether it is in the navigation.
    """
    file = File.generated(config, uri, content=text, inclusion=inclusion)
    if _PLUGIN in config.plugins:  # it asks each file for its path, and puts pages below the docs into every language
        file.abs_src_path = str(Path(config.docs_dir, uri)) if file.is_documentation_page() else uri
    return file
