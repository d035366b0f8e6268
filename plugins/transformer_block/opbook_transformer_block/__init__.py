"""The blocks that transformers are stacked of, as an opbook plugin."""

from typing import Literal, NotRequired, TypedDict

import numpy as np
from opbook_layer_norm import layer_norm
from opbook_multi_head_attention import multi_head_attention
from opbook_multi_head_attention.heads import Head, over_batch, padding_in

from opbook import Array, Mask, builtin, hookimpl, unbroadcast, vjp
from opbook_transformer_block.decoder import decoder_block
from opbook_transformer_block.llama import llama_block
from opbook_transformer_block.parts import activated, with_residual


class BlockWeights(TypedDict):
    """Everything that a block learns. D is the width of x, F the width inside the feed-forward network."""

    heads: tuple[Head, ...]
    bo: NotRequired[Array["D"]]
    ln1_gamma: Array["D"]
    ln1_beta: Array["D"]
    w1: Array["D F"]
    b1: Array["F"]
    w2: Array["F D"]
    b2: Array["D"]
    ln2_gamma: Array["D"]
    ln2_beta: Array["D"]


# A block does two things to its rows, and adds each result to what it started from. First comes attention, in which
# rows look at one another; then a feed-forward network, which sees each row alone.
#
# In the original, *post-norm* order a layer norm follows each addition. So the result is always normalized: with two
# columns, γ = 1 and β = 0 in the last norm, a row can only be (1, −1) or (−1, 1). In *pre-norm* order the norm comes
# first, inside each branch, and the input passes through both additions untouched: if all output projections are zero,
# a pre-norm block returns its input. Deep stacks are easier to train in this order.
#
# The blocks of two families of models differ from the original in the order of the norms and the activation φ only:
#
# - BERT: `activation="gelu", eps=1e-12`, and `key_mask` for padding;
# - GPT-2: `norm="pre", activation="gelu-tanh", causal=True`.
#
# Both have biases in their heads and a `bo`. Llama's is another one, [`llama_block`](llama_block.md).
#
# **The gradient.** Call a branch f, attention or the feed-forward network, and let g be the cotangent of one of the two
# halves of the block. An addition sends its cotangent both ways, so
#
# $$\begin{aligned}
# \text{post-norm, } y = \operatorname{LN}(x + f(x)):\quad & \mathrm ds = \mathrm{pull}_{LN}(g), \quad
# \mathrm dx = \mathrm ds + \mathrm{pull}_f(\mathrm ds), \\
# \text{pre-norm, } y = x + f(\operatorname{LN}(x)):\quad &
# \mathrm dx = g + \mathrm{pull}_{LN}(\mathrm{pull}_f(g)),
# \end{aligned}$$
#
# where ds is the cotangent of the sum x + f(x), `pull_f` is the pullback of f, and `pull_LN` that of the norm. The part
# of dx that does not go through the branch is why a gradient reaches x even where the branch's own is tiny. The
# pullbacks of attention and of the norm are
# on their own pages. For the feed-forward network, with z = h W₁ + b₁, a = φ(z) and the cotangent g of a W₂ + b₂,
#
# $$\begin{gathered}
# \mathrm dW_2 = a^\top g, \qquad \mathrm db_2 = \textstyle\sum_{\text{rows}} g, \qquad
# \mathrm dz = (g W_2^\top) \circ \varphi'(z), \\
# \mathrm dW_1 = h^\top \mathrm dz, \qquad \mathrm db_1 = \textstyle\sum_{\text{rows}} \mathrm dz, \qquad
# \mathrm dh = \mathrm dz\,W_1^\top,
# \end{gathered}$$
#
# where φ' is the slope of the activation; that of relu is 1 where z is positive, and 0 elsewhere.
@builtin(
    category="Attention",
    aliases=(
        "encoder layer",
        "transformer layer",
        "TransformerEncoderLayer",
        "encoder block",
        "BERT",
        "GPT-2",
        "BertLayer",
        "GPT2Block",
    ),
)
def transformer_block(
    x: Array["... N D"],
    weights: BlockWeights,
    mask: Mask["... N N"] | None = None,
    *,
    key_mask: Mask["... N"] | None = None,
    causal: bool = False,
    norm: Literal["post", "pre"] = "post",
    activation: Literal["relu", "gelu", "gelu-tanh", "silu"] = "relu",
    eps: float = 1e-5,
) -> Array["... N D"]:
    r"""One encoder layer: self-attention and a feed-forward network, each with a residual and a layer norm.

    x has N rows of width D, and so has the result. In the first half the rows look at one another, as far as the mask
    lets them; in the second, two products with an activation between them change each row alone. Either half is added
    to what it started from, and normalized: after the addition in post-norm order, which is the default, and before
    the half in pre-norm order.

    Args:
        x: The rows.
        weights: The block's parameters; heads is a tuple with a record for each head, whose biases may be left out, as
            bo may.
        mask: 1 where a row may attend to another, 0 where it may not.
        key_mask: 1 for rows that may be attended to, 0 for padding, which may hold anything: where it is not finite it
            counts as 0.
        causal: Whether row i may attend to rows 0 to i only.
        norm: Whether the norms come after the additions or before the branches.
        activation: The φ inside the feed-forward network; "gelu-tanh" is `gelu` with its approximation by tanh.
        eps: Added to the variances under the root; at least 0.

    Returns:
        An array of x's shape and dtype.

    Raises:
        ArgumentError: weights lacks a field or has one too many, or heads is empty.
        ShapeError: A parameter that does not fit x, or a mask that does not broadcast.

    Formula:
        $$\begin{gathered}
        h = \operatorname{LN}_1\left(x + \operatorname{MHA}(x)\right), \\
        y = \operatorname{LN}_2\left(h + \operatorname{FFN}(h)\right)
        \end{gathered}$$

        $$\operatorname{FFN}(h) = \varphi(h W_1 + b_1)\, W_2 + b_2$$

        with φ(z) = max(0, z) unless another activation is given. In pre-norm order

        $$\begin{gathered}
        h = x + \operatorname{MHA}\left(\operatorname{LN}_1(x)\right), \\
        y = h + \operatorname{FFN}\left(\operatorname{LN}_2(h)\right).
        \end{gathered}$$

    Source:
        Vaswani et al., *Attention Is All You Need* (2017), sections 3.1 and 3.3; the pre-norm order after Xiong et al.,
        *On Layer Normalization in the Transformer Architecture* (2020), gelu after Devlin et al., *BERT* (2018).
    """
    x = np.where(padding_in(x, mask, key_mask, causal), 0, x)

    def attention(rows):
        heads, bo = weights["heads"], weights.get("bo")
        return multi_head_attention(rows, heads, len(heads), mask, bo, key_mask=key_mask, causal=causal)

    def feed_forward(rows):
        return activated(rows @ weights["w1"] + weights["b1"], activation) @ weights["w2"] + weights["b2"]

    h = with_residual(x, attention, weights["ln1_gamma"], weights["ln1_beta"], norm=norm, eps=eps)
    return with_residual(h, feed_forward, weights["ln2_gamma"], weights["ln2_beta"], norm=norm, eps=eps)


@transformer_block.defvjp
def _(x, weights, mask=None, *, key_mask=None, causal=False, norm="post", activation="relu", eps=1e-5):
    padding = padding_in(x, mask, key_mask, causal)
    half, w = pre_norm if norm == "pre" else post_norm, weights

    def attention(x):
        heads, bo = w["heads"], w.get("bo")
        return vjp(multi_head_attention, x, heads, len(heads), mask, bo, key_mask=key_mask, causal=causal)

    h, pull_h = half(np.where(padding, 0, x), attention, w["ln1_gamma"], w["ln1_beta"], eps)
    y, pull_y = half(h, lambda h: feed_forward(h, w, activation), w["ln2_gamma"], w["ln2_beta"], eps)

    def pullback(g):
        dh, (dw1, db1, dw2, db2), dgamma2, dbeta2 = pull_y(g)
        dx, (d_heads, *_, dbo), dgamma1, dbeta1 = pull_h(dh)
        dw = {"heads": d_heads, "bo": dbo, "w1": dw1, "b1": db1, "w2": dw2, "b2": db2}
        dw |= {"ln1_gamma": dgamma1, "ln1_beta": dbeta1, "ln2_gamma": dgamma2, "ln2_beta": dbeta2}
        return np.where(padding, 0, dx), {name: dw[name] for name in w}, None

    return y, pullback


def post_norm(x, f, gamma, beta, eps):
    """LN(x + f(x)); the pullback returns the gradients of x, of what f learns, of gamma and of beta."""
    fx, pull_f = f(x)
    y, pull_norm = vjp(layer_norm, x + fx, gamma, beta, eps=eps)

    def pullback(g):
        ds, dgamma, dbeta = pull_norm(g)
        dx, *d_f = pull_f(ds)
        return ds + dx, d_f, dgamma, dbeta

    return y, pullback


def pre_norm(x, f, gamma, beta, eps):
    """x + f(LN(x)); the pullback returns the gradients of x, of what f learns, of gamma and of beta."""
    normed, pull_norm = vjp(layer_norm, x, gamma, beta, eps=eps)
    fx, pull_f = f(normed)

    def pullback(g):
        d_normed, *d_f = pull_f(g)
        dx, dgamma, dbeta = pull_norm(d_normed)
        return g + dx, d_f, dgamma, dbeta

    return x + fx, pullback


def feed_forward(h, weights, activation):
    """φ(h w1 + b1) w2 + b2; the pullback returns the gradients of h, w1, b1, w2 and b2."""
    w1, b1, w2, b2 = (weights[name] for name in ("w1", "b1", "w2", "b2"))
    a, pull_activation = vjp(lambda z: activated(z, activation), h @ w1 + b1)

    def pullback(g):
        dw2 = over_batch(a, g)
        db2 = unbroadcast(g, b2.shape)
        (dz,) = pull_activation(g @ w2.T)
        dw1 = over_batch(h, dz)
        db1 = unbroadcast(dz, b1.shape)
        dh = dz @ w1.T
        return dh, dw1, db1, dw2, db2

    return a @ w2 + b2, pullback


@hookimpl
def opbook_builtins():
    """Add the blocks."""
    return [decoder_block, llama_block, transformer_block]
