"""What counts as an array: numbers, nested lists and values on a tape, in the dtypes that opbook computes with."""

from typing import Any

import numpy as np

from opbook.autodiff import tree
from opbook.autodiff.constants import plain_class
from opbook.autodiff.tape import FLOATS, TapeValue, newest_tape
from opbook.errors import DTypeError, ShapeError


def as_float_array(x: Any, what: str = "the argument") -> Any:
    """Take a number or nested lists of numbers as an array that opbook computes with.

    Args:
        x: A number, an array, nested lists, or a value on a tape.
        what: How an error names it.

    Returns:
        An array of float16, float32 or float64 that may share memory with `x`; integers and Booleans become float64.

    Raises:
        ArgumentError: An array of a class with an arithmetic of its own, such as a masked array.
        DTypeError: Complex, object and other dtypes.
        ShapeError: Nested lists of uneven lengths.
    """
    if (type(x) is np.ndarray and x.dtype in FLOATS) or isinstance(x, TapeValue):
        return x
    if isinstance(x, tuple | list) and newest_tape(tree.leaves(x)) is not None:
        items = [as_float_array(item, what) for item in x]
        if len({item.shape for item in items}) > 1:
            raise _ragged(what)
        return np.stack(items)
    if isinstance(x, np.ndarray):
        plain_class(x, what)
    try:
        array = np.asarray(x)
    except ValueError:
        raise _ragged(what) from None
    if array.dtype in FLOATS:
        return array
    if array.dtype.newbyteorder("=") in FLOATS:  # big-endian numbers, as some file formats have them
        return array.astype(array.dtype.newbyteorder("="))
    if array.dtype.kind in "iub" or (array.size == 0 and array.dtype.kind != "O" and isinstance(x, list)):
        return array.astype(np.float64)
    which = "" if hasattr(x, "dtype") else f" ({type(x).__name__} {_beginning(x)})"
    raise DTypeError(
        f"{what}: expected real numbers (float16, float32 or float64; integers become float64), "
        f"got dtype {array.dtype}{which}"
    )


def _ragged(what: str) -> ShapeError:
    return ShapeError(f"{what}: its rows differ in length; every row must have as many entries as the first")


def _beginning(x: Any) -> str:
    try:
        return f"{x!r:.40}"
    except ValueError:  # Python writes out no more than 4300 digits
        return "with thousands of digits"
