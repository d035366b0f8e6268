"""Evaluation of expressions.

Each kind of node has a generator that yields the nodes whose values it needs, is sent those values and returns its own.
[`evaluate`][opbook.notation.evaluate.evaluate] keeps the generators on a stack of its own instead of Python's, so that
how deep a program recurses is the program's affair and ends in a plain message, not in Python's `RecursionError`.
"""

from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from opbook.builtins.formatting import format_value
from opbook.errors import NotationError, OpbookError, nearest
from opbook.notation import arrays, nodes, operators
from opbook.notation.calls import call_builtin
from opbook.notation.functions import Function, Scope
from opbook.notation.guard import OutOfTime
from opbook.notation.limits import Budget, out_of_time
from opbook.notation.nodes import Node
from opbook.notation.source import Mistake
from opbook.notation.values import describe


@dataclass(frozen=True, slots=True)
class _Body:
    """Asks for the value of a function's body in its own scope; it may be nothing."""

    node: Node
    scope: Scope


Steps = Generator[Node | _Body, Any, Any]


@dataclass(slots=True)
class _Frame:
    """An expression that is being evaluated."""

    node: Node
    scope: Scope
    steps: Steps
    needed: bool  # whether it must have a value: print(...) has none


def evaluate(expression: Node, scope: Scope, budget: Budget) -> Any:
    """Evaluate an expression.

    Returns:
        Its value; None for a call that gives none.

    Raises:
        NotationError: The expression has a mistake, or a limit was reached.
    """
    stack: list[_Frame] = []
    calls_before = budget.calls
    try:
        return _run(stack, expression, scope, budget)
    except Mistake as mistake:
        raise _located(stack, mistake) from mistake.__cause__
    except NotationError:
        raise  # made inside a user function that a builtin called
    except OutOfTime as alarm:
        if not stack:
            raise  # the expression has its value; whoever asked for it knows where it stands
        raise _located(stack, out_of_time(budget.limits, stack[-1].node.at)) from alarm
    except (OpbookError, ArithmeticError, MemoryError, RecursionError) as error:
        text = str(error) if isinstance(error, OpbookError) else f"this fails: {type(error).__name__} {error}".strip()
        raise _located(stack, Mistake(stack[-1].node.at, text)) from error
    finally:
        budget.calls = calls_before


def _run(stack: list[_Frame], expression: Node, scope: Scope, budget: Budget) -> Any:
    stack.append(_Frame(expression, scope, _steps(expression, scope, budget), needed=False))
    value: Any = None
    while True:
        frame = stack[-1]
        try:
            request = frame.steps.send(value)
        except StopIteration as finished:
            value = finished.value
            if value is None and frame.needed:
                raise Mistake(frame.node.at, "this call gives no value that could be used here") from None
            stack.pop()
            if not stack:
                return value
            continue
        needed = not isinstance(request, _Body)
        node, inner = (request, frame.scope) if isinstance(request, Node) else (request.node, request.scope)
        stack.append(_Frame(node, inner, _steps(node, inner, budget), needed))
        budget.step(node.at)
        value = None


def _steps(node: Node, scope: Scope, budget: Budget) -> Steps:
    return _KINDS[type(node)](node, scope, budget)


def _located(stack: list[_Frame], mistake: Mistake) -> NotationError:
    """Show a mistake in the source of the innermost expression."""
    return stack[-1].scope.source.error(mistake, _context(stack))


def _context(stack: list[_Frame]) -> str:
    """Name the function in which a mistake happened, and its outermost call."""
    for caller, frame in pairwise(stack):
        if caller.scope.function is None and frame.scope.function is not None:
            place = caller.scope.source.place(caller.node.at)
            return f"This happened in {stack[-1].scope.function}; the call is at {place}"
    return ""


def look_up(name: str, scope: Scope, at: int) -> Any:
    """Find the value of a name: a parameter's, else a definition's, else a builtin.

    Raises:
        Mistake: Nothing has this name.
    """
    if name in scope.parameters:
        return scope.parameters[name]
    if name in scope.definitions:
        return scope.definitions[name]
    try:
        return scope.catalogue[name]
    except LookupError:
        known = dict.fromkeys((*scope.parameters, *scope.definitions, *scope.catalogue))
        raise Mistake(at, f"nothing is named {name}", nearest(name, known)) from None


def _literal(node: nodes.Literal, _: Scope, __: Budget) -> Steps:
    yield from ()
    return node.value


def _name(node: nodes.Name, scope: Scope, _: Budget) -> Steps:
    yield from ()
    return look_up(node.name, scope, node.at)


def _text(node: nodes.Text, _: Scope, budget: Budget) -> Steps:
    pieces: list[str] = []
    length = 0
    for part in node.parts:
        piece = part if isinstance(part, str) else format_value((yield part))
        length += len(piece)
        budget.text(length, node.at)
        pieces.append(piece)
    budget.write(length, node.at)
    return "".join(pieces)


def _array(node: nodes.Array, _: Scope, budget: Budget) -> Steps:
    rows: list[list[Any]] = []
    for row in node.rows:
        values: list[Any] = []
        for entry in row:
            values.append((yield entry))
        rows.append(values)
    return arrays.build(node, rows, budget)


def _tuple(node: nodes.Tuple, _: Scope, budget: Budget) -> Steps:
    values: list[Any] = []
    for entry in node.entries:
        values.append((yield entry))
    budget.structure(values, node.at)
    return tuple(values)


def _record(node: nodes.Record, _: Scope, budget: Budget) -> Steps:
    record: dict[str, Any] = {}
    for name, value in node.fields:
        record[name] = yield value
    budget.structure(record, node.at)
    return record


def _field(node: nodes.Field, _: Scope, __: Budget) -> Steps:
    record = yield node.record
    if not isinstance(record, Mapping):
        raise Mistake(node.at, f"only a record has fields, but this is {describe(record)}")
    if node.name not in record:
        names = [str(name) for name in record]
        has = f"It has {', '.join(names[:10])}{' and more' if len(names) > 10 else ''}." if names else "It is empty."
        raise Mistake(node.at, f"the record has no field {node.name}", has + nearest(node.name, names))
    return record[node.name]


def _call(node: nodes.Call, scope: Scope, budget: Budget) -> Steps:
    function = yield node.function
    if not callable(function):
        raise _not_callable(node, function, scope)
    arguments: list[Any] = []
    for argument in node.arguments:
        arguments.append((yield argument))
    keywords: dict[str, Any] = {}
    for name, argument in node.keywords:
        keywords[name] = yield argument
    if not isinstance(function, Function):
        return call_builtin(function, arguments, keywords, node.at, budget)
    inner = function.enter(arguments, keywords, node.at)
    if budget.calls >= budget.limits.calls:
        raise endless(function, node.at, budget.limits.calls)
    budget.calls += 1
    result = yield _Body(function.body, inner)
    budget.calls -= 1
    return result


def endless(function: Function, at: int, count: int) -> Mistake:
    """Explain a recursion without an end."""
    return Mistake(
        at,
        f"{function.__name__} is called while {count:,} calls are open: the recursion has no end, or is too deep",
        "A recursion ends by a choice: f(n) = if n <= 0 then 0 else f(n - 1)",
    )


def _not_callable(node: nodes.Call, value: Any, scope: Scope) -> Mistake:
    hint = ""
    if isinstance(node.function, nodes.Name):
        name = node.function.name
        if name in scope.catalogue:
            hint = f"Your own {name} hides the builtin {name}; give yours another name."
        return Mistake(node.at, f"{name} is {describe(value)} and can't be called", hint)
    return Mistake(node.at, f"this is {describe(value)} and can't be called", "To multiply, write *.")


def _unary(node: nodes.Unary, _: Scope, budget: Budget) -> Steps:
    value = yield node.operand
    if node.operator == "-":
        return operators.negative(value, node.at, budget)
    if node.operator == "'":
        return operators.transpose(value, node.at)
    return operators.invert(value, node.at)


def _binary(node: nodes.Binary, _: Scope, budget: Budget) -> Steps:
    left = yield node.left
    right = yield node.right
    return operators.binary(node.operator, left, right, node.at, budget)


def _logic(node: nodes.Logic, _: Scope, budget: Budget) -> Steps:
    left = yield node.left
    if not operators.is_truth_array(left) and operators.truth(left, node.operator, node.at) == (node.operator == "or"):
        return node.operator == "or"
    right = yield node.right
    if operators.is_truth_array(left) or operators.is_truth_array(right):
        return operators.both(node.operator, left, right, node.at, budget)
    return operators.truth(right, node.operator, node.at)


def _choice(node: nodes.Choice, _: Scope, __: Budget) -> Steps:
    condition = yield node.condition
    chosen = yield node.yes if operators.truth(condition, "if", node.condition.at) else node.no
    return chosen


_KINDS: Mapping[type[Node], Callable[[Any, Scope, Budget], Steps]] = {
    nodes.Literal: _literal,
    nodes.Name: _name,
    nodes.Text: _text,
    nodes.Array: _array,
    nodes.Tuple: _tuple,
    nodes.Record: _record,
    nodes.Field: _field,
    nodes.Call: _call,
    nodes.Unary: _unary,
    nodes.Binary: _binary,
    nodes.Logic: _logic,
    nodes.Choice: _choice,
}
