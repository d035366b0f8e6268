"""On our site, the index filters by the names that libraries have for builtins, and the search has them."""

import html
import json
import re

from ops.library_names import NAMES
from site_projects import Project

from opbook.plugins.catalogue import catalogue

SEPARATOR = re.compile(r"""[\s\-,.:;=!?()\[\]{}"`/@*+<>]+""")
"""At which the search takes a text apart."""

LINK = re.compile(r'href="([a-z]\w*)/"')


def names(builtin: str) -> list[str]:
    return [*NAMES[builtin], *catalogue()[builtin].aliases]


def test_the_index_filters_by_every_name(ours: Project) -> None:
    rows = re.findall(r"<tr>.*?</tr>", ours.page("builtins"), re.DOTALL)
    text = {
        match[1]: html.unescape(re.sub(r"<[^>]+>", " ", row)).lower() for row in rows if (match := LINK.search(row))
    }
    assert set(text) == set(NAMES)
    for builtin in NAMES:
        missing = [name for name in names(builtin) if not all(word in text[builtin] for word in name.lower().split())]
        assert not missing, builtin


def test_the_search_has_every_name(ours: Project) -> None:
    script = (ours.site / "search" / "opbook-index.js").read_text("utf-8")
    found = json.loads(script.removeprefix("window.opbookIndex=").removesuffix(";\n"))
    pages = {page["url"]: page for page in found}
    for builtin in NAMES:
        page = pages[f"builtins/{builtin}/"]
        texts = [page["title"], *page.get("words", []), *(" ".join(section[1:]) for section in page["sections"])]
        known = set(SEPARATOR.split(" ".join(texts).lower()))
        wanted = {word for name in names(builtin) for word in SEPARATOR.split(name.lower()) if word}
        # a search completes what was typed, so the beginning of a word is enough
        missing = {word for word in wanted if not any(other.startswith(word) for other in known)}
        assert not missing, builtin
