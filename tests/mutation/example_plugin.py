"""A plugin that the test of the mutation script makes wrong versions of."""

import numpy as np

from opbook import Array, builtin, hookimpl


# As a stretch of the line.
@builtin(category="Tests")
def stretched(x: Array["..."], by: float = 3.0) -> Array["..."]:
    """Stretches numbers, and moves them by 1.

    Args:
        x: Numbers.
        by: How far.

    Returns:
        Numbers.

    Source:
        None.
    """
    return x * by + _one()


@stretched.defvjp
def _(x, by=3.0):
    return x * by + np.ones(x.shape, x.dtype), lambda g: (g * by, np.sum(g * x))


@stretched.samples
def _(draw):
    yield draw.normal(3, 4), 0.7


def _one():
    return min(1.0, 2.0)


@hookimpl
def opbook_builtins():
    """Add it."""
    return [stretched]
