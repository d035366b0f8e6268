"""Attention of rows to other rows."""

import numpy as np
from opbook_attention_weights import allowed_pairs

from opbook import Array, Mask, builtin, unbroadcast
from opbook_multi_head_attention.heads import CrossHead, answer_of, bias_gradient, check_heads, one_head, plus


# A decoder that translates looks at the sentence that it has written so far, and at the one that it translates. The
# second look is cross-attention: the queries are projections of x, the keys and values are projections of other rows,
# the memory, which may be more or fewer, and of another width. All else is as in
# [`multi_head_attention`](multi_head_attention.md); with x as its own memory it is the same op.
#
# Rows of the memory that no query may attend to are padding, and may hold anything, and so may a query that may attend
# to nothing. Entries there that are not finite count as 0, so that they get into no gradient of the weights.
#
# **The gradient.** That of multi-head attention, but for the last line. With Q = X W^Q, K = M W^K and V = M W^V, where
# M is the memory,
#
# $$\begin{gathered}
# \mathrm dW^Q = X^\top \mathrm dQ, \qquad \mathrm dW^K = M^\top \mathrm dK, \qquad
# \mathrm dW^V = M^\top \mathrm dV, \\
# \mathrm dX = \mathrm dQ\,{W^Q}^\top, \qquad \mathrm dM = \mathrm dK\,{W^K}^\top + \mathrm dV\,{W^V}^\top,
# \end{gathered}$$
#
# where dX is short for ∂L/∂X for some loss L, and so on. All heads share X and M, so their gradients are summed over
# the heads. This is how an encoder learns: its only gradient comes through dM.
@builtin(
    category="Attention",
    aliases=(
        "encoder-decoder attention",
        "memory",
        "MultiheadAttention with kdim and vdim",
        "cross attention",
        "cross-attention",
    ),
)
def cross_attention(
    x: Array["... N D"],
    memory: Array["... M Dm"],
    heads: tuple[CrossHead, ...],
    n_heads: int,
    mask: Mask["... N M"] | None = None,
    bo: Array["D"] | None = None,
    *,
    key_mask: Mask["... M"] | None = None,
) -> Array["... N D"]:
    r"""Multi-head attention in which the rows of x attend to other rows, those of the memory.

    Queries come from the N rows of x, keys and values from the M rows of memory, which may have another width. A
    translation looks at the text that it translates in this way. The mask has a row for each row of x, and a column
    for each of memory.

    Args:
        x: The rows that ask.
        memory: The rows that they attend to.
        heads: A record for each head: wq projects x to queries, wk and wv project the memory to keys and values, wo
            projects the answer back; bq, bk and bv are added to the projections where they are given.
        n_heads: The number of records in heads, at least 1.
        mask: 1 where a row of x may attend to a row of the memory, 0 where it may not; the same for every head.
        bo: Added to every row of the sum.
        key_mask: 1 for rows of the memory that may be attended to, 0 for padding, which may hold anything: where it is
            not finite it counts as 0.

    Returns:
        An array with a row for each row of x, as wide as x; with batch axes of x and of the memory.

    Raises:
        ArgumentError: n_heads is not the number of records, or a record lacks a field or has one too many.
        ShapeError: A projection that does not fit x or the memory, or a mask that does not broadcast.

    Formula:
        $$\sum_{h=1}^{n} \operatorname{Attention}\left(X W^Q_h,\; M W^K_h,\; M W^V_h\right) W^O_h$$

        where M is the memory, and biases are added to each product where there are some.

    Source:
        Vaswani et al., *Attention Is All You Need* (2017), section 3.2.3.
    """
    check_heads("cross_attention", heads, n_heads)
    for_x, for_memory = unused(x, memory, mask, key_mask)
    x, memory = np.where(for_x, 0, x), np.where(for_memory, 0, memory)
    answers = [answer_of(head, x, memory, mask, key_mask=key_mask) for head in heads]
    return plus(sum(answers[1:], start=answers[0]), bo)


@cross_attention.defvjp
def _(x, memory, heads, n_heads, mask=None, bo=None, *, key_mask=None):
    check_heads("cross_attention", heads, n_heads)
    for_x, for_memory = unused(x, memory, mask, key_mask)
    X, M = np.where(for_x, 0, x), np.where(for_memory, 0, memory)
    answers, pullbacks = zip(*(one_head(X, M, head, mask, key_mask=key_mask) for head in heads), strict=True)

    def pullback(g):
        dXs, dMs, d_heads = zip(*(pull(g) for pull in pullbacks), strict=True)
        dX = unbroadcast(np.where(for_x, 0, sum(dXs)), x.shape)
        dM = unbroadcast(np.where(for_memory, 0, sum(dMs)), memory.shape)
        return dX, dM, type(heads)(d_heads), None, None, bias_gradient(g, bo)

    return plus(sum(answers), bo), pullback


def unused(x, memory, mask, key_mask):
    """Where x and the memory are not finite in rows that have no part in the answer, as two Boolean arrays.

    A row that several batches share may have a part in one of them only, so both arrays can have more batch axes.
    """
    allowed = allowed_pairs(x, memory, mask, key_mask)
    asks, is_asked = allowed.any(axis=-1)[..., None], allowed.any(axis=-2)[..., None]
    return ~(asks | np.isfinite(x)), ~(is_asked | np.isfinite(memory))
