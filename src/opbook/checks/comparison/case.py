"""One case of a comparison: what a function gives on an input beside what the builtin's definition gives."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from opbook.autodiff import tree
from opbook.checks.tolerance import relative_error


@dataclass(frozen=True)
class Case:
    """The result of a comparison for one input.

    Attributes:
        label: The input in words, such as `"mask with an empty row"`.
        dtype: The precision, such as `"float32"`.
        what: `"value"`, `"gradient"`, or `"behaviour"` for what a comparison of numbers can't see.
        status: `"passed"`, `"failed"`, `"refused"` where the function raised, or `"left out"` where it lacks an option.
        is_edge: Whether libraries differ there on purpose, so that a difference does not make a function wrong.
        error: The relative error; None where nothing could be compared, or it is not finite.
        tolerance: The error that is allowed.
        message: What is wrong, or why it was refused or left out.
        paste: The call, to paste into a test.
        seconds: How long it took.
    """

    label: str
    dtype: str
    what: str
    status: str
    is_edge: bool = False
    error: float | None = None
    tolerance: float | None = None
    message: str = ""
    paste: str = ""
    seconds: float = 0.0

    def as_dict(self) -> dict[str, Any]:
        """The case as plain values, for JSON, which has no infinity: a bound that is infinite is none."""
        bound = self.tolerance if self.tolerance is not None and np.isfinite(self.tolerance) else None
        return {**vars(self), "tolerance": bound}


def judge(got: Any, expected: Any, tolerance: float, names: Sequence[str] = ()) -> tuple[str, float | None, str]:
    """Hold what came to what was expected.

    Args:
        got: What came.
        expected: What was expected.
        tolerance: The relative error that is allowed.
        names: What the arrays in it are called, if it matters which of them is wrong.

    Returns:
        The status, the relative error if there is one, and what is wrong.
    """
    is_built_alike = tree.same_structure(expected, got)
    mine = tree.leaves_like(expected, got) if is_built_alike else tree.leaves(got)  # fields may be in another order
    theirs = tree.leaves(expected)
    if got is None and expected is not None:
        return "failed", None, "expected a result, got None: it has no return, or not on every way"
    if len(mine) != len(theirs):
        return "failed", None, f"expected {_count(theirs)}, got {_count(mine)}"
    for a, b in zip(mine, theirs, strict=True):
        if not isinstance(b, np.ndarray | np.generic):
            continue
        kind = getattr(a, "dtype", np.asarray(a).dtype)
        if kind.kind not in "fiub":
            got_instead = f"dtype {kind}" if np.size(a) != 1 else repr(np.asarray(a).item())
            return "failed", None, f"expected real numbers, got {got_instead}"
    error = relative_error(mine, theirs)
    finite = float(error) if np.isfinite(error) else None
    if error <= tolerance:
        return "passed", finite, ""
    return "failed", finite, _difference(mine, theirs, error, tolerance, names)


def _count(leaves: list[Any]) -> str:
    return f"{len(leaves)} array{'' if len(leaves) == 1 else 's'}"


def _difference(got: list[Any], expected: list[Any], error: float, tolerance: float, names: Sequence[str]) -> str:
    """Say what is wrong in the first array that is: its shape, or its worst entry with both numbers."""
    for i, (mine, theirs) in enumerate(zip(got, expected, strict=True)):
        if relative_error(mine, theirs) <= tolerance:
            continue
        which = f"{names[i]}: " if names else ""
        if theirs is None or isinstance(theirs, str) or callable(theirs):
            return f"expected {theirs!r}, got {mine!r}"
        with np.errstate(invalid="ignore"):
            a, b = np.asarray(mine, np.float64), np.asarray(theirs, np.float64)
        if a.shape != b.shape:
            return f"{which}expected shape {b.shape}, got {a.shape}"
        with np.errstate(invalid="ignore"):
            alike = (a == b) | (np.isnan(a) & np.isnan(b))
            gap = np.where(alike, 0, np.nan_to_num(np.abs(a - b), nan=np.inf))
        if gap.size and gap.max() > 0:
            index = np.unravel_index(np.argmax(gap), gap.shape)
            at = f" at {list(map(int, index))}" if index else ""
            constant = _constant(a, b)
            size = f"relative error {error:.1e}, allowed {tolerance:.0e}" if np.isfinite(error) else "not finite"
            return f"{which}expected {b[index]:.8g}, got {a[index]:.8g}{at} ({size}{constant})"
    return f"relative error {error:.1e}"


def _constant(got: Any, expected: Any) -> str:
    if got.size > 1 and np.all(got == got.flat[0]) and not np.all(expected == expected.flat[0]):
        return ", every entry is 0" if got.flat[0] == 0 else ", every entry is the same"
    return ""
