"""The source of functions, read from their files: code to show, and the names that a function refers to."""

import ast
import functools
import inspect
import sys
import textwrap
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda

LONG = 64
"""A signature that is longer than this has a line for every few parameters, so that it fits beside a formula."""


def code_of(function: Callable[..., Any]) -> str:
    """Write a function as a page shows it: without decorators, annotations and docstring; "" if its file is not there.

    What the annotations and the docstring say stands elsewhere on the page.
    """
    node = _node(function)
    if not isinstance(node, ast.FunctionDef):
        return ""
    lines = _read(function.__code__.co_filename)[1]
    body = textwrap.dedent("\n".join(lines[_start_of_body(node, lines) : node.end_lineno])).strip("\n")
    return f"{_signature(node, lines)}\n{textwrap.indent(body, '    ')}"


def lines_above(function: Callable[..., Any]) -> int | None:
    """Tell how much further down a line of a function stands in its file than in its code on a page."""
    node = _node(function)
    if not isinstance(node, ast.FunctionDef):
        return None
    lines = _read(function.__code__.co_filename)[1]
    return _start_of_body(node, lines) - _signature(node, lines).count("\n") - 1


def _start_of_body(node: ast.FunctionDef, lines: list[str]) -> int:
    """How many lines of the file stand above the first one of a function's body, docstring and empty lines aside."""
    has_more = ast.get_docstring(node) is not None and len(node.body) > 1
    start = (node.body[0].end_lineno if has_more else _end_of_signature(node, lines)) or 0
    return next((i for i in range(start, len(lines)) if lines[i].strip()), start)


def _end_of_signature(node: ast.FunctionDef, lines: list[str]) -> int:
    parts = [node.args, *ast.walk(node.args), *([node.returns] if node.returns else [])]
    last = max([node.lineno, *(getattr(part, "end_lineno", 0) for part in parts)])
    return next(
        i for i in range(last, node.end_lineno or last) if lines[i - 1].partition("#")[0].rstrip().endswith(":")
    )


def _signature(node: ast.FunctionDef, lines: list[str]) -> str:
    text = ", ".join(_parameters(node.args, lines))
    line = f"def {node.name}({text}):"
    if len(line) <= LONG:
        return line
    return f"def {node.name}(\n{textwrap.fill(text, LONG, initial_indent='    ', subsequent_indent='    ')}\n):"


def _parameters(arguments: ast.arguments, source: list[str]) -> Iterator[str]:
    """The parameters of a function, with their defaults as they are written, and without annotations."""
    positional = [*arguments.posonlyargs, *arguments.args]
    defaults = [*([None] * (len(positional) - len(arguments.defaults))), *arguments.defaults]
    for i, (part, default) in enumerate(zip(positional, defaults, strict=True), 1):
        yield _parameter(part, default, source)
        if i == len(arguments.posonlyargs):
            yield "/"
    if arguments.vararg or arguments.kwonlyargs:
        yield f"*{arguments.vararg.arg if arguments.vararg else ''}"
    for part, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        yield _parameter(part, default, source)
    if arguments.kwarg:
        yield f"**{arguments.kwarg.arg}"


def _parameter(part: ast.arg, default: ast.expr | None, source: list[str]) -> str:
    if default is None:
        return part.arg
    return (
        f"{part.arg}={segment(source, default.lineno, default.end_lineno, default.col_offset, default.end_col_offset)}"
    )


def segment(lines: Sequence[str], first: int | None, last: int | None, start: int | None, end: int | None) -> str:
    """What stands in a file between two places, in one line.

    Args:
        lines: The lines of the file.
        first: The line that it begins in, counted from 1.
        last: The line that it ends in.
        start: Where it begins in its line, in bytes of UTF-8, as Python counts.
        end: Where it ends in its line.
    """
    found = [line.encode() for line in lines[first - 1 : last]] if first else []
    if not found:
        return ""
    found[-1] = found[-1][:end]  # before the first line, as there may be only one
    found[0] = found[0][start:]
    return " ".join(b" ".join(found).decode().split())


def helpers(function: Callable[..., Any] | None, packages: Collection[str]) -> list[FunctionType]:
    """List the functions of some packages that a function calls, directly or by way of others, in the order of use."""
    found: list[FunctionType] = []
    waiting = [function] if function else []
    while waiting:
        for value in referred(waiting.pop(0)):
            is_ours = isinstance(value, FunctionType) and package(value) in packages
            if is_ours and value not in found and value is not function:
                found.append(value)
                waiting.append(value)
    return found


def package(thing: Any) -> str:
    """The package at the top that a function or a builtin comes from."""
    return str(getattr(thing, "__module__", "")).partition(".")[0]


def whole(function: Callable[..., Any]) -> str:
    """A function as it stands in its file; "" for one that was made by `exec`, or a callable object."""
    try:
        return textwrap.dedent(inspect.getsource(function))
    except (OSError, TypeError):
        return ""


def referred(function: Callable[..., Any]) -> Iterator[Any]:
    """Go through what the names in a function stand for, attributes of modules included."""
    node = _node(function)
    if node is None:
        return
    body = node.body if isinstance(node.body, list) else [node.body]
    inner = [part for statement in body for part in ast.walk(statement)]
    names = _around(function)
    for part in inner:
        names |= _imported(part)
    local = {part.id for part in inner if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)}
    local |= {part.arg for part in ast.walk(node) if isinstance(part, ast.arg)}
    local |= {part.name for part in inner if isinstance(part, ast.FunctionDef)}
    names = {name: value for name, value in names.items() if name not in local}
    for part in inner:
        yield _meant(part, names)


def _meant(expression: ast.AST, names: Mapping[str, Any]) -> Any:
    """What a name stands for, or an attribute of a module; None for all else."""
    if isinstance(expression, ast.Name):
        return names.get(expression.id)
    if isinstance(expression, ast.Attribute):
        of = _meant(expression.value, names)
        # opbook.ops makes its builtins when they are asked for, so the attribute is asked for too
        return getattr(of, expression.attr, None) if isinstance(of, ModuleType) else None
    return None


def _imported(statement: ast.AST) -> dict[str, Any]:
    """The names that an import inside a function binds."""
    if isinstance(statement, ast.Import):
        # `import a.b` binds a, `import a.b as c` binds a.b
        whole = {alias.asname: alias.name for alias in statement.names if alias.asname}
        first = {name: name for alias in statement.names if not alias.asname for name in [alias.name.partition(".")[0]]}
        return {name: sys.modules.get(module) for name, module in (whole | first).items()}
    if isinstance(statement, ast.ImportFrom) and not statement.level:
        module = sys.modules.get(statement.module or "")
        return {alias.asname or alias.name: getattr(module, alias.name, None) for alias in statement.names}
    return {}


def _around(function: Any) -> dict[str, Any]:
    """The globals of a function, and the variables of the functions around it."""
    names = dict(function.__globals__)
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            names[name] = cell.cell_contents
        except ValueError:  # not filled yet
            continue
    return names


def _node(function: Any) -> Function | None:
    """A function in the syntax tree of its file; None for a callable object, or one that was made by `exec`."""
    code = getattr(function, "__code__", None)
    return _read(code.co_filename)[0].get((code.co_firstlineno, code.co_name)) if code else None


@functools.cache
def _read(file: str) -> tuple[dict[tuple[int, str], Function], list[str]]:
    """The functions of a file, by the line that they begin on and their names, and its lines."""
    try:
        text = Path(file).read_text("utf-8")
        tree = ast.parse(text)
    except (OSError, SyntaxError, ValueError):
        return {}, []
    found: dict[tuple[int, str], Function] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            found[min(part.lineno for part in (node, *node.decorator_list)), node.name] = node
        elif isinstance(node, ast.Lambda):
            found[node.lineno, "<lambda>"] = node
    return found, text.splitlines()
