"""argmax, logsumexp, norm, sort, cumsum and einsum."""

import numpy as np
from zoo.animals import right, right_gradient, wrong, wrong_gradient


@right("argmax", "NumPy's, of entries or of entries turned round")
def argmax(x, axis=None, *, keepdims=False, ties="first"):
    if ties == "first":
        return np.argmax(x, axis=axis, keepdims=keepdims)
    n = x.size if axis is None else x.shape[axis]
    return n - 1 - np.argmax(np.flip(x, axis), axis=axis, keepdims=keepdims)


@wrong("argmax", "the largest entry in the place of its place")
def entry(x, axis=None, *, keepdims=False, ties="first"):
    return np.max(x, axis=axis, keepdims=keepdims)


@wrong("argmax", "of the sizes")
def of_sizes(x, axis=None, *, keepdims=False, ties="first"):
    return argmax(np.abs(x), axis, keepdims=keepdims, ties=ties)


@wrong("argmax", "counted from 1")
def from_one(x, axis=None, *, keepdims=False, ties="first"):
    return argmax(x, axis, keepdims=keepdims, ties=ties) + 1


@wrong("argmax", "the smallest")
def argmin(x, axis=None, *, keepdims=False, ties="first"):
    return argmax(-x, axis, keepdims=keepdims, ties=ties)


@wrong("argmax", "turned round for the last, and not counted back")
def not_counted_back(x, axis=None, *, keepdims=False, ties="first"):
    return np.argmax(np.flip(x, axis) if ties == "last" else x, axis=axis, keepdims=keepdims)


@right("logsumexp", "folded with logaddexp")
def logsumexp(x, axis=-1, *, keepdims=False):
    return np.logaddexp.reduce(x, axis=axis, keepdims=keepdims)


@wrong("logsumexp", "as it stands")
def overflowing(x, axis=-1, *, keepdims=False):
    return np.log(np.sum(np.exp(x), axis=axis, keepdims=keepdims))


@wrong("logsumexp", "the largest entry is not added again")
def not_added_again(x, axis=-1, *, keepdims=False):
    value = logsumexp(x, axis, keepdims=keepdims)
    return value - np.max(x, axis=axis, keepdims=keepdims) if x.size else value


@wrong("logsumexp", "the mean in the place of the sum")
def log_mean_exp(x, axis=-1, *, keepdims=False):
    n = x.size if axis is None else x.shape[axis]
    return logsumexp(x, axis, keepdims=keepdims) - np.log(max(n, 1))


@wrong("logsumexp", "the first axis, where the shapes do not tell")
def other_axis(x, axis=-1, *, keepdims=False):
    square = axis is not None and x.ndim > 1 and len(set(x.shape)) == 1
    return logsumexp(x, (0 if axis else -1) if square else axis, keepdims=keepdims)


@wrong("logsumexp", "the maximum")
def hard(x, axis=-1, *, keepdims=False):
    return np.max(x, axis=axis, keepdims=keepdims, initial=-np.inf)


@wrong("logsumexp", "base 2")
def in_bits(x, axis=-1, *, keepdims=False):
    return logsumexp(x, axis, keepdims=keepdims) / np.log(2)


@right("norm", "the root of the sum of squares")
def norm(x, axis=None, *, keepdims=False):
    return np.sqrt(np.sum(x * x, axis=axis, keepdims=keepdims))


@right_gradient("norm", "gradient", norm)
def norm_gradient(g, x, axis=None, *, keepdims=False):
    length = norm(x, axis, keepdims=True)
    return (np.reshape(g, length.shape) * x / np.where(length == 0, 1, length),)


@wrong("norm", "no root")
def squared(x, axis=None, *, keepdims=False):
    return np.sum(x * x, axis=axis, keepdims=keepdims)


@wrong("norm", "the mean of squares, so the root mean square")
def root_mean_square(x, axis=None, *, keepdims=False):
    n = x.size if axis is None else x.shape[axis]
    return norm(x, axis, keepdims=keepdims) / np.sqrt(max(n, 1))


@wrong("norm", "the sum of sizes")
def one_norm(x, axis=None, *, keepdims=False):
    return np.sum(np.abs(x), axis=axis, keepdims=keepdims)


@wrong("norm", "an eps under the root")
def with_eps(x, axis=None, *, keepdims=False):
    return np.sqrt(np.sum(x * x, axis=axis, keepdims=keepdims) + 1e-3)


@wrong("norm", "the largest entry")
def largest(x, axis=None, *, keepdims=False):
    return np.max(np.abs(x), axis=axis, keepdims=keepdims, initial=0)


@wrong_gradient("norm", "gradient: that of half the square", norm)
def of_half_the_square(g, x, axis=None, *, keepdims=False):
    return (np.reshape(g, norm(x, axis, keepdims=True).shape) * x,)


@right("sort", "NumPy's")
def sort(x, axis=-1):
    return np.sort(x, axis=axis)


@wrong("sort", "descending")
def descending(x, axis=-1):
    return np.flip(np.sort(x, axis=axis), axis)


@wrong("sort", "the places in the place of the entries")
def places(x, axis=-1):
    return np.argsort(x, axis=axis).astype(x.dtype)


@wrong("sort", "all entries together")
def together(x, axis=-1):
    return np.sort(x.ravel()).reshape(x.shape)


@wrong("sort", "the last axis, whatever axis is asked for")
def last_axis(x, axis=-1):
    return np.sort(x)


@wrong("sort", "by size")
def by_size(x, axis=-1):
    return np.take_along_axis(x, np.argsort(np.abs(x), axis=axis), axis)


@wrong_gradient("sort", "gradient: not sent back to its places", sort)
def left_in_order(g, x, axis=-1):
    return g, None


@wrong_gradient("sort", "gradient: sent on along the order, not back", sort)
def sent_on(g, x, axis=-1):
    return np.take_along_axis(g, np.argsort(x, axis=axis), axis), None


@right("cumsum", "a loop")
def cumsum(x, axis=-1, *, exclusive=False, reverse=False):
    rows = np.moveaxis(x, axis, 0)
    sums, total = np.empty_like(rows), np.zeros(rows.shape[1:], x.dtype)
    for i in reversed(range(len(rows))) if reverse else range(len(rows)):
        after = total + rows[i]
        sums[i] = total if exclusive else after
        total = after
    return np.moveaxis(sums, 0, axis)


@wrong("cumsum", "exclusive unless told otherwise")
def late(x, axis=-1, *, exclusive=True, reverse=False):
    return cumsum(x, axis, exclusive=exclusive, reverse=reverse)


@wrong("cumsum", "reversed entries, sums not turned back")
def not_turned_back(x, axis=-1, *, exclusive=False, reverse=False):
    return cumsum(np.flip(x, axis) if reverse else x, axis, exclusive=exclusive)


@wrong("cumsum", "sums turned round, entries not")
def turned_too_late(x, axis=-1, *, exclusive=False, reverse=False):
    sums = cumsum(x, axis, exclusive=exclusive)
    return np.flip(sums, axis) if reverse else sums


@wrong("cumsum", "exclusive sums by rolling round")
def rolled(x, axis=-1, *, exclusive=False, reverse=False):
    sums = cumsum(x, axis, reverse=reverse)
    return np.roll(sums, -1 if reverse else 1, axis) if exclusive else sums


@wrong("cumsum", "all entries in a row")
def flat(x, axis=-1, *, exclusive=False, reverse=False):
    return cumsum(x.ravel(), exclusive=exclusive, reverse=reverse).reshape(x.shape)


@wrong_gradient("cumsum", "gradient: summed from the same side", cumsum)
def same_side(g, x, axis=-1, *, exclusive=False, reverse=False):
    return cumsum(g, axis, exclusive=exclusive, reverse=reverse), None


@right("einsum", "NumPy's, in the best order")
def einsum(spec, arrays):
    return np.array(np.einsum(spec, *arrays, optimize=True))


@wrong("einsum", "the last letters of the result exchanged")
def turned(spec, arrays):
    value = einsum(spec, arrays)
    return np.swapaxes(value, -1, -2) if value.ndim > 1 else value


@wrong("einsum", "the first array forgotten to be summed over")
def summed_apart(spec, arrays):
    return einsum(spec, tuple(np.ones_like(a) if i else a for i, a in enumerate(arrays)))


@wrong("einsum", "the mean in the place of the sum")
def averaged(spec, arrays):
    return einsum(spec, arrays) / max(np.shape(arrays[0])[-1] if np.ndim(arrays[0]) else 1, 1)


@wrong("einsum", "axes of the result in the order of the alphabet")
def alphabetical(spec, arrays):
    left, arrow, right = spec.partition("->")
    return einsum(left + arrow + "".join(sorted(right)), arrays)


@wrong("einsum", "the entries' sizes only")
def without_signs(spec, arrays):
    return np.abs(einsum(spec, arrays))
