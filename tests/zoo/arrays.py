"""sum, mean, take and where."""

import numpy as np
from zoo.animals import right, wrong
from zoo.cheats import add_cheats, add_idioms


def total(x, axis=None, keepdims=False):
    return np.add.reduce(x, axis=axis, keepdims=keepdims)


def mean(x, axis=None, keepdims=False):
    return np.mean(x, axis=axis, keepdims=keepdims)


def take(x, indices, axis=0):
    return np.take(x, np.asarray(indices, np.int64), axis=axis)


def where(condition, x, y):
    return np.where(condition, x, y)


for op, function in (("sum", total), ("mean", mean), ("take", take), ("where", where)):
    add_idioms(op, function)
    add_cheats(op, function)


@right("sum", "einsum and ones")
def by_ones(x, axis=None):
    return np.dot(np.ones(x.size, x.dtype), x.ravel()) if axis is None else np.moveaxis(x, axis, 0).sum(0)


@wrong("sum", "always over all axes")
def always_all(x, axis=None):
    return x.sum()


@wrong("sum", "always over the last axis")
def always_last(x, axis=None):
    return x.sum(-1)


@wrong("sum", "axes counted from the other end")
def other_end(x, axis=None):
    return x.sum(axis=None if axis is None else -1 - axis)


@wrong("sum", "keepdims is not used")
def no_keepdims(x, axis=None, keepdims=False):
    return x.sum(axis=axis)


@wrong("sum", "the last entry left out")
def without_last(x, axis=None, keepdims=False):
    return total(x, axis, keepdims) if axis is not None else x.ravel()[:-1].sum()


@right("mean", "sum over count")
def by_count(x, axis=None):
    return x.sum(axis=axis) / (x.size if axis is None else x.shape[axis])


@wrong("mean", "divided by the count of the first axis")
def first_count(x, axis=None):
    return x.sum(axis=axis) / x.shape[0]


@wrong("mean", "divided by one less")
def one_less(x, axis=None):
    return x.sum(axis=axis) / max((x.size if axis is None else x.shape[axis]) - 1, 1)


@wrong("mean", "the mean of the means")
def median(x, axis=None):
    return np.median(x, axis=axis)


@wrong("mean", "divided by the count of all entries")
def all_count(x, axis=None):
    return x.sum(axis=axis) / x.size


@right("take", "an index")
def by_index(x, indices, axis=0):
    return np.moveaxis(np.moveaxis(x, axis, 0)[np.asarray(indices, np.int64)], *moved(indices, axis, x.ndim))


def moved(indices, axis, ndim):
    axis, count = axis % ndim, np.ndim(indices)
    return tuple(range(count)), tuple(range(axis, axis + count))


@wrong("take", "always along the first axis")
def always_first(x, indices, axis=0):
    return take(x, indices)


@wrong("take", "one too far")
def one_too_far(x, indices, axis=0):
    return np.take(x, np.asarray(indices, np.int64) + 1, axis=axis, mode="wrap")


@wrong("take", "numbers below 0 taken as 0")
def clipped(x, indices, axis=0):
    return np.take(x, np.asarray(indices, np.int64), axis=axis, mode="clip")


@wrong("take", "each number once")
def each_once(x, indices, axis=0):
    return np.take(x, np.unique(np.asarray(indices, np.int64)), axis=axis)


@right("where", "choose")
def choose(condition, x, y):
    chosen, x, y = np.broadcast_arrays(np.asarray(condition) != 0, x, y)
    result = y.copy()
    result[chosen] = x[chosen]
    return result


@wrong("where", "the branches exchanged")
def exchanged(condition, x, y):
    return np.where(condition, y, x)


@wrong("where", "the branches mixed, not chosen")
def mixed(condition, x, y):
    return 0.99 * np.where(condition, x, y) + 0.01 * x


@wrong("where", "where x is true")
def of_x(condition, x, y):
    return np.where(x > 0, x, y)


@wrong("where", "0 for what is not taken")
def nothing_else(condition, x, y):
    return np.where(condition, x, 0 * y)


try:
    import torch
except ImportError:
    pass
else:

    @right("sum", "torch functional")
    def sum_functional(x, dim=None, keepdim=False):
        return torch.sum(x, dim, keepdim)

    @right("mean", "tensor methods")
    def mean_methods(x: torch.Tensor, axis=None):
        return x.mean() if axis is None else x.mean(axis)
