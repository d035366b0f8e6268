"""Other names of builtins as addresses: who types `/builtins/layernorm/` should get to `layer_norm`."""

import re
from collections import defaultdict

from opbook.pages.addresses import Addresses
from opbook.pages.markdown import other_names
from opbook.pages.page import Book

_TOO_SHORT = 2
_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>{name}</title>
<meta name="robots" content="noindex">
<link rel="canonical" href="{target}">
<meta http-equiv="refresh" content="0; url={target}">
</head>
<body><p>This page is called <a href="{target}">{name}</a>.</p></body>
</html>
"""


def redirects(book: Book, addresses: Addresses) -> dict[str, str]:
    """Find names that lead to one builtin only.

    Returns:
        The address of each such builtin's page in the docs, by the address that a page of that other name would have.
    """
    found: dict[str, set[str]] = defaultdict(set)
    for page in book.pages.values():
        for name in other_names(page):
            for spelling in _spellings(name):
                found[f"{addresses.folder}/{spelling}.md"].add(addresses.builtins[page.name])
    taken = {
        uri.lower()
        for group in (addresses.builtins, addresses.categories, addresses.groups)
        for uri in (addresses.index, addresses.letters, *group.values())
    }
    return {uri: min(targets) for uri, targets in sorted(found.items()) if len(targets) == 1 and uri not in taken}


def _spellings(name: str) -> set[str]:
    """A name as people write it in an address: `layer-normalization`, `layer_normalization`, `layernormalization`."""
    words = re.findall(r"[a-z0-9]+", name.rpartition(".")[2].lower())
    spelt = {separator.join(words) for separator in ("-", "_", "")}
    return {one for one in spelt if len(one) >= _TOO_SHORT and one not in ("index", "category", "plugin", "guides")}


def redirect_page(name: str, target: str) -> str:
    """The HTML that leads to another page at once.

    Args:
        name: What that page is called.
        target: Its address, as seen from here.
    """
    return _PAGE.format(name=name, target=target)
