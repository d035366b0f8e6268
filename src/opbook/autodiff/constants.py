"""What a tape keeps of the arrays that are on no tape: copies, as the caller may change his own before the way back."""

import copy
import operator
from typing import Any

import numpy as np

from opbook.autodiff.derivatives.complex_pairs import ComplexPair
from opbook.autodiff.methods import is_on_tape
from opbook.errors import ArgumentError

_UNCHANGING = {int, float, bool, slice, type(None), type(Ellipsis), np.float64, np.float32}
"""Classes of which nothing can be changed; most constants and indices are of these."""


class Complex(Exception):
    """A real value on a tape meets a complex one, which knows how to compute with both."""


def kept(constant: Any) -> Any:
    """Copy what the caller may change.

    Returns:
        A copy of an array or a list; anything else itself.
    """
    cls = type(constant)
    if cls is np.ndarray:
        return np.array(constant)
    if cls in _UNCHANGING:
        return constant
    if cls is ComplexPair:
        raise Complex
    if isinstance(constant, np.ndarray) and not is_on_tape(constant):
        return np.array(plain_class(constant, "a constant on a tape"))
    return copy.deepcopy(constant) if isinstance(constant, list) else constant


def kept_index(index: Any) -> Any:
    """Copy an index array; other sequences of indices become arrays."""
    if type(index) in _UNCHANGING:
        return index
    if is_on_tape(index):
        return operator.index(index)
    if type(index) is np.ndarray:
        return np.array(index)
    if isinstance(index, np.ndarray | list | tuple | range):
        if any(map(is_on_tape, index)):
            index = [operator.index(i) for i in index]
        array = np.array(index)
        return array if array.size else array.astype(np.intp)  # [] has no entry to tell that it is of integers
    return index


def plain_class(array: Any, what: str) -> Any:
    """Refuse arrays of classes with another arithmetic than NumPy's, such as masked arrays and matrices.

    Raises:
        ArgumentError: Its class multiplies in its own way.
    """
    cls = type(array)
    if cls is np.ndarray or (cls.__mul__, cls.__array_ufunc__) == (np.ndarray.__mul__, np.ndarray.__array_ufunc__):
        return array
    raise ArgumentError(
        f"{what}: a {cls.__name__} computes in another way than an array does, and would be taken for a plain one: "
        "pass np.asarray(x), or of a masked array x.filled(0) and the mask as an argument of its own"
    )
