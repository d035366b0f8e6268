"""The source of functions, read from their files: code to show, and the names that a function refers to."""

import ast
import functools
import sys
import textwrap
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


def code_of(function: Callable[..., Any]) -> str:
    """Write a function as a page shows it, without its decorators and its docstring; "" if its file is not there."""
    node = _node(function)
    if not isinstance(node, ast.FunctionDef):
        return ""
    lines = _read(function.__code__.co_filename)[1]
    if ast.get_docstring(node) is None or len(node.body) == 1:
        kept = lines[node.lineno - 1 : node.end_lineno]
    else:
        docstring = node.body[0]
        kept = lines[node.lineno - 1 : docstring.lineno - 1] + lines[docstring.end_lineno or 0 : node.end_lineno]
    return textwrap.dedent("\n".join(kept))


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
