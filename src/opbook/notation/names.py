"""What a program says about itself without being run."""

from collections.abc import Iterator

from opbook.notation.nodes import Bare, Define, Name, Node
from opbook.notation.parser import parse
from opbook.notation.source import Source, normalized


def names_called(text: str) -> set[str]:
    """Find the names that a program uses but does not define: those of the builtins that it needs.

    Returns:
        Names used in calls or as values, such as `f` in `grad(f)`. `sum = sum(x)` uses the builtin `sum`, since it
        is not defined yet; a function's body may use what the program defines after it.

    Raises:
        NotationError: The text is not a program.
    """
    statements = parse(Source(normalized(text), "<input>"))
    ever = {statement.name for statement in statements if not isinstance(statement, Bare)}
    defined: set[str] = set()
    called: set[str] = set()
    for statement in statements:
        known = ever | set(statement.parameters) if isinstance(statement, Define) else defined
        called |= _names(statement.expression) - known
        if not isinstance(statement, Bare):
            defined.add(statement.name)
    return called


def _names(expression: Node) -> set[str]:
    return {node.name for node in _walk(expression) if isinstance(node, Name)}


def _walk(expression: Node) -> Iterator[Node]:
    pending = [expression]
    while pending:
        node = pending.pop()
        yield node
        pending.extend(node.children())
