"""Scaled dot-product attention, as an opbook plugin."""

import numpy as np
from opbook_attention_weights import attention_weights, weights_and_pullback
from opbook_attention_weights.pairs import allowed_pairs, weighted_values
from opbook_attention_weights.tiles import tiled_attention

from opbook import Array, Mask, builtin, hookimpl, unbroadcast, workers


def _samples(draw):
    q, k, v = draw.normal(3, 2), draw.normal(4, 2), draw.normal(4, 5)
    empty = np.array([[1, 1, 0, 1], [0, 0, 0, 0], [0, 1, 0, 1]], bool)
    yield draw.edge("a query that may attend to nothing", q, k, v, mask=empty)
    for name, rubbish in (("1e10", 1e10), ("1.7e308", 1.7e308), ("inf", np.inf), ("NaN", np.nan)):
        dirty_k, dirty_v = k.copy(), v.copy()
        dirty_k[2], dirty_v[2] = rubbish, np.multiply(rubbish, [1, -1, 1, -1, 1])
        yield draw.edge(f"{name} in a blocked slot", q, dirty_k, dirty_v, mask=empty)
        dirty_q = q.copy()
        dirty_q[1] = rubbish
        yield draw.edge(f"{name} in a query that may attend to nothing", dirty_q, k, v, mask=empty)
    yield draw.call(draw.normal(4, 2), k, v, causal=True)
    yield draw.call(q, draw.normal(2, 4, 2), draw.normal(2, 4, 5), key_mask=draw.mask(2, 4))
    padding = np.where(np.arange(4)[:, None] == 2, np.nan, v)
    yield draw.edge("NaN in padding", q, k, padding, key_mask=empty[0])
    yield draw.edge("NaN where the bias is -inf", q, k, padding, bias=np.where(empty[0], 0.5, -np.inf)[None])
    dirty_v = v.copy()
    dirty_v[2, 0], dirty_v[1, 1], dirty_v[0, 2] = np.inf, np.nan, -np.inf  # of these, key 2 is blocked for all queries
    answer = np.exp(q @ k.T / np.sqrt(2)) * empty
    answer = answer / np.maximum(answer.sum(axis=1, keepdims=True), 1e-300) @ v
    answer[0, 1] = answer[2, 1] = answer[0, 2] = np.nan
    yield draw.known("values that are not finite, some of them blocked", answer, q, k, dirty_v, mask=empty)
    yield draw.known("NaN in a value, no mask", np.full((3, 5), np.nan), q, k, np.full((4, 5), np.nan))
    yield draw.edge("scores far apart", 100 * q, 100 * k, v)
    yield draw.edge("scores far apart, masked", 100 * q, 100 * k, v, mask=empty)
    yield draw.edge("no keys", q, k[:0], v[:0])
    yield from _long_samples(draw)


def _long_samples(draw):
    """Sequences longer than a tile, and no multiple of one."""
    q, k, v = draw.normal(130, 3), draw.normal(530, 3), draw.normal(530, 2)
    early, spread, sparse = np.arange(530) < 500, np.arange(530) % 7 > 0, draw.mask(130, 530)
    sparse[[0, 120]] = False
    sparse[:, 30:520] = False
    yield draw.edge("many keys, most of them blocked", q, k, v, sparse, key_mask=early)
    yield draw.edge("many keys, most of them padding", q, k, v, key_mask=np.arange(530) < 200)
    yield draw.edge("many keys and a bias", q, k, v, bias=draw.normal(1, 530), scale=0.3)
    queries, values = np.stack([[q], [2 * q]]), draw.normal(3, 530, 2)
    yield draw.edge("many keys, a batch of queries and of values", queries, k, values, sparse, key_mask=spread)
    batch = draw.normal(2, 530, 3)
    yield draw.edge("many keys, a batch of them", q, batch, v, draw.mask(2, 130, 530), key_mask=draw.mask(2, 530))
    yield draw.edge("many keys, an empty batch", q[None][:0], k, v)
    yield draw.edge(
        "very many keys", draw.normal(26, 30), draw.normal(2600, 30), draw.normal(2600, 2), draw.mask(26, 2600)
    )
    square = draw.normal(258, 3)
    yield draw.edge("many keys, causal", square, square, draw.normal(2, 258, 2), causal=True)
    yield draw.edge("many keys, causal and masked", square, square, square, draw.mask(258, 258), causal=True)
    yield from _long_samples_of_numbers(draw, q, k, v, spread, sparse)
    yield draw.refused("many keys, causal", q, k, v, causal=True).saying("130 and 530")
    yield draw.refused("many keys, a key_mask for a batch that they have not", q, k, batch, key_mask=early[None])


def _long_samples_of_numbers(draw, q, k, v, spread, sparse):
    """Large numbers, and such that are none."""
    yield draw.edge("many keys, scores far apart", 8 * q, 8 * k, v, key_mask=spread)
    far_q, far_k = q.copy(), k.copy()
    far_q[-1], far_k[0] = (0, 0, 3000), (0, 0, 5)
    yield draw.edge("many keys, scores far apart in one place", far_q, far_k, v, sparse)
    yield draw.edge("many keys, all scores far below 0", 30 * np.abs(q), -30 * np.abs(k), v)
    directions = (6 * x / np.linalg.norm(x, axis=1, keepdims=True) for x in (q, k))
    yield draw.edge("many keys, large scores of very large values", *directions, -1e300 * np.abs(v), scale=1.0)
    for name, rubbish in (("1e10", 1e10), ("1e308", 1e308), ("NaN", np.nan)):
        dirty = np.where(spread[:, None], k, rubbish)
        yield draw.edge(f"many keys, {name} in those that are blocked", q, dirty, v, key_mask=spread)
    yield draw.edge("many keys, NaN in blocked values", q, k, np.where(spread[:, None], v, np.nan), key_mask=spread)
    huge = np.where(spread[:, None], k, 1e308)
    yield draw.edge("many keys, 1e308 in those that are blocked, queries of 0", 0 * q, huge, v, key_mask=spread)


# softmax(Q Kᵀ / √D) V: a look-up in which every query takes a little of every value, in proportion to how well its key
# fits. The weights are a builtin of their own, [`attention_weights`](attention_weights.md), which says how the scores
# are scaled and how a mask enters them; here they only average the values.
#
# A value that no query may attend to is left out of the product altogether. Its weight is 0, but 0 · NaN is NaN, and a
# padded batch is allowed to hold anything at all in its padding.
#
# **The gradient.** With weights P and cotangent g:
#
# $$\begin{gathered}
# \mathrm{d}V = P^\top g, \qquad \mathrm{d}P = g V^\top, \qquad
# \mathrm{d}S = P \circ \bigl(\mathrm{d}P - \langle P, \mathrm{d}P\rangle_{\text{row}}\bigr), \\
# \mathrm{d}Q = \tfrac{1}{\sqrt D}\,\mathrm{d}S\,K, \qquad \mathrm{d}K = \tfrac{1}{\sqrt D}\,\mathrm{d}S^\top Q.
# \end{gathered}$$
#
# If the same array is passed as q, k and v, its gradient is the sum of the three; the tape adds them up.
@builtin(category="Statistics & ML", aliases=("sdpa", "attention", "dot-product attention"), samples=_samples)
def scaled_dot_product_attention(
    q: Array["... Nq D"],
    k: Array["... Nk D"],
    v: Array["... Nk Dv"],
    mask: Mask["... Nq Nk"] | None = None,
    *,
    key_mask: Mask["... Nk"] | None = None,
    bias: Array["... #Nq #Nk"] | None = None,
    causal: bool = False,
    scale: float | None = None,
) -> Array["... Nq Dv"]:
    r"""Averages the values for each query, weighted by how well the query's dot products with their keys compare.

    Args:
        q: The queries.
        k: The keys, as wide as the queries.
        v: The values, one row for each key.
        mask: 1 where a query may attend to a key, 0 where it may not.
        key_mask: 1 for keys that may be attended to, 0 for padding, the same for every query.
        bias: Added to the scores before the softmax; an axis of length 1 is stretched, and -inf blocks.
        causal: Whether query i may attend to keys 0 to i only; needs Nq = Nk.
        scale: The factor of the scores, 1/√D unless given.

    Returns:
        One row for each query: a weighted average of the values, or 0 where the query may attend to nothing.

    Raises:
        ShapeError: Widths or lengths that differ, a mask that does not broadcast, or causal with Nq ≠ Nk.
        InputError: A mask with values other than 0 and 1.

    Formula:
        $$\operatorname{softmax}\left(\frac{Q K^\top}{\sqrt D}\right) V$$

        with the softmax taken over the keys, row by row.

    Source:
        Vaswani et al., *Attention Is All You Need* (2017), equation 1.
    """
    weights = attention_weights(q, k, mask, key_mask=key_mask, bias=bias, causal=causal, scale=scale)
    batch_ndim = max(q.ndim, k.ndim) - 2
    allowed = allowed_pairs(q.shape[-2], k.shape[-2], batch_ndim, mask, key_mask, bias, causal)
    return weighted_values(weights, v, allowed)[0]


@scaled_dot_product_attention.defvjp
def _(q, k, v, mask=None, *, key_mask=None, bias=None, causal=False, scale=None):
    value, pull = attend(q, k, v, mask, key_mask=key_mask, bias=bias, causal=causal, scale=scale)
    return value.copy(), lambda g: (*pull(g), None)  # a copy, as the caller may write into it


def attend(q, k, v, mask=None, *, key_mask=None, bias=None, causal=False, scale=None):
    """The rule, for other rules to build on, by the plan that suits the sizes: in tiles, or all scores at once.

    Args:
        q: As for `scaled_dot_product_attention`, and likewise all others.
        k: The keys.
        v: The values.
        mask: Which query may attend to which key.
        key_mask: Which keys may be attended to.
        bias: Added to the scores.
        causal: Whether a query may only attend to keys up to its own position.
        scale: The factor of the scores, or None.

    Returns:
        The answers, which must not be written into; a function from their cotangent to the gradients of q, k and v.
    """
    tiled = tiled_attention(q, k, v, mask, key_mask, bias, causal, scale)
    if tiled is not None:
        return tiled.forward(), tiled.backward
    with workers.hold_blas():
        weights, pull_weights, allowed = weights_and_pullback(q, k, mask, key_mask, bias, causal, scale)
        value, clean_v = weighted_values(weights, v, allowed)
    clean_v = np.array(clean_v)  # the caller may change v before the pullback runs

    def pullback(g):
        with workers.hold_blas():
            with np.errstate(over="ignore", invalid="ignore"):  # huge numbers in a blocked slot may overflow there
                d_weights = g @ np.swapaxes(clean_v, -1, -2)
            dq, dk = pull_weights(d_weights)
            return dq, dk, unbroadcast(np.swapaxes(weights, -1, -2) @ g, clean_v.shape)

    return value, pullback


@hookimpl
def opbook_builtins():
    """Add scaled_dot_product_attention."""
    return [scaled_dot_product_attention]
