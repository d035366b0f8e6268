"""Specs of what holds other arguments: records, tuples and lists."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from opbook.builtins.specs.binding import Binding
from opbook.builtins.specs.spec import Spec, what_came
from opbook.errors import ArgumentError, nearest


@dataclass(frozen=True)
class RecordSpec(Spec):
    """A record: any Mapping with exactly these fields."""

    name: str
    fields: dict[str, Spec]
    differentiable = True

    def words(self) -> str:  # noqa: D102
        return f"record {self.name} with " + ", ".join(f"{name} {spec.words()}" for name, spec in self.fields.items())

    def convert(self, value: Any, path: str, binding: Binding) -> Any:  # noqa: D102
        if not isinstance(value, Mapping):
            raise ArgumentError(
                f"{path} must be a record with the fields {', '.join(self.fields)}, but is {what_came(value)}"
            )
        for name in self.fields:
            if name not in value:
                raise ArgumentError(
                    f"{path} has no field {name}; it needs {', '.join(self.fields)} and has "
                    f"{', '.join(map(str, value)) or 'none'}"
                )
        for name in value:
            if name not in self.fields:
                raise ArgumentError(
                    f"{path} has an unknown field {name}; it takes {', '.join(self.fields)}."
                    f"{nearest(str(name), self.fields)}"
                )
        inner = binding.within()
        # in the caller's order, so that gradients come back built as the argument is
        return {name: self.fields[name].convert(item, f"{path}.{name}", inner) for name, item in value.items()}


@dataclass(frozen=True)
class SequenceSpec(Spec):
    """A tuple or list, either of any length with items alike, or of one item for each spec."""

    items: tuple[Spec, ...]
    any_length: bool
    differentiable = True

    def words(self) -> str:  # noqa: D102
        if self.any_length:
            return f"tuple of any number of: {self.items[0].words()}"
        return "tuple of " + ", ".join(item.words() for item in self.items)

    def convert(self, value: Any, path: str, binding: Binding) -> Any:  # noqa: D102
        if not isinstance(value, tuple | list):
            hint = "; write (head,) for a tuple of one" if isinstance(value, Mapping) else ""
            raise ArgumentError(f"{path} must be a tuple or list, but is {what_came(value)}{hint}")
        specs = self.items * len(value) if self.any_length else self.items
        if len(specs) != len(value):
            raise ArgumentError(f"{path} must have {len(specs)} items, but has {len(value)}")
        converted = [
            spec.convert(item, f"{path}[{i}]", binding) for i, (spec, item) in enumerate(zip(specs, value, strict=True))
        ]
        return converted if isinstance(value, list) else tuple(converted)
