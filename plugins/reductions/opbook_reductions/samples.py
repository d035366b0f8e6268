"""What the reductions are verified on."""

import numpy as np

from opbook_reductions import max, mean, min, sum


def _samples(draw):
    yield draw.normal(2, 3, 4), 1
    yield draw.call(draw.normal(2, 3, 4), -1, keepdims=True)
    yield draw.normal(5), 0
    yield np.asarray(draw.normal())
    yield draw.edge("numbers that float32 would lose on the way", np.array([1e9, 1.0, -1e9]))
    yield draw.normal(2, 0, 3), 0
    yield draw.refused("no such axis", draw.normal(3, 4), 2)


@sum.samples
def _(draw):
    yield from _samples(draw)
    yield draw.normal(2, 0, 3), 1  # sums of nothing


@mean.samples
def _mean_samples(draw):
    yield from _samples(draw)
    yield draw.refused("no entries", np.zeros((0, 3)))
    yield draw.refused("an axis without entries", np.zeros((2, 0, 3)), 1)


def _choice_samples(draw):
    yield from _mean_samples(draw)
    ties = np.array([[2.0, -1.0, 2.0], [3.0, 3.0, 3.0], [-1.0, 0.0, -1.0]])
    yield draw.edge("ties", ties, 1)
    yield draw.edge("a tie of all", ties)
    yield draw.edge("a NaN", np.array([[1.0, np.nan], [2.0, 0.5]]), 0)


@max.samples
def _(draw):
    yield from _choice_samples(draw)
    yield draw.known("keepdims", np.array([[3.0], [0.5]]), np.array([[-1.0, 3.0], [0.5, 0.0]]), 1, keepdims=True)


@min.samples
def _(draw):
    yield from _choice_samples(draw)
    yield draw.known("keepdims", np.array([[-1.0], [0.0]]), np.array([[-1.0, 3.0], [0.5, 0.0]]), 1, keepdims=True)
