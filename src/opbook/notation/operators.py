"""Operators. The size of every result is known before it is computed.

They are Python's own operators and NumPy's functions, so that they work on values on a tape.
"""

import operator
from collections.abc import Callable
from itertools import zip_longest
from typing import Any

import numpy as np

from opbook.notation.builder import LARGEST_INTEGER
from opbook.notation.limits import Budget
from opbook.notation.source import Mistake
from opbook.notation.values import describe, is_array, is_number, shape_of, simplified

_ELEMENTWISE: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    ".*": operator.mul,
    "/": operator.truediv,
    "./": operator.truediv,
    "^": operator.pow,
}
_COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}


def binary(symbol: str, left: Any, right: Any, at: int, budget: Budget) -> Any:
    """Apply an operator between two values.

    Raises:
        Mistake: The operator does not take these values, or the result would be too large.
    """
    left, right = simplified(left), simplified(right)
    if symbol in _COMPARISONS:
        return _compare(symbol, left, right, at, budget)
    left, right = _numeric(symbol, left, "left", at), _numeric(symbol, right, "right", at)
    if symbol in ("*", "@") and not (is_number(left) or is_number(right)):
        return _matrix_product(symbol, left, right, at, budget)
    if not (is_array(left) or is_array(right)):
        return _scalar(symbol, left, right)
    budget.array(_broadcast(symbol, left, right, at), at)
    return _ELEMENTWISE[".*" if symbol in ("*", "@") else symbol](left, right)


def negative(value: Any, at: int, budget: Budget) -> Any:
    """Negate a number or an array.

    Raises:
        Mistake: It is neither.
    """
    value = _numeric("-", simplified(value), "right", at)
    budget.array(shape_of(value), at)
    return -value


def transpose(value: Any, at: int) -> Any:
    """Swap the last two axes.

    Raises:
        Mistake: It is a vector, or no array.
    """
    value = _numeric("'", simplified(value), "left", at)
    if is_number(value):
        return value
    if value.ndim == 1:
        hint = "With v the vector, [v;] is a matrix of one row, and [v;]' of one column."
        raise Mistake(at, f"{describe(value)} has no rows and columns that ' could swap", hint)
    axes = tuple(range(value.ndim))
    return np.transpose(value, (*axes[:-2], axes[-1], axes[-2]))


def invert(value: Any, at: int) -> Any:
    """Turn true into false and false into true, also entry by entry.

    Raises:
        Mistake: It is neither true or false nor an array of them.
    """
    return np.logical_not(value) if is_truth_array(value) else not truth(value, "not", at)


def both(symbol: str, left: Any, right: Any, at: int, budget: Budget) -> Any:
    """Combine truth values, of which at least one is an array.

    Raises:
        Mistake: One is neither true or false nor an array of them, or they do not fit.
    """
    for value in (left, right):
        if not is_truth_array(value):
            truth(value, symbol, at)
    budget.array(_broadcast(symbol, left, right, at), at)
    return np.logical_and(left, right) if symbol == "and" else np.logical_or(left, right)


def is_truth_array(value: Any) -> bool:
    """Tell whether a value is an array of true and false.

    Returns:
        True if it is one with at least one axis.
    """
    return isinstance(value, np.ndarray) and value.ndim > 0 and value.dtype.kind == "b"


def truth(value: Any, word: str, at: int) -> bool:
    """Take a value as true or false.

    Raises:
        Mistake: It is something else; numbers do not count as true.
    """
    value = simplified(value)
    if isinstance(value, bool):
        return value
    hint = ""
    if is_number(value):
        hint = "Compare it, as in x != 0."
    elif is_truth_array(value):
        hint = "An array of true and false is no single truth; count it with a builtin and compare the count."
    raise Mistake(at, f"`{word}` needs true or false, but this is {describe(value)}", hint)


def _numeric(symbol: str, value: Any, side: str, at: int) -> Any:
    """Take an operand as a number or an array of numbers; true is 1 and false is 0."""
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, int | float):
        return value
    if is_array(value) and value.dtype.kind in "biuf":
        return value if value.dtype.kind == "f" else value.astype(np.float64)
    hint = 'Join texts with braces: "{a}{b}"' if symbol == "+" and isinstance(value, str) else ""
    raise Mistake(at, f"`{symbol}` needs numbers or arrays, but on its {side} is {describe(value)}", hint)


def _scalar(symbol: str, left: float, right: float) -> float:
    """Compute with plain numbers, as NumPy does: 1/0 is inf. Integers that grow too large become floats."""
    symbol = ".*" if symbol in ("*", "@") else symbol
    if isinstance(left, int) and isinstance(right, int) and _stays_integer(symbol, left, right):
        exact: int = _ELEMENTWISE[symbol](left, right)
        if abs(exact) <= LARGEST_INTEGER:
            return exact
    with np.errstate(all="ignore"):
        return float(_ELEMENTWISE[symbol](np.float64(left), np.float64(right)))


def _stays_integer(symbol: str, left: int, right: int) -> bool:
    if symbol == "^":
        return right >= 0 and (abs(left) <= 1 or right <= 64)
    return symbol in ("+", "-", ".*")


def _broadcast(symbol: str, left: Any, right: Any, at: int) -> tuple[int, ...]:
    """Find the shape of an elementwise result."""
    lengths: list[int] = []
    for one, other in zip_longest(reversed(shape_of(left)), reversed(shape_of(right)), fillvalue=1):
        if one != other and 1 not in (one, other):
            hint = ""
            if symbol in (".*", "./", "/", "+", "-") and len(shape_of(left)) == len(shape_of(right)) == 2:
                hint = "Is a transpose ' missing?" if shape_of(left) == shape_of(right)[::-1] else ""
            sides = f"on its left is {describe(left)} and on its right {describe(right)}"
            raise Mistake(at, f"`{symbol}` works entry by entry, but {sides}", hint)
        lengths.append(one if other == 1 else other)
    return tuple(reversed(lengths))


def _matrix_product(symbol: str, left: Any, right: Any, at: int, budget: Budget) -> Any:
    if symbol == "*" and left.ndim == right.ndim == 1:
        message = f"`*` is the matrix product, but on both sides are vectors, {describe(left)} and {describe(right)}"
        raise Mistake(at, message, "Write .* to multiply entry by entry, or @ for the dot product.")
    if left.shape[-1] != right.shape[-2 if right.ndim > 1 else -1]:
        raise _no_product(left, right, at)
    batch = _batch(symbol, left, right, at)
    budget.array((*batch, *left.shape[-2:-1], *(right.shape[-1:] if right.ndim > 1 else ())), at)
    return np.matmul(left, right)


def _no_product(left: Any, right: Any, at: int) -> Mistake:
    have = f"{left.shape[-1]} {'columns' if left.ndim > 1 else 'entries'}"
    meet = f"{right.shape[-2]} rows" if right.ndim > 1 else f"{right.shape[0]} entries"
    hint = ""
    if left.shape == right.shape:
        hint = "Write .* to multiply entry by entry."
    elif right.ndim > 1 and right.shape[-1] == left.shape[-1]:
        hint = "The right side transposed, with ', would fit."
    sides = f"{describe(left)} and {describe(right)}"
    return Mistake(at, f"there is no matrix product of {sides}: {have} on the left, {meet} on the right", hint)


def _batch(symbol: str, left: Any, right: Any, at: int) -> tuple[int, ...]:
    """Find the leading axes of a matrix product."""
    try:
        return np.broadcast_shapes(left.shape[:-2], right.shape[:-2])
    except ValueError:
        raise Mistake(at, f"the leading axes of {describe(left)} and {describe(right)} do not fit `{symbol}`") from None


def _compare(symbol: str, left: Any, right: Any, at: int, budget: Budget) -> Any:
    if isinstance(left, str) and isinstance(right, str):
        return _COMPARISONS[symbol](left, right)
    for value, side in ((left, "left"), (right, "right")):
        if not (isinstance(value, bool | int | float) or is_array(value)):
            raise Mistake(at, f"`{symbol}` compares numbers and arrays, but on its {side} is {describe(value)}")
    budget.array(_broadcast(symbol, left, right, at), at)
    return simplified(_COMPARISONS[symbol](left, right))
