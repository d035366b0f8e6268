"""A transformer encoder block, as an opbook plugin."""

from typing import Literal, TypedDict

import numpy as np
from opbook_activations import relu
from opbook_layer_norm import layer_norm
from opbook_multi_head_attention import Head, as_rows, cleared, multi_head_attention, padding_in

from opbook import Array, Mask, builtin, hookimpl, workers


class BlockWeights(TypedDict):
    """Everything that a block learns. D is the width of x, F the width inside the feed-forward network."""

    heads: tuple[Head, ...]
    ln1_gamma: Array["D"]
    ln1_beta: Array["D"]
    w1: Array["D F"]
    b1: Array["F"]
    w2: Array["F D"]
    b2: Array["D"]
    ln2_gamma: Array["D"]
    ln2_beta: Array["D"]


# A block does two things to its rows, and adds each result to what it started from: attention, in which rows look at
# one another, and a feed-forward network, which sees each row alone.
#
# In the original, *post-norm* order a layer norm follows each addition: h = ln1(x + attention(x)), y = ln2(h + ffn(h)).
# The result is then always normalized, which is why a block of width 2 can only answer ±1. In *pre-norm* order the
# norm comes first, y = h + ffn(ln2(h)) with h = x + attention(ln1(x)), and the input passes through both additions
# untouched: with all output projections at zero, a pre-norm block is the identity. Deep stacks train more easily so.
#
# **The gradient.** An addition sends its cotangent both ways. Each branch is pulled back through its own rule, and the
# residual path adds the cotangent itself, so a gradient reaches x even where a branch's own is tiny.
@builtin(category="Statistics & ML", aliases=("encoder layer", "transformer layer"))
def transformer_block(
    x: Array["... N D"],
    weights: BlockWeights,
    mask: Mask["... N N"] | None = None,
    *,
    key_mask: Mask["... N"] | None = None,
    causal: bool = False,
    norm: Literal["post", "pre"] = "post",
    eps: float = 1e-5,
) -> Array["... N D"]:
    r"""One encoder layer: self-attention and a ReLU feed-forward network, each with a residual and a layer norm.

    Args:
        x: The rows.
        weights: The block's parameters; heads is a tuple with a record for each head.
        mask: 1 where a row may attend to another, 0 where it may not.
        key_mask: 1 for rows that may be attended to, 0 for padding, which may hold anything: where it is not finite it
            counts as 0.
        causal: Whether row i may attend to rows 0 to i only.
        norm: Whether the norms come after the additions or before the branches.
        eps: Added to the variances under the root; at least 0.

    Returns:
        An array of x's shape and dtype.

    Raises:
        ArgumentError: weights lacks a field or has one too many, or heads is empty.
        ShapeError: A parameter that does not fit x, or a mask that does not broadcast.

    Formula:
        $$h = \operatorname{LN}_1\left(x + \operatorname{MHA}(x)\right), \qquad
        y = \operatorname{LN}_2\left(h + \operatorname{FFN}(h)\right)$$

        $$\operatorname{FFN}(h) = \max(0,\; h W_1 + b_1)\, W_2 + b_2$$

        In pre-norm order

        $$h = x + \operatorname{MHA}\left(\operatorname{LN}_1(x)\right), \qquad
        y = h + \operatorname{FFN}\left(\operatorname{LN}_2(h)\right).$$

    Source:
        Vaswani et al., *Attention Is All You Need* (2017), sections 3.1 and 3.3; the pre-norm order after Xiong et al.,
        *On Layer Normalization in the Transformer Architecture* (2020).
    """
    x = cleared(x, padding_in(x, mask, key_mask, causal))

    def attention(rows):
        heads = weights["heads"]
        return multi_head_attention(rows, heads, len(heads), mask, key_mask=key_mask, causal=causal)

    def feed_forward(rows):
        return relu(rows @ weights["w1"] + weights["b1"]) @ weights["w2"] + weights["b2"]

    def with_residual(rows, branch, gamma, beta):
        if norm == "pre":
            return rows + branch(layer_norm(rows, gamma, beta, eps=eps))
        return layer_norm(rows + branch(rows), gamma, beta, eps=eps)

    h = with_residual(x, attention, weights["ln1_gamma"], weights["ln1_beta"])
    return with_residual(h, feed_forward, weights["ln2_gamma"], weights["ln2_beta"])


@transformer_block.defvjp
def _(x, weights, mask=None, *, key_mask=None, causal=False, norm="post", eps=1e-5):
    padding = padding_in(x, mask, key_mask, causal)
    x = cleared(x, padding)

    def attention(rows):
        heads = weights["heads"]
        value, pull = multi_head_attention.rule(rows, heads, len(heads), mask, key_mask=key_mask, causal=causal)
        return value, lambda g: pull(g)[:2]

    def feed_forward(rows):
        return _feed_forward(rows, weights["w1"], weights["b1"], weights["w2"], weights["b2"])

    def norm1(rows):
        return layer_norm.rule(rows, weights["ln1_gamma"], weights["ln1_beta"], eps=eps)

    def norm2(rows):
        return layer_norm.rule(rows, weights["ln2_gamma"], weights["ln2_beta"], eps=eps)

    with_residual = _pre_norm if norm == "pre" else _post_norm
    with workers.hold_blas():  # for all of it: BLAS threads that have just worked stay awake, and are in the way
        h, pull_first = with_residual(x, attention, norm1)
        y, pull_second = with_residual(h, feed_forward, norm2)
    order = list(weights)

    def pullback(g):
        with workers.hold_blas():
            dh, (dw1, db1, dw2, db2), (d_gamma2, d_beta2) = pull_second(g)
            dx, d_heads, (d_gamma1, d_beta1) = pull_first(dh)
        gradients = {
            "heads": d_heads,
            "ln1_gamma": d_gamma1,
            "ln1_beta": d_beta1,
            "w1": dw1,
            "b1": db1,
            "w2": dw2,
            "b2": db2,
            "ln2_gamma": d_gamma2,
            "ln2_beta": d_beta2,
        }
        return cleared(dx, padding), {name: gradients[name] for name in order}, None

    return y, pullback


def _post_norm(rows, branch, norm):
    """norm(rows + branch(rows)); the pullback returns the gradients of rows, of the branch and of the norm."""
    found, pull_branch = branch(rows)
    value, pull_norm = norm(rows + found)

    def pull(g):
        g, *d_norm = pull_norm(g)
        d_rows, d_branch = pull_branch(g)
        return g + d_rows, d_branch, d_norm

    return value, pull


def _pre_norm(rows, branch, norm):
    """rows + branch(norm(rows)); the pullback returns the gradients of rows, of the branch and of the norm."""
    normed, pull_norm = norm(rows)
    found, pull_branch = branch(normed)

    def pull(g):
        d_normed, d_branch = pull_branch(g)
        d_rows, *d_norm = pull_norm(d_normed)
        return g + d_rows, d_branch, d_norm

    return rows + found, pull


def _feed_forward(x, w1, b1, w2, b2):
    """relu(x @ w1 + b1) @ w2 + b2, for rows that no caller can change."""
    rows, w1, w2 = as_rows(x), w1.copy(), w2.copy()
    active = workers.product(rows, w1)
    active += b1
    np.maximum(active, 0, out=active)
    value = workers.product(active, w2)
    value += b2

    def pull(g):
        g = as_rows(g)
        d_hidden = workers.product(g, w2.T)
        d_hidden *= active > 0
        d_weights = (
            workers.product(rows.T, d_hidden),
            d_hidden.sum(axis=0),
            workers.product(active.T, g),
            g.sum(axis=0),
        )
        return workers.product(d_hidden, w1.T).reshape(x.shape), d_weights

    return value.reshape(x.shape), pull


@hookimpl
def opbook_builtins():
    """Add transformer_block."""
    return [transformer_block]
