"""How far two values are apart, and how far they may be."""

from typing import Any

import numpy as np

from opbook.autodiff import tree

TOLERANCE = {"float16": 4e-3, "float32": 3e-5, "float64": 1e-10}
"""The relative error that two ways of computing the same thing may differ by, for each dtype."""

SLACK = 4
"""How many times the error of a plain implementation in a precision another one in that precision may have."""

FLOOR = 1e-6
"""Numbers below this count as noise around zero when errors are made relative."""


def relative_error(got: Any, expected: Any) -> float:
    """The largest difference of two nested structures, relative to the largest entry expected in each array.

    Returns:
        0 for equal structures; inf if a shape differs, or one has a NaN or infinity where the other has not.
    """
    worst = 0.0
    for mine, theirs in zip(tree.leaves(got), tree.leaves(expected), strict=True):
        if theirs is None or isinstance(theirs, str) or callable(theirs):
            worst = max(worst, 0.0 if type(mine) is type(theirs) else np.inf)
            continue
        with np.errstate(invalid="ignore"):  # a narrow NaN from memory that nobody wrote may be one that signals
            a, b = np.asarray(mine, np.float64), np.asarray(theirs, np.float64)
        if a.shape != b.shape:
            return np.inf
        difference = _largest_difference(a, b)
        if not np.isfinite(difference):
            finite = np.isfinite(b)
            if not np.array_equal(a[~finite], b[~finite], equal_nan=True) or not np.isfinite(a[finite]).all():
                return np.inf
            b = b[finite]
            difference = _largest_difference(a[finite], b)
        worst = max(worst, difference / max(float(np.max(np.abs(b), initial=0.0)), _floor(mine)))
    return worst


def _largest_difference(a: Any, b: Any) -> float:
    """Not finite if one of the numbers is not."""
    with np.errstate(invalid="ignore", over="ignore"):
        return float(np.max(np.abs(a - b), initial=0.0))


def _floor(array: Any) -> float:
    """Below this, differences are noise; so are numbers that a narrow dtype holds with fewer digits, or not at all."""
    dtype = getattr(array, "dtype", None)
    return max(FLOOR, float(np.finfo(dtype).tiny)) if dtype is not None and dtype.kind == "f" else FLOOR


def allowed(usual: float, reached: float) -> tuple[float, str]:
    """Tell what error to allow on an input: more than usual where a plain implementation is far off as well.

    Args:
        usual: The error that is allowed anywhere.
        reached: The error of a plain implementation in the same precision on that input.
    """
    own = SLACK * reached
    if own <= usual:
        return usual, f"at most {usual:.0e}"
    return own, f"at most {own:.0e}, {SLACK} times what the definition itself is off by in that precision"
