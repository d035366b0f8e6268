"""Layer normalization a few rows at a time, so that what one pass over them leaves behind is in the cache for the next.

The variance is the mean of the squares less the square of the mean: two passes over numbers that need not be centred
first. That loses digits where the mean is large beside the spread. Then, or where squares overflow, there is no answer
from here, and the builtin's own rule is asked.

No sum is a matrix product: such a product is shared by BLAS, and its bits depend on among how many threads.
"""

import numpy as np

from opbook_fast.threads import cuts, share

TAKEN_FROM = 2**15
"""Arrays of fewer entries are left to the builtin's own rule."""

WIDEST = 8192
"""Longer rows are left to it too: BLAS shares dot products from 10,000 entries on."""

BLOCK_BYTES = 2**19
"""Rows are taken until there are so many bytes: four such arrays fill a core's second-level cache (2 MiB). With shorter
passes, threads that share the work would be kept waiting for Python's lock."""

PART_BYTES = 2**18
"""What a thread gets at least; for less, waking it takes longer than it saves."""

LARGEST_MEAN = 4.0
"""How many standard deviations a mean may be away from 0: in float32 five digits of the deviation are still right."""


def layer_norm(x, gamma, beta, *, eps=1e-5):
    """The rule, for arrays that are large."""
    if x.size < TAKEN_FROM or x.shape[-1] > WIDEST or not eps >= 0:
        return NotImplemented
    rows = x.reshape(-1, x.shape[-1])
    parts = cuts(len(rows), x.nbytes // PART_BYTES)
    value, normed = np.empty(rows.shape, x.dtype), np.empty(rows.shape, x.dtype)
    reciprocal = np.empty((len(rows), 1), x.dtype)

    def normalize(part):
        return all(
            _normalize(rows[block], gamma, beta, eps, value[block], normed[block], reciprocal[block])
            for block in _blocks(part, rows)
        )

    if not all(share(normalize, parts)):
        return NotImplemented

    def pullback(g):
        g = g.reshape(normed.shape)
        dx = np.empty_like(g)

        def pull(part):
            sums = [
                _pull_back(g[block], gamma, normed[block], reciprocal[block], dx[block]) for block in _blocks(part, g)
            ]
            return np.sum(sums, axis=0)

        d_gamma, d_beta = np.sum(share(pull, parts), axis=0)
        return dx.reshape(x.shape), d_gamma, d_beta

    return value.reshape(x.shape), pullback


def _normalize(rows, gamma, beta, eps, value, normed, reciprocal):
    """Write what becomes of some rows; False if they need another way."""
    smallest = np.finfo(rows.dtype).tiny / np.finfo(rows.dtype).eps
    with np.errstate(over="ignore", invalid="ignore"):
        mean = np.einsum("nd->n", rows) / rows.shape[1]
        square = mean * mean
        variance = np.vecdot(rows, rows) / rows.shape[1] - square
        if not ((square <= LARGEST_MEAN**2 * variance) & (variance < np.inf)).all():  # nor for a NaN
            return False
    total = variance + eps
    if not total.min() > smallest:
        return False
    reciprocal[:, 0] = 1 / np.sqrt(total)
    np.multiply(rows, reciprocal, out=normed)
    normed -= mean[:, None] * reciprocal
    np.multiply(normed, gamma, out=value)
    value += beta
    return True


def _pull_back(g, gamma, normed, reciprocal, dx):
    """Write the gradient of some rows; return their share in those of gamma and beta."""
    both = g * normed
    shares = gamma / len(gamma)
    along, mean = np.vecdot(both, shares), np.vecdot(g, shares)
    d_gamma = both.sum(axis=0)
    np.multiply(g, gamma, out=dx)
    np.multiply(normed, along[:, None], out=both)
    both += mean[:, None]
    dx -= both
    dx *= reciprocal
    return d_gamma, g.sum(axis=0)


def _blocks(part, rows):
    step = max(1, BLOCK_BYTES // (rows.shape[1] * rows.itemsize))
    return (slice(start, min(start + step, part.stop)) for start in range(part.start, part.stop, step))
