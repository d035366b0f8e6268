"""What the annotation of a builtin's result says: arrays and their shapes, records and their fields, plain values."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from opbook.autodiff import tree
from opbook.builtins.call import Call
from opbook.builtins.specs import (
    ArraySpec,
    Binding,
    BoolSpec,
    DictSpec,
    IntSpec,
    MaskSpec,
    OptionalSpec,
    RecordSpec,
    SequenceSpec,
    Spec,
    TreeSpec,
    UnionSpec,
    ValueSpec,
)
from opbook.errors import OpbookError


def misfit(call: Call, value: Any) -> str:
    """Say what a result is that its annotation does not say.

    Returns:
        What was expected and what came; "" if the result is as annotated.
    """
    return _misfit(call.shape.returns, value, call.shape.sizes_of(call.positional), "")


def _misfit(spec: Spec | None, value: Any, sizes: Binding, path: str) -> str:
    at = f" at {path}" if path else ""
    if isinstance(spec, OptionalSpec):
        return "" if value is None else _misfit(spec.inner, value, sizes, path)
    if isinstance(spec, UnionSpec):
        found = [_misfit(part, value, sizes, path) for part in spec.parts]
        return "" if "" in found else f"expected {spec.words()} as annotated{at}, got {_kind(value)}"
    if isinstance(spec, ArraySpec):
        return _array_misfit(spec, value, sizes, at)
    if isinstance(spec, RecordSpec):
        return _record_misfit(spec, value, sizes, path, at)
    if isinstance(spec, DictSpec):
        if not isinstance(value, Mapping):
            return f"expected a dictionary as annotated{at}, got {_kind(value)}"
        return _first(((spec.item, one, _field(path, name)) for name, one in value.items()), sizes)
    if isinstance(spec, SequenceSpec):
        if not isinstance(value, tuple | list):
            return f"expected a tuple as annotated{at}, got {_kind(value)}"
        items = spec.items * len(value) if spec.any_length else spec.items
        if len(items) != len(value):
            return f"expected {len(items)} items as annotated{at}, got {len(value)}"
        places = [_field(path, name) for name in spec.names] or [f"{path}[{i}]" for i in range(len(value))]
        return _first(zip(items, value, places, strict=True), sizes)
    if isinstance(spec, TreeSpec):
        return _tree_misfit(spec, value, sizes, at)
    if isinstance(spec, ValueSpec):
        return _value_misfit(spec, value, at)
    return ""


def _first(parts: Iterable[tuple[Spec, Any, str]], sizes: Binding) -> str:
    """What is wrong with the first of several parts with which something is."""
    return next((words for part, one, path in parts if (words := _misfit(part, one, sizes, path))), "")


def _field(path: str, name: Any) -> str:
    return f"{path}.{name}" if path else str(name)


def _record_misfit(spec: RecordSpec, value: Any, sizes: Binding, path: str, at: str) -> str:
    if not isinstance(value, Mapping):
        return f"expected {spec.name}, a record, as annotated{at}, got {_kind(value)}"
    if not set(spec.fields) - spec.optional <= set(value) <= set(spec.fields):
        expected, got = (", ".join(map(str, sorted(names, key=str))) or "none" for names in (spec.fields, value))
        return f"expected the fields {expected} as annotated{at}, got {got}"
    return _first(((spec.fields[name], one, _field(path, name)) for name, one in value.items()), sizes)


def _array_misfit(spec: ArraySpec, value: Any, sizes: Binding, at: str) -> str:
    if not isinstance(value, np.ndarray | np.generic):
        return f"expected an array as annotated{at}, got {_kind(value)}"
    kinds = "iu" if isinstance(spec, IntSpec) else "b" if isinstance(spec, MaskSpec | BoolSpec) else "f"
    if value.dtype.kind not in kinds:
        what = "floating-point numbers" if kinds == "f" and value.dtype.kind != "b" else f"{spec.words()} as annotated"
        return f"expected {what}{at}, got dtype {value.dtype}"
    if not spec.axes and spec.batched:
        return ""
    expected = spec.shape(sizes)
    fits = len(expected) == len(value.shape) and all(
        size in (None, got) for size, got in zip(expected, value.shape, strict=True)
    )
    if not fits:
        words = tuple("any" if size is None else size for size in expected)
        return f"expected shape {str(words).replace(chr(39), '')} as annotated{at}, got {value.shape}"
    return _range_misfit(spec, value, sizes, at) if isinstance(spec, IntSpec) else ""


def _range_misfit(spec: IntSpec, value: Any, sizes: Binding, at: str) -> str:
    try:
        spec.convert(value, "it", sizes)
    except OpbookError:
        return f"expected whole numbers {spec.range} as annotated{at}, got some from {value.min()} to {value.max()}"
    return ""


def _tree_misfit(spec: TreeSpec, value: Any, sizes: Binding, at: str) -> str:
    for leaf in tree.leaves(value):
        if not isinstance(leaf, np.ndarray | np.generic) or leaf.dtype.kind != "f":
            return f"expected a tree of floating-point numbers as annotated{at}, got {_kind(leaf)} in it"
    if spec.name:
        try:
            spec.check(value, "it", sizes)
        except OpbookError as error:
            return f"expected a tree built as {spec.name}{at}: {error}"
    return ""


def _value_misfit(spec: ValueSpec, value: Any, at: str) -> str:
    if value is None and type(None) in spec.types:
        return ""
    try:
        spec.convert(value, "the result", Binding())
    except OpbookError:
        return f"expected {spec.words()} as annotated{at}, got {_kind(value)}"
    return ""


def _kind(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"an array of shape {value.shape}"
    if isinstance(value, tuple | list):
        return f"a {type(value).__name__} of {len(value)}"
    return repr(value) if value is None or isinstance(value, str | float | int) else f"a {type(value).__name__}"
