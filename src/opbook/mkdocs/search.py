"""What the search of a site looks through: titles, other names, a sentence and the sections of each page.

The box is `templates/partials/search.html`, and `opbook-search.js` finds and ranks. Of a page's front matter it knows

    search:
      exclude: true            # leave this page out
      boost: 0.5               # how much more than others it weighs
      words: [sdpa, attention] # other names, which weigh nearly as much as its title
      if_nothing: Write it     # offer this page, in these words, where nothing is found
"""

import html
import json
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.pages import Page

from opbook.mkdocs.head import description

INDEX = "search/opbook-index.js"
"""Where the index goes, from the root of the site. It is a script, so that it loads from a folder as well."""

_HEADING = re.compile(r"<h([1-6])\b([^>]*)>(.*?)</h\1>", re.DOTALL)
_ID = re.compile(r'\bid="([^"]*)"')
_EXCLUDED = re.compile(r"<(div|p|section|ul)\b[^>]*\bdata-search-exclude\b[^>]*>")
_NOT_WORDS = re.compile(
    r'<(svg|math|script|style)\b.*?</\1>|<a\b[^>]*\bclass="headerlink".*?</a>|<[^>]*\bhidden>[^<]*</\w+>'
    r'|<div class="language-(?:python|qu)\b.*?</pre></div>',
    re.DOTALL,
)
_BLOCK = re.compile(r"</?(?:p|li|td|th|tr|div|pre|dt|dd|br|h\d|label|summary)\b[^>]*>")
_TAG = re.compile(r"<[^>]*>")


class SearchIndex:
    """The pages of a site as a search finds them."""

    def __init__(self) -> None:
        self._pages: dict[str, dict[str, Any]] = {}

    def add(self, page: Page) -> None:
        """Take a finished page, unless its front matter says that it should not be found."""
        search = page.meta.get("search")
        options = search if isinstance(search, dict) else {}
        if options.get("exclude"):
            return
        entry: dict[str, Any] = {
            "url": page.url,
            "title": words(str(page.meta.get("title") or page.title or "")),
            "within": [words(str(parent.title)) for parent in [*page.ancestors][::-1]],
            "sentence": description(page),
            "words": [html.unescape(str(name)) for name in options.get("words") or []],
            "boost": options.get("boost", 1),
            "if_nothing": options.get("if_nothing", ""),
            "sections": sections(page.content or ""),
        }
        self._pages[page.url] = {name: value for name, value in entry.items() if name == "url" or value not in ("", [])}

    def write(self, site: Path) -> None:
        """Write the index into a built site.

        Args:
            site: The site's folder.
        """
        pages = [self._pages[url] for url in sorted(self._pages)]
        path = site / INDEX
        path.parent.mkdir(parents=True, exist_ok=True)
        data = json.dumps(pages, ensure_ascii=False, separators=(",", ":"))
        path.write_text(f"window.opbookIndex={data};\n", encoding="utf-8")


def sections(content: str) -> list[list[str]]:
    """Take a page's HTML apart.

    Returns:
        For each heading its anchor, its words, and the text below it; the text before the first one has no anchor. Of a
        section that is left out of the search only the heading is taken, and not even that where all of it is left out.
    """
    before, *parts = _HEADING.split(content)
    found = [["", "", words(_without_excluded(before))]]
    for level, attributes, heading, text in zip(parts[::4], parts[1::4], parts[2::4], parts[3::4], strict=True):
        if 'data-search-exclude="all"' in attributes:
            continue
        anchor = _ID.search(attributes)
        below = "" if "data-search-exclude" in attributes else words(_without_excluded(text))
        if level == "1" or anchor is None:
            found[-1][2] = f"{found[-1][2]} {below}".strip()
        else:
            found.append([anchor[1], words(heading), below])
    return [section for section in found if section[1] or section[2]]


def words(content: str) -> str:
    """The words of some HTML, without code, pictures and formulas."""
    text = _TAG.sub("", _BLOCK.sub(" ", _NOT_WORDS.sub(" ", content)))
    return " ".join(html.unescape(text).split())


def _without_excluded(content: str) -> str:
    """Take away the elements that are marked as not to be searched."""
    while start := _EXCLUDED.search(content):
        depth, end = 0, len(content)
        for tag in re.finditer(rf"<(/?){start[1]}\b[^>]*>", content[start.start() :]):
            depth += -1 if tag[1] else 1
            if depth == 0:
                end = start.start() + tag.end()
                break
        content = content[: start.start()] + content[end:]
    return content
