"""Grouped-query attention, and the cache of keys and values that it keeps small, as an opbook plugin."""

import numpy as np
from opbook_scaled_dot_product_attention import scaled_dot_product_attention

from opbook import Array, Mask, builtin, hookimpl
from opbook.errors import ShapeError
from opbook_grouped_query_attention.cache import append_to_cache


# While a model writes a text, it keeps the keys and values of everything written so far. That is most of the memory
# that it needs, and it grows with the text. If several query heads share one head of keys and values, there is less to
# keep: with G query heads for each, a G-th. G = 1 are ordinary heads, and with a single head of keys this is called
# *multi-query attention*.
#
# Query head i uses head i // G of the keys and values: the first G query heads use the first one, the next G the second
# one. So each head of keys is *repeated* G times, side by side, as `np.repeat` does it. Repeating the whole stack G
# times, as `np.tile` does, would give head i % Hk instead. The shapes are the same, so nothing fails, but the results
# are wrong.
#
# All else is [`scaled_dot_product_attention`](scaled_dot_product_attention.md), with the heads as one more batch axis.
# A mask or a bias may be different for each query head, so it has an axis for them, before that of the queries, which
# may have the length 1. A `key_mask` is about the rows, so it is the same for all heads.
#
# The queries of a new token are fewer than the keys so far. So instead of `causal=True`, which needs as many, pass
# `causal_mask(Nq, Nk, align="lower-right")`: the page of [`append_to_cache`](append_to_cache.md) shows how.
#
# **The gradient.** That of attention, with the repeated keys and values. A head of keys is used by G query heads, so
# its gradient is the sum of what comes from them: if dK̃ᵢ is the gradient that query head i sends back, then
#
# $$\mathrm dK_j = \sum_{i\,:\,\lfloor i/G \rfloor = j} \mathrm d\tilde K_i, \qquad
# \mathrm dV_j = \sum_{i\,:\,\lfloor i/G \rfloor = j} \mathrm d\tilde V_i,$$
#
# where dK is short for ∂L/∂K for some loss L, and so on. It has no rule of its own: the tape joins that of attention
# and the gradient of `np.repeat`, which is this sum.
@builtin(
    category="Attention",
    aliases=(
        "gqa",
        "mqa",
        "multi-query attention",
        "enable_gqa",
        "GroupQueryAttention",
        "kv_num_heads",
        "num_key_value_heads",
        "num_kv_heads",
        "repeat_kv",
    ),
)
def grouped_query_attention(
    q: Array["... Hk*G Nq D"],
    k: Array["... Hk Nk D"],
    v: Array["... Hk Nk Dv"],
    mask: Mask["... Hk*G Nq Nk"] | None = None,
    *,
    key_mask: Mask["... Nk"] | None = None,
    bias: Array["... #Hk*G #Nq #Nk"] | None = None,
    causal: bool = False,
    window: tuple[int, int] | None = None,
    scale: float | None = None,
    softcap: float | None = None,
) -> Array["... Hk*G Nq Dv"]:
    r"""Attention of many query heads to fewer heads of keys and values, each of which serves a group of neighbours.

    q has Hk·G heads, k and v have Hk: query head h takes the keys and values of head h // G. With Hk = 1 one head
    serves all of them (multi-query attention). There is less to keep while a text is written, which is what it is
    for; the sums are those of scaled dot-product attention, mask and scale included.

    Args:
        q: The queries, Hk·G heads of them.
        k: The keys, Hk heads of them, as wide as the queries.
        v: The values, one row for each key.
        mask: 1 where a query may attend to a key, 0 where it may not; for all heads and batches alike, or with all axes
            of the scores, which may be 1.
        key_mask: 1 for keys that may be attended to, 0 for padding, the same for every query and every head.
        bias: Added to the scores before the softmax; an axis of length 1 is stretched, and -inf blocks.
        causal: Whether query i may attend to keys 0 to i only; needs Nq = Nk.
        window: How many keys before and after its own a query may attend to, -1 for all of them; needs Nq = Nk.
        scale: The factor of the scores, 1/√D unless given.
        softcap: Keeps the scores between -softcap and softcap, smoothly, before bias and masks; above 0.

    Returns:
        One row for each query of each head: a weighted average of the values, or 0 where the query may attend to
        nothing.

    Raises:
        ShapeError: Query heads that can't be shared out evenly, widths or lengths that differ, a mask that does not
            broadcast or has some of the axes only, or causal or a window with Nq ≠ Nk.
        InputError: A mask with values other than 0 and 1, a window below -1, or a softcap that is not above 0.

    Formula:
        $$\operatorname{softmax}\left(\frac{Q_i\, K_{g(i)}^\top}{\sqrt D}\right) V_{g(i)}, \qquad
        g(i) = \lfloor i / G \rfloor$$

        for each query head i, where G is the number of query heads to each head of keys.

    Source:
        Ainslie et al., *GQA: Training Generalized Multi-Query Transformer Models* (2023), section 2.2; with one head of
        keys, Shazeer, *Fast Transformer Decoding: One Write-Head is All You Need* (2019).
    """
    G = queries_per_key(q, k)
    check_axes(q, k, mask, key_mask)
    return scaled_dot_product_attention(
        q,
        np.repeat(k, G, axis=-3),
        np.repeat(v, G, axis=-3),
        mask,
        key_mask=key_mask if key_mask is None or key_mask.ndim == 1 else key_mask[..., None, :],
        bias=bias,
        causal=causal,
        window=window,
        scale=scale,
        softcap=softcap,
    )


def queries_per_key(q, k):
    """How many query heads share each head of keys, G."""
    n_queries, n_keys = q.shape[-3], k.shape[-3]
    if n_queries and not n_keys:
        raise ShapeError(f"q has {n_queries} heads but k has 0; there must be at least one head of keys")
    return n_queries // max(n_keys, 1)


def check_axes(q, k, mask, key_mask):
    """Refuse a mask in which it would have to be guessed whether an axis is that of the heads or of a batch."""
    ndim = max(q.ndim, k.ndim)
    if mask is not None and mask.ndim not in (0, 1, 2, ndim):
        raise ShapeError(
            f"mask has {mask.ndim} axes, but must have 2 (queries and keys) or {ndim} (one for each batch axis and for "
            "the heads, which may be 1, queries and keys), so that no axis has to be guessed"
        )
    if key_mask is not None and key_mask.ndim not in (1, ndim - 2):
        batches = f" or {ndim - 2} (one for each batch axis, which may be 1, and the keys)" if ndim > 3 else ""
        raise ShapeError(
            f"key_mask has {key_mask.ndim} axes, but must have 1 (the keys){batches}, so that no axis has to be guessed"
        )


@hookimpl
def opbook_builtins():
    """Add grouped_query_attention and append_to_cache."""
    return [grouped_query_attention, append_to_cache]
