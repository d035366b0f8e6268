"""The values of the notation, and how messages describe them.

Numbers are Python's `int` and `float`; arrays are NumPy's, or values on a tape while a function is differentiated.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from opbook.autodiff.tape import TapeValue
from opbook.builtins.formatting import format_value


def simplified(value: Any) -> Any:
    """Turn NumPy's scalars into plain numbers.

    Returns:
        A plain `bool`, `int` or `float` for a scalar that is on no tape; anything else unchanged.
    """
    if isinstance(value, np.ndarray | np.generic) and value.ndim == 0 and value.dtype.kind in "biuf":
        return value.item()
    return value


def is_array(value: Any) -> bool:
    """Tell whether a value is an array, or a number on a tape."""
    return isinstance(value, np.ndarray | TapeValue)


def is_number(value: Any) -> bool:
    """Tell whether a value is one number.

    Returns:
        True for integers and floats, also as arrays without axes; false for truth values.
    """
    plain = isinstance(value, int | float) and not isinstance(value, bool)
    return plain or (is_array(value) and value.ndim == 0 and value.dtype.kind != "b")


def shape_of(value: Any) -> tuple[int, ...]:
    """Find a value's shape; a plain number's is `()`."""
    shape: tuple[int, ...] = value.shape if is_array(value) else ()
    return shape


def describe(value: Any) -> str:
    """Say in a few words what a value is."""
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return format_value(value)
    if isinstance(value, int | float):
        return f"the number {format_value(value)}"
    if is_array(value):
        return describe_shape(value.shape)
    if isinstance(value, str):
        return "text"
    if isinstance(value, Mapping):
        return "a record"
    if isinstance(value, tuple | list):
        return f"a tuple of {len(value)}"
    if callable(value):
        return f"the function {format_value(value)}"
    return f"a value of the kind {type(value).__name__}"


def describe_shape(shape: tuple[int, ...]) -> str:
    """Say what an array of some shape is."""
    if not shape:
        return "a number"
    if len(shape) == 1:
        return f"a vector of {shape[0]}"
    sizes = " by ".join(map(str, shape))
    return f"a {sizes} {'matrix' if len(shape) == 2 else 'array'}"
