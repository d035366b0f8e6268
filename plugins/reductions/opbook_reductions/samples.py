"""What the reductions are verified on, and what is true of them."""

import numpy as np

from opbook import Property, hookimpl
from opbook_reductions import argmax, logsumexp, max, mean, min, norm, sum


def _samples(draw):
    yield draw.normal(2, 3, 4), 1
    yield draw.call(draw.normal(2, 3, 4), -1, keepdims=True)
    yield draw.normal(5), 0
    yield np.asarray(draw.normal())
    yield draw.edge("1 between 1e9 and -1e9", np.array([1e9, 1.0, -1e9]))
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
    yield draw.refused("an axis of length 0", np.zeros((2, 0, 3)), 1)


def _choice_samples(draw):
    yield from _mean_samples(draw)
    ties = np.array([[2.0, -1.0, 2.0], [3.0, 3.0, 3.0], [-1.0, 0.0, -1.0]])
    yield draw.edge("several equal entries", ties, 1)
    yield draw.edge("all entries equal", ties)
    yield draw.edge("a NaN", np.array([[1.0, np.nan], [2.0, 0.5]]), 0)


@max.samples
def _(draw):
    yield from _choice_samples(draw)
    yield draw.known("keepdims", np.array([[3.0], [0.5]]), np.array([[-1.0, 3.0], [0.5, 0.0]]), 1, keepdims=True)


@min.samples
def _(draw):
    yield from _choice_samples(draw)
    yield draw.known("keepdims", np.array([[-1.0], [0.0]]), np.array([[-1.0, 3.0], [0.5, 0.0]]), 1, keepdims=True)


@argmax.samples
def _(draw):
    yield from _mean_samples(draw)
    x = np.array([[2.0, 2.0], [3.0, 10.0]])
    # the example of ONNX's node tests of ArgMax
    yield draw.known("ONNX, columns", np.array([1, 1]), x, 0)
    yield draw.known("ONNX, rows", np.array([[0], [1]]), x, 1, keepdims=True)
    yield draw.known("ONNX, the last of equal entries", np.array([1, 1]), x, 1, ties="last")
    yield draw.known("all entries", 3, x)
    yield draw.known(
        "all entries, the last of equal ones", 5, np.array([[1.0, 7.0, 7.0], [0.0, 7.0, 7.0]]), ties="last"
    )
    yield draw.known("a NaN", np.array([1, 0]), np.array([[1.0, np.nan, 2.0], [np.nan, 1.0, np.nan]]), 1).at_edge()
    yield draw.known("infinities", np.array([1, 0]), np.array([[-np.inf, np.inf], [-np.inf, -np.inf]]), 1).at_edge()


@logsumexp.samples
def _(draw):
    yield draw.normal(2, 3, 4), 1
    yield draw.normal(2, 3, 4), None
    yield draw.call(draw.normal(2, 3, 4), 0, keepdims=True)
    yield draw.call(draw.normal(3, 4), None, keepdims=True)
    far = np.array([[1000.0, 1001.0, 999.5], [-800.0, -801.0, -np.inf]])
    yield draw.known("SciPy's logsumexp", np.array([1001.4643687841079, -799.6867383124818]), far)
    yield draw.known("all entries, SciPy's logsumexp", 1001.4643687841079, far, None)
    yield draw.known("two entries of 0, by hand", np.log(2.0), np.zeros(2))
    yield draw.known("nothing but -inf", np.array([-np.inf, 0.0]), np.array([[-np.inf, -np.inf], [0.0, -np.inf]]))
    yield draw.known("nothing", np.array([-np.inf, -np.inf]), np.zeros((2, 0)))
    minus_inf = np.array([[0.5, -np.inf, 1.0], [-np.inf, -np.inf, -np.inf]])
    yield draw.edge("a row of -inf", minus_inf).in_pytorch("[1.474, -inf]")
    yield draw.refused("an entry of inf", np.array([[0.5, np.inf]])).saying("finite or -inf")
    yield draw.refused("no such axis", draw.normal(3), 1).saying("axis 1 is out of range")


@norm.samples
def _(draw):
    yield draw.normal(2, 3, 4), 1
    yield draw.call(draw.normal(2, 3, 4), 0, keepdims=True)
    yield draw.call(draw.normal(3, 4), keepdims=True)
    yield draw.known("3, 4, 5 and 5, 12, 13", np.array([5.0, 13.0]), np.array([[3.0, -4.0], [5.0, 12.0]]), 1)
    yield draw.known("of a matrix", 6.0, np.array([[1.0, 3.0, -1.0], [3.0, 4.0, 0.0]]))
    yield draw.known("entries whose squares overflow", 5e200, np.array([3e200, 4e200])).at_edge().in_pytorch("inf")
    yield draw.known("entries whose squares underflow", 5e-200, np.array([3e-200, 4e-200])).at_edge().in_pytorch("0")
    yield draw.known("nothing", np.zeros(2), np.zeros((2, 0)), 1)
    yield draw.edge("zeros", np.array([[0.0, 0.0], [3.0, 4.0]]), 1)
    yield draw.edge("infinity", np.array([[np.inf, 1.0], [3.0, 4.0]]), 1)
    yield draw.refused("no such axis", draw.normal(3), 1).saying("axis 1 is out of range")


@hookimpl
def opbook_properties():
    """State what stands where argmax points, how a soft maximum moves, and how lengths grow."""

    def largest(op, x, axis=None, *, keepdims=False, ties="first"):
        if axis is None:
            return (np.ravel(x)[op(x, ties=ties)], max(x)) if np.isfinite(x).all() else None
        places = np.expand_dims(op(x, axis, ties=ties), axis)
        return np.take_along_axis(x, places, axis), max(x, axis, keepdims=True)

    def moved(op, x, axis=-1, *, keepdims=False):
        return op(x + 8.0, axis, keepdims=keepdims), op(x, axis, keepdims=keepdims) + 8.0

    def twice(op, x, axis=-1, *, keepdims=False):
        if axis is None:
            return None
        both = np.concatenate([x, x], axis=axis)
        return op(both, axis, keepdims=keepdims), op(x, axis, keepdims=keepdims) + np.log(2.0)

    def stretched(op, x, axis=None, *, keepdims=False):
        return op(-4.0 * x, axis, keepdims=keepdims), 4.0 * op(x, axis, keepdims=keepdims)

    return [
        Property("argmax", "largest", "What stands in that place is the largest entry.", largest),
        Property("logsumexp", "moved entries", "Entries that are larger by a number give a result so.", moved),
        Property("logsumexp", "twice the entries", "All entries twice add log 2.", twice),
        Property("norm", "stretched", "Entries times -4 are 4 times as long.", stretched),
    ]
