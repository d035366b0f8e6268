"""Slopes by differences: a second and a third opinion on a gradient."""

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any

import numpy as np

DIFFERENCE_TOLERANCE = 1e-6
"""The relative error of a central difference in float64."""


def uneven(shape: tuple[int, ...], seed: int) -> Any:
    """A direction or cotangent without a pattern. (A plain sum is blind: for a norm its gradient is zero.)"""
    return np.copy(_drawn(shape, seed))[()]


@lru_cache(maxsize=512)
def _drawn(shape: tuple[int, ...], seed: int) -> Any:
    """To set up a generator takes longer than most of what is checked with its numbers."""
    return np.random.default_rng([seed, *shape]).normal(size=shape)


def inner(a: Iterable[Any], b: Iterable[Any]) -> float:
    """The sum of the products of corresponding entries."""
    return float(sum(np.sum(np.asarray(x) * np.asarray(y)) for x, y in zip(a, b, strict=True)))


def central_difference(f: Callable[[float], float], step: float = 1e-5) -> float:
    """The slope of a function of one number at 0."""
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
