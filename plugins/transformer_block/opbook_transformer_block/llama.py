"""The decoder block of Llama and its relatives."""

from typing import NotRequired, TypedDict

import numpy as np
from opbook_grouped_query_attention import grouped_query_attention
from opbook_linear import GatedWeights, swiglu
from opbook_multi_head_attention.heads import padding_in, plus
from opbook_normalization import rms_norm
from opbook_positions import rope

from opbook import Array, Mask, builtin


class LlamaWeights(TypedDict):
    """Everything that the block learns. G query heads, all of width 2P, share each of Hk heads of keys and values."""

    rms1_gamma: Array["D"]
    wq: Array["Hk*G D 2*P"]
    wk: Array["Hk D 2*P"]
    wv: Array["Hk D 2*P"]
    wo: Array["Hk*G 2*P D"]
    bq: NotRequired[Array["Hk*G 2*P"]]
    bk: NotRequired[Array["Hk 2*P"]]
    bv: NotRequired[Array["Hk 2*P"]]
    rms2_gamma: Array["D"]
    ffn: GatedWeights


# The block of most language models of today. It is a pre-norm [`transformer_block`](transformer_block.md) in which each
# part has been replaced by a cheaper one:
#
# - [`rms_norm`](rms_norm.md) in the place of layer norm: nothing is subtracted, and there is no offset.
# - *Grouped heads*, as in [`grouped_query_attention`](grouped_query_attention.md): several neighbouring query heads
#   share the keys and values of one head, so that fewer of them have to be kept while a text is written. Each head has
#   a matrix of its own, stacked along the first axis, and its own block of `wo`.
# - *Rotary positions*: [`rope`](rope.md) turns each query and key by an angle that grows with its position. Entries i
#   and i + P make up a plane. (Some models turn entries 2i and 2i + 1 together; that differs silently.)
# - [`swiglu`](swiglu.md) in the place of the feed-forward network.
#
# Llama has no biases. Qwen 2 is the same block with `bq`, `bk` and `bv`; Mistral has `window=(w - 1, 0)` for a
# `sliding_window` of w. As a position attends to itself and to earlier ones, `causal` is true by default.
#
# **The gradient.** The block has no rule of its own: the tape joins those of the builtins that it is made of. A
# rotation is turned back: with R for the rotation of one row, dq = Rᵀ dR(q). The keys and values of a head are used by
# G query heads, so their gradient is the sum of the G.
@builtin(
    category="Attention",
    aliases=(
        "decoder block",
        "decoder layer",
        "LlamaDecoderLayer",
        "Llama",
        "Mistral",
        "Qwen",
        "grouped heads",
        "MistralDecoderLayer",
        "Qwen2",
    ),
)
def llama_block(
    x: Array["... N D"],
    weights: LlamaWeights,
    mask: Mask["... N N"] | None = None,
    *,
    key_mask: Mask["... N"] | None = None,
    causal: bool = True,
    window: tuple[int, int] | None = None,
    base: float = 10000.0,
    eps: float = 1e-5,
) -> Array["... N D"]:
    r"""One decoder layer of the Llama kind: grouped attention with rotary positions, and a gated feed-forward network.

    x has N rows of width D, and so has the result. Each half takes the rows through rms_norm and adds what it made of
    them to the rows as they were: first attention, in which a row looks at itself and at earlier ones, then a
    feed-forward network that sees each row alone.

    Args:
        x: The rows.
        weights: The block's parameters; ffn is the record that swiglu takes.
        mask: 1 where a row may attend to another, 0 where it may not.
        key_mask: 1 for rows that may be attended to, 0 for padding, which may hold anything: where it is not finite it
            counts as 0.
        causal: Whether row i may attend to rows 0 to i only.
        window: How many rows before and after its own a row may attend to, -1 for all of them.
        base: How slowly the last plane turns: base^(1 − 1/P) positions for an angle of 1.
        eps: Added to the mean squares under the root; at least 0.

    Returns:
        An array of x's shape and dtype.

    Raises:
        ArgumentError: weights lacks a field or has one too many.
        ShapeError: A parameter that does not fit x, heads that can't be shared evenly, or a mask that does not
            broadcast.

    Formula:
        $$\begin{aligned}
        h &= x + \sum_j \operatorname{Attention}\left(R(n W^Q_j),\; R(n W^K_{g(j)}),\; n W^V_{g(j)}\right) W^O_j \\
        y &= h + \operatorname{SwiGLU}\left(\operatorname{RMS}_2(h)\right)
        \end{aligned}$$

        with n = RMS₁(x), the rotation R of each row by its position, and g(j) for the head of keys that query head j
        uses.

    Source:
        Touvron et al., *LLaMA* (2023), section 2.2; grouped heads after Ainslie et al., *GQA* (2023), rotary positions
        after Su et al., *RoFormer* (2021).
    """
    x = np.where(padding_in(x, mask, key_mask, causal, window), 0, x)
    n = rms_norm(x, weights["rms1_gamma"], eps=eps)
    h = x + grouped_attention(n, weights, base, mask, key_mask, causal=causal, window=window)
    return h + swiglu(rms_norm(h, weights["rms2_gamma"], eps=eps), weights["ffn"])


def grouped_attention(x, weights, base, mask, key_mask, **options):
    """The answers of all query heads, added up; one head of keys and values serves a group of them."""
    q, k, v = (plus(x[..., None, :, :] @ weights["w" + s], bias_of(weights, "b" + s)) for s in "qkv")
    mask = mask if mask is None or mask.ndim < 3 else mask[..., None, :, :]  # the same for all heads
    answers = grouped_query_attention(rope(q, base=base), rope(k, base=base), v, mask, key_mask=key_mask, **options)
    return (answers @ weights["wo"]).sum(axis=-3)


def bias_of(weights, name):
    """A bias of each head, as a row for each; None if there is none."""
    return weights[name][:, None, :] if name in weights else None
