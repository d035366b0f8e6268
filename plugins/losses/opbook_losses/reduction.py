"""How the losses of many entries become one number."""

from typing import Literal

import numpy as np

Reduction = Literal["mean", "sum", "none"]


def share_of(total, reduction):
    """What each loss is multiplied with: 1, or 1 / total for the mean. The mean of nothing is 0."""
    if reduction != "mean":
        return 1.0
    return 1 / total if total != 0 else 0.0


def reduced(losses, reduction):
    """The losses themselves with "none", their sum otherwise."""
    return losses if reduction == "none" else np.sum(losses)
