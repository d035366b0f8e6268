"""Attention in tiles: never more than a few hundred queries and keys at a time.

The scores of N queries and N keys are N² numbers. They are worked off here in tiles that stay in the processor's cache,
and forgotten. The backward pass computes them again, which takes less time than fetching them from memory would. All
that is kept for it is the logarithm of every row's sum, so memory grows with N.

Beside the matrix products and the sums of rows there is one pass over a tile in the forward pass, `exp`, and two in the
backward pass, `exp` and one multiplication:

- The exponentials are not divided by their row's sum. The answer is, which is N × D numbers instead of N × N.
- In the backward pass p = exp(s − log(sum)), and dS = p ∘ (dP − ⟨o, g⟩). The products do both subtractions: the queries
  have the column −log(sum), the cotangent has the column −⟨o, g⟩, and the keys and values have ones there.

The largest score of a row has to be subtracted before `exp` only if scores are large. By Cauchy and Schwarz, none is
larger than the longest query times the longest key.
"""

import threading
from functools import lru_cache
from itertools import product

import numpy as np

from opbook import unbroadcast
from opbook_fast import blas
from opbook_fast.threads import share

ROWS = 512, 256, 128
"""Queries of a tile. With 512 products are fastest; with 128 they take 5 % longer, and with 64 they would take 15 %."""

CUT_INTO, CAUSAL_CUT_INTO = 2, 16
"""Into how many tiles queries are cut at least, unless tiles were too small then: there is something to share, and if
causal, not much that is computed and blocked."""

TILE_BYTES = 2**20
"""Scores of a tile. A core's second-level cache (1 to 2 MiB) has to hold them and what is multiplied."""

PARTS, LONG = 4, 2048
"""With fewer heads than that, threads share one in the backward pass: each takes some of its keys, and has a gradient
of the queries of its own. That takes time and memory, so sequences that are not long have half as many parts."""

SAFE_SCORE = 40.0
"""Scores up to this need no maximum subtracted: exp(±40) times sizes and values is far from the limits of float32."""


class AllowedTiles:
    """Which query may attend to which key, tile by tile, without an array of all pairs for `causal` and `key_mask`.

    Args:
        batch: The shape of all batch axes, those of the values too.
        n_queries: The number of queries, Nq.
        n_keys: The number of keys, Nk.
        mask: Boolean, broadcasts against (*batch, Nq, Nk), or None.
        key_mask: Boolean, (Nk,) or with an axis for each of batch, or None.
        causal: Whether a query may only attend to keys up to its own position.

    Attributes:
        batch: The first of these, and likewise `causal`.
    """

    def __init__(self, batch, n_queries, n_keys, mask, key_mask, causal):
        self._mask = None if mask is None else np.broadcast_to(mask, (*batch, n_queries, n_keys))
        self._key_mask = None if key_mask is None else np.broadcast_to(key_mask, (*batch, n_keys))
        self.batch, self.causal = batch, causal

    def tile(self, head, rows, columns):
        """Look at one tile.

        Args:
            head: An index into the batch axes.
            rows: The queries, a slice.
            columns: The keys, a slice.

        Returns:
            The slice of keys that is left, which has no entries if all pairs are blocked; and what is blocked among
            them: pairs of slices of their columns with Boolean arrays.
        """
        first, last = columns.start, columns.stop
        if self.causal:
            last = max(first, min(last, rows.stop))
        allowed, blocked = None, []
        if self._key_mask is not None:
            keys = self._key_mask[head][first:last]
            last = first + int(np.max(np.flatnonzero(keys), initial=-1)) + 1  # padding is at the end, mostly
            allowed = keys[None, : last - first]
        if self._mask is not None:
            mask = self._mask[head][rows, first:last]
            allowed = mask if allowed is None else allowed & mask
        if allowed is not None and not allowed.all():
            last = last if allowed.any() else first
            blocked.append((slice(None), ~allowed[:, : last - first]))
        if self.causal and last - 1 > rows.start:
            later = _later_keys(rows.stop - rows.start)[:, max(first - rows.start, 0) : last - rows.start]
            blocked.append((slice(max(rows.start - first, 0), None), later))
        return slice(first, last), blocked


@lru_cache(maxsize=16)
def _later_keys(length):
    """Which of as many keys as queries stand after a query; nobody writes into it."""
    return ~np.tri(length, dtype=bool)


class TiledAttention:
    """Attention for a stack of heads, and what its backward pass needs.

    Args:
        q: (..., Nq, D) queries, which nobody may write into any more, nor into k and v.
        k: (..., Nk, D) keys.
        v: (..., Nk, Dv) values.
        allowed: Which query may attend to which key.
        scale: The factor of the scores.

    Attributes:
        is_finite: Whether all numbers are, and nothing that is computed from them can be too large. If not, there is no
            answer from here.
    """

    def __init__(self, q, k, v, allowed, scale):
        batch, n_queries, n_keys = allowed.batch, q.shape[-2], k.shape[-2]
        self._shapes = q.shape, k.shape, v.shape
        self._heads = list(np.ndindex(batch))
        self._allowed = allowed
        self._scale = q.dtype.type(scale)
        self._q, self._k, self._v = (_with_batch(x, batch) for x in (q, k, v))
        most = n_queries // CAUSAL_CUT_INTO if allowed.causal else len(self._heads) * n_queries // CUT_INTO
        self._rows = next((rows for rows in ROWS if rows <= most), ROWS[-1])
        self._columns = TILE_BYTES // self._rows // q.itemsize
        parts = PARTS if n_keys >= LONG else PARTS // 2
        self._parts = max(1, -(-parts // max(1, len(self._heads))))
        with np.errstate(over="ignore", invalid="ignore"):
            score = abs(float(self._scale)) * _longest(q) * _longest(k)
            total = n_keys * float(np.max(np.abs(v), initial=0))  # of the values, with weights of at most 1
        largest = float(np.finfo(q.dtype).max) / 4
        self.is_finite = bool(score < largest and total < largest)
        self._is_safe = score <= SAFE_SCORE and total < largest * np.exp(-SAFE_SCORE)

    def forward(self):
        """Compute the answers, once.

        Returns:
            (..., Nq, Dv) array, which is kept, and must not be changed.
        """
        self._out = np.empty((*self._q.shape[:-1], self._v.shape[-1]), self._q.dtype)
        # what is taken from scores before exp: with those that are safe the logarithms of the sums are all
        self._log_sums = np.empty((*self._q.shape[:-1], 1), self._q.dtype)
        self._highest = None if self._is_safe else np.empty_like(self._log_sums)
        tasks = list(product(self._heads, _tiles(self._q.shape[-2], self._rows)))
        with blas.one_thread:
            share(self._answer, tasks[::-1])  # causal: the last rows have the most to do
        return self._out

    def _answer(self, task):
        head, rows = task
        q, k, v = self._q[head][rows] * self._scale, self._k[head], self._v[head]
        total, sums = np.zeros((len(q), v.shape[-1]), q.dtype), np.zeros((len(q), 1), q.dtype)
        ones = np.ones((min(self._columns, len(k)), 1), q.dtype)
        highest = None if self._is_safe else np.full((len(q), 1), -np.inf, q.dtype)
        buffer, _ = _buffers(q.dtype)
        for columns in _tiles(len(k), self._columns):
            columns, blocked = self._allowed.tile(head, rows, columns)
            if columns.start == columns.stop:
                continue
            scores = _product(q, k[columns].T, blocked, -np.inf, buffer)
            if not self._is_safe:
                highest, before = np.maximum(highest, scores.max(axis=1, keepdims=True)), highest
                shift = np.where(highest == -np.inf, 0, highest)  # a query that may attend to nothing so far
                scores -= shift
                shrunk = np.exp(before - shift)
                total *= shrunk
                sums *= shrunk
            np.exp(scores, out=scores)
            total += scores @ v[columns]
            sums += scores @ ones[: columns.stop - columns.start]
        sums[sums == 0] = 1  # a query that may attend to nothing
        np.divide(total, sums, out=self._out[head][rows])
        self._log_sums[head][rows] = np.log(sums)
        if not self._is_safe:
            self._highest[head][rows] = np.where(highest == -np.inf, 0, highest)

    def backward(self, g):
        """Pull a cotangent back.

        Args:
            g: (..., Nq, Dv) cotangent of the answers.

        Returns:
            The gradients of q, k and v.
        """
        q = _with_column(self._q, -self._log_sums)
        q[..., :-1] *= self._scale
        g = _with_column(g, -np.vecdot(g, self._out)[..., None])
        dq, dk, dv = (np.empty(x.shape, x.dtype) for x in (self._q, self._k, self._v))

        def pull(task):
            head, part = task
            sent = dq[head] if part == 0 else np.empty_like(dq[head])
            self._pull(head, part, q[head], g[head], sent, dk[head], dv[head])
            return sent

        with blas.one_thread:
            found = share(pull, list(product(self._heads, range(self._parts))))
        for i, head in enumerate(self._heads):
            for other in found[i * self._parts + 1 : (i + 1) * self._parts]:
                dq[head] += other
        dq *= self._scale
        return tuple(map(unbroadcast, (dq, dk, dv), self._shapes))

    def _pull(self, head, part, q, g, dq, dk, dv):
        """Write the gradients of some keys and values, and what they send to all queries."""
        k, v = self._k[head], self._v[head]
        dq[...] = 0
        first, second = _buffers(q.dtype)
        for whole in self._keys_of(part):
            keys, values = _with_column(k[whole], 1), _with_column(v[whole], 1)
            dk_tile, dv_tile = np.zeros_like(keys[:, :-1]), np.zeros_like(values[:, :-1])
            for rows in _tiles(len(q), self._rows):
                columns, blocked = self._allowed.tile(head, rows, whole)
                if columns.start == columns.stop:
                    continue
                used = slice(columns.stop - columns.start)
                weights = self._weights(q[rows], keys[used], blocked, head, rows, first)
                dv_tile[used] += weights.T @ g[rows, :-1]
                d_scores = _product(g[rows], values[used].T, blocked, 0, second)
                d_scores *= weights
                dq[rows] += d_scores @ keys[used, :-1]
                dk_tile[used] += d_scores.T @ q[rows, :-1]
            dk[whole], dv[whole] = dk_tile, dv_tile

    def _keys_of(self, part):
        """The tiles of keys that a part takes, dealt out back and forth: if causal, they have less and less to do."""
        n_keys = self._k.shape[-2]
        cuts = 2 * self._parts if self._allowed.causal and self._parts > 1 else self._parts
        tiles = _tiles(n_keys, max(1, min(self._columns, -(-n_keys // cuts))))
        turn = part, 2 * self._parts - 1 - part
        return (tile for i, tile in enumerate(tiles) if i % (2 * self._parts) in turn)

    def _weights(self, q, k, blocked, head, rows, buffer):
        if self._is_safe:
            scores = _product(q, k.T, blocked, -np.inf, buffer)
        else:  # large scores keep their digits only if the maximum is subtracted first
            scores = _product(q[:, :-1], k[:, :-1].T, blocked, -np.inf, buffer)
            scores -= self._highest[head][rows]
            scores += q[:, -1:]
        return np.exp(scores, out=scores)


def _longest(rows):
    """The length of the longest row; infinite or NaN if one has an entry that is, or whose square is."""
    return float(np.sqrt(np.max(np.vecdot(rows, rows), initial=0)))


def _with_batch(x, batch):
    """The same rows for every index of batch axes that x does not have."""
    return x if x.shape[:-2] == batch else np.broadcast_to(x, (*batch, *x.shape[-2:]))


def _with_column(x, column):
    """A copy of rows with one more entry each."""
    out = np.empty((*x.shape[:-1], x.shape[-1] + 1), x.dtype)
    out[..., :-1] = x
    out[..., -1:] = column
    return out


def _tiles(length, step):
    return (slice(start, min(start + step, length)) for start in range(0, length, step))


_own = threading.local()


def _buffers(dtype):
    """Room for two tiles that this thread keeps: memory that is new for every call costs as much as a product in it."""
    if not hasattr(_own, "tiles"):
        _own.tiles = np.empty((2, TILE_BYTES), np.uint8)
    return [room.view(dtype) for room in _own.tiles]


def _product(a, b, blocked, entry, buffer):
    """a @ b in a buffer, with an entry of its own for blocked pairs, which may hold anything."""
    out = np.matmul(a, b, out=buffer[: len(a) * b.shape[1]].reshape(len(a), b.shape[1]))
    for columns, where in blocked:
        np.copyto(out[:, columns], entry, where=where)
    return out
