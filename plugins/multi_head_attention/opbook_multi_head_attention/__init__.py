"""Multi-head self-attention, as an opbook plugin."""

from typing import TypedDict

import numpy as np
from opbook_attention_weights import allowed_pairs
from opbook_scaled_dot_product_attention import scaled_dot_product_attention

from opbook import Array, Mask, builtin, hookimpl, unbroadcast, vjp
from opbook.errors import ArgumentError


class Head(TypedDict):
    """One head's projections. D is the width of x; Dh, the width of the head, may differ from head to head."""

    wq: Array["D Dh"]
    wk: Array["D Dh"]
    wv: Array["D Dh"]
    wo: Array["Dh D"]


# Each head looks at the same rows through projections of its own, so each can attend to something else. Their answers
# are added up.
#
# Textbooks put the heads' answers side by side and multiply by one tall matrix. Cut into blocks, that is the same sum:
#
# $$[A_1\; A_2]\begin{bmatrix} B_1 \\ B_2 \end{bmatrix} = A_1 B_1 + A_2 B_2,$$
#
# where A is a head's answer and B the block of rows that it meets. Here every head has that block as its own `wo`. So
# nothing has to be put side by side, and one sees that the heads of one layer do not depend on each other.
#
# Queries, keys and values are all projections of x, which is called self-attention. `n_heads` repeats the number of
# records, so that a list in which a head is missing is an error, and not a result.
#
# A row that no row may attend to is padding, and may hold anything. But it is still a query, so a NaN in it would get
# into the gradients of the weights, which all rows share. Therefore what is not finite in such a row counts as 0.
#
# **The gradient.** Let A be one head's answer, the attention of Q = X W^Q, K = X W^K and V = X W^V. Let g be the
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
# over the batch.
@builtin(category="Attention", aliases=("mha", "self-attention", "multihead attention"))
def multi_head_attention(
    x: Array["... N D"],
    heads: tuple[Head, ...],
    n_heads: int,
    mask: Mask["... N N"] | None = None,
    *,
    key_mask: Mask["... N"] | None = None,
    causal: bool = False,
) -> Array["... N D"]:
    r"""Runs several attention heads over the rows of x, each through its own projections, and adds up their answers.

    Args:
        x: The rows that attend to one another.
        heads: A record for each head: wq, wk and wv project x to queries, keys and values, wo projects the answer back.
        n_heads: The number of records in heads, at least 1.
        mask: 1 where a row may attend to another, 0 where it may not; the same for every head.
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

        with wq, wk, wv and wo of head h as its four matrices.

    Source:
        Vaswani et al., *Attention Is All You Need* (2017), section 3.2.2.
    """
    _check_heads(heads, n_heads)
    x = np.where(padding_in(x, mask, key_mask, causal), 0, x)
    answers = [
        scaled_dot_product_attention(
            x @ head["wq"], x @ head["wk"], x @ head["wv"], mask, key_mask=key_mask, causal=causal
        )
        @ head["wo"]
        for head in heads
    ]
    return sum(answers[1:], start=answers[0])


@multi_head_attention.defvjp
def _(x, heads, n_heads, mask=None, *, key_mask=None, causal=False):
    _check_heads(heads, n_heads)
    padding = padding_in(x, mask, key_mask, causal)
    X = np.where(padding, 0, x)
    values, pullbacks = zip(*(one_head(X, head, mask, key_mask, causal) for head in heads), strict=True)

    def pullback(g):
        dXs, d_heads = zip(*(pull(g) for pull in pullbacks), strict=True)
        return np.where(padding, 0, sum(dXs)), type(heads)(d_heads), None, None

    return sum(values), pullback


def one_head(X, head, mask, key_mask, causal):
    """One head's part of the sum, and its pullback."""
    Wq, Wk, Wv, Wo = (head[name] for name in ("wq", "wk", "wv", "wo"))
    Q, K, V = X @ Wq, X @ Wk, X @ Wv
    A, pull_attention = vjp(scaled_dot_product_attention, Q, K, V, mask, key_mask=key_mask, causal=causal)

    def pullback(g):
        dA = g @ Wo.T
        dWo = over_batch(A, g)
        dQ, dK, dV, _ = pull_attention(dA)
        dWq, dWk, dWv = over_batch(X, dQ), over_batch(X, dK), over_batch(X, dV)
        dX = dQ @ Wq.T + dK @ Wk.T + dV @ Wv.T
        return dX, {"wq": dWq, "wk": dWk, "wv": dWv, "wo": dWo}

    return A @ Wo, pullback


def over_batch(a, b):
    """aᵀ b, summed over the batch axes."""
    product = np.swapaxes(a, -1, -2) @ b
    return unbroadcast(product, product.shape[-2:])


def padding_in(x, mask, key_mask, causal):
    """Where x is not finite in a row that no row may attend to, as a Boolean array of x's shape."""
    attended = allowed_pairs(x, x, mask, key_mask, None, causal).any(axis=-2)
    return ~(attended[..., None] | np.isfinite(x))


def _check_heads(heads, n_heads):
    """Refuse another number of heads than `n_heads`, or none."""
    if len(heads) != n_heads:
        raise ArgumentError(
            f"multi_head_attention: n_heads is {n_heads} but heads has {len(heads)} records; they must agree"
        )
    if n_heads < 1:
        raise ArgumentError("multi_head_attention: n_heads must be at least 1, but is 0")


@hookimpl
def opbook_builtins():
    """Add multi_head_attention."""
    return [multi_head_attention]


@hookimpl
def opbook_guides():
    """Bring along a guide to what heads and masks do."""
    return ["guides/what-a-head-looks-at.md"]
