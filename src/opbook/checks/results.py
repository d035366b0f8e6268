"""What the annotation of a builtin's result says: arrays and their shapes, records and their fields, plain values."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from opbook.builtins.call import Call
from opbook.builtins.specs import ArraySpec, Binding, MaskSpec, OptionalSpec, RecordSpec, SequenceSpec, Spec, ValueSpec
from opbook.errors import OpbookError


def misfit(call: Call, value: Any) -> str:
    """Say what a result is that its annotation does not say.

    Args:
        call: The call that the result is of.
        value: The result.

    Returns:
        What was expected and what came; "" if the result is as annotated.
    """
    sizes = Binding()
    for param, argument in zip(_positional(call), call.positional, strict=True):
        if argument is not None:
            param.spec.convert(argument, param.name, sizes)
    return _misfit(call.shape.returns, value, sizes, "")


def _positional(call: Call) -> list[Any]:
    return [param for param in call.shape.params if not param.keyword_only]


def _misfit(spec: Spec | None, value: Any, sizes: Binding, path: str) -> str:
    at = f" at {path}" if path else ""
    if isinstance(spec, OptionalSpec):
        return "" if value is None else _misfit(spec.inner, value, sizes, path)
    if isinstance(spec, ArraySpec):
        return _array_misfit(spec, value, sizes, at)
    if isinstance(spec, RecordSpec):
        if not isinstance(value, Mapping):
            return f"expected {spec.name}, a record, as annotated{at}, got {_kind(value)}"
        if set(value) != set(spec.fields):
            expected, got = (", ".join(map(str, sorted(names, key=str))) or "none" for names in (spec.fields, value))
            return f"expected the fields {expected} as annotated{at}, got {got}"
        parts = ((inner, value[name], f"{path}.{name}" if path else name) for name, inner in spec.fields.items())
        return next((words for part, one, place in parts if (words := _misfit(part, one, sizes, place))), "")
    if isinstance(spec, SequenceSpec):
        if not isinstance(value, tuple | list):
            return f"expected a tuple as annotated{at}, got {_kind(value)}"
        items = spec.items * len(value) if spec.any_length else spec.items
        if len(items) != len(value):
            return f"expected {len(items)} items as annotated{at}, got {len(value)}"
        pairs = enumerate(zip(items, value, strict=True))
        return next((words for i, (part, one) in pairs if (words := _misfit(part, one, sizes, f"{path}[{i}]"))), "")
    if isinstance(spec, ValueSpec):
        return _value_misfit(spec, value, at)
    return ""


def _array_misfit(spec: ArraySpec, value: Any, sizes: Binding, at: str) -> str:
    if not isinstance(value, np.ndarray | np.generic):
        return f"expected an array as annotated{at}, got {_kind(value)}"
    if isinstance(spec, MaskSpec) != (value.dtype == np.bool_):
        return f"expected {spec.words()} as annotated{at}, got dtype {value.dtype}"
    if value.dtype.kind not in "fb":
        return f"expected floating-point numbers{at}, got dtype {value.dtype}"
    if not spec.dims:
        return ""
    expected = spec.shape(sizes)
    fits = len(expected) == len(value.shape) and all(
        size in (None, got) for size, got in zip(expected, value.shape, strict=True)
    )
    if not fits:
        words = tuple("any" if size is None else size for size in expected)
        return f"expected shape {str(words).replace(chr(39), '')} as annotated{at}, got {value.shape}"
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
