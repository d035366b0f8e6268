"""Small pieces of Markdown, as the templates use them."""

import html
import re
from collections.abc import Iterator, Sequence

from opbook.pages.page import BuiltinPage

_ESCAPED = {ord(character): f"&#{ord(character)};" for character in "\\`*_{}[]$~^|"}
_MARKUP = re.compile(r"[\\`*\[\]<>{}$|~^]|&(?=#?\w+;)")
_FENCED = re.compile(r"(^ *(`{3,})[^\n]*\n.*?^ *\2$)", re.DOTALL | re.MULTILINE)
_ITEM = re.compile(r"^(\w[\w.]*): ", re.MULTILINE)


def fence(code: str, language: str, classes: Sequence[str] = (), anchor: str = "") -> str:
    """Put code between fences that are longer than any in it, with further classes of the block, and an id."""
    longest = max((len(run) for run in re.findall("`{3,}", code)), default=2)
    ticks = "`" * (longest + 1)
    words = " ".join([*(f".{word}" for word in (language, *classes)), *([f"#{anchor}"] if anchor else [])])
    info = f" {{ {words} }}" if classes or anchor else language
    return f"{ticks}{info}\n{code.rstrip()}\n{ticks}"


def one_line(text: str) -> str:
    """Write a message on one line so that Markdown sees no more than text in it."""
    return re.sub(r"([\\\\`*_{}\[\]<>#|$])", r"\\\1", " ".join(text.split()))


def text(words: str) -> str:
    """Write what is no Markdown, such as a name or a summary, so that a page shows it as it is."""
    return _MARKUP.sub(lambda match: f"&#{ord(match[0])};", " ".join(words.split()))


def as_html(words: str) -> str:
    """Write a summary where a page has HTML: only code in it is markup."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(words))


def cell(code: str) -> str:
    """Write code as a cell of a table."""
    return "`" + code.replace("|", "\\|") + "`"


def items(section: str) -> str:
    """Make a list of the lines of a docstring's section that begin with a name and a colon."""
    return _ITEM.sub(r"- `\1`: ", section)


def other_names(page: BuiltinPage) -> list[str]:
    """What people may call a builtin: its aliases, and before them its name as separate words."""
    words = page.name.strip("_").replace("_", " ")
    return [*([words] if " " in words and words not in page.aliases else []), *page.aliases]


def parts(text: str) -> Iterator[tuple[str, bool]]:
    """The parts of a page, text and fenced code in turns, each with whether it is text."""
    # split gives text, fence, ticks, text, and so on; the ticks are in the fence already
    return ((part, i % 3 == 0) for i, part in enumerate(_FENCED.split(text)) if i % 3 != 2)


def tidy(text: str) -> str:
    """Take away the blank lines that templates leave where something is left out; those in code stay."""
    return "".join(re.sub(r"\n{3,}", "\n\n", part) if is_text else part for part, is_text in parts(text)).lstrip()


def outside_code(text: str) -> Iterator[str]:
    """The parts of a page that are no fenced code."""
    return (part for part, is_text in parts(text) if is_text)


def needed(packages: Sequence[str]) -> str:
    """Write below an example which packages it needs: the same words where they are installed and where not."""
    *others, last = (f"<code>{package}</code>" for package in packages)
    names = f"{', '.join(others)} and {last}" if others else last
    return inline(
        f'<span class="ob-from">Needs {names}: run where that is installed. Elsewhere its output is that of an '
        "earlier run.</span>"
    )


def inline(html: str) -> str:
    """Write HTML so that it comes through any renderer, also inside a list, a tab or a quotation.

    There it is no block that is left alone, so what Markdown would take for its own must not be in it.
    """
    return html.translate(_ESCAPED)
