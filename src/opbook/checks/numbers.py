"""How far numbers are apart, and gradients by a second and a third opinion."""

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any

import numpy as np

from opbook.autodiff import tree

TOLERANCE = {"float16": 4e-3, "float32": 3e-5, "float64": 1e-10}
"""The relative error that two ways of computing the same thing may differ by, for each dtype."""

DIFFERENCE_TOLERANCE = 1e-6
"""The relative error of a central difference in float64."""

FLOOR = 1e-6
"""Numbers below this count as noise around zero when errors are made relative."""


def relative_error(got: Any, expected: Any) -> float:
    """The largest difference of two nested structures, relative to the largest entry expected in each array.

    Args:
        got: What came.
        expected: What was expected, with the same structure.

    Returns:
        0 for equal structures; inf if a shape differs, or one has a NaN or infinity where the other has not.
    """
    worst = 0.0
    for mine, theirs in zip(tree.leaves(got), tree.leaves(expected), strict=True):
        if theirs is None or isinstance(theirs, str) or callable(theirs):
            worst = max(worst, 0.0 if type(mine) is type(theirs) else np.inf)
            continue
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


def uneven(shape: tuple[int, ...], seed: int) -> Any:
    """A direction or cotangent without a pattern. (A plain sum is blind: for a norm its gradient is zero.)

    Args:
        shape: Its shape.
        seed: Another number gives another direction.

    Returns:
        The array.
    """
    return np.copy(_drawn(shape, seed))[()]


@lru_cache(maxsize=512)
def _drawn(shape: tuple[int, ...], seed: int) -> Any:
    """To set up a generator takes longer than most of what is checked with its numbers."""
    return np.random.default_rng([seed, *shape]).normal(size=shape)


def inner(a: Iterable[Any], b: Iterable[Any]) -> float:
    """The sum of the products of corresponding entries.

    Args:
        a: Arrays.
        b: As many arrays of the same shapes.

    Returns:
        The sum.
    """
    return float(sum(np.sum(np.asarray(x) * np.asarray(y)) for x, y in zip(a, b, strict=True)))


def central_difference(f: Callable[[float], float], step: float = 1e-5) -> float:
    """The slope of a function of one number at 0.

    Args:
        f: The function.
        step: How far from 0 it is evaluated.

    Returns:
        The slope, to about the square of the step.
    """
    return (f(step) - f(-step)) / (2 * step)


def remainder_falls_with_the_square(f: Callable[[float], float], slope: float, size: float) -> bool:
    """A step-free opinion on a slope at 0: only for the right one does f(h) - f(0) - h·slope fall as h² does.

    Args:
        f: A function of one number.
        slope: Its claimed slope at 0.
        size: The size of the numbers involved, below whose rounding no remainder can fall.

    Returns:
        Whether it does, for steps small enough to stay clear of most kinks.
    """
    start = f(0.0)
    noise = 1e-13 * max(size, abs(start), abs(slope), 1.0)

    def remainder(h: float) -> float:
        return abs(f(h) - start - h * slope)

    for h in (1e-3, 1e-4):
        large, small = remainder(h), remainder(h / 4)
        if large <= noise or small <= max(large / 8, noise):  # 16 for a right slope, 4 for a wrong one
            return True
    return False
