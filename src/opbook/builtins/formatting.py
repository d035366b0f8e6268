"""How values print: so that the notation can read them back."""

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from opbook.autodiff.tape import stop_gradient
from opbook.errors import InputError

DECIMALS = 6
"""Numbers print with at most this many decimals."""

LONGEST = 1_000_000
"""A value that would print longer than this many characters is refused: nobody would read it."""

_ESCAPES = str.maketrans(
    {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r", "{": "{{", "}": "}}"},
)


def format_value(value: Any) -> str:
    """Write a value the way the notation reads it.

    Numbers have at most six decimals, without trailing zeros, and never `-0`, so that rounding noise such as `1e-17`
    prints as the `0` that it stands for. Floats from `1e16` on print as `1.5e16` does, with six decimals in front of
    the exponent: there a float has no decimals left, and its digits would only pretend to be exact. (Python's `repr`
    changes at the same point.) Integers always print in full.

    A `;` at the end tells a matrix of one row, `[1, 2;]`, from a vector, `[1, 2]`; arrays of more axes nest. An array
    of several axes without entries prints as a call, `zeros(0, 3)`.

    Args:
        value: A number, text, array, tuple, list, record, function or None. A value on a tape prints as its array.

    Returns:
        The text. Text prints as itself, but in quotes inside a tuple or a record; None as nothing.

    Raises:
        InputError: The text would be too long to be read.
    """
    if isinstance(value, str):
        return str(value)
    if value is None:
        return ""
    pieces: list[str] = []
    room = LONGEST
    for piece in _pieces(value):
        pieces.append(piece)
        room -= len(piece)
        if room < 0:
            raise InputError(f"the value is too large to print: it takes more than {LONGEST:,} characters")
    return "".join(pieces)


def format_number(number: Any) -> str:
    """Write one number."""
    if isinstance(number, int | np.integer):
        return str(int(number))
    number = float(number)
    if not math.isfinite(number):
        return str(number)
    if abs(number) < 1e16:
        text = f"{number:.{DECIMALS}f}".rstrip("0").rstrip(".")
        return "0" if text == "-0" else text
    mantissa, exponent = f"{number:.{DECIMALS}e}".split("e+")
    return f"{mantissa.rstrip('0').rstrip('.')}e{int(exponent)}"


def _pieces(value: Any) -> Iterator[str]:
    value = stop_gradient(value)
    if isinstance(value, np.ndarray):
        yield from _array(value)
    elif isinstance(value, bool | np.bool_):
        yield "true" if value else "false"
    elif isinstance(value, int | float | np.integer | np.floating):
        yield format_number(value)
    elif isinstance(value, str):
        yield f'"{value.translate(_ESCAPES)}"'
    elif value is None:
        yield "nothing"
    elif isinstance(value, Mapping):
        yield from _record(value)
    elif isinstance(value, tuple | list):
        yield from _tuple(value)
    else:
        yield getattr(value, "__name__", None) or str(value)


def _record(record: Mapping[Any, Any]) -> Iterator[str]:
    yield "{"
    for i, (name, value) in enumerate(record.items()):
        yield f"{', ' if i else ''}{name} = "
        yield from _pieces(value)
    yield "}"


def _tuple(entries: tuple[Any, ...] | list[Any]) -> Iterator[str]:
    yield "("
    for i, value in enumerate(entries):
        yield ", " if i else ""
        yield from _pieces(value)
    yield ",)" if len(entries) == 1 else ")"


def _array(array: Any) -> Iterator[str]:
    if array.ndim == 0:
        yield from _pieces(array.item())
    elif array.size == 0 and array.ndim > 1:
        yield f"zeros({', '.join(map(str, array.shape))})"
    elif array.ndim == 1:
        yield "["
        yield from _row(array)
        yield "]"
    else:
        yield "["
        for i, row in enumerate(array):
            yield "; " if i else ""
            yield from _row(row) if array.ndim == 2 else _array(row)
        yield ";]" if len(array) == 1 else "]"


def _row(row: Any) -> Iterator[str]:
    for i, entry in enumerate(row.tolist() if row.dtype != object else row):
        yield ", " if i else ""
        yield from _pieces(entry)
