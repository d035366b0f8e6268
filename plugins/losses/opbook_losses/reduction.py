"""How the losses of many entries become one number."""

from typing import Literal

import numpy as np

Reduction = Literal["mean", "sum", "none"]


def divisor(reduction, total):
    """What the sum of the losses is divided by: 1, or for the mean their total. The mean of nothing is 0."""
    return 1.0 if reduction != "mean" else total or np.inf
