"""Scaled dot-product attention, as an opbook plugin."""

import numpy as np
from opbook_attention_weights import attention_weights, weights_and_pullback
from opbook_attention_weights.pairs import allowed_pairs, weighted_values
from opbook_attention_weights.tiles import tiled_attention

from opbook import Array, Mask, builtin, hookimpl, unbroadcast, workers


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
@builtin(category="Statistics & ML", aliases=("sdpa", "attention", "dot-product attention"))
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
