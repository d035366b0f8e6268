"""Which builtins a builtin is made of, found in the source of its definitions and rules."""

from dataclasses import dataclass

from opbook.builtins.builtin import Builtin
from opbook.pages.source import helpers, package, referred
from opbook.plugins.catalogue import Catalogue


@dataclass(frozen=True)
class Dependencies:
    """For each builtin those that it uses, and those that use it; both in alphabetical order."""

    uses: dict[str, tuple[str, ...]]
    used_by: dict[str, tuple[str, ...]]


def dependencies(catalogue: Catalogue) -> Dependencies:
    """Find for every builtin of a catalogue those that it is made of, and the other way round."""
    packages = {package(op) for op in catalogue.values()}
    uses = {name: _uses(op, catalogue, packages) for name, op in catalogue.items()}
    used_by = {name: tuple(user for user, parts in uses.items() if name in parts) for name in catalogue}
    return Dependencies(uses, used_by)


def _uses(op: Builtin, catalogue: Catalogue, packages: set[str]) -> tuple[str, ...]:
    """The builtins that definitions and rules refer to, by way of helpers too that stand in a package with builtins."""
    functions = [f for shape in op.call_shapes for f in (shape.definition, shape.own_rule) if f is not None]
    reached = [*functions, *(helper for function in functions for helper in helpers(function, packages))]
    found = {value.name for function in reached for value in referred(function) if isinstance(value, Builtin)}
    return tuple(sorted(name for name in found - {op.name} if name in catalogue))
