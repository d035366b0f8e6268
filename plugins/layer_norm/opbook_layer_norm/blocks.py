"""Layer normalization a few rows at a time, so that what one pass over them leaves behind is in the cache for the next.

Sums along rows and columns are products with vectors, which BLAS computes faster than NumPy sums. The variance is the
mean of the squares less the square of the mean: two passes over numbers that need not be centred first. That loses
digits where the mean is large beside the spread. Then, or where squares overflow, there is no answer from here, and the
caller takes the way that is slower and always right.
"""

from typing import NamedTuple

import numpy as np

from opbook import workers

BLOCK_BYTES = 2**19
"""Rows are taken until there are so many bytes: four such arrays fill a core's second-level cache (2 MiB). With shorter
passes, threads that share the work would be kept waiting for Python's lock."""

SHARED_FROM = 2**17
"""Arrays of so many entries are shared among threads; for less, waking a thread takes longer than it saves."""

LARGEST_MEAN = 4.0
"""How many standard deviations a mean may be away from 0: in float32 five digits of the deviation are still right."""


class Normalized(NamedTuple):
    """Rows of mean 0 and variance 1.

    Attributes:
        rows: (N, D) array.
        reciprocal: (N, 1) array: what the centred rows were multiplied by.
    """

    rows: np.ndarray
    reciprocal: np.ndarray


def normalize(x, gamma, beta, eps):
    """Normalize rows.

    Args:
        x: (N, D) rows.
        gamma: (D,) scale.
        beta: (D,) offset.
        eps: Added to the variance.

    Returns:
        The scaled rows and what the backward pass needs; None if another way has to be taken.
    """
    n, d = x.shape
    value, normed, reciprocal = np.empty((n, d), x.dtype), np.empty((n, d), x.dtype), np.empty((n, 1), x.dtype)
    ones = np.full(d, 1 / d, x.dtype)
    smallest = np.finfo(x.dtype).tiny / np.finfo(x.dtype).eps

    def run(cut):
        for block in _blocks(cut, x):
            rows, out = x[block], normed[block]
            with np.errstate(over="ignore", invalid="ignore"):
                mean = rows @ ones
                square = mean * mean
                variance = np.vecdot(rows, rows) / d - square
                if not ((square <= LARGEST_MEAN**2 * variance) & (variance < np.inf)).all():  # nor for a NaN
                    return False
            total = variance + eps
            if not total.min() > smallest:
                return False
            factor = (1 / np.sqrt(total)).astype(x.dtype)
            reciprocal[block, 0] = factor
            np.multiply(rows, factor[:, None], out=out)
            out -= (mean * factor)[:, None]
            np.multiply(out, gamma, out=value[block])
            value[block] += beta
        return True

    fits = all(workers.share(run, _cuts(x)))
    return (value, Normalized(normed, reciprocal)) if fits else None


def pull_back(g, gamma, normalized):
    """Pull a cotangent back.

    Args:
        g: (N, D) cotangent of the scaled rows.
        gamma: (D,) scale.
        normalized: The normalized rows.

    Returns:
        The gradients of x, gamma and beta.
    """
    d = g.shape[1]
    dx, shares = np.empty_like(g), gamma / d

    def run(cut):
        d_gamma, d_beta = np.zeros_like(gamma), np.zeros_like(gamma)
        for block in _blocks(cut, g):
            rows, normed, out = g[block], normalized.rows[block], dx[block]
            ones = np.ones(len(rows), g.dtype)
            both = rows * normed
            along, mean = both @ shares, rows @ shares
            d_gamma += ones @ both
            d_beta += ones @ rows
            np.multiply(rows, gamma, out=out)
            np.multiply(normed, along[:, None], out=both)
            both += mean[:, None]
            out -= both
            out *= normalized.reciprocal[block]
        return d_gamma, d_beta

    parts = workers.share(run, _cuts(g))
    return dx, sum((part[0] for part in parts[1:]), parts[0][0]), sum((part[1] for part in parts[1:]), parts[0][1])


def _cuts(x):
    return workers.cuts(len(x), workers.count() if x.size >= SHARED_FROM else 1) or [slice(0, 0)]


def _blocks(cut, x):
    step = max(1, BLOCK_BYTES // (x.shape[1] * x.itemsize))
    return (slice(start, min(start + step, cut.stop)) for start in range(cut.start, cut.stop, step))
