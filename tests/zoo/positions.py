"""rope, sinusoidal_positions, alibi_bias and sliding_window_mask."""

import numpy as np
from zoo.animals import right, wrong, wrong_gradient


def _frequencies(width, base):
    return base ** (-np.arange(0, width, 2) / max(width, 1))


def _rope(x, positions, base, pairing, width, turn=1, frequencies=_frequencies):
    width = x.shape[-1] if width is None else width
    positions = np.arange(x.shape[-2]) if positions is None else np.asarray(positions)
    phase = np.exp(1j * turn * positions[..., None] * frequencies(width, base))
    part, rest = x[..., :width], x[..., width:]
    half = width // 2
    a, b = (part[..., :half], part[..., half:]) if pairing == "halves" else (part[..., ::2], part[..., 1::2])
    z = (a + 1j * b) * phase
    y = np.empty((*z.shape[:-1], width))
    if pairing == "halves":
        y[..., :half], y[..., half:] = z.real, z.imag
    else:
        y[..., ::2], y[..., 1::2] = z.real, z.imag
    rest = np.broadcast_to(rest, (*y.shape[:-1], rest.shape[-1]))
    return np.concatenate([y, rest], axis=-1).astype(x.dtype)


@right("rope", "complex numbers")
def complex_rope(x, positions=None, *, base=10000.0, pairing="halves", width=None):
    return _rope(x, positions, base, pairing, width)


@wrong("rope", "one pairing whatever is asked for")
def other_pairing(x, positions=None, *, base=10000.0, pairing="halves", width=None):
    return _rope(x, positions, base, "interleaved", width)


@wrong("rope", "a new token is the first")
def from_zero(x, positions=None, *, base=10000.0, pairing="halves", width=None):
    return _rope(x, None, base, pairing, width)


@wrong("rope", "turned the other way")
def backwards(x, positions=None, *, base=10000.0, pairing="halves", width=None):
    return _rope(x, positions, base, pairing, width, turn=-1)


@wrong("rope", "frequencies of the whole row though a part of it is turned")
def of_the_whole_row(x, positions=None, *, base=10000.0, pairing="halves", width=None):
    def frequencies(width, base):
        return _frequencies(x.shape[-1] + 1, base)[: width // 2]

    return _rope(x, positions, base, pairing, width, frequencies=frequencies)


@wrong("rope", "positions counted from 1")
def from_one(x, positions=None, *, base=10000.0, pairing="halves", width=None):
    positions = np.arange(x.shape[-2]) if positions is None else np.asarray(positions)
    return _rope(x, positions + 1, base, pairing, width)


@wrong_gradient("rope", "gradient: turned on instead of back", complex_rope)
def turned_on(g, x, positions=None, *, base=10000.0, pairing="halves", width=None):
    dx = _rope(g, positions, base, pairing, width)
    while dx.ndim > x.ndim:
        dx = dx.sum(axis=0)
    stretched = tuple(i for i, n in enumerate(x.shape) if n == 1 != dx.shape[i])
    return (dx.sum(axis=stretched, keepdims=True),)


def _sinusoids(n, d, base, layout, exponent=lambda i, d: 2 * i / max(d, 1), start=0, first=np.sin, second=np.cos):
    rows = np.zeros((n, d))
    for m in range(n):
        for column in range(d):
            i = column // 2
            angle = (m + start) * base ** -exponent(i, d)
            rows[m, column] = second(angle) if column % 2 else first(angle)
    return rows if layout == "interleaved" else np.concatenate([rows[:, ::2], rows[:, 1::2]], axis=-1)


@right("sinusoidal_positions", "entry by entry")
def sinusoids(n, d, *, base=10000.0, layout="interleaved"):
    return _sinusoids(n, d, base, layout)


@wrong("sinusoidal_positions", "always in halves")
def always_halves(n, d, *, base=10000.0, layout="interleaved"):
    return _sinusoids(n, d, base, "halves")


@wrong("sinusoidal_positions", "cosines first")
def cosines_first(n, d, *, base=10000.0, layout="interleaved"):
    return _sinusoids(n, d, base, layout, first=np.cos, second=np.sin)


@wrong("sinusoidal_positions", "exponents of i, not 2i")
def half_exponents(n, d, *, base=10000.0, layout="interleaved"):
    return _sinusoids(n, d, base, layout, lambda i, d: i / d)


@wrong("sinusoidal_positions", "the last frequency is 1/base, as in the authors' code")
def to_the_end(n, d, *, base=10000.0, layout="interleaved"):
    return _sinusoids(n, d, base, layout, lambda i, d: i / max(d // 2 - 1, 1))


@wrong("sinusoidal_positions", "positions counted from 1")
def second_first(n, d, *, base=10000.0, layout="interleaved"):
    return _sinusoids(n, d, base, layout, start=1)


def _slopes(n):
    if n & (n - 1) == 0:
        return [2 ** (-8 * (h + 1) / n) for h in range(n)]
    below = 1 << (n.bit_length() - 1)
    return _slopes(below) + _slopes(2 * below)[::2][: n - below]


def _alibi(n_heads, n_queries, n_keys, align, slopes=_slopes, distance=lambda d: -np.abs(d)):
    n_keys = n_queries if n_keys is None else n_keys
    offset = n_keys - n_queries if align == "lower-right" else 0
    d = np.subtract.outer(np.arange(n_queries) + offset, np.arange(n_keys))
    return np.array(slopes(n_heads))[:, None, None] * distance(d)


@right("alibi_bias", "slopes by recursion")
def alibi(n_heads, n_queries, n_keys=None, *, align=None):
    return _alibi(n_heads, n_queries, n_keys, align)


@wrong("alibi_bias", "slopes from 1 on, off by one head")
def off_by_one(n_heads, n_queries, n_keys=None, *, align=None):
    return _alibi(n_heads, n_queries, n_keys, align, lambda n: [2 * s for s in _slopes(n)])


@wrong("alibi_bias", "any number of heads as if it were a power of two")
def geometric(n_heads, n_queries, n_keys=None, *, align=None):
    return _alibi(n_heads, n_queries, n_keys, align, lambda n: [2 ** (-8 * (h + 1) / n) for h in range(n)])


@wrong("alibi_bias", "slopes in descending order")
def in_order(n_heads, n_queries, n_keys=None, *, align=None):
    return _alibi(n_heads, n_queries, n_keys, align, lambda n: sorted(_slopes(n), reverse=True))


@wrong("alibi_bias", "queries always from the start")
def from_the_start(n_heads, n_queries, n_keys=None, *, align=None):
    return _alibi(n_heads, n_queries, n_keys, "upper-left")


@wrong("alibi_bias", "later keys get more, not less")
def signed(n_heads, n_queries, n_keys=None, *, align=None):
    return _alibi(n_heads, n_queries, n_keys, align, distance=lambda d: -d)


def _window(n_queries, n_keys, left, right, align, fewer=0):
    n_keys = n_queries if n_keys is None else n_keys
    offset = n_keys - n_queries if align == "lower-right" else 0
    mask = np.zeros((n_queries, n_keys), bool)
    for i in range(n_queries):
        first = 0 if left < 0 else max(i + offset - left + fewer, 0)
        end = n_keys if right < 0 else max(i + offset + right + 1, 0)
        mask[i, first:end] = True
    return mask


@right("sliding_window_mask", "row by row")
def window(n_queries, n_keys=None, *, left, right=0, align=None):
    return _window(n_queries, n_keys, left, right, align)


@wrong("sliding_window_mask", "the query's own key is one of left")
def one_fewer(n_queries, n_keys=None, *, left, right=0, align=None):
    return _window(n_queries, n_keys, left, right, align, fewer=1)


@wrong("sliding_window_mask", "one key more than left")
def one_more(n_queries, n_keys=None, *, left, right=0, align=None):
    return _window(n_queries, n_keys, left, right, align, fewer=-1)


@wrong("sliding_window_mask", "true where blocked")
def blocked(n_queries, n_keys=None, *, left, right=0, align=None):
    return ~_window(n_queries, n_keys, left, right, align)


@wrong("sliding_window_mask", "later keys are never seen")
def always_causal(n_queries, n_keys=None, *, left, right=0, align=None):
    return _window(n_queries, n_keys, left, 0, align)


@wrong("sliding_window_mask", "queries always from the start")
def window_from_the_start(n_queries, n_keys=None, *, left, right=0, align=None):
    return _window(n_queries, n_keys, left, right, "upper-left")
