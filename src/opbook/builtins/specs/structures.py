"""Specs of what holds other arguments: records, tuples and lists, dictionaries, and trees of arrays."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from opbook.autodiff import tree
from opbook.autodiff.dtypes import as_float_array
from opbook.builtins.specs.binding import Binding
from opbook.builtins.specs.spec import Spec, contiguous, what_came
from opbook.errors import ArgumentError, OpbookError, ShapeError, nearest


@dataclass(frozen=True)
class RecordSpec(Spec):
    """A record: any Mapping with these fields.

    Attributes:
        name: What its class is called.
        fields: What each field must be.
        optional: The names of the fields that may be left out.
    """

    name: str
    fields: dict[str, Spec]
    optional: frozenset[str] = frozenset()

    differentiable = True

    @property
    def parts(self) -> tuple[Spec, ...]:
        """What it holds."""
        return tuple(self.fields.values())

    def words(self) -> str:  # noqa: D102
        return f"record {self.name} with " + ", ".join(
            f"{name} {spec.words()}{' (may be left out)' if name in self.optional else ''}"
            for name, spec in self.fields.items()
        )

    def convert(self, value: Any, path: str, binding: Binding) -> Any:  # noqa: D102
        if not isinstance(value, Mapping):
            raise ArgumentError(
                f"{path} must be a record with the fields {', '.join(self.fields)}, but is {what_came(value)}"
            )
        for name in self.fields:
            if name not in value and name not in self.optional:
                needed = ", ".join(name for name in self.fields if name not in self.optional)
                raise ArgumentError(
                    f"{path} has no field {name}; it needs {needed} and has {', '.join(map(str, value)) or 'none'}"
                )
        for name in value:
            if name not in self.fields:
                raise ArgumentError(
                    f"{path} has an unknown field {name}; it takes {', '.join(self.fields)}."
                    f"{nearest(str(name), self.fields)}"
                )
        # in the caller's order, so that gradients come back built as the argument is
        return {name: self.fields[name].convert(item, f"{path}.{name}", binding) for name, item in value.items()}


@dataclass(frozen=True)
class SequenceSpec(Spec):
    """A tuple or list, either of any length with items alike, or of one item for each spec.

    Attributes:
        items: What the items must be.
        any_length: Whether there may be any number of the only one of `items`.
        made_as: The NamedTuple that it is, or None.
    """

    items: tuple[Spec, ...]
    any_length: bool
    made_as: Any = None

    differentiable = True

    @property
    def parts(self) -> tuple[Spec, ...]:
        """What it holds."""
        return self.items

    @property
    def names(self) -> tuple[str, ...]:
        """What its items are called; none if it is no NamedTuple."""
        return getattr(self.made_as, "_fields", ())

    def words(self) -> str:  # noqa: D102
        if self.any_length:
            return f"tuple of any number of: {self.items[0].words()}"
        if self.names:
            named = (f"{name} {item.words()}" for name, item in zip(self.names, self.items, strict=True))
            return f"tuple {self.made_as.__name__} of {', '.join(named)}"
        return "tuple of " + ", ".join(item.words() for item in self.items)

    def convert(self, value: Any, path: str, binding: Binding) -> Any:  # noqa: D102
        if not isinstance(value, tuple | list):
            hint = "; write (head,) for a tuple of one" if isinstance(value, Mapping) else ""
            raise ArgumentError(f"{path} must be a tuple or list, but is {what_came(value)}{hint}")
        specs = self.items * len(value) if self.any_length else self.items
        if len(specs) != len(value):
            raise ArgumentError(f"{path} must have {len(specs)} items, but has {len(value)}")
        places = [f"{path}.{name}" for name in self.names] or [f"{path}[{i}]" for i in range(len(value))]
        converted = [
            spec.convert(item, place, binding.within() if isinstance(spec, RecordSpec) else binding)
            for spec, item, place in zip(specs, value, places, strict=True)
        ]
        if self.made_as is not None:
            return self.made_as(*converted)
        return converted if isinstance(value, list) else tuple(converted)


@dataclass(frozen=True)
class DictSpec(Spec):
    """A dictionary with any texts as its keys, and values alike."""

    item: Spec

    differentiable = True

    @property
    def parts(self) -> tuple[Spec, ...]:
        """What it holds."""
        return (self.item,)

    def words(self) -> str:  # noqa: D102
        return f"dictionary of any number of: {self.item.words()}"

    def convert(self, value: Any, path: str, binding: Binding) -> Any:  # noqa: D102
        if not isinstance(value, Mapping):
            raise ArgumentError(f"{path} must be a dictionary, but is {what_came(value)}")
        for name in value:
            if not isinstance(name, str):
                raise ArgumentError(f"{path} must have texts as its keys, but has {what_came(name)}")
        several = isinstance(self.item, RecordSpec)
        return {
            name: self.item.convert(item, f"{path}.{name}", binding.within() if several else binding)
            for name, item in value.items()
        }


@dataclass(frozen=True)
class TreeSpec(Spec):
    """Arrays in records, tuples and lists of any depth, or a single array.

    Attributes:
        name: The name of its shapes, if they must be those of other trees of that name, or "".
    """

    name: str = ""

    differentiable = True

    def words(self) -> str:  # noqa: D102
        return "tree of arrays" + (f" built as {self.name}" if self.name else "")

    def convert(self, value: Any, path: str, binding: Binding) -> Any:  # noqa: D102
        leaves = tree.leaves(value)
        try:
            arrays = [self._array(leaf, path) for leaf in leaves]
        except OpbookError:  # once more with the names of all places, which take longer than the arrays
            arrays = [self._array(leaf, place) for leaf, place in zip(leaves, tree.paths(value, path), strict=True)]
        binding.floats += arrays
        converted = tree.unflatten(value, arrays)
        if self.name:
            self.check(converted, path, binding)
        return converted

    @staticmethod
    def _array(leaf: Any, place: str) -> Any:
        if leaf is None or isinstance(leaf, str | bytes) or callable(leaf):
            raise ArgumentError(f"{place} must be an array, but is {what_came(leaf)}")
        return contiguous(as_float_array(leaf, place))

    def check(self, value: Any, path: str, binding: Binding) -> None:
        """Hold a tree to the others of its name.

        Raises:
            ArgumentError: It is built otherwise.
            ShapeError: One of its arrays has another shape.
        """
        first, its_path = binding.trees.setdefault(self.name, (value, path))
        if not tree.same_structure(first, value):
            due, got = (
                ", ".join(tree.paths(one, place)) or "nothing" for one, place in ((first, its_path), (value, path))
            )
            raise ArgumentError(f"{path} must be built as {its_path} is ({due}), but has {got}")
        shapes = [np.shape(leaf) for leaf in tree.leaves_like(first, value)]
        due_shapes = [np.shape(leaf) for leaf in tree.leaves(first)]
        if shapes == due_shapes:
            return
        for place, mine, theirs in zip(tree.paths(first, ""), shapes, due_shapes, strict=True):
            if mine != theirs:
                at = f"{'.' if place[:1] not in ('', '[') else ''}{place}"
                raise ShapeError(
                    f"{path}{at} has shape {mine} but {its_path}{at} has {theirs}; "
                    f"they must be equal (both are {self.name})"
                )
