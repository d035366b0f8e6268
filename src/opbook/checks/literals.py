"""Writes inputs down: as Python to paste into a test, and as a call in the notation."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from opbook.autodiff import tree

LONGEST = 600
"""An input that would take more characters than this is described instead."""

LONGEST_LITERAL = 50
"""An array with more entries is not written in the notation: more of them only add digits, and take long to read."""


class NotWritable(ValueError):
    """The notation has no way to write the value."""


def python_call(name: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> str:
    """Write a call as Python.

    Returns:
        Such as `layer_norm(np.array([[1.0, 2.0]]), ...)`, or a description by shapes if it would be very long.
    """
    entries = sum(np.size(leaf) for leaf in tree.leaves((args, dict(kwargs))) if isinstance(leaf, np.ndarray))
    if entries <= LONGEST:  # more of them would take more characters
        parts = [_python(a) for a in args] + [f"{key}={_python(value)}" for key, value in kwargs.items()]
        text = f"{name}({', '.join(parts)})"
        if len(text) <= LONGEST:
            return text
    parts = [_outline(a) for a in args] + [f"{key}={_outline(value)}" for key, value in kwargs.items()]
    return f"{name}({', '.join(parts)})"


def _python(value: Any) -> str:
    if isinstance(value, np.ndarray):
        dtype = "" if value.dtype in (np.float64, np.bool_) and value.size else f", np.{value.dtype.name}"
        shape = f".reshape({value.shape})" if not value.size else ""
        return f"np.array({value.tolist() if value.size else '[]'}{dtype}){shape}"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key!r}: {_python(item)}" for key, item in value.items()) + "}"
    if isinstance(value, tuple):
        return "(" + "".join(f"{_python(item)}, " for item in value).rstrip(" " if len(value) == 1 else ", ") + ")"
    if isinstance(value, list):
        return "[" + ", ".join(map(_python, value)) + "]"
    return getattr(value, "__name__", None) or repr(value)


def _outline(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"<{value.dtype.name} {value.shape}>"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key}: {_outline(item)}" for key, item in value.items()) + "}"
    if isinstance(value, tuple | list):
        return "(" + ", ".join(map(_outline, value)) + ")"
    return _python(value)


def notation_call(name: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> str:
    """Write a call in the notation, with every digit.

    Returns:
        Such as `layer_norm([1.0, 2.0; 3.0, 4.0], ...)`.

    Raises:
        NotWritable: An array with more than two axes or none of its entries, or a Python function.
    """
    parts = [_notation(a) for a in args] + [f"{key} = {_notation(value)}" for key, value in kwargs.items()]
    return f"{name}({', '.join(parts)})"


def _notation(value: Any) -> str:
    if isinstance(value, np.ndarray) and value.ndim:
        return _matrix(value)
    if isinstance(value, bool | np.bool_):
        return "true" if value else "false"
    if isinstance(value, int | float | np.generic | np.ndarray):
        return repr(np.asarray(value).item())
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key} = {_notation(item)}" for key, item in value.items()) + "}"
    if isinstance(value, tuple):
        return "(" + ", ".join(map(_notation, value)) + (",)" if len(value) == 1 else ")")
    raise NotWritable(f"the notation has no way to write a {type(value).__name__}")


def _matrix(array: Any) -> str:
    if array.ndim > 2 or not array.size or array.size > LONGEST_LITERAL:
        raise NotWritable(f"the notation has no literal for an array of shape {array.shape}, or a very long one")
    if array.ndim == 1:
        return f"[{', '.join(map(_notation, array))}]"
    rows = "; ".join(", ".join(map(_notation, row)) for row in array)
    return f"[{rows}{';' if len(array) == 1 else ''}]"
