"""A page of Markdown for a terminal: without what only a site generator understands."""

import html
import re
import textwrap

from opbook.pages.markdown import parts, tidy

_FRONT = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)
_DRAWN = re.compile(r"<svg\b.*?</svg>", re.DOTALL)
_HIDDEN = re.compile(r"<span [^>]*\bhidden>[^<]*</span>")
_ATTRIBUTES = re.compile(r"^\{ .* \}\n|[ ]?\{ (?:[#.:]|data-)[^}\n]* \}", re.MULTILINE)
_FENCE = re.compile(r"^(`{3,}) \{ \.(\w+) .*\}$", re.MULTILINE)
_TAB = re.compile(r'^=== "(.*)"\n((?:\n|    .*\n)+)', re.MULTILINE)
_LINK = re.compile(r"\[([^\[\]]*)\]\((?!\w+:)[^)\s]*\)")
_DEFINED = re.compile(r"^([^\n#:|-].*)\n+:   ", re.MULTILINE)
_ITEM = re.compile(r"<li>(.*?)</li>")
_STRONG = re.compile(r"</?strong>")
_TAG = re.compile(r"</?(?:div|details|summary|ul|span|br|em|small)\b[^>]*>")


def plain(text: str) -> str:
    """Write a page so that a reader, or a program that knows no more than Markdown, finds nothing odd in it.

    Returns:
        It without front matter, pictures and attributes; links have become their texts, tabs stand below each other,
        and what is defined is a list.
    """
    text = _DRAWN.sub("", _FRONT.sub("", text))
    text = _TAB.sub(lambda tab: f"{tab[1]}:\n{textwrap.dedent(tab[2])}", text)
    kept = [_plain(part) if is_text else _FENCE.sub(r"\1\2", part) for part, is_text in parts(text)]
    return tidy("".join(kept)).strip() + "\n"


def _plain(text: str) -> str:
    text = _ITEM.sub(r"- \1", _HIDDEN.sub("", text))
    text = _TAG.sub("", _STRONG.sub("**", text))
    text = _LINK.sub(r"\1", _ATTRIBUTES.sub("", text))
    return html.unescape(_DEFINED.sub(r"- \1: ", text))
