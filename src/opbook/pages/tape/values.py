"""Arrays in few characters, as they stand on a tape."""

from typing import Any

import numpy as np

MOST_ROWS, MOST_COLUMNS = 4, 4
"""Larger arrays are shown as far as this, with an ellipsis."""


def shape(array: Any) -> str:
    """Write the shape of an array."""
    return str(np.shape(array)) if np.shape(array) else "number"


def rows(array: np.ndarray) -> list[str]:
    """Write the lines of an array, its columns aligned; more axes than two are written below each other."""
    if not array.size:
        return ["no entries"]
    lines = np.reshape(array, (-1, array.shape[-1])) if array.ndim else np.reshape(array, (1, 1))
    shown = [[number(entry) for entry in line[:MOST_COLUMNS]] for line in lines[:MOST_ROWS]]
    widths = [max(map(len, column)) for column in zip(*shown, strict=True)]
    rows = ["  ".join(entry.rjust(width) for entry, width in zip(line, widths, strict=True)) for line in shown]
    if lines.shape[1] > MOST_COLUMNS:
        rows = [f"{row}  …" for row in rows]
    return [*rows, *(["…"] if len(lines) > MOST_ROWS else [])]


def number(value: float) -> str:
    """Write a number in few characters.

    Returns:
        It with two decimals, or as a power of ten if that would hide what it is. Rounding noise is 0.
    """
    value = float(value)
    if abs(value) < 1e-12:
        return "0"
    if not np.isfinite(value):
        return str(value)
    if abs(value) < 0.005 or abs(value) >= 10000:
        return f"{value:.0e}".replace("e-0", "e-").replace("e+0", "e").replace("e+", "e").replace("-", "−")
    text = f"{value:.2f}".rstrip("0").rstrip(".") if abs(value) < 1000 else f"{value:.0f}"
    return text.replace("-", "−")
