"""How builtins look in a notebook: plain HTML that takes its colours from the notebook, light or dark.

There is no style sheet, script or picture in it, so it looks the same where a notebook is not trusted. Formulas stay
LaTeX between dollars, which Jupyter typesets.
"""

import re
from collections.abc import Iterable
from html import escape

from opbook.builtins.signature import CallShape
from opbook.builtins.specs import ValueSpec

_INLINE = re.compile(
    r"(?P<math>\$\$.+?\$\$|\$[^$\n]+\$)|`(?P<code>[^`]+)`|\*\*(?P<strong>[^*]+)\*\*|\*(?P<em>[^*\s][^*]*)\*"
    r"|\[(?P<link>[^\]]+)\]\([^)\s]+\)",
    re.DOTALL,
)
_LAID_OUT = re.compile(r"^(\s{2,}|[-*+|>] |\d+\. |\|)", re.MULTILINE)
_CELL = 'style="text-align: left; vertical-align: top; padding: 0.15em 1.2em 0.15em 0"'
_QUIET = 'style="opacity: 0.75"'


def builtin_html(name: str, category: str, shapes: Iterable[CallShape], note: str) -> str:
    """Show a builtin: how it is called, what it is, its formula, and how it works.

    Args:
        name: Its name.
        category: Its category.
        shapes: Its call shapes.
        note: Its note, as Markdown.

    Returns:
        HTML, without what only a page can have: examples and links.
    """
    parts = [f"<p><strong>{escape(name)}</strong> <span {_QUIET}>· {escape(category)}</span></p>"]
    for shape in shapes:
        parts.append(f"<pre>{escape(str(shape))}</pre>")
        parts.append(f"<p>{_inline(shape.doc.summary)}</p>")
        parts.append(_arguments(shape))
        parts.append(_paragraphs(shape.doc.sections.get("Formula", "")))
    if note:
        parts.append(f"<details><summary>How it works</summary>{_paragraphs(note)}</details>")
    return f'<div class="opbook" style="max-width: 60em">{"".join(parts)}</div>'


def table_html(rows: Iterable[tuple[str, str, str]]) -> str:
    """Show several builtins.

    Args:
        rows: The name, the category and the summary of each.

    Returns:
        HTML.
    """
    body = "".join(
        f"<tr><td {_CELL}><code>{escape(name)}</code></td><td {_CELL}>{escape(category)}</td>"
        f"<td {_CELL}>{_inline(summary)}</td></tr>"
        for name, category, summary in rows
    )
    heads = "".join(f"<th {_CELL}>{head}</th>" for head in ("Builtin", "Category", "What it is"))
    return f'<div class="opbook"><table><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table></div>'


def _arguments(shape: CallShape) -> str:
    rows = []
    for param in shape.params:
        words = param.spec.words()
        if not param.required:
            words += ", may be left out" if param.default is None else f", {param.default!r} by default"
        rows.append((param.name, words, param.doc))
    returned = " ".join(shape.doc.sections.get("Returns", "").split())
    nothing = shape.returns == ValueSpec((type(None),))
    rows.append(("→", "nothing" if nothing else shape.returns.words(), returned))
    body = "".join(
        f"<tr><td {_CELL}><code>{escape(name)}</code></td><td {_CELL}>{escape(words)}</td>"
        f"<td {_CELL}>{_inline(text)}</td></tr>"
        for name, words, text in rows
    )
    return f"<table><tbody>{body}</tbody></table>"


def _paragraphs(markdown: str) -> str:
    """The little Markdown that notes are written in; what is laid out in lines, such as a list, keeps them."""
    blocks = [block.strip("\n") for block in re.split(r"\n\s*\n", markdown) if block.strip()]
    return "".join(
        f'<p style="white-space: pre-wrap">{_inline(block)}</p>'
        if _LAID_OUT.search(block)
        else f"<p>{_inline(block)}</p>"
        for block in blocks
    )


def _inline(markdown: str) -> str:
    html, end = "", 0
    for match in _INLINE.finditer(markdown):
        html += escape(markdown[end : match.start()], quote=False)
        kind, text = match.lastgroup, escape(match[match.lastgroup or 0], quote=False)
        html += {"math": text, "link": text}.get(kind or "", f"<{kind}>{text}</{kind}>")
        end = match.end()
    return html + escape(markdown[end:], quote=False)
