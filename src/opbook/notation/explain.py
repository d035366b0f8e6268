"""Syntax errors in plain words: what stands where it should not, and what was probably meant."""

import re
from collections.abc import Set
from dataclasses import dataclass, field

from lark import Token

from opbook.notation.builder import KEYWORDS, no_name
from opbook.notation.source import Mistake

CLOSERS = {"(": ")", "[": "]", "{": "}"}
"""Which bracket closes which."""

_LEXEME = re.compile(r"\w+|[<>=!]=|.", re.DOTALL)
_SKIPPED = re.compile(r'"(?:\\.|[^"\\\n])*"|#[^\n]*|[()\[\]{}]')
_FOREIGN = frozenset({"def", "return", "import", "from", "for", "while", "lambda", "let", "class", "function", "end"})
_INSTEAD = {
    "&": "Write and.",
    "|": "Write or.",
    "!": 'Write not, or != for "is not equal".',
    "~": 'Write not, or != for "is not equal".',
    "%": "A comment begins with #.",
    "^": "^ is already elementwise.",
    "\\": "A line continues only inside brackets.",
}


@dataclass(slots=True)
class Progress:
    """How far a parse has come.

    Attributes:
        text: The whole program.
        opened: The brackets and quotes that are open, each with its offset.
        previous: The token before.
    """

    text: str
    opened: list[tuple[str, int]] = field(default_factory=list)
    previous: Token | None = None


def never_closed(progress: Progress, place: int = -1, *, unfinished: bool = False) -> Mistake:
    """Explain a bracket or quote that is never closed, where it was opened."""
    bracket, at = progress.opened[place]
    if bracket == '"':
        return Mistake(at, "the text that begins here is never closed", 'Text ends with " on its own line.')
    hint = f"Close it with {CLOSERS[bracket]}"
    if any(other == '"' for other, _ in progress.opened[:place]):
        hint += ", or write {{ for a brace in text"
    return Mistake(at, f"the {bracket} opened here is never closed", hint + ".", unfinished=unfinished)


def closes_nothing(progress: Progress, closer: str, at: int) -> Mistake | None:
    """Explain a closing bracket that does not fit what is open.

    Returns:
        The mistake, or None if it fits.
    """
    if not progress.opened:
        return Mistake(at, f"this {closer} closes nothing")
    return None if CLOSERS.get(progress.opened[-1][0]) == closer else never_closed(progress)


def text_cut_off(progress: Progress) -> Mistake:
    """Explain a text that is open at the end of its line."""
    place = next(i for i, (bracket, _) in enumerate(progress.opened) if bracket == '"')
    in_braces = place + 1 < len(progress.opened)
    return never_closed(progress, (place + 1 if in_braces else place) - len(progress.opened))


def explain(progress: Progress, at: int, accepted: Set[str]) -> Mistake:
    """Explain why the parser cannot go on."""
    text, opened = progress.text, progress.opened
    if any(bracket == '"' for bracket, _ in opened) and (opened[-1][0] == '"' or text[at : at + 1] in ("", '"')):
        return text_cut_off(progress)
    if opened and (at >= len(text) or _left_open(progress, at)):
        return never_closed(progress, unfinished=at >= len(text))
    found = _LEXEME.match(text, at)
    lexeme = found[0] if found else ""
    if lexeme in CLOSERS.values() and (misplaced := closes_nothing(progress, lexeme, at)):
        return misplaced
    if accepted & {"THEN", "ELSE"} and lexeme not in CLOSERS:
        word = "then" if "THEN" in accepted else "else"
        return _where(progress, at, lexeme, f"`{word}` is missing", "Write: if CONDITION then VALUE else VALUE")
    if "NAME" in accepted:
        return _no_value(progress, at, lexeme, "value" if "NUMBER" in accepted else "name")
    return _no_operator(progress, at, lexeme)


def _left_open(progress: Progress, at: int) -> bool:
    """Tell whether the innermost bracket is open since an earlier line and nothing later closes it."""
    if "\n" not in progress.text[progress.opened[-1][1] : at]:
        return False
    depth = 1
    for match in _SKIPPED.finditer(progress.text, at):
        depth += (match[0] in CLOSERS) - (match[0] in CLOSERS.values())
        if depth == 0:
            return False
    return True


def _where(progress: Progress, at: int, lexeme: str, message: str, hint: str) -> Mistake:
    """Point behind the last token if the line ends there, else at what was found."""
    if lexeme in ("", "\n") and progress.previous is not None:
        return Mistake(progress.previous.end_pos or 0, f"the line ends here, but {message}", hint)
    return Mistake(at, f"{message} before `{lexeme}`" if lexeme else message, hint)


def _no_value(progress: Progress, at: int, lexeme: str, what: str) -> Mistake:
    previous = progress.previous
    before = str(previous) if previous is not None else ""
    hint = _INSTEAD.get(lexeme, "")
    if lexeme in ("", "\n"):
        hint = "A line continues only inside brackets."
    elif lexeme == "'":
        hint = 'Text is written in double quotes: "text".'
    elif lexeme == "*" and before == "*":
        hint = "A power is written ^."
    elif before == "{" and lexeme == "}":
        hint = "Write {{ for a brace in text."
    elif lexeme == "=" and before in ("+", "-", "*", "/"):
        hint = f"Write x = x {before} ..."
    elif what == "name" and before == "{":
        hint = "A record is written {name = value}."
    elif lexeme in ("then", "else"):
        hint = "Write: if CONDITION then VALUE else VALUE"
    return _where(progress, at, lexeme, f"a {what} is missing", hint)


def _no_operator(progress: Progress, at: int, lexeme: str) -> Mistake:
    previous = progress.previous
    before = str(previous) if previous is not None else ""
    if before in _FOREIGN:
        return Mistake(previous.start_pos or 0 if previous else at, f"the notation has no `{before}`")
    if lexeme == "=" and before in KEYWORDS and previous is not None:
        return no_name(previous)
    if lexeme == "=":
        return Mistake(at, "= can't stand here", "To compare, write ==.")
    if lexeme in ("<", ">", "<=", ">=", "==", "!="):
        return Mistake(at, "comparisons can't be chained", "Write a < b and b < c.")
    if lexeme == ",":
        return Mistake(at, "a comma can't stand here", "A tuple needs parentheses: (a, b)")
    if lexeme == ";":
        return Mistake(at, "; separates rows, and only inside [ ]", "Write a comma.")
    if lexeme == "[":
        return Mistake(at, "an operator is missing before `[`", "The notation has no indexing; [ ] make an array.")
    if lexeme in ("then", "else"):
        return Mistake(at, f"`{lexeme}` has no if before it", "Write: if CONDITION then VALUE else VALUE")
    if re.match(r'[\w"({]', lexeme):
        return _side_by_side(progress, at, lexeme, before)
    return Mistake(at, f"`{lexeme}` can't stand here", _INSTEAD.get(lexeme, ""))


def _side_by_side(progress: Progress, at: int, lexeme: str, before: str) -> Mistake:
    end = (progress.previous.end_pos or 0) if progress.previous is not None else at
    if progress.previous is not None and progress.previous.type == "NUMBER" and lexeme[0].isalpha() and end == at:
        return Mistake(at, f"an operator is missing before `{lexeme}`", f"To multiply, write {before} * {lexeme}")
    if "\n" in progress.text[end:at]:  # only inside brackets
        return Mistake(end, "a comma or an operator is missing at the end of this line")
    separator = "a comma" if progress.opened else "a new line"
    return Mistake(at, f"{separator} or an operator is missing before `{lexeme}`")
