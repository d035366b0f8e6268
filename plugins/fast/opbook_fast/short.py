"""Attention with all scores of a head at once, for short sequences, of which a batch has many.

Up to a few hundred queries and keys the scores of a head fit into the processor's cache, and one call of NumPy's serves
all heads that fit in together. Beside the products a handful of passes over them is left: blocked pairs are blocked by
adding −∞, and the largest score of a row is subtracted only if scores are large.
"""

from functools import lru_cache
from math import prod

import numpy as np

from opbook_fast.threads import share
from opbook_fast.tiles import SAFE_SCORE

SCORES_BYTES = 2**20
"""So many bytes of scores are worked on at a time: a core's second-level cache (1 or 2 MiB) holds most of them."""

KEPT_KEYS = 2
"""The weights are kept for the backward pass if there are at most so many keys for each column of the values: they take
about as much memory then as the rest. If there are more, they are computed again."""


class ShortAttention:
    """Attention for a stack of heads, and what its backward pass needs.

    Args:
        q: (..., Nq, D) queries.
        k: (..., Nk, D) keys, with the same batch axes, of which there is at least one.
        v: (..., Nk, Dv) values, likewise.
        blocked: 0 for pairs that may attend to each other and −∞ for others; broadcasts against (..., Nq, Nk).
        scale: The factor of the scores.
    """

    def __init__(self, q, k, v, blocked, scale):
        self._q, self._k, self._v, self._scale = q, k, v, q.dtype.type(scale)
        self._blocked = blocked
        self._is_cut = blocked.ndim == q.ndim and len(blocked) > 1
        self._keeps = k.shape[-2] <= KEPT_KEYS * v.shape[-1]
        scores_bytes = prod(q.shape[1:-1]) * k.shape[-2] * q.itemsize
        step = max(1, SCORES_BYTES // max(1, scores_bytes))
        self._cuts = [slice(start, start + step) for start in range(0, len(q), step)]
        self._ones = np.ones((k.shape[-2], 1), q.dtype)

    def forward(self, out):
        """Compute the answers, once.

        Args:
            out: (..., Nq, Dv) array for them, which must not be changed afterwards.

        Returns:
            Whether there are any: none come of numbers that are not finite, or so large that sums would not be.
        """

        def answer(cut):
            weights = self._weights(cut)
            if weights is None:
                return False, None
            np.matmul(weights, self._v[cut], out=out[cut])
            return True, weights if self._keeps else None

        are_finite, self._kept = zip(*share(answer, self._cuts), strict=True) if self._cuts else ((), ())
        return all(are_finite)

    def _weights(self, cut):
        v, largest = self._v[cut], float(np.finfo(self._v.dtype).max) / 4
        with np.errstate(over="ignore", invalid="ignore"):
            scores = self._q[cut] @ np.swapaxes(self._k[cut], -1, -2)
            if self._scale != 1:
                scores *= self._scale
        reach = _reach(scores)
        if not (reach < largest and v.shape[-2] * _reach(v) < largest):  # nor for a NaN
            return None
        scores += self._blocked[cut] if self._is_cut else self._blocked
        if reach > SAFE_SCORE:
            highest = scores.max(axis=-1, keepdims=True, initial=-np.inf)
            scores -= np.where(highest == -np.inf, 0, highest)
        np.exp(scores, out=scores)
        sums = scores @ self._ones
        sums[sums == 0] = 1  # a query that may attend to nothing
        scores /= sums
        return scores

    def backward(self, g, out):
        """Pull a cotangent back.

        Args:
            g: (..., Nq, Dv) cotangent of the answers.
            out: Three arrays, for the gradients of q, k and v.
        """
        dq, dk, dv = out

        def pull(cut, kept):
            weights = self._weights(cut) if kept is None else kept
            np.matmul(np.swapaxes(weights, -1, -2), g[cut], out=dv[cut])
            d_scores = g[cut] @ np.swapaxes(self._v[cut], -1, -2)
            d_scores -= np.vecdot(weights, d_scores)[..., None]
            d_scores *= weights
            if self._scale != 1:
                d_scores *= self._scale
            np.matmul(d_scores, self._k[cut], out=dq[cut])
            np.matmul(np.swapaxes(d_scores, -1, -2), self._q[cut], out=dk[cut])

        share(lambda task: pull(*task), list(zip(self._cuts, self._kept, strict=True)))


def _reach(x):
    """How far numbers are from 0 at most; NaN if one is."""
    return float(max(x.max(initial=0), -x.min(initial=0)))


def blocked_pairs(allowed, dtype):
    """What to add to scores.

    Args:
        allowed: Boolean, which query may attend to which key.
        dtype: The scores' dtype.

    Returns:
        An array of its shape: 0 for pairs that may, −∞ for others.
    """
    return np.where(allowed, dtype.type(0), dtype.type(-np.inf))


@lru_cache(maxsize=16)
def later_keys(length, dtype):
    """What to add to causal scores; kept, as every step of a training needs it, and so does every block.

    Args:
        length: How many queries and keys there are.
        dtype: The scores' dtype.

    Returns:
        A (length, length) array that must not be changed.
    """
    return blocked_pairs(np.tri(length, dtype=bool), dtype)
