"""Layer normalization a few rows at a time, so that what one pass over them leaves behind is in the cache for the next.

Everything stays in the precision of the rows, which for float32 is half the work of the builtin's own rule. That loses
digits where the mean is large beside the spread. Then, or where squares overflow, there is no answer from here, and the
builtin's own rule is asked.

No sum is a matrix product: such a product is shared by BLAS, and its bits depend on among how many threads.
"""

import numpy as np

from opbook_fast.threads import cuts, share

TAKEN_FROM = 2**11
"""Arrays of fewer entries are left to the builtin's own rule: its passes take no longer, and it looks at no limits."""

WIDEST = 8192
"""Longer rows are left to it too: BLAS shares dot products from 10,000 entries on."""

BLOCK_BYTES = 2**19
"""Rows are taken until there are so many bytes: four such arrays fill a core's second-level cache (2 MiB). With shorter
passes, threads that share the work would be kept waiting for Python's lock."""

PART_BYTES = 2**18
"""What a thread gets at least; for less, waking it takes longer than it saves."""

LARGEST_MEAN = 4.0
"""How many standard deviations a mean may be away from 0: in float32 six digits of the deviations are still right."""

SMALLEST = {np.dtype(name): np.finfo(name).tiny / np.finfo(name).eps for name in ("float32", "float64")}
"""What eps must be above: squares below have fewer digits, and a variance may be such a square."""


def layer_norm(x, gamma, beta, *, eps=1e-5):
    """The rule, for arrays that are not tiny."""
    if x.size < TAKEN_FROM or x.shape[-1] > WIDEST or not eps > SMALLEST[x.dtype]:
        return NotImplemented
    value = np.empty_like(x)
    rows, out = x.reshape(-1, x.shape[-1]), value.reshape(-1, x.shape[-1])
    mean, reciprocal = np.empty((len(rows), 1), x.dtype), np.empty((len(rows), 1), x.dtype)

    def normalize(block):
        return _normalize(rows[block], gamma, beta, eps, out[block], mean[block], reciprocal[block])

    if not all(_in_blocks(normalize, rows)):
        return NotImplemented

    def pullback(g):
        g, dx = g.reshape(rows.shape), np.empty_like(rows)

        def pull(block):
            return _pull_back(g[block], gamma, rows[block], mean[block], reciprocal[block], dx[block])

        d_gamma, d_beta = np.sum(_in_blocks(pull, rows), axis=0)
        return dx.reshape(x.shape), d_gamma, d_beta

    return value, pullback


def _normalize(rows, gamma, beta, eps, value, mean, reciprocal):
    """Write what becomes of some rows, their means, and what they are multiplied by; False if they need another way."""
    width = rows.shape[1]
    with np.errstate(over="ignore", invalid="ignore"):
        np.divide(np.einsum("nd->n", rows)[:, None], width, out=mean)
        np.subtract(rows, mean, out=value)
        total = np.vecdot(value, value)[:, None] / width + eps
        if not total.max() < np.inf:  # nor for a NaN
            return False
    if not (mean * mean / total).max() <= LARGEST_MEAN**2:
        return False
    np.divide(1, np.sqrt(total), out=reciprocal)
    value *= reciprocal
    value *= gamma
    value += beta
    return True


def _pull_back(g, gamma, rows, mean, reciprocal, dx):
    """Write the gradient of some rows; return their share in those of gamma and beta."""
    normed = rows - mean  # once more, which takes less time than to fetch it from memory
    normed *= reciprocal
    both = g * normed
    shares = gamma / len(gamma)
    along, offset = np.vecdot(both, shares), np.vecdot(g, shares)
    d_gamma = both.sum(axis=0)
    np.multiply(g, gamma, out=dx)
    np.multiply(normed, along[:, None], out=both)
    both += offset[:, None]
    dx -= both
    dx *= reciprocal
    return d_gamma, g.sum(axis=0)


def _in_blocks(function, rows):
    """Apply a function to blocks of rows, slices, on as many threads as they are worth; the results in order."""
    if rows.nbytes <= PART_BYTES:
        return [function(slice(None))]
    step = max(1, BLOCK_BYTES // (rows.shape[1] * rows.itemsize))

    def work(part):
        return [function(slice(i, min(i + step, part.stop))) for i in range(part.start, part.stop, step)]

    return [result for results in share(work, cuts(len(rows), rows.nbytes // PART_BYTES)) for result in results]
