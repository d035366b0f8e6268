"""Array literals: `[1, 2]`, `[1, 2; 3, 4]`, and brackets around vectors and matrices."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from opbook.notation.limits import Budget
from opbook.notation.nodes import Array
from opbook.notation.source import Mistake
from opbook.notation.values import describe, describe_shape, is_array, is_number, shape_of, simplified


def build(node: Array, values: Sequence[Sequence[Any]], budget: Budget) -> Any:
    """Make the array that a literal stands for.

    Within a row, numbers and vectors are joined end to end. `;` stacks rows along a new first axis; a row may also be
    one matrix, or an array of more axes.

    Returns:
        An array of float64, or of true and false if all entries are.

    Raises:
        Mistake: The rows differ in length, or an entry can't stand in an array.
    """
    values = [[simplified(value) for value in row] for row in values]
    boolean = all(_is_boolean(value) for row in values for value in row) and any(values)
    shapes = [_row_shape(nodes, row) for nodes, row in zip(node.rows, values, strict=True)]
    for i, shape in enumerate(shapes):
        if shape != shapes[0]:
            raise Mistake(node.rows[i][0].at, _ragged(i, shape, shapes[0]), "All rows need the same length.")
    shape = ((len(shapes), *shapes[0]) if node.stacked else shapes[0]) if shapes else (0,)
    budget.array(shape, node.at)
    dtype = np.bool_ if boolean else np.float64
    if not any(is_array(value) for row in values for value in row):
        return np.array(values, dtype).reshape(shape)
    rows = [_join(row, dtype) for row in values]
    return np.stack(rows) if node.stacked else rows[0]


def _is_boolean(value: Any) -> bool:
    return isinstance(value, bool) or (is_array(value) and value.dtype.kind == "b")


def _row_shape(nodes: Sequence[Any], row: Sequence[Any]) -> tuple[int, ...]:
    """Find the shape of a row, after checking its entries."""
    for node, value in zip(nodes, row, strict=True):
        if not (is_number(value) or _is_boolean(value) or is_array(value)):
            raise Mistake(node.at, f"an array holds numbers, but this is {describe(value)}")
        if len(shape_of(value)) > 1 and len(row) > 1:
            raise Mistake(
                node.at,
                f"{describe(value)} can't be joined into a row; only numbers and vectors can",
                "Stack matrices with ; between them.",
            )
    if len(row) == 1 and shape_of(row[0]):
        return shape_of(row[0])
    return (sum(shape_of(value)[0] if shape_of(value) else 1 for value in row),)


def _ragged(index: int, shape: tuple[int, ...], first: tuple[int, ...]) -> str:
    if len(shape) == len(first) == 1:
        entries = "entry" if shape[0] == 1 else "entries"
        return f"row {index + 1} has {shape[0]} {entries}, but row 1 has {first[0]}"
    return f"row {index + 1} is {describe_shape(shape)}, but row 1 is {describe_shape(first)}"


def _join(row: Sequence[Any], dtype: Any) -> Any:
    """Join the entries of a row, with NumPy's functions only: some may be on a tape."""
    entries = [_entry(value, dtype) for value in row]
    return entries[0] if len(entries) == 1 else np.concatenate(entries)


def _entry(value: Any, dtype: Any) -> Any:
    if not is_array(value):
        return np.array([value], dtype)
    if value.dtype.kind != "f":
        value = value.astype(dtype)
    return value if value.ndim else np.reshape(value, (1,))
