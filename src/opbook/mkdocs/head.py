"""What a page says of itself in its head: a sentence, its Markdown, and what networks show of a link to it."""

import html
import re
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.pages import Page
from mkdocs.utils import get_relative_url

_ASIDE = re.compile(r"<em>[^<]*(?:<(?!/em>)[^<]*)*</em>")
"""A paragraph that is all emphasis, such as how long a chapter takes, says nothing of its subject."""

_PARAGRAPH = re.compile(r"<p>(.*?)</p>", re.DOTALL)
_TAG = re.compile(r"<[^>]*>")
_DRAWN = re.compile(r"<(svg|math)\b.*?</\1>", re.DOTALL)
_SENTENCE = re.compile(r".+?(?:[.!?](?=\s+[A-Z`\"(])|$)")
_LENGTH = 200


def description(page: Page) -> str:
    """A sentence about a page: the description of its front matter, or else the first sentence of its text."""
    given = page.meta.get("description")
    if given:
        return html.unescape(str(given))
    for paragraph in _PARAGRAPH.findall(page.content or ""):
        text = " ".join(html.unescape(_TAG.sub("", paragraph)).split())
        if len(text) > 20 and not _DRAWN.search(paragraph) and not _ASIDE.fullmatch(paragraph.strip()):
            return _shortened(_SENTENCE.match(text)[0].rstrip(":"))  # type: ignore[index]
    return ""


def _shortened(text: str) -> str:
    if len(text) <= _LENGTH:
        return text
    return text[:_LENGTH].rpartition(" ")[0].rstrip(",;:") + " …"


def describe(plugin: Any, context: Any, /, page: Page, **_: Any) -> Any:
    """Give a page without a description its first sentence, before a theme writes the head."""
    if sentence := description(page):
        page.meta["description"] = html.escape(sentence)
    return context


def tags(page: Page, config: MkDocsConfig) -> str:
    """Elements for the head of a page: what a network shows of a link to it, and where its Markdown is.

    Args:
        page: The page.
        config: The site's configuration; with an address of the site, links are whole.
    """
    title = config.site_name if page.is_homepage else str(page.meta.get("title") or page.title)
    properties = {
        "og:type": "website" if page.is_homepage else "article",
        "og:site_name": config.site_name,
        "og:title": html.unescape(_TAG.sub("", title)),
        "og:description": html.unescape(str(page.meta.get("description") or config.site_description or "")),
        "og:url": page.canonical_url or "",
    }
    lines = [f'<meta property="{name}" content="{html.escape(value)}">' for name, value in properties.items() if value]
    lines.append('<meta name="twitter:card" content="summary">')
    address = get_relative_url(page.file.src_uri, page.url)
    # a second word in rel, as Material takes what is an alternate and nothing more for a translation
    lines.append(f'<link rel="alternate markdown" type="text/markdown" href="{html.escape(address)}">')
    return "\n".join(lines)


def with_tags(output: str, page: Page, config: MkDocsConfig) -> str:
    """Put these elements into the head of a page."""
    before, end, after = output.partition("</head>")
    return f"{before}{tags(page, config)}\n{end}{after}" if end else output
