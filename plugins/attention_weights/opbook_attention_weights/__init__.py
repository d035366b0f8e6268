"""Attention weights and causal masks, as an opbook plugin."""

from typing import Literal

import numpy as np
from opbook_activations import softmax

from opbook import Array, Mask, builtin, hookimpl, unbroadcast
from opbook.errors import InputError
from opbook_attention_weights.pairs import allowed_pairs, pair_scores, score_scale


# Row i says how much of each key's value goes into query i's answer. The rows of a softmax add up to 1, so an answer is
# an average of values, never more than the largest of them.
#
# Scores are divided by √D because a dot product of D random entries has a standard deviation of √D: without it the
# softmax would pick a single key, with a gradient close to zero, as soon as D is large.
#
# Blocked pairs get the score −∞ *before* the softmax, so that they take no part in the normalization; setting
# probabilities to zero afterwards would leave rows that do not add up to 1. A query that may attend to nothing has
# nothing to average: its row is zero, and so is its gradient. All masks are combined as Booleans. Added up as numbers,
# two "large negative" masks overflow in half precision, and a large score that is allowed can lose to one that is not.
#
# **The gradient.** For one row, with weights p and cotangent g, the scores' gradient is
#
# $$\mathrm ds = p \circ \bigl(g - \langle p, g\rangle\bigr).$$
#
# It is 0 wherever p is, so nothing flows back into a blocked key. From the scores on it is two matrix products.
@builtin(category="Statistics & ML", aliases=("attention probabilities", "attention scores", "attention map"))
def attention_weights(
    q: Array["... Nq D"],
    k: Array["... Nk D"],
    mask: Mask["... Nq Nk"] | None = None,
    *,
    key_mask: Mask["... Nk"] | None = None,
    bias: Array["... #Nq #Nk"] | None = None,
    causal: bool = False,
    scale: float | None = None,
) -> Array["... Nq Nk"]:
    r"""How much each query attends to each key: the softmax of the scaled dot products, row by row.

    Args:
        q: The queries.
        k: The keys.
        mask: 1 where a query may attend to a key, 0 where it may not.
        key_mask: 1 for keys that may be attended to, 0 for padding, the same for every query.
        bias: Added to the scores before the softmax; an axis of length 1 is stretched, and -inf blocks.
        causal: Whether query i may attend to keys 0 to i only; needs Nq = Nk.
        scale: The factor of the scores, 1/√D unless given.

    Returns:
        Weights between 0 and 1. Each row adds up to 1, or is 0 where the query may attend to nothing.

    Raises:
        ShapeError: q and k differ in width, a mask does not broadcast, or causal with Nq ≠ Nk.
        InputError: A mask with values other than 0 and 1.

    Formula:
        $$\operatorname{softmax}\left(\frac{Q K^\top}{\sqrt D} + B\right)$$

        row by row, where B is the bias, or −∞ for a pair that is blocked. The factor 1/√D is what `scale` replaces.

    Source:
        Vaswani et al., *Attention Is All You Need* (2017), section 3.2.1.
    """
    n_queries, n_keys = q.shape[-2], k.shape[-2]
    batch_ndim = max(q.ndim, k.ndim) - 2
    allowed = allowed_pairs(n_queries, n_keys, batch_ndim, mask, key_mask, bias, causal)
    scores = score_scale(q.shape[-1], scale) * pair_scores(q, k, allowed)[0]
    if bias is not None:
        scores = scores + bias
    if n_keys == 0:
        return scores  # rows of no entries at all: nothing to normalize
    if allowed is not None:
        scores = np.where(allowed, scores, -np.inf)
    return softmax(scores)


def weights_and_pullback(q, k, mask, key_mask, bias, causal, scale):
    """What the rules of all attention builtins share.

    Returns:
        The weights; a function from the weights' cotangent to (dq, dk); what `allowed_pairs` returned.
    """
    n_queries, n_keys = q.shape[-2], k.shape[-2]
    allowed = allowed_pairs(n_queries, n_keys, max(q.ndim, k.ndim) - 2, mask, key_mask, bias, causal)
    scale = score_scale(q.shape[-1], scale)
    scores, clean_q, clean_k = pair_scores(q * np.asarray(scale, q.dtype), k, allowed)
    if bias is not None:
        scores = scores + bias.astype(scores.dtype)
    if allowed is not None:
        scores = np.where(allowed, scores, -np.inf)
    highest = np.max(scores, axis=-1, keepdims=True, initial=-np.inf)
    highest[highest == -np.inf] = 0  # a query that may attend to nothing
    weights = np.exp(scores - highest)
    weights /= _row_sums(weights)
    clean_k = np.array(clean_k)  # the caller may change k before the pullback runs; clean_q is a product already
    shape_q, shape_k = q.shape, k.shape
    mine = None if allowed is None else allowed.copy()  # it may be the caller's mask

    def pullback(g):
        if mine is not None:
            g = np.where(mine, g, 0)
        d_scores = weights * (g - np.sum(weights * g, axis=-1, keepdims=True))
        dq = np.asarray(scale, g.dtype) * (d_scores @ clean_k)
        dk = np.swapaxes(d_scores, -1, -2) @ clean_q
        return unbroadcast(dq, shape_q), unbroadcast(dk, shape_k)

    return weights, pullback, allowed


def _row_sums(weights):
    sums = np.sum(weights, axis=-1, keepdims=True)
    sums[sums == 0] = 1  # a query that may attend to nothing keeps its row of zeros
    return sums


@attention_weights.defvjp
def _(q, k, mask=None, *, key_mask=None, bias=None, causal=False, scale=None):
    weights, pull_weights, _ = weights_and_pullback(q, k, mask, key_mask, bias, causal, scale)
    return weights.copy(), lambda g: (*pull_weights(g), None)


# "Causal" means that no position may look at a later one. With as many queries as keys that is the lower triangle. With
# different numbers there are two readings in use, and they differ silently:
#
# - `align="lower-right"`: the last query sees all keys. This is what decoding with cached keys needs, where the queries
#   are the last positions of the sequence.
# - `align="upper-left"`: the first query sees the first key only, as if both counted from the same start.
#
# As nobody can tell from the sizes which one is meant, it has to be said.
@builtin(category="Statistics & ML", aliases=("triangular mask", "attention mask", "look-ahead mask"))
def causal_mask(
    n_queries: int,
    n_keys: int | None = None,
    *,
    align: Literal["lower-right", "upper-left"] | None = None,
) -> Mask["Nq Nk"]:
    r"""A mask that lets no query attend to a later position.

    Args:
        n_queries: The number of queries, Nq, at least 0.
        n_keys: The number of keys, Nk; as many as queries unless given.
        align: Which corner of the mask the diagonal runs through; needed only where Nq ≠ Nk.

    Returns:
        A Boolean array, true where query i may attend to key j.

    Raises:
        InputError: A negative number, more than 10⁸ entries, or different numbers without align.

    Formula:
        $$m_{ij} = \begin{cases} 1 & j \le i + \Delta \\ 0 & \text{otherwise} \end{cases}$$

        with Δ = Nk − Nq for "lower-right" and Δ = 0 for "upper-left".

    Source:
        Vaswani et al., *Attention Is All You Need* (2017), section 3.2.3.
    """
    n_keys = n_queries if n_keys is None else n_keys
    if n_queries < 0 or n_keys < 0:
        raise InputError(f"causal_mask: sizes must be at least 0, but are {n_queries} and {n_keys}")
    if n_queries * n_keys > 10**8:
        raise InputError(f"causal_mask: {n_queries} × {n_keys} is more than 10⁸ entries")
    if align is None and n_queries != n_keys:
        raise InputError(
            f"causal_mask: with {n_queries} queries and {n_keys} keys, say which corner the diagonal runs through: "
            'align="lower-right" (the last query sees all keys) or align="upper-left" (the first sees one key)'
        )
    return np.tri(n_queries, n_keys, n_keys - n_queries if align == "lower-right" else 0, dtype=bool)


@hookimpl
def opbook_builtins():
    """Add attention_weights and causal_mask."""
    return [attention_weights, causal_mask]
