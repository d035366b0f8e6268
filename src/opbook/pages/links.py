"""Which builtins a builtin is made of, found from the code of its definitions and rules."""

import dis
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import CodeType, FunctionType, ModuleType
from typing import Any

from opbook.builtins.builtin import Builtin
from opbook.pages.processes import spread
from opbook.plugins.catalogue import Catalogue

MANY = 100
"""From so many builtins on, it is worth while to start processes that look."""


@dataclass(frozen=True)
class Parts:
    """What the builtins of a catalogue are made of.

    Attributes:
        of: For each builtin those that it is made of.
        users: For those that another one is made of, all such, in the order of the catalogue.
    """

    of: dict[str, list[str]]
    users: dict[str, list[str]]


def parts_of(catalogue: Catalogue) -> Parts:
    """Find for every builtin those that it is made of.

    Args:
        catalogue: The builtins.

    Returns:
        Both ways round.
    """
    packages = _packages(catalogue)
    found = spread(lambda name: _uses(catalogue[name], catalogue, packages), list(catalogue), MANY, chunk=16)
    of = dict(zip(catalogue, found, strict=True))
    users: dict[str, list[str]] = {}
    for name, parts in of.items():
        for part in parts:
            users.setdefault(part, []).append(name)
    return Parts(of, users)


def uses(op: Builtin, catalogue: Catalogue) -> list[str]:
    """Find the builtins that a builtin's definitions and rules refer to.

    Helper functions are looked into as well, where they stand in a package that has builtins.

    Args:
        op: The builtin.
        catalogue: The builtins that there are.

    Returns:
        Their names, in alphabetical order. What a builtin in turn is made of is not among them.
    """
    return _uses(op, catalogue, _packages(catalogue))


def _packages(catalogue: Catalogue) -> set[str]:
    return {_package(op) for op in catalogue.values()}


def _uses(op: Builtin, catalogue: Catalogue, packages: set[str]) -> list[str]:
    functions = [f for shape in op.call_shapes for f in (shape.definition, shape.own_rule) if f is not None]
    seen: set[int] = set()
    found: set[str] = set()
    while functions:
        function = functions.pop()
        if id(function) in seen:
            continue
        seen.add(id(function))
        for value in _referred(function):
            if isinstance(value, Builtin):
                found.add(value.name)
            elif isinstance(value, FunctionType) and _package(value) in packages:
                functions.append(value)
    return sorted(name for name in found - {op.name} if name in catalogue)


def _package(thing: Any) -> str:
    return str(getattr(thing, "__module__", "")).partition(".")[0]


def _referred(function: Callable[..., Any]) -> Iterator[Any]:
    """What the names in a function stand for, attributes of modules included."""
    code = getattr(function, "__code__", None)
    if code is None:
        return
    around: dict[str, Any] = {}
    for name, cell in zip(code.co_freevars, getattr(function, "__closure__", None) or (), strict=False):
        try:
            around[name] = cell.cell_contents
        except ValueError:  # not filled yet
            continue
    for inner in _nested(code):
        yield from _in_code(inner, getattr(function, "__globals__", {}), around)


def _nested(code: CodeType) -> Iterator[CodeType]:
    """The code of a function and of those defined inside it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _nested(constant)


def _in_code(code: CodeType, names: dict[str, Any], around: dict[str, Any]) -> Iterator[Any]:
    last: Any = None
    for instruction in dis.get_instructions(code):
        name = instruction.argval
        match instruction.opname:
            case "LOAD_GLOBAL" | "LOAD_NAME":
                last = names.get(name)
            case "LOAD_DEREF":  # a variable of the function around it, which may be called as a builtin is
                last = around.get(name)
            case "IMPORT_NAME":
                last = sys.modules.get(name)
                continue  # `import a.b` binds a; only what is taken from it counts
            case "IMPORT_FROM":
                yield getattr(last, name, None)
                continue  # the module stays on the stack for the next name
            case "LOAD_ATTR" | "LOAD_METHOD" if isinstance(last, ModuleType):
                last = getattr(last, name, None)
            case _:
                last = None
                continue
        yield last
