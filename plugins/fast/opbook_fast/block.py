"""A transformer block with BLAS held, whose feed-forward network takes the rows of a batch at once."""

import numpy as np
from opbook_multi_head_attention import multi_head_attention
from opbook_transformer_block import post_norm, pre_norm
from opbook_transformer_block.parts import activated

from opbook import vjp
from opbook_fast import blas
from opbook_fast.heads import as_rows, cleared, padding_unless_finite
from opbook_fast.threads import product


def block(x, weights, mask=None, *, key_mask=None, causal=False, norm="post", activation="relu", eps=1e-5):
    """The rule: the builtin's own, but for the feed-forward network."""
    half, w = pre_norm if norm == "pre" else post_norm, weights
    padding = padding_unless_finite(x, mask, key_mask, causal)
    x = cleared(x, padding)

    def attention(x):
        heads, bo = w["heads"], w.get("bo")
        return vjp(multi_head_attention, x, heads, len(heads), mask, bo, key_mask=key_mask, causal=causal)

    with blas.one_thread:  # for all of it: BLAS threads that have just worked stay awake, and are in the way
        h, pull_h = half(x, attention, w["ln1_gamma"], w["ln1_beta"], eps)
        y, pull_y = half(h, lambda h: feed_forward(h, w, activation), w["ln2_gamma"], w["ln2_beta"], eps)

    def pullback(g):
        with blas.one_thread:
            dh, (dw1, db1, dw2, db2), dgamma2, dbeta2 = pull_y(g)
            dx, (d_heads, *_, dbo), dgamma1, dbeta1 = pull_h(dh)
        dw = {"heads": d_heads, "bo": dbo, "w1": dw1, "b1": db1, "w2": dw2, "b2": db2}
        dw |= {"ln1_gamma": dgamma1, "ln1_beta": dbeta1, "ln2_gamma": dgamma2, "ln2_beta": dbeta2}
        return cleared(dx, padding), {name: dw[name] for name in w}, None

    return y, pullback


def feed_forward(h, weights, activation):
    """φ(h @ w1 + b1) @ w2 + b2.

    Args:
        h: (..., D) rows, which nobody writes into any more.
        weights: The block's weights.
        activation: The name of φ.

    Returns:
        The value; a function from its cotangent to the gradients of h, w1, b1, w2 and b2.
    """
    rows, w1, w2 = as_rows(h), weights["w1"], weights["w2"]
    inner = product(rows, w1)
    inner += weights["b1"]
    active, pull_activation = relu_in_place(inner) if activation == "relu" else vjp(activated, inner, activation)
    value = product(active, w2)
    value += weights["b2"]

    def pull(g):
        g = as_rows(g)
        d_inner = pull_activation(product(g, w2.T))[0]
        dh = product(d_inner, w1.T).reshape(h.shape)
        dw1, dw2 = product(rows.T, d_inner), product(active.T, g)
        return dh, dw1, d_inner.sum(axis=0), dw2, g.sum(axis=0)

    return value.reshape(h.shape), pull


def relu_in_place(z):
    """Relu and its pullback, in the memory of z and of the cotangent."""
    np.maximum(z, 0, out=z)

    def pull(g):
        g *= z > 0
        return (g,)

    return z, pull
