"""Small pieces of Markdown, as the templates use them."""

import re
from collections.abc import Collection, Sequence

from opbook.pages.model import BuiltinPage, ShownExample

_ITEM = re.compile(r"^(\w[\w.]*): ", re.MULTILINE)


def fence(code: str, language: str, classes: Sequence[str] = ()) -> str:
    """Put code between fences that are longer than any in it.

    Args:
        code: The code.
        language: Its language.
        classes: Further classes of the block.

    Returns:
        The fenced block.
    """
    longest = max((len(run) for run in re.findall("`{3,}", code)), default=2)
    ticks = "`" * (longest + 1)
    words = " ".join(f".{word}" for word in (language, *classes))
    info = f" {{ {words} }}" if classes else language
    return f"{ticks}{info}\n{code.rstrip()}\n{ticks}"


def one_line(text: str) -> str:
    """Write a message so that Markdown sees no more than text in it.

    Args:
        text: The message.

    Returns:
        It on one line, with what Markdown would take for its own escaped.
    """
    return re.sub(r"([\\\\`*_{}\[\]<>#|$])", r"\\\1", " ".join(text.split()))


def items(section: str) -> str:
    """Make a list of a docstring's section.

    Args:
        section: The section.

    Returns:
        It with lines that begin with a name and a colon as a list.
    """
    return _ITEM.sub(r"- `\1`: ", section)


def other_names(page: BuiltinPage) -> list[str]:
    """List what people may call a builtin.

    Args:
        page: Its page.

    Returns:
        The aliases, and before them the name as separate words.
    """
    words = page.name.strip("_").replace("_", " ")
    return [*([words] if " " in words and words not in page.aliases else []), *page.aliases]


def found_by(page: BuiltinPage, names: Collection[str]) -> list[str]:
    """List the words beside its name that a search should find a builtin's page first for.

    Args:
        page: Its page.
        names: The builtins that there are.

    Returns:
        The words of its other names, each once, but for what its name begins with, by which it is found anyway. A name
        with a word which is another builtin's is left out: whoever looks for that word wants the other one.
    """
    own = page.name.casefold()
    others = {name.casefold() for name in names} - {own}
    words = [re.findall(r"[\w-]+", name.casefold()) for name in other_names(page)]
    kept = (word for name in words if not others & set(name) for word in name if not own.startswith(word))
    return list(dict.fromkeys(kept))


def side_by_side(examples: Sequence[ShownExample]) -> list[list[ShownExample]]:
    """Group the examples that say the same in two languages.

    Args:
        examples: Examples in the order in which they are shown.

    Returns:
        The same in groups: one of each language, where two of one page stand under the same heading; else alone.
    """
    groups: list[list[ShownExample]] = []
    for example in examples:
        twin = next((group for group in groups if len(group) == 1 and _are_twins(group[0], example)), None)
        if twin is None:
            groups.append([example])
        else:
            twin.append(example)
            twin.sort(key=lambda each: each.language, reverse=True)  # qu first, as everywhere
    return groups


def _are_twins(a: ShownExample, b: ShownExample) -> bool:
    file_a, file_b = (example.place.rpartition(":")[0] for example in (a, b))
    return bool(a.heading) and (file_a, a.heading) == (file_b, b.heading) and a.language != b.language


def tidy(text: str) -> str:
    """Take away the blank lines that templates leave where something is left out; those in code stay.

    Args:
        text: The page.

    Returns:
        The same, with one blank line where there were several.
    """
    parts = re.split(r"(^ *(`{3,})[^\n]*\n.*?^ *\2$)", text, flags=re.DOTALL | re.MULTILINE)
    # split gives text, fence, ticks, text, and so on; the ticks are in the fence already
    kept = (re.sub(r"\n{3,}", "\n\n", part) if i % 3 == 0 else part for i, part in enumerate(parts) if i % 3 != 2)
    return "".join(kept).lstrip()
