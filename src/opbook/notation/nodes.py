"""The syntax tree of a program. `at` is the offset to which an error about the node points."""

from collections.abc import Iterator
from dataclasses import dataclass, fields


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """Any expression.

    Attributes:
        at: Offset in the program's text.
    """

    at: int

    def children(self) -> Iterator["Node"]:
        """Go through the expressions directly inside this one, in the order of the text."""
        return _nodes_in(tuple(getattr(self, field.name) for field in fields(self)))


def _nodes_in(value: object) -> Iterator[Node]:
    """The nodes of a field, which may stand in tuples, beside names and other text."""
    if isinstance(value, Node):
        yield value
    elif isinstance(value, tuple):
        for part in value:
            yield from _nodes_in(part)


@dataclass(frozen=True, slots=True, eq=False)
class Literal(Node):
    """A number, `true`, `false`, `inf` or `nan`."""

    value: bool | int | float


@dataclass(frozen=True, slots=True, eq=False)
class Name(Node):
    """A name that stands for its value."""

    name: str


@dataclass(frozen=True, slots=True, eq=False)
class Text(Node):
    """Text: plain pieces and expressions in braces."""

    parts: tuple[str | Node, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Array(Node):
    """`[...]`: a vector, or stacked rows if there is a `;`."""

    rows: tuple[tuple[Node, ...], ...]
    stacked: bool


@dataclass(frozen=True, slots=True, eq=False)
class Tuple(Node):
    """`(a,)`, `(a, b)` or `()`."""

    entries: tuple[Node, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Record(Node):
    """`{name = value, ...}`."""

    fields: tuple[tuple[str, Node], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Field(Node):
    """`record.name`."""

    record: Node
    name: str


@dataclass(frozen=True, slots=True, eq=False)
class Call(Node):
    """`function(a, b, name = c)`."""

    function: Node
    arguments: tuple[Node, ...]
    keywords: tuple[tuple[str, Node], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Unary(Node):
    """`-x`, `not x` or `x'`."""

    operator: str
    operand: Node


@dataclass(frozen=True, slots=True, eq=False)
class Binary(Node):
    """Arithmetic or a comparison."""

    operator: str
    left: Node
    right: Node


@dataclass(frozen=True, slots=True, eq=False)
class Logic(Node):
    """`a and b` or `a or b`; the right side is evaluated only where it matters."""

    operator: str
    left: Node
    right: Node


@dataclass(frozen=True, slots=True, eq=False)
class Choice(Node):
    """`if condition then yes else no`; only the chosen side is evaluated."""

    condition: Node
    yes: Node
    no: Node


@dataclass(frozen=True, slots=True, eq=False)
class Bare:
    """A statement that is an expression."""

    expression: Node


@dataclass(frozen=True, slots=True, eq=False)
class Assign:
    """`name = expression`."""

    name: str
    expression: Node


@dataclass(frozen=True, slots=True, eq=False)
class Define:
    """`name(parameters) = expression`."""

    name: str
    parameters: tuple[str, ...]
    expression: Node


Statement = Bare | Assign | Define
