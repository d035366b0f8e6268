"""Pages of a site that shows only some builtins: links to the others become plain text."""

import posixpath
import re
from collections.abc import Collection

_LINK = re.compile(r"\[([^\[\]]*)\]\(([^)#\s]+\.md)(?:#[^)\s]*)?\)")


def without_links(markdown: str, uri: str, left_out: Collection[str]) -> str:
    """Take the links to some pages away.

    Args:
        markdown: A page.
        uri: Its address from the root of the docs.
        left_out: The addresses of the pages that are not there.

    Returns:
        The page, with the texts of those links in their places.
    """
    if not left_out:
        return markdown
    folder = posixpath.dirname(uri)

    def kept(link: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(folder, link[2]))
        return link[1] if target in left_out else link[0]

    return _LINK.sub(kept, markdown)
