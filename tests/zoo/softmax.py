"""softmax and log_softmax."""

import numpy as np
from zoo.animals import right, right_gradient, wrong, wrong_gradient
from zoo.cheats import add_cheats, add_idioms


def textbook(x, axis=-1):
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def textbook_log(x, axis=-1):
    shifted = x - x.max(axis, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis, keepdims=True))


add_idioms("softmax", textbook)
add_cheats("softmax", textbook)
add_idioms("log_softmax", textbook_log)
add_cheats("log_softmax", textbook_log)


@right("softmax", "online: one pass over the entries")
def online(x, axis=-1):
    rows = np.moveaxis(x, axis, -1)
    largest = np.full(rows.shape[:-1], -np.inf, x.dtype)
    total = np.zeros(rows.shape[:-1], x.dtype)
    for i in range(rows.shape[-1]):
        new = np.maximum(largest, rows[..., i])
        total = total * np.exp(largest - new) + np.exp(rows[..., i] - new)
        largest = new
    return np.moveaxis(np.exp(rows - largest[..., None]) / total[..., None], -1, axis)


@right("softmax", "row by row")
def by_rows(x, axis=-1):
    rows = np.ascontiguousarray(np.moveaxis(x, axis, -1))
    flat = rows.reshape(-1, rows.shape[-1]).copy()
    for row in flat:
        row -= max(row)
        np.exp(row, out=row)
        row /= row.sum()
    return np.moveaxis(flat.reshape(rows.shape), -1, axis)


@right("log_softmax", "by the logarithm of the sum")
def by_logsumexp(x, axis=-1):
    largest = np.max(x, axis=axis, keepdims=True)
    return x - (largest + np.log(np.sum(np.exp(x - largest), axis=axis, keepdims=True)))


@right_gradient("softmax", "gradient without the matrix of slopes", textbook)
def gradient(g, x, axis=-1):
    p = textbook(x, axis)
    return p * (g - (p * g).sum(axis, keepdims=True))


@wrong("softmax", "nothing subtracted before exp")
def overflows(x, axis=-1):
    e = np.exp(x)
    return e / e.sum(axis, keepdims=True)


@wrong("softmax", "the largest of all rows subtracted")
def global_maximum(x, axis=-1):
    e = np.exp(x - x.max(initial=-np.inf))
    return e / e.sum(axis, keepdims=True)


@wrong("softmax", "always over the first axis")
def first_axis(x, axis=-1):
    return textbook(x, 0)


@wrong("softmax", "always over the last axis")
def last_axis(x, axis=-1):
    return textbook(x, -1)


@wrong("softmax", "over all entries")
def over_everything(x, axis=-1):
    e = np.exp(x - x.max(initial=-np.inf))
    return e / e.sum()


@wrong("softmax", "over all axes but the first")
def but_the_first(x, axis=-1):
    return textbook(x.reshape(len(x), -1), -1).reshape(x.shape) if x.ndim > 1 else textbook(x, axis)


@wrong("softmax", "powers of two")
def base_two(x, axis=-1):
    e = np.exp2(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


@wrong("softmax", "a small number added to the sum")
def guarded(x, axis=-1):
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / (e.sum(axis, keepdims=True) + 1e-3)


@wrong("softmax", "the mean subtracted instead of the largest")
def mean_subtracted(x, axis=-1):
    e = np.exp(x - x.mean(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


@wrong("softmax", "scores clipped")
def clipped(x, axis=-1):
    return textbook(np.clip(x, -1, 1), axis)


@wrong_gradient("softmax", "gradient of a sigmoid", textbook)
def sigmoid_gradient(g, x, axis=-1):
    p = textbook(x, axis)
    return g * p * (1 - p)


@wrong_gradient("softmax", "gradient: the sum over the last axis always", textbook)
def last_axis_gradient(g, x, axis=-1):
    p = textbook(x, axis)
    return p * (g - (p * g).sum(-1, keepdims=True))


@wrong("log_softmax", "logarithm of a softmax that has been rounded to 0")
def log_of_softmax(x, axis=-1):
    return np.log(textbook(x, axis))


@wrong("log_softmax", "a small number added before the logarithm")
def guarded_log(x, axis=-1):
    return np.log(textbook(x, axis) + 1e-8)


@wrong("log_softmax", "the largest is not put back")
def not_put_back(x, axis=-1):
    return x - np.log(np.exp(x - x.max(axis, keepdims=True)).sum(axis, keepdims=True))


@wrong("log_softmax", "always over the last axis")
def last_axis_log(x, axis=-1):
    return textbook_log(x, -1)


@wrong("log_softmax", "base two")
def base_two_log(x, axis=-1):
    return textbook_log(x, axis) / np.log(2)


@wrong("log_softmax", "the sign turned")
def turned(x, axis=-1):
    return -textbook_log(x, axis)


try:
    import torch
except ImportError:
    pass
else:

    @right("softmax", "torch functional")
    def functional(x, axis=-1):
        return torch.softmax(x, axis)

    @right("log_softmax", "torch functional")
    def functional_log(x, axis=-1):
        return torch.log_softmax(x, axis)

    @right("softmax", "tensor methods, the axis called dim")
    def methods(x: torch.Tensor, dim: int = -1):
        e = (x - x.amax(dim, keepdim=True)).exp()
        return e / e.sum(dim, keepdim=True)
