"""multi_head_attention and transformer_block."""

import numpy as np
from zoo.animals import ANIMALS, Animal, right, wrong
from zoo.attention import blocked, scored, softmaxed
from zoo.cheats import add_idioms, zeros
from zoo.normalization import textbook as layer_norm

HEADS, BLOCK = "multi_head_attention", "transformer_block"
NAMES = ("wq", "wk", "wv")


def by_heads(x, heads, n_heads, mask=None, causal=False):
    total = 0.0
    for head in heads:
        q, k, v = (x @ head[name] + head.get("b" + name[1], 0) for name in NAMES)
        total = total + softmaxed(blocked(scored(q, k), mask, causal)) @ v @ head["wo"]
    return total


def fill(x, heads):
    widths = {head["wq"].shape[1] for head in heads}
    if len(widths) != 1 or widths.pop() * len(heads) != x.shape[-1]:
        raise ValueError("the width must be heads times head width")


def split(rows, n_heads):
    return rows.reshape(*rows.shape[:-1], n_heads, -1).swapaxes(-2, -3)


def joined(x, heads, n_heads, mask=None, causal=False, *, scale=None, late=True, swap=True, glue=True):
    """All heads in one product, with a place for each fault."""
    fill(x, heads)
    q, k, v = (split(x @ np.concatenate([head[name] for head in heads], 1), n_heads) for name in NAMES)
    if mask is not None:
        mask = np.asarray(mask)[..., None, :, :] if np.ndim(mask) > 2 else mask
    out = softmaxed(blocked(scored(q, k, scale), mask, causal)) @ v
    out = out.swapaxes(-2, -3) if swap else out
    out = out.reshape(x.shape)
    return out @ np.concatenate([head["wo"] for head in heads]) if glue else out


add_idioms(HEADS, by_heads)
ANIMALS.append(Animal(HEADS, "zeros are returned", False, zeros(by_heads)))


@right(HEADS, "all heads in one product")
def together(x, heads, n_heads, mask=None, causal=False):
    return joined(x, heads, n_heads, mask, causal)


@right(HEADS, "einsum over stacked heads")
def by_einsum(x, heads, n_heads, mask=None):
    if len({head["wq"].shape for head in heads}) > 1:
        raise ValueError("the heads must be alike")
    q, k, v = (np.einsum("...nd,hde->...hne", x, np.stack([head[name] for head in heads])) for name in NAMES)
    mask = None if mask is None else np.expand_dims(mask, -3)
    p = softmaxed(blocked(np.einsum("...qe,...ke->...qk", q, k) * q.shape[-1] ** -0.5, mask))
    return np.einsum("...hnk,...hke,hed->...nd", p, v, np.stack([head["wo"] for head in heads]), optimize=True)


@right(HEADS, "outputs side by side, then one matrix")
def side_by_side(x, heads, n_heads):
    parts = [softmaxed(scored(x @ h["wq"], x @ h["wk"])) @ (x @ h["wv"]) for h in heads]
    return np.concatenate(parts, -1) @ np.concatenate([h["wo"] for h in heads])


@wrong(HEADS, "heads and rows not swapped back")
def not_swapped(x, heads, n_heads):
    return joined(x, heads, n_heads, swap=False)


@wrong(HEADS, "split without a swap")
def reshaped(x, heads, n_heads):
    fill(x, heads)
    rows = [x @ np.concatenate([head[name] for head in heads], 1) for name in NAMES]
    shape = (*x.shape[:-2], n_heads, x.shape[-2], x.shape[-1] // n_heads)
    q, k, v = (r.reshape(shape) for r in rows)
    out = (softmaxed(scored(q, k)) @ v).reshape(x.shape)
    return out @ np.concatenate([h["wo"] for h in heads])


@wrong(HEADS, "scaled by the whole width")
def whole_width(x, heads, n_heads):
    return joined(x, heads, n_heads, scale=x.shape[-1] ** -0.5)


@wrong(HEADS, "no output projection")
def no_output(x, heads, n_heads):
    return joined(x, heads, n_heads, glue=False)


@wrong(HEADS, "the mean of the heads")
def mean_of_heads(x, heads, n_heads):
    return by_heads(x, heads, n_heads) / n_heads


@wrong(HEADS, "the first head for all")
def first_head(x, heads, n_heads):
    return by_heads(x, heads[:1] * n_heads, n_heads)


@wrong(HEADS, "the heads in the other order")
def other_order(x, heads, n_heads):
    outs = heads[::-1]
    return by_heads(x, [{**h, "wo": o["wo"]} for h, o in zip(heads, outs, strict=True)], n_heads) + 0 * x


@wrong(HEADS, "keys and values exchanged")
def exchanged(x, heads, n_heads):
    return by_heads(x, [{**h, "wk": h["wv"], "wv": h["wk"]} for h in heads], n_heads)


@wrong(HEADS, "one softmax over all heads")
def over_heads(x, heads, n_heads):
    fill(x, heads)
    q, k, v = (split(x @ np.concatenate([h[name] for h in heads], 1), n_heads) for name in NAMES)
    scores = scored(q, k)
    e = np.exp(scores - scores.max((-3, -1), keepdims=True))
    out = (e / e.sum((-3, -1), keepdims=True)) @ v
    return out.swapaxes(-2, -3).reshape(x.shape) @ np.concatenate([h["wo"] for h in heads])


@wrong(HEADS, "a residual added")
def with_residual(x, heads, n_heads):
    return x + by_heads(x, heads, n_heads)


@wrong(HEADS, "rows of all batches attend to each other")
def mixed_batches(x, heads, n_heads):
    return by_heads(x.reshape(-1, x.shape[-1]), heads, n_heads).reshape(x.shape)


@wrong(HEADS, "the mask for the first head only")
def first_masked(x, heads, n_heads, mask=None):
    return by_heads(x, heads[:1], 1, mask) + (by_heads(x, heads[1:], n_heads - 1) if n_heads > 1 else 0)


# ----------------------------------------------------------------------------------------------------------- the block


def block(x, weights, mask=None, causal=False, norm="post", eps=1e-5, **changes):
    """A block, with a place for each fault."""
    w = {**weights, **{key: value for key, value in changes.items() if key in weights}}
    act = changes.get("act", lambda h: np.maximum(h, 0))
    residual = changes.get("residual", (1.0, 1.0))

    def attend(rows):
        return by_heads(rows, w["heads"], len(w["heads"]), mask, causal) + w.get("bo", 0)

    def feed(rows):
        return act(rows @ w["w1"] + w["b1"]) @ w["w2"] + w["b2"]

    ln1, ln2 = ((w[f"ln{i}_gamma"], w[f"ln{i}_beta"]) for i in (1, 2))
    if norm == "pre":
        h = residual[0] * x + attend(layer_norm(x, *ln1, eps))
        return residual[1] * h + feed(layer_norm(h, *ln2, eps))
    h = layer_norm(residual[0] * x + attend(x), *ln1, eps)
    return layer_norm(residual[1] * h + feed(h), *ln2, eps)


def plain_block(x, weights, mask=None, causal=False, norm="post", eps=1e-5):
    return block(x, weights, mask, causal, norm, eps)


add_idioms(BLOCK, plain_block)
ANIMALS.append(Animal(BLOCK, "zeros are returned", False, zeros(plain_block)))


@right(BLOCK, "post-norm only")
def post_only(x, weights, mask=None):
    return block(x, weights, mask)


@right(BLOCK, "batch by batch")
def by_batches(x, weights, norm="post"):
    if x.ndim == 2:
        return block(x, weights, norm=norm)
    return np.stack([by_batches(part, weights, norm) for part in x]) if len(x) else x.copy()


@wrong(BLOCK, "pre-norm where post-norm is meant")
def always_pre(x, weights, norm="post"):
    return block(x, weights, norm="pre")


@wrong(BLOCK, "norm= is not used")
def norm_ignored(x, weights, norm="post"):
    return block(x, weights)


@wrong(BLOCK, "no residual around the attention")
def no_first_residual(x, weights):
    return block(x, weights, residual=(0.0, 1.0))


@wrong(BLOCK, "no residual around the network")
def no_second_residual(x, weights):
    return block(x, weights, residual=(1.0, 0.0))


@wrong(BLOCK, "the residual twice")
def twice(x, weights):
    return block(x, weights, residual=(2.0, 1.0))


@wrong(BLOCK, "the first norm for both")
def one_norm(x, weights):
    return block(x, weights, ln2_gamma=weights["ln1_gamma"], ln2_beta=weights["ln1_beta"])


@wrong(BLOCK, "no bias behind the network")
def no_bias(x, weights):
    return block(x, weights, b2=0.0)


@wrong(BLOCK, "gelu for relu")
def by_gelu(x, weights):
    return block(x, weights, act=lambda h: 0.5 * h * (1 + np.tanh(0.79788456 * (h + 0.044715 * h**3))))


@wrong(BLOCK, "no activation")
def linear(x, weights):
    return block(x, weights, act=lambda h: h)


@wrong(BLOCK, "eps of another default")
def other_eps(x, weights, eps=1e-6):
    return block(x, weights, eps=eps)


@wrong(BLOCK, "norms over all rows")
def norm_over_rows(x, weights):
    h = x + by_heads(x, weights["heads"], len(weights["heads"]))
    axes = (-2, -1)
    h = (h - h.mean(axes, keepdims=True)) / np.sqrt(h.var(axes, keepdims=True) + 1e-5)
    h = h * weights["ln1_gamma"] + weights["ln1_beta"]
    y = h + np.maximum(h @ weights["w1"] + weights["b1"], 0) @ weights["w2"] + weights["b2"]
    return layer_norm(y, weights["ln2_gamma"], weights["ln2_beta"])


@wrong(BLOCK, "the mask the other way round")
def inverted_mask(x, weights, mask=None):
    return block(x, weights, None if mask is None else np.asarray(mask) == 0)


try:
    import torch
except ImportError:
    pass
else:
    from opbook.testing import adapters

    mha, encoder = torch.nn.MultiheadAttention, torch.nn.TransformerEncoderLayer
    ANIMALS.append(Animal(HEADS, "torch.nn.MultiheadAttention", True, adapters.torch_multi_head_attention(mha)))
    ANIMALS.append(Animal(BLOCK, "torch.nn.TransformerEncoderLayer", True, adapters.torch_transformer_block(encoder)))

    @right(HEADS, "torch functional for each head")
    def functional(x, heads, n_heads, causal=False):
        attend = torch.nn.functional.scaled_dot_product_attention
        parts = [attend(x @ h["wq"], x @ h["wk"], x @ h["wv"], is_causal=causal) @ h["wo"] for h in heads]
        return sum(parts[1:], start=parts[0])
