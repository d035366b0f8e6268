"""Numbers at a figure: few digits, and none that are noise."""

import math
from collections.abc import Iterable, Sequence

DIGITS = 3
"""Significant digits of a number in a cell, at a bar or at an axis."""

MANTISSA_BELOW, MANTISSA_ABOVE = 1e-4, 1e5
"""What is smaller or not smaller than this is written with a mantissa and an exponent."""

NOISE = 1e-9
"""What is smaller than this part of the largest number of a figure is shown as 0."""


def finite(values: Iterable[float]) -> list[float]:
    """The values that can be drawn: the others are gaps."""
    return [value for value in values if math.isfinite(value)]


def span(values: Iterable[float]) -> tuple[float, float]:
    """Find the lowest and the highest number.

    Returns:
        The lowest and the highest of the finite ones; 0 and 0 if there are none.
    """
    found = finite(values)
    return (min(found), max(found)) if found else (0.0, 0.0)


def span_from_zero(values: Iterable[float], limit: float | None = None) -> tuple[float, float]:
    """Find what an axis that has 0 on it must hold.

    Args:
        values: Numbers, not all of them finite.
        limit: How far it reaches at least, on each side that has a number.
    """
    low, high = span(values)
    if limit is not None:
        low, high = min(low, -limit if low < 0 else 0), max(high, limit if high > 0 or low >= 0 else 0)
    return min(low, 0.0), max(high, 0.0)


def short(value: float, largest: float = 0.0, digits: int = DIGITS) -> str:
    """Write a number in as few characters as a reader needs.

    Args:
        value: The number.
        largest: The largest absolute value of the figure, which says how many decimals are worth showing.
        digits: How many digits that one has.
    """
    if not math.isfinite(value):
        return str(value)
    size = max(abs(value), largest)
    if MANTISSA_BELOW <= size < MANTISSA_ABOVE:
        decimals = max(digits - math.ceil(math.log10(size)), 0)
        text = f"{value:.{decimals}f}"
        text = text.rstrip("0").rstrip(".") if "." in text else text
        return "0" if text == "-0" else text
    if abs(value) <= NOISE * size:
        return "0"
    mantissa, exponent = f"{value:.{digits - 1}e}".split("e")
    return f"{mantissa.rstrip('0').rstrip('.')}e{int(exponent)}"


def coarser(rows: Sequence[Sequence[float]], down: int, across: int) -> tuple[tuple[float, ...], ...]:
    """Take the means of neighbouring entries.

    Returns:
        A smaller matrix; NaN where no entry was finite.
    """
    return tuple(
        tuple(_mean(row[j : j + across] for row in rows[i : i + down]) for j in range(0, len(rows[0]), across))
        for i in range(0, len(rows), down)
    )


def _mean(parts: Iterable[Sequence[float]]) -> float:
    known = finite(value for part in parts for value in part)
    return math.fsum(value / len(known) for value in known) if known else math.nan
