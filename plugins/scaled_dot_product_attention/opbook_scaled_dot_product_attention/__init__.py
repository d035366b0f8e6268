"""Scaled dot-product attention, as an opbook plugin."""

import numpy as np
from opbook_attention_weights import attention_weights, finite

from opbook import Array, Mask, builtin, hookimpl, unbroadcast
from opbook_scaled_dot_product_attention.picture import attention_map


# softmax(Q Kᵀ / √D) V is a look-up in which every query takes a part of every value: the better the value's key fits
# the query, the larger the part. The weights are a builtin of their own, [`attention_weights`](attention_weights.md),
# whose page says how scores are scaled and masked. Here the values are averaged with these weights.
#
# A value whose weight is 0 is left out of the sum, because 0 · NaN is NaN, and padding may hold anything. It is enough
# to replace entries that are not finite by 0, and then to put NaN wherever a weight other than 0 meets one of them.
#
# **The gradient.** Let S be the scores, P the weights, and g the cotangent, that is ∂L/∂(P V) for some loss L. Then
#
# $$\begin{gathered}
# \mathrm dV = P^\top g, \qquad \mathrm dP = g V^\top, \qquad
# \mathrm dS = P \circ \bigl(\mathrm dP - \langle P, \mathrm dP\rangle_{\text{row}}\bigr), \\
# \mathrm dQ = \tfrac{1}{\sqrt D}\,\mathrm dS\,K, \qquad \mathrm dK = \tfrac{1}{\sqrt D}\,\mathrm dS^\top Q,
# \end{gathered}$$
#
# where dV is short for ∂L/∂V, and so on, ∘ multiplies entry by entry, and ⟨P, dP⟩ is the sum of P ∘ dP along each row.
# The first two are the gradient of the product P V. The third is that of the softmax, and the last two are that of the
# product Q Kᵀ / √D: the rule of `attention_weights`, from the cotangent dP.
#
# If the same array is passed as q, k and v, its gradient is the sum of the three.
@builtin(
    category="Attention",
    aliases=("sdpa", "attention", "dot-product attention", "DotProductAttention", "FlashAttention"),
)
def scaled_dot_product_attention(
    q: Array["... Nq D"],
    k: Array["... Nk D"],
    v: Array["... Nk Dv"],
    mask: Mask["... Nq Nk"] | None = None,
    *,
    key_mask: Mask["... Nk"] | None = None,
    bias: Array["... #Nq #Nk"] | None = None,
    causal: bool = False,
    window: tuple[int, int] | None = None,
    scale: float | None = None,
    softcap: float | None = None,
) -> Array["... Nq Dv"]:
    r"""Averages the values for each query, with weights from the softmax of its dot products with the keys.

    q has a row for each query, k and v one for each key; the result has one for each query, as wide as v. Scores are
    divided by √D, as a sum of D products grows with √D, and the softmax of large scores gives all weight to one key.
    A mask takes keys out before the softmax, so the weights of those that are left add up to 1. A query that may
    attend to no key gets a row of zeros.

    Args:
        q: The queries.
        k: The keys, as wide as the queries.
        v: The values, one row for each key.
        mask: 1 where a query may attend to a key, 0 where it may not.
        key_mask: 1 for keys that may be attended to, 0 for padding, the same for every query.
        bias: Added to the scores before the softmax; an axis of length 1 is stretched, and -inf blocks.
        causal: Whether query i may attend to keys 0 to i only; needs Nq = Nk.
        window: How many keys before and after its own a query may attend to, -1 for all of them; needs Nq = Nk.
        scale: The factor of the scores, 1/√D unless given.
        softcap: Keeps the scores between -softcap and softcap, smoothly, before bias and masks; above 0.

    Returns:
        One row for each query: a weighted average of the values, or 0 where the query may attend to nothing.

    Raises:
        ShapeError: Widths or lengths that differ, a mask that does not broadcast, or causal or a window with Nq ≠ Nk.
        InputError: A mask with values other than 0 and 1, a window below -1, or a softcap that is not above 0.

    Formula:
        $$\operatorname{softmax}\left(\frac{Q K^\top}{\sqrt D}\right) V$$

        with the softmax taken over the keys, row by row.

    Source:
        Vaswani et al., *Attention Is All You Need* (2017), equation 1.
    """
    options = {"bias": bias, "causal": causal, "window": window, "scale": scale, "softcap": softcap}
    return weighted_sum(attention_weights(q, k, mask, key_mask=key_mask, **options), v)


@scaled_dot_product_attention.defvjp
def _(q, k, v, mask=None, *, key_mask=None, bias=None, causal=False, window=None, scale=None, softcap=None):
    options = {"bias": bias, "causal": causal, "window": window, "scale": scale, "softcap": softcap}
    P, pull_weights = attention_weights.rule(q, k, mask, key_mask=key_mask, **options)
    V = finite(v)

    def pullback(g):
        dV = np.swapaxes(P, -1, -2) @ g
        with np.errstate(over="ignore", invalid="ignore"):  # large numbers in a blocked slot
            dP = np.where(P == 0, 0, g @ np.swapaxes(V, -1, -2))
        dQ, dK, _ = pull_weights(unbroadcast(dP, P.shape))
        return dQ, dK, unbroadcast(dV, V.shape), None

    return weighted_sum(P, v), pullback


def weighted_sum(weights, v):
    """weights @ v, where a weight of 0 takes nothing, even of a value that is not finite."""
    meets_other = (weights != 0) @ ~np.isfinite(v)  # for Booleans, a product asks whether any pair is true
    return np.where(meets_other, np.nan, weights @ finite(v))


@hookimpl
def opbook_builtins():
    """Add scaled_dot_product_attention and its picture."""
    return [scaled_dot_product_attention, attention_map]
