"""The syntax tree of a program. `at` is the offset to which an error about the node points."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """Any expression.

    Attributes:
        at: Offset in the program's text.
    """

    at: int

    def children(self) -> "tuple[Node, ...]":
        """List the expressions directly inside this one."""
        return ()


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

    def children(self) -> tuple[Node, ...]:
        """List the expressions in braces."""
        return tuple(part for part in self.parts if isinstance(part, Node))


@dataclass(frozen=True, slots=True, eq=False)
class Array(Node):
    """`[...]`: a vector, or stacked rows if there is a `;`."""

    rows: tuple[tuple[Node, ...], ...]
    stacked: bool

    def children(self) -> tuple[Node, ...]:
        """List the entries, row by row."""
        return tuple(entry for row in self.rows for entry in row)


@dataclass(frozen=True, slots=True, eq=False)
class Tuple(Node):
    """`(a,)`, `(a, b)` or `()`."""

    entries: tuple[Node, ...]

    def children(self) -> tuple[Node, ...]:
        """List the entries."""
        return self.entries


@dataclass(frozen=True, slots=True, eq=False)
class Record(Node):
    """`{name = value, ...}`."""

    fields: tuple[tuple[str, Node], ...]

    def children(self) -> tuple[Node, ...]:
        """List the fields' values."""
        return tuple(value for _, value in self.fields)


@dataclass(frozen=True, slots=True, eq=False)
class Field(Node):
    """`record.name`."""

    record: Node
    name: str

    def children(self) -> tuple[Node, ...]:
        """List the record."""
        return (self.record,)


@dataclass(frozen=True, slots=True, eq=False)
class Call(Node):
    """`function(a, b, name = c)`."""

    function: Node
    arguments: tuple[Node, ...]
    keywords: tuple[tuple[str, Node], ...]

    def children(self) -> tuple[Node, ...]:
        """List the function and the arguments, in the order in which they are evaluated."""
        return (self.function, *self.arguments, *(value for _, value in self.keywords))


@dataclass(frozen=True, slots=True, eq=False)
class Unary(Node):
    """`-x`, `not x` or `x'`."""

    operator: str
    operand: Node

    def children(self) -> tuple[Node, ...]:
        """List the operand."""
        return (self.operand,)


@dataclass(frozen=True, slots=True, eq=False)
class Binary(Node):
    """Arithmetic or a comparison."""

    operator: str
    left: Node
    right: Node

    def children(self) -> tuple[Node, ...]:
        """List both sides."""
        return (self.left, self.right)


@dataclass(frozen=True, slots=True, eq=False)
class Logic(Node):
    """`a and b` or `a or b`; the right side is evaluated only where it matters."""

    operator: str
    left: Node
    right: Node

    def children(self) -> tuple[Node, ...]:
        """List both sides."""
        return (self.left, self.right)


@dataclass(frozen=True, slots=True, eq=False)
class Choice(Node):
    """`if condition then yes else no`; only the chosen side is evaluated."""

    condition: Node
    yes: Node
    no: Node

    def children(self) -> tuple[Node, ...]:
        """List the condition and both sides."""
        return (self.condition, self.yes, self.no)


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
