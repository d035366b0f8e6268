"""kl_divergence and cosine_similarity."""

import numpy as np
from zoo.animals import right, right_gradient, wrong, wrong_gradient


@right("kl_divergence", "p log p less p log q")
def divergence(log_p, log_q, axis=-1):
    log_p, log_q = np.broadcast_arrays(log_p, log_q)
    p = np.exp(log_p)
    safe_p, safe_q = np.where(p > 0, log_p, 0), np.where(p > 0, log_q, 0)
    return (p * safe_p - p * safe_q).sum(axis)


@right_gradient("kl_divergence", "gradient", divergence)
def divergence_gradient(g, log_p, log_q, axis=-1):
    a, b = np.broadcast_arrays(log_p, log_q)
    p, g = np.exp(a), np.expand_dims(g, axis)
    ratio = np.where(p > 0, a, 0) - np.where(p > 0, b, 0)
    return _folded(g * p * (ratio + 1), log_p.shape), _folded(-g * p, log_q.shape)


def _folded(g, shape):
    g = g.sum(tuple(range(g.ndim - len(shape))))
    return g.sum(tuple(i for i, n in enumerate(shape) if n == 1 and g.shape[i] != 1), keepdims=True).reshape(shape)


@wrong("kl_divergence", "the arguments exchanged")
def exchanged(log_p, log_q, axis=-1):
    return divergence(log_q, log_p, axis)


@wrong("kl_divergence", "the cross-entropy")
def without_entropy(log_p, log_q, axis=-1):
    return -(np.exp(log_p) * np.where(np.exp(log_p) > 0, log_q, 0)).sum(axis)


@wrong("kl_divergence", "the mean over the outcomes")
def mean_over_outcomes(log_p, log_q, axis=-1):
    return divergence(log_p, log_q, axis) / max(np.broadcast_shapes(log_p.shape, log_q.shape)[axis], 1)


@wrong("kl_divergence", "in bits")
def in_bits(log_p, log_q, axis=-1):
    return divergence(log_p, log_q, axis) / np.log(2)


@wrong_gradient("kl_divergence", "gradient: without the plus one", divergence)
def no_plus_one(g, log_p, log_q, axis=-1):
    _, dq = divergence_gradient(g, log_p, log_q, axis)
    dp, _ = divergence_gradient(g, log_p, log_q + 1.0, axis)
    return dp, dq


def _length(x, axis, eps):
    return np.sqrt(np.maximum((x.astype(np.float64) ** 2).sum(axis, keepdims=True), eps**2))


@right("cosine_similarity", "unit vectors")
def cosine(x, y, axis=-1, *, eps=1e-8):
    x, y = np.broadcast_arrays(x, y)
    return (x / _length(x, axis, eps) * (y / _length(y, axis, eps))).sum(axis)


@right_gradient("cosine_similarity", "gradient", cosine)
def cosine_gradient(g, x, y, axis=-1, *, eps=1e-8):
    wide_x, wide_y = np.broadcast_arrays(x.astype(np.float64), y.astype(np.float64))
    n, m = _length(wide_x, axis, eps), _length(wide_y, axis, eps)
    a, b = wide_x / n, wide_y / m
    c, g = (a * b).sum(axis, keepdims=True), np.expand_dims(g, axis)
    dx = g * (b - np.where(n > eps, c * a, 0)) / n
    dy = g * (a - np.where(m > eps, c * b, 0)) / m
    return _folded(dx, x.shape), _folded(dy, y.shape)


@wrong("cosine_similarity", "one minus it")
def distance(x, y, axis=-1, *, eps=1e-8):
    return 1 - cosine(x, y, axis, eps=eps)


@wrong("cosine_similarity", "not divided by y's length")
def projection(x, y, axis=-1, *, eps=1e-8):
    return (x / _length(x, axis, eps) * y).sum(axis)


@wrong("cosine_similarity", "eps added to the lengths")
def eps_added(x, y, axis=-1, *, eps=1e-8):
    x, y = np.broadcast_arrays(x, y)
    return (x / (_length(x, axis, 0.0) + eps) * (y / (_length(y, axis, 0.0) + eps))).sum(axis)


@wrong("cosine_similarity", "divided by the squares of the lengths")
def no_root(x, y, axis=-1, *, eps=1e-8):
    x, y = np.broadcast_arrays(x, y)
    return (x / _length(x, axis, eps) ** 2 * (y / _length(y, axis, eps) ** 2)).sum(axis)


@wrong_gradient("cosine_similarity", "gradient: lengths taken as constants", cosine)
def constant_lengths(g, x, y, axis=-1, *, eps=1e-8):
    a, b = np.broadcast_arrays(x, y)
    n, m, g = _length(a, axis, eps), _length(b, axis, eps), np.expand_dims(g, axis)
    return _folded(g * b / n / m, x.shape), _folded(g * a / n / m, y.shape)
