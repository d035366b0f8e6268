"""What each rule of the grammar makes: the nodes of the syntax tree, built while the parser runs."""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from lark import Token, Transformer

from opbook.notation.nodes import (
    Array,
    Assign,
    Bare,
    Binary,
    Call,
    Choice,
    Define,
    Field,
    Literal,
    Logic,
    Name,
    Node,
    Record,
    Statement,
    Text,
    Tuple,
    Unary,
)
from opbook.notation.source import Mistake

CONSTANTS = {"true": True, "false": False, "inf": float("inf"), "nan": float("nan")}
KEYWORDS = frozenset({"if", "then", "else", "and", "or", "not", *CONSTANTS})
"""Words that cannot be names."""

LARGEST_INTEGER = 2**63 - 1
"""Integers are exact up to this size, as in NumPy; beyond it numbers are floats."""

_ESCAPES = {'"': '"', "\\": "\\", "n": "\n", "t": "\t", "r": "\r", "{": "{", "}": "}"}
_ESCAPED = re.compile(r"\\(.)|\{\{|\}\}")

_Pair = tuple[Token, Node]  # a name before = and what stands behind it


class Builder(Transformer[Token, tuple[Statement, ...]]):
    """Methods named after the grammar's rules and aliases; each takes the list of what the rule found."""

    def start(self, found: Sequence[Statement]) -> tuple[Statement, ...]:
        """Make the program."""
        return tuple(found)

    def bare(self, found: Sequence[Node]) -> Statement:
        """Make a statement of an expression."""
        return Bare(found[0])

    def define(self, found: Sequence[Node]) -> Statement:
        """Make an assignment or a function definition, depending on what stands before `=`."""
        target, expression = found
        if isinstance(target, Name):
            return Assign(target.name, expression)
        if isinstance(target, Call) and isinstance(target.function, Name):
            return Define(target.function.name, _parameters(target), expression)
        raise Mistake(
            target.at,
            "only a name, or a name with its parameters as in f(x, y), can stand before =",
            "To compare, write ==.",
        )

    def choice(self, found: Sequence[Any]) -> Node:
        """Make an `if`."""
        word, condition, yes, no = found
        return Choice(word.start_pos, condition, yes, no)

    def logic(self, found: Sequence[Any]) -> Node:
        """Make an `and` or an `or`."""
        left, operator, right = found
        return Logic(operator.start_pos, str(operator), left, right)

    def binary(self, found: Sequence[Any]) -> Node:
        """Make an arithmetic operation."""
        left, operator, right = found
        return Binary(operator.start_pos, str(operator), left, right)

    compare = binary

    def unary(self, found: Sequence[Any]) -> Node:
        """Make a negation."""
        operator, operand = found
        return Unary(operator.start_pos, str(operator), operand)

    def transpose(self, found: Sequence[Any]) -> Node:
        """Make a transpose."""
        operand, operator = found
        return Unary(operator.start_pos, str(operator), operand)

    def field(self, found: Sequence[Any]) -> Node:
        """Make a field access."""
        record, name = found
        return Field(name.start_pos, record, _allowed(name))

    def call(self, found: Sequence[Any]) -> Node:
        """Make a call; positional arguments come before keywords."""
        function, *arguments = found
        positional = [argument for argument in arguments if isinstance(argument, Node)]
        for before, after in pairwise(arguments):
            if isinstance(after, Node) and not isinstance(before, Node):
                raise Mistake(after.at, "an argument without a name can't come after one with a name")
        keywords = [argument for argument in arguments if not isinstance(argument, Node)]
        return Call(function.at, function, tuple(positional), _distinct(keywords, "the argument"))

    def keyword(self, found: Sequence[Any]) -> _Pair:
        """Make an argument with a name."""
        return found[0], found[1]

    def number(self, found: Sequence[Token]) -> Node:
        """Make a number: an integer if it is written like one and is not too large."""
        token = found[0]
        if not token.isdecimal():
            return Literal(_at(token), float(token))
        digits = token.lstrip("0") or "0"
        small = len(digits) <= 19 and int(digits) <= LARGEST_INTEGER
        return Literal(_at(token), int(digits) if small else float(token))

    def constant(self, found: Sequence[Token]) -> Node:
        """Make `true`, `false`, `inf` or `nan`."""
        return Literal(_at(found[0]), CONSTANTS[found[0]])

    def name(self, found: Sequence[Token]) -> Node:
        """Make a name."""
        return Name(_at(found[0]), _allowed(found[0]))

    def text(self, found: Sequence[Any]) -> Node:
        """Make a text of its pieces; the first and the last are its quotes."""
        quote, *parts, _ = found
        return Text(quote.start_pos, tuple(_plain(part) if isinstance(part, Token) else part for part in parts))

    def tuple_(self, found: Sequence[Any]) -> Node:
        """Make a tuple."""
        bracket, *entries = found
        return Tuple(bracket.start_pos, tuple(entries))

    def record(self, found: Sequence[Any]) -> Node:
        """Make a record."""
        bracket, *entries = found
        return Record(bracket.start_pos, _distinct(entries, "the field"))

    field_entry = keyword

    def array(self, found: Sequence[Any]) -> Node:
        """Make an array; any `;` in it makes it stacked."""
        bracket, *rest = found
        rows = [row for row in rest if not isinstance(row, Token)]
        return Array(bracket.start_pos, tuple(rows), stacked=len(rows) < len(rest))

    def row(self, found: Sequence[Node]) -> tuple[Node, ...]:
        """Make a row of an array."""
        return tuple(found)


def no_name(token: Token) -> Mistake:
    """Explain a word of the notation that stands where a name should."""
    return Mistake(_at(token), f"`{token}` is a word of the notation and can't be a name")


def _at(token: Token) -> int:
    return token.start_pos or 0


def _allowed(token: Token) -> str:
    if token in KEYWORDS:
        raise no_name(token)
    return str(token)


def _distinct(pairs: Sequence[_Pair], what: str) -> tuple[tuple[str, Node], ...]:
    seen: set[str] = set()
    for name, _ in pairs:
        if _allowed(name) in seen:
            raise Mistake(_at(name), f"{what} {name} is given twice")
        seen.add(str(name))
    return tuple((str(name), value) for name, value in pairs)


def _parameters(target: Call) -> tuple[str, ...]:
    if target.keywords:
        at = target.keywords[0][1].at
        raise Mistake(at, "a parameter has no default value", "Give every parameter as a plain name: f(x, y) = x + y")
    names: list[str] = []
    for parameter in target.arguments:
        if not isinstance(parameter, Name):
            raise Mistake(parameter.at, "a parameter must be a plain name", "To compare, write ==.")
        if parameter.name in names:
            raise Mistake(parameter.at, f"the parameter {parameter.name} is named twice")
        names.append(parameter.name)
    return tuple(names)


def _plain(chunk: Token) -> str:
    def plain(match: re.Match[str]) -> str:
        escaped = match[1]
        if escaped is None:
            return match[0][0]
        if escaped not in _ESCAPES:
            at = _at(chunk) + match.start()
            raise Mistake(at, f"\\{escaped} means nothing in text", r"There are \" \\ \n \t \r \{ and \}.")
        return _ESCAPES[escaped]

    return _ESCAPED.sub(plain, chunk)
