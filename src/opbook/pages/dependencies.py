"""Which builtins a builtin is made of, found in the source of its definitions and rules."""

from dataclasses import dataclass
from types import FunctionType
from typing import Any

from opbook.builtins.builtin import Builtin
from opbook.pages.source import referred
from opbook.plugins.catalogue import Catalogue


@dataclass(frozen=True)
class Dependencies:
    """For each builtin those that it uses, and those that use it; both in alphabetical order."""

    uses: dict[str, tuple[str, ...]]
    used_by: dict[str, tuple[str, ...]]


def dependencies(catalogue: Catalogue) -> Dependencies:
    """Find for every builtin of a catalogue those that it is made of, and the other way round."""
    packages = {_package(op) for op in catalogue.values()}
    uses = {name: _uses(op, catalogue, packages) for name, op in catalogue.items()}
    used_by = {name: tuple(user for user, parts in uses.items() if name in parts) for name in catalogue}
    return Dependencies(uses, used_by)


def _uses(op: Builtin, catalogue: Catalogue, packages: set[str]) -> tuple[str, ...]:
    """The builtins that definitions and rules refer to, by way of helpers too that stand in a package with builtins."""
    functions = [f for shape in op.call_shapes for f in (shape.definition, shape.own_rule) if f is not None]
    seen: set[int] = set()
    found: set[str] = set()
    while functions:
        function = functions.pop()
        if id(function) in seen:
            continue
        seen.add(id(function))
        for value in referred(function):
            if isinstance(value, Builtin):
                found.add(value.name)
            elif isinstance(value, FunctionType) and _package(value) in packages:
                functions.append(value)
    return tuple(sorted(name for name in found - {op.name} if name in catalogue))


def _package(thing: Any) -> str:
    return str(getattr(thing, "__module__", "")).partition(".")[0]
