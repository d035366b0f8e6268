"""The weights of attention of each head."""

import numpy as np
from opbook_attention_weights import attention_weights

from opbook import Array, Mask, builtin
from opbook_multi_head_attention.cross import unused
from opbook_multi_head_attention.heads import CrossHead, Head, check_heads, padding_in, plus


# The weights inside [`multi_head_attention`](multi_head_attention.md), to look at. They say what a head looked at, but
# not what it took from there: a row with a large weight may have a small value. By default PyTorch returns the mean
# over the heads, in which a head that looks back and one that looks ahead can no longer be told apart.
#
# **The gradient.** Each head's weights are those of [`attention_weights`](attention_weights.md), of two projections of
# x. Its rule gives dQ and dK, and as x goes into both, dX is the sum of dQ W^Qᵀ and dK W^Kᵀ over all heads. Values and
# output projections have no part in the weights, so their gradients are 0.
@builtin(
    category="Attention",
    aliases=("attention maps", "need_weights", "average_attn_weights", "output_attentions", "return_attention_scores"),
)
def multi_head_weights(
    x: Array["... N D"],
    heads: tuple[Head, ...],
    n_heads: int,
    mask: Mask["... N N"] | None = None,
    *,
    key_mask: Mask["... N"] | None = None,
    causal: bool = False,
) -> Array["... H N N"]:
    r"""How much each row attends to each other one, in every head of a multi-head attention.

    It is for looking into a trained model: it takes the same x, heads and masks as `multi_head_attention`. The result
    has a matrix of N rows and N columns for each of H heads. Entry (i, j) says how much row i takes from row j; a row
    adds up to 1, or is 0 where it may attend to nothing. A large weight alone does not mean much: the value it
    multiplies may be small.

    Args:
        x: The rows that attend to one another.
        heads: A record for each head, as `multi_head_attention` takes them.
        n_heads: The number of records in heads, at least 1.
        mask: 1 where a row may attend to another, 0 where it may not; the same for every head.
        key_mask: 1 for rows that may be attended to, 0 for padding.
        causal: Whether row i may attend to rows 0 to i only.

    Returns:
        A matrix of weights for each head; every row adds up to 1, or is 0 where it may attend to nothing.

    Raises:
        ArgumentError: n_heads is not the number of records, or a record lacks a field or has one too many.
        ShapeError: A projection that does not fit x, or a mask that does not broadcast.

    Formula:
        $$\operatorname{softmax}\left(\frac{X W^Q_h\,(X W^K_h)^\top}{\sqrt{D_h}}\right)$$

        for each head h, of width D_h.

    Source:
        Vaswani et al., *Attention Is All You Need* (2017), section 3.2.2 and figures 3 to 5.
    """
    check_heads("multi_head_weights", heads, n_heads)
    x = np.where(padding_in(x, mask, key_mask, causal), 0, x)
    return np.stack([weights_of(head, x, x, mask, key_mask=key_mask, causal=causal) for head in heads], axis=-3)


@multi_head_weights.overload
def _(
    x: Array["... N D"],
    memory: Array["... M Dm"],
    heads: tuple[CrossHead, ...],
    n_heads: int,
    mask: Mask["... N M"] | None = None,
    *,
    key_mask: Mask["... M"] | None = None,
) -> Array["... H N M"]:
    """How much each row attends to each row of the memory, in every head of a cross-attention.

    Args:
        x: The rows that ask.
        memory: The rows that they attend to.
        heads: A record for each head, as `cross_attention` takes them.
        n_heads: The number of records in heads, at least 1.
        mask: 1 where a row of x may attend to a row of the memory, 0 where it may not; the same for every head.
        key_mask: 1 for rows of the memory that may be attended to, 0 for padding.
    """
    check_heads("multi_head_weights", heads, n_heads)
    for_x, for_memory = unused(x, memory, mask, key_mask)
    x, memory = np.where(for_x, 0, x), np.where(for_memory, 0, memory)
    return np.stack([weights_of(head, x, memory, mask, key_mask=key_mask) for head in heads], axis=-3)


def weights_of(head, x, memory, mask, **options):
    """One head's weights: how much each row of x attends to each row of memory."""
    q, k = plus(x @ head["wq"], head.get("bq")), plus(memory @ head["wk"], head.get("bk"))
    return attention_weights(q, k, mask, **options)
