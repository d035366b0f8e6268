"""Attention with linear biases: alibi_bias."""

from typing import Literal

import numpy as np

from opbook import Array, builtin
from opbook.errors import InputError
from opbook_positions.windows import distances


# Instead of vectors for positions, a number is subtracted from each score of attention, which grows with the distance
# of query and key. Each head has a slope of its own: one with a steep slope looks at its neighbours, one with a small
# slope looks far. Nothing is learned, and sequences may be longer than any that the model has seen.
#
# For 8 heads the slopes are 1/2, 1/4, ..., 1/256, for n heads 2^(−8/n) and its powers, if n is a power of two. For any
# other n, there are the slopes for the next power of two below, m, and after them the first, third, fifth, ... of those
# for 2m, until there are n. So the slopes of 12 heads do *not* decrease from the first to the last.
#
# The result is the `bias` of `attention_weights`. Keys after a query count by their distance too; with a causal mask
# they are blocked. With different numbers of queries and keys, `align` must say which key is a query's own, as for
# `causal_mask`.
#
# **The gradient.** There is none: distances are whole numbers, and the slopes are fixed.
@builtin(
    category="Positions",
    aliases=("ALiBi", "attention with linear biases", "linear biases", "build_alibi_tensor", "alibi_slopes", "BLOOM"),
)
def alibi_bias(
    n_heads: int,
    n_queries: int,
    n_keys: int | None = None,
    *,
    align: Literal["lower-right", "upper-left"] | None = None,
) -> Array["H Nq Nk"]:
    r"""A bias for the scores of each head that falls with the distance of query and key.

    It gives attention a sense of distance without vectors for positions: passed as `bias`, it makes the weights of far
    keys smaller. The result has a matrix of Nq rows and Nk columns for each of H heads, and each head falls at a rate
    of its own. Keys after a query count by their distance too, so a decoder needs a causal mask as well.

    Args:
        n_heads: The number of heads, H, at least 1.
        n_queries: The number of queries, Nq, at least 0.
        n_keys: The number of keys, Nk; as many as queries unless given.
        align: Whether the last query stands at the last key, or the first at the first; needed only where Nq ≠ Nk.

    Returns:
        What is added to the scores, 0 or less, in float64.

    Raises:
        InputError: No head, a negative number, more than 10⁸ entries, or different numbers without align.

    Formula:
        $$y_{hij} = -s_h \,\lvert i + \Delta - j \rvert, \qquad
        s_h = \begin{cases} 2^{-8(h+1)/m} & h < m \\ 2^{-4(2(h-m)+1)/m} & h \ge m \end{cases}$$

        with m for the largest power of two that is at most H, heads h counted from 0, Δ = Nk − Nq for "lower-right" and
        Δ = 0 for "upper-left".

    Source:
        Press, Smith and Lewis, *Train Short, Test Long: Attention with Linear Biases Enables Input Length
        Extrapolation* (2021), section 3.
    """
    if n_heads < 1:
        raise InputError(f"n_heads must be at least 1, but is {n_heads}")
    away = np.abs(distances("alibi_bias", n_queries, n_keys, align, times=n_heads))
    m = 2 ** (n_heads.bit_length() - 1)
    h = np.arange(n_heads)
    slopes = np.where(h < m, 2.0 ** (-8 * (h + 1) / m), 2.0 ** (-4 * (2 * (h - m) + 1) / m))
    return slopes[:, None, None] * -away
