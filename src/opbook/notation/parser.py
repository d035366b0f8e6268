"""From a program's text to its syntax tree.

The parser runs token by token, so that what belongs to one parse (the brackets that are open) stays local to it, and so
that newlines inside brackets can be left out. Only the compiled grammar is shared.
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from lark import Lark, Token, UnexpectedInput

from opbook.notation.builder import Builder
from opbook.notation.explain import Progress, closes_nothing, explain, text_cut_off
from opbook.notation.nodes import Statement
from opbook.notation.source import Mistake, Source

NESTING = 200
"""How many brackets may be open at once."""

_OPENING = {"LPAR": "(", "LSQB": "[", "LBRACE": "{"}
_CLOSING = {"RPAR": ")", "RSQB": "]", "RBRACE": "}"}


class _NewlinesEverywhere:
    """Tells the lexer to read a newline in every context; `_read` decides what it means there."""

    always_accept = ("_NEWLINE",)

    def process(self, stream: Iterator[Token]) -> Iterator[Token]:
        """Leave the tokens as they are."""
        return stream


_GRAMMAR = Lark.open_from_package(
    __package__ or "", "grammar.lark", parser="lalr", postlex=_NewlinesEverywhere(), transformer=Builder()
)


def parse(source: Source) -> tuple[Statement, ...]:
    """Parse a program.

    Raises:
        NotationError: The text is not a program.
    """
    try:
        return _read(source.text)
    except Mistake as mistake:
        raise source.error(mistake) from None


def is_unfinished(source: Source) -> bool:
    """Tell whether a program ends while a bracket is open."""
    try:
        _read(source.text)
    except Mistake as mistake:
        return mistake.unfinished
    return False


@lru_cache(maxsize=64)  # what is looked at before it is run, as an example is, need not be parsed twice
def _read(text: str) -> tuple[Statement, ...]:
    progress = Progress(text)
    machine: Any = _GRAMMAR.parse_interactive(text)
    try:
        for token in machine.lexer_thread.lex(machine.parser_state):
            if token.type == "_NEWLINE" and progress.opened:
                if any(bracket == '"' for bracket, _ in progress.opened):
                    raise text_cut_off(progress)
                continue
            _follow_brackets(progress, token)
            machine.feed_token(token)
            progress.previous = token
        statements: tuple[Statement, ...] = machine.feed_eof()
    except UnexpectedInput as unexpected:
        ended = getattr(unexpected, "token", None) == Token("$END", "") or unexpected.pos_in_stream is None
        at = len(text) if ended else unexpected.pos_in_stream
        raise explain(progress, at or 0, machine.accepts()) from None
    return statements


def _follow_brackets(progress: Progress, token: Token) -> None:
    """Keep the list of open brackets; what closes none of them is a mistake."""
    opened, at = progress.opened, token.start_pos or 0
    if token.type == "QUOTE" and opened and opened[-1][0] == '"':
        opened.pop()
    elif token.type in _OPENING or token.type == "QUOTE":
        opened.append((str(token), at))
        if len(opened) > NESTING:
            raise Mistake(at, f"more than {NESTING} brackets are open here", "Give the inner parts names.")
    elif token.type in _CLOSING:
        if misplaced := closes_nothing(progress, str(token), at):
            raise misplaced
        opened.pop()
