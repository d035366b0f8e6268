"""A page of Markdown for a terminal: without what only a site generator understands."""

import html
import re
import textwrap

from opbook.pages.markdown import parts, tidy

_FRONT = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)
_DRAWN = re.compile(r'<svg\b.*?</svg>|<ol class="ob-tape-list">.*?</ol>', re.DOTALL)
_HIDDEN = re.compile(r"<span [^>]*\bhidden>[^<]*</span>")
_ATTRIBUTES = re.compile(r"^\{ .* \}\n|[ ]?\{ (?:[#.:]|data-)[^}\n]* \}", re.MULTILINE)
_FENCE = re.compile(r"^(`{3,}) \{ \.(\w+) .*\}$", re.MULTILINE)
_TAB = re.compile(r'^=== "(.*)"\n((?:\n|    .*\n)+)', re.MULTILINE)
_LINK = re.compile(r"\[([^\[\]]*)\]\((?!\w+:)[^)\s]*\)")
_DEFINED = re.compile(r"^([^\n#:|-].*)\n+:   ", re.MULTILINE)
_ITEM = re.compile(r"<li>(.*?)</li>")
_FRAME = re.compile(r'(?:<span class="ob-frames"[^>]*>)?<span class="ob-frame"[^>]*> ')
_STRONG = re.compile(r"</?strong>")
_NEEDLESS = re.compile(r"^.*\n\{ \.ob-language .*\}\n| <span class=\"ob-mark\">picture</span>", re.MULTILINE)
_SUMMARY = re.compile(r"<summary>(.*?)</summary>")
_CODE = re.compile(r"</?code>")
_TAG = re.compile(r"</?(?:div|details|ul|span|br|em|small)\b[^>]*>")


_DESCRIBED = re.compile(r"<svg\b(?:(?!</svg>).)*?<desc[^>]*>(.*?)</desc>.*?</svg>", re.DOTALL)


def readable(text: str) -> str:
    """Write a page for programs that know no more than Markdown, language models among them.

    Returns:
        It without front matter and attributes, with links and LaTeX, and with what each picture shows in words.
    """
    return _without_markup(_DESCRIBED.sub(r"(Picture: \1)", text), has_links=True)


def plain(text: str) -> str:
    """Write a page so that a reader, or a program that knows no more than Markdown, finds nothing odd in it.

    Returns:
        It without front matter, pictures and attributes; links have become their texts, tabs stand below each other,
        and what is defined is a list.
    """
    return _without_markup(text, has_links=False)


def _without_markup(text: str, has_links: bool) -> str:
    text = _NEEDLESS.sub("", _DRAWN.sub("", _FRONT.sub("", text)))
    text = _TAB.sub(lambda tab: f"{tab[1]}:\n{textwrap.dedent(tab[2])}", text)
    kept = [_plain(part, has_links) if is_text else _FENCE.sub(r"\1\2", part) for part, is_text in parts(text)]
    return tidy("".join(kept)).strip() + "\n"


def _plain(text: str, has_links: bool) -> str:
    text = _ITEM.sub(r"- \1", _FRAME.sub("\n- ", _HIDDEN.sub("", text)))
    text = _SUMMARY.sub(r"**\1**", _CODE.sub("`", text))
    text = _TAG.sub("", _STRONG.sub("**", text))
    text = _ATTRIBUTES.sub("", text)
    text = text if has_links else _LINK.sub(r"\1", text)
    return html.unescape(_DEFINED.sub(r"- \1: ", text))
