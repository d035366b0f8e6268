"""The decoder block of the original transformer."""

from typing import Literal, NotRequired, TypedDict

import numpy as np
from opbook_multi_head_attention import cross_attention, multi_head_attention
from opbook_multi_head_attention.heads import CrossHead, Head, padding_in

from opbook import Array, Mask, builtin
from opbook_transformer_block.parts import activated, with_residual


class DecoderWeights(TypedDict):
    """Everything that the block learns. D is the width of x, Dm that of the memory, F the width inside."""

    heads: tuple[Head, ...]
    bo: NotRequired[Array["D"]]
    ln1_gamma: Array["D"]
    ln1_beta: Array["D"]
    cross_heads: tuple[CrossHead, ...]
    cross_bo: NotRequired[Array["D"]]
    ln2_gamma: Array["D"]
    ln2_beta: Array["D"]
    w1: Array["D F"]
    b1: Array["F"]
    w2: Array["F D"]
    b2: Array["D"]
    ln3_gamma: Array["D"]
    ln3_beta: Array["D"]


# A [`transformer_block`](transformer_block.md) with one more branch in its middle. The rows of x are the text that is
# being written, so by default each looks at itself and at earlier ones only; the memory is what the encoder made of the
# text that is being translated, and every row may look at all of it. First the rows look at one another, then at the
# memory, then each is seen alone by the feed-forward network.
#
# Models that only continue a text, such as GPT-2 and Llama, have no memory. Their blocks are called decoders as well,
# but here they are calls of `transformer_block` with `causal=True` and of [`llama_block`](llama_block.md).
#
# **The gradient.** The block has no rule of its own: the tape joins those of attention, cross-attention and norms. Each
# addition sends its cotangent both ways, as on the page of `transformer_block`. The memory has its gradient from the
# middle branch alone; in a stack, every block adds its part.
@builtin(
    category="Attention",
    aliases=("decoder layer", "TransformerDecoderLayer", "encoder-decoder block", "T5", "BART", "Whisper decoder"),
)
def decoder_block(
    x: Array["... N D"],
    memory: Array["... M Dm"],
    weights: DecoderWeights,
    mask: Mask["... N N"] | None = None,
    memory_mask: Mask["... N M"] | None = None,
    *,
    key_mask: Mask["... N"] | None = None,
    memory_key_mask: Mask["... M"] | None = None,
    causal: bool = True,
    norm: Literal["post", "pre"] = "post",
    activation: Literal["relu", "gelu", "gelu-tanh", "silu"] = "relu",
    eps: float = 1e-5,
) -> Array["... N D"]:
    r"""One decoder layer: self-attention, attention to a memory and a feed-forward network, each with a residual.

    x has N rows of width D, and so has the result; memory has M rows of any width. The rows of x look at one another,
    by default at earlier ones only, then at the memory; at last each is changed alone.

    Args:
        x: The rows.
        memory: The rows of the encoder, of any width.
        weights: The block's parameters; cross_heads are those that look at the memory.
        mask: 1 where a row may attend to another, 0 where it may not.
        memory_mask: 1 where a row may attend to a row of the memory, 0 where it may not.
        key_mask: 1 for rows of x that may be attended to, 0 for padding.
        memory_key_mask: 1 for rows of the memory that may be attended to, 0 for padding.
        causal: Whether row i may attend to rows 0 to i of x only.
        norm: Whether the norms come after the additions or before the branches.
        activation: The φ inside the feed-forward network.
        eps: Added to the variances under the root; at least 0.

    Returns:
        An array with a row for each row of x, as wide as x.

    Raises:
        ArgumentError: weights lacks a field or has one too many, or there are no heads.
        ShapeError: A parameter that does not fit x or the memory, or a mask that does not broadcast.

    Formula:
        $$\begin{gathered}
        h = \operatorname{LN}_1\left(x + \operatorname{MHA}(x)\right), \qquad
        c = \operatorname{LN}_2\left(h + \operatorname{Cross}(h, M)\right), \\
        y = \operatorname{LN}_3\left(c + \varphi(c W_1 + b_1)\, W_2 + b_2\right)
        \end{gathered}$$

        where M is the memory. In pre-norm order each norm stands before its branch.

    Source:
        Vaswani et al., *Attention Is All You Need* (2017), section 3.1 and figure 1.
    """
    w, order = weights, {"norm": norm, "eps": eps}
    x = np.where(padding_in(x, mask, key_mask, causal), 0, x)

    def attention(rows):
        heads, bo = w["heads"], w.get("bo")
        return multi_head_attention(rows, heads, len(heads), mask, bo, key_mask=key_mask, causal=causal)

    def cross(rows):
        heads, bo = w["cross_heads"], w.get("cross_bo")
        return cross_attention(rows, memory, heads, len(heads), memory_mask, bo, key_mask=memory_key_mask)

    def feed_forward(rows):
        return activated(rows @ w["w1"] + w["b1"], activation) @ w["w2"] + w["b2"]

    h = with_residual(x, attention, w["ln1_gamma"], w["ln1_beta"], **order)
    c = with_residual(h, cross, w["ln2_gamma"], w["ln2_beta"], **order)
    return with_residual(c, feed_forward, w["ln3_gamma"], w["ln3_beta"], **order)
