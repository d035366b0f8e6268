"""Multi-head attention, of rows to one another and to other rows, as an opbook plugin."""

import numpy as np

from opbook import Array, Mask, builtin, hookimpl
from opbook_multi_head_attention.cross import cross_attention
from opbook_multi_head_attention.heads import Head, answer_of, bias_gradient, check_heads, one_head, padding_in, plus
from opbook_multi_head_attention.weights import multi_head_weights


# Each head looks at the same rows through projections of its own, so each can attend to something else. Their results
# are added up.
#
# Textbooks put the heads' results side by side and multiply by one tall matrix. Cut into blocks, that is the same sum:
#
# $$[A_1\; A_2]\begin{bmatrix} B_1 \\ B_2 \end{bmatrix} = A_1 B_1 + A_2 B_2,$$
#
# where A is a head's result and B the block of rows that it is multiplied with. Here every head has that block as its
# own `wo`. So nothing has to be put side by side, and one sees that the heads of one layer do not depend on each other.
#
# Queries, keys and values are all projections of x, which is called self-attention; where the keys and values come from
# other rows, it is [`cross_attention`](cross_attention.md). `n_heads` repeats the number of records, so that a list in
# which a head is missing is an error, and not a result.
#
# Each projection may have a bias, and so may the sum: `bo`. The bias of the keys is supported only because many models
# have one. It adds the same number to all scores of a query, which the softmax cancels, so it changes nothing, and its
# gradient is 0.
#
# A row that no row may attend to is padding, and may hold anything. But it is still a query, so a NaN in it would get
# into the gradients of the weights, which all rows share. Therefore what is not finite in such a row counts as 0.
#
# **The gradient.** Let A be one head's result, the attention of Q = X W^Q, K = X W^K and V = X W^V. Let g be the
# cotangent, that is ∂L/∂Y for some loss L, where Y is the sum of all A W^O. With dA short for ∂L/∂A, and so on,
#
# $$\begin{gathered}
# \mathrm dA = g\,{W^O}^\top, \qquad \mathrm dW^O = A^\top g, \\
# \mathrm dQ,\ \mathrm dK,\ \mathrm dV \text{ from } \mathrm dA \text{ by the rule of attention}, \\
# \mathrm dW^Q = X^\top \mathrm dQ, \qquad \mathrm dW^K = X^\top \mathrm dK, \qquad
# \mathrm dW^V = X^\top \mathrm dV, \\
# \mathrm dX = \mathrm dQ\,{W^Q}^\top + \mathrm dK\,{W^K}^\top + \mathrm dV\,{W^V}^\top.
# \end{gathered}$$
#
# All heads share X, so its gradient is the sum of their dX. With batch axes, the gradients of the matrices are summed
# over the batch. A bias is added to every row, so its gradient is the sum of the rows: of dQ for `bq`, of dV for `bv`,
# and of g for `bo`. That of `bk` is 0, as it changes nothing.
@builtin(
    category="Attention",
    aliases=(
        "mha",
        "self-attention",
        "multihead",
        "multihead attention",
        "MultiheadAttention",
        "MultiHeadDotProductAttention",
    ),
)
def multi_head_attention(
    x: Array["... N D"],
    heads: tuple[Head, ...],
    n_heads: int,
    mask: Mask["... N N"] | None = None,
    bo: Array["D"] | None = None,
    *,
    key_mask: Mask["... N"] | None = None,
    causal: bool = False,
) -> Array["... N D"]:
    r"""Runs several attention heads over the rows of x, each through its own projections, and adds up their results.

    Each head projects the N rows, D wide, to queries, keys and values of its own width with wq, wk and wv. Every row
    then attends to all rows, and wo projects what it found back to width D. Adding up the heads is the same as
    putting their results side by side and multiplying them by one tall matrix. The mask is the same for every head.

    Args:
        x: The rows that attend to one another.
        heads: A record for each head: wq, wk and wv project x to queries, keys and values, wo projects the answer back;
            bq, bk and bv are added to the projections where they are given.
        n_heads: The number of records in heads, at least 1.
        mask: 1 where a row may attend to another, 0 where it may not; the same for every head.
        bo: Added to every row of the sum.
        key_mask: 1 for rows that may be attended to, 0 for padding, which may hold anything: where it is not finite it
            counts as 0.
        causal: Whether row i may attend to rows 0 to i only.

    Returns:
        An array of x's shape and dtype.

    Raises:
        ArgumentError: n_heads is not the number of records, or a record lacks a field or has one too many.
        ShapeError: A projection that does not fit x, or a mask that does not broadcast.

    Formula:
        $$\sum_{h=1}^{n} \operatorname{Attention}\left(X W^Q_h,\; X W^K_h,\; X W^V_h\right) W^O_h$$

        with wq, wk, wv and wo of head h as its four matrices, and biases added to each product where there are some.

    Source:
        Vaswani et al., *Attention Is All You Need* (2017), section 3.2.2.
    """
    check_heads("multi_head_attention", heads, n_heads)
    x = np.where(padding_in(x, mask, key_mask, causal), 0, x)
    answers = [answer_of(head, x, x, mask, key_mask=key_mask, causal=causal) for head in heads]
    return plus(sum(answers[1:], start=answers[0]), bo)


@multi_head_attention.defvjp
def _(x, heads, n_heads, mask=None, bo=None, *, key_mask=None, causal=False):
    check_heads("multi_head_attention", heads, n_heads)
    padding = padding_in(x, mask, key_mask, causal)
    X = np.where(padding, 0, x)
    parts = [one_head(X, X, head, mask, key_mask=key_mask, causal=causal) for head in heads]
    answers, pullbacks = zip(*parts, strict=True)

    def pullback(g):
        from_queries, from_keys, d_heads = zip(*(pull(g) for pull in pullbacks), strict=True)
        dX = np.where(padding, 0, sum(from_queries) + sum(from_keys))
        return dX, type(heads)(d_heads), None, None, bias_gradient(g, bo)

    return plus(sum(answers), bo), pullback


@hookimpl
def opbook_builtins():
    """Add multi_head_attention, multi_head_weights and cross_attention."""
    return [multi_head_attention, multi_head_weights, cross_attention]


@hookimpl
def opbook_guides():
    """Bring along a guide to what heads and masks do."""
    return ["guides/what-a-head-looks-at.md"]
