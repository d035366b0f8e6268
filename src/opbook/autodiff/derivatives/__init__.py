"""What the tape knows about NumPy: one rule a function, in the order in which one would read them.

A rule computes the value and says, for each positional argument, how a cotangent of the value becomes a gradient:

    @primitive(np.multiply)
    def multiply(x, y):
        return x * y, (lambda g: unbroadcast(g * y, np.shape(x)), lambda g: unbroadcast(g * x, np.shape(y)))

Rules are written with NumPy functions only, so they can be differentiated themselves: that is all there is to `grad` of
`grad`. Many functions need no rule, as they are written with others. Nothing here knows the tape.
"""

from opbook.autodiff.derivatives import (
    choices,
    cumulative,
    discrete,
    elementwise,
    fourier,
    indexing,
    joining,
    matrices,
    products,
    reductions,
    refusals,
    shaping,
    signals,
    sorting,
    statistics,
)
from opbook.autodiff.derivatives.indexing import cast
from opbook.autodiff.derivatives.refusals import why_not
from opbook.autodiff.derivatives.table import COMPOSITES, CONSTANTS, PRIMITIVES, unbroadcast

__all__ = [
    "COMPOSITES",
    "CONSTANTS",
    "PRIMITIVES",
    "cast",
    "choices",
    "cumulative",
    "discrete",
    "elementwise",
    "fourier",
    "indexing",
    "joining",
    "matrices",
    "products",
    "reductions",
    "refusals",
    "shaping",
    "signals",
    "sorting",
    "statistics",
    "unbroadcast",
    "why_not",
]
