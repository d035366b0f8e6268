"""How builtins look in a notebook: as Markdown, which the notebook shows in its own colours and typesets itself."""

import re
from collections.abc import Iterable

from opbook.builtins.signature import CallShape
from opbook.builtins.specs import ValueSpec

_VERBATIM = re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)|\$\$[^$]+\$\$|\$[^$\n]+\$")
_LINK = re.compile(r"\[([^\]]+)\]\([^)\s]+\)")


def builtin_markdown(name: str, category: str, shapes: Iterable[CallShape], note: str) -> str:
    """Show a builtin: how it is called, what it is, its formula, and how it works."""
    parts = [f"**{name}** · {category}"]
    for shape in shapes:
        doc = shape.doc
        parts += [f"    {shape}", _text(doc.summary), _arguments(shape), _text(doc.sections.get("Formula", ""))]
    if note:
        parts += ["**How it works**", _text(note)]
    return "\n\n".join(part for part in parts if part)


def table_markdown(rows: Iterable[tuple[str, str, str]]) -> str:
    """Show several builtins."""
    named = [(f"`{name}`", category, _text(summary)) for name, category, summary in rows]
    return _table(("Builtin", "Category", "What it is"), named)


def _arguments(shape: CallShape) -> str:
    rows = []
    for param in shape.params:
        words = _plain(param.spec.words())
        if not param.required:
            words += ", may be left out" if param.default is None else f", {param.default!r} by default"
        rows.append((f"`{param.name}`", words, _text(param.doc)))
    returned = " ".join(shape.doc.sections.get("Returns", "").split())
    nothing = shape.returns == ValueSpec((type(None),))
    rows.append(("returns", "nothing" if nothing else _plain(shape.returns.words()), _text(returned)))
    return _table(("", "What it is", "What it is for"), rows)


def _table(heads: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [heads, ("---",) * len(heads), *(tuple(cell.replace("|", "\\|") for cell in row) for row in rows)]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _text(markdown: str) -> str:
    """What an author wrote, without links, which lead nowhere from a notebook, and with tags shown as they stand."""
    shown, end = "", 0
    for match in _VERBATIM.finditer(markdown):
        shown += _without_tags(markdown[end : match.start()]) + match[0]
        end = match.end()
    return shown + _without_tags(markdown[end:])


def _without_tags(markdown: str) -> str:
    return _LINK.sub(r"\1", markdown).replace("<", "&lt;")


def _plain(words: str) -> str:
    """Words that are no Markdown, such as `(*B, N) array`."""
    return words.replace("*", "\\*")
