"""The layout of a call: all that is to be known of its arguments but the numbers in arrays.

Whether arguments of the usual kinds fit their annotations depends on nothing else. So a call shape keeps in mind which
layouts have fitted, and what comes in one of them is not checked again: for small arrays, checks take longer than sums.
"""

from typing import Any

import numpy as np

from opbook.autodiff.tape import FLOATS, TapeValue
from opbook.builtins.specs import Spec, UnionSpec, ValueSpec

MOST = 256
"""How many layouts a call shape keeps in mind; then it begins anew, as sequences may have any length."""

BOOLEAN = np.dtype(bool).num


class _UnusualError(Exception):
    """An argument of a kind that has to be looked at every time."""


class Layouts:
    """The layouts that have fitted a call shape, and in which it takes all arguments as they are."""

    def __init__(self, specs: list[Spec]) -> None:
        self._fitting: set[Any] = set()
        self._can_tell = not any(map(_asks_for_a_number, specs))

    def floats_if_fitting(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any] | None:
        """Recognize a call.

        Returns:
            The arrays of floats and the values on tapes among its arguments; None if its layout has to be checked.
        """
        floats: list[Any] = []
        try:
            known = (_layout(args, floats), _layout(kwargs, floats)) in self._fitting
        except _UnusualError:
            return None
        return floats if known else None

    def remember(
        self, args: tuple[Any, ...], kwargs: dict[str, Any], positional: list[Any], keywords: dict[str, Any]
    ) -> None:
        """Keep the layout of a call in mind, unless it takes more than a layout to tell whether it fits.

        Args:
            args: The positional arguments, as they came.
            kwargs: The keyword arguments, as they came.
            positional: What was made of the former. What is converted, such as a mask of numbers, has another layout.
            keywords: What was made of the latter.
        """
        floats: list[Any] = []
        try:
            layout = _layout(args, floats), _layout(kwargs, floats)
            taken = _layout(tuple(positional), []), _layout(keywords, [])
        except _UnusualError:
            return
        # arrays of whole numbers may have a range, which depends on the numbers
        if self._can_tell and layout == taken and all(array.dtype in FLOATS for array in floats):
            if len(self._fitting) >= MOST:
                self._fitting.clear()
            self._fitting.add(layout)


def _layout(value: Any, floats: list[Any]) -> Any:
    """The layout of an argument, to be compared; its arrays but the Boolean ones are added to a list."""
    kind = type(value)
    if kind is np.ndarray:
        if not value.flags.c_contiguous:
            raise _UnusualError
        dtype = value.dtype
        if dtype.num != BOOLEAN:  # not told by the dtype itself, of which an unpickled array has a copy
            floats.append(value)
        return dtype, value.shape
    if kind is TapeValue:
        floats.append(value)
        return kind, value.dtype, value.shape
    if kind is float or kind is int or value is None:
        return kind
    if kind is bool or kind is str:
        return value, kind
    if kind is dict:
        return kind, *value, *[_layout(item, floats) for item in value.values()]
    if kind is tuple or kind is list:
        return kind, *[_layout(item, floats) for item in value]
    raise _UnusualError


def _asks_for_a_number(spec: Spec) -> bool:
    """Whether an annotation takes some numbers otherwise than others, or not at all, which a layout does not tell."""
    if isinstance(spec, ValueSpec):
        # of int | float, 2.0 becomes an integer and 2.5 stays what it is
        return {int, float} <= set(spec.types) or any(not isinstance(choice, str) for choice in spec.choices)
    # likewise ones are taken by the first of Mask | Array, and halves by the second
    return (isinstance(spec, UnionSpec) and spec.differentiable) or any(map(_asks_for_a_number, spec.parts))
