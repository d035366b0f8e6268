"""cross_attention, multi_head_weights, the blocks, and the newer options of attention."""

import numpy as np
from zoo.animals import right, wrong
from zoo.attention import blocked, scored, softmaxed
from zoo.normalization import textbook as layer_norm

CROSS, MAPS, LLAMA, DECODER = "cross_attention", "multi_head_weights", "llama_block", "decoder_block"
WEIGHTS, HEADS, BLOCK = "attention_weights", "multi_head_attention", "transformer_block"


def with_bias(rows, head, name):
    return rows @ head["w" + name] + head.get("b" + name, 0)


def cross(x, memory, heads, mask=None, bo=0.0, *, scale=None):
    total = 0.0
    for head in heads:
        q, k, v = with_bias(x, head, "q"), with_bias(memory, head, "k"), with_bias(memory, head, "v")
        total = total + softmaxed(blocked(scored(q, k, scale), mask)) @ v @ head["wo"]
    return total + (0.0 if bo is None else bo)


@right(CROSS, "head by head")
def by_heads(x, memory, heads, n_heads, mask=None, bo=None):
    return cross(x, memory, heads, mask, bo)


@wrong(CROSS, "no bias of the queries")
def no_bq(x, memory, heads, n_heads):
    return cross(x, memory, [{**head, "bq": 0} for head in heads])


@wrong(CROSS, "no bias of the values")
def no_bv(x, memory, heads, n_heads):
    return cross(x, memory, [{**head, "bv": 0} for head in heads])


@wrong(CROSS, "the output bias once for every head")
def bo_for_each(x, memory, heads, n_heads, bo=None):
    return cross(x, memory, heads, bo=None if bo is None else n_heads * bo)


@wrong(CROSS, "the mean of the heads")
def mean_of_heads(x, memory, heads, n_heads):
    return cross(x, memory, heads) / n_heads


@wrong(CROSS, "scaled by the width of the memory")
def scaled_by_memory(x, memory, heads, n_heads):
    return cross(x, memory, heads, scale=memory.shape[-1] ** -0.5)


@wrong(CROSS, "the mask blocks")
def mask_blocks(x, memory, heads, n_heads, mask=None):
    return cross(x, memory, heads, None if mask is None else ~np.asarray(mask, bool))


def maps(x, heads, mask=None, causal=False, scale=None):
    scores = [scored(with_bias(x, head, "q"), with_bias(x, head, "k"), scale) for head in heads]
    return np.stack([softmaxed(blocked(s, mask, causal)) for s in scores], axis=-3)


@right(MAPS, "head by head")
def maps_by_heads(x, heads, n_heads, mask=None, causal=False):
    return maps(x, heads, mask, causal)


@wrong(MAPS, "the mean over the heads")
def mean_map(x, heads, n_heads):
    found = maps(x, heads)
    return np.broadcast_to(found.mean(axis=-3, keepdims=True), found.shape)


@wrong(MAPS, "not scaled")
def maps_not_scaled(x, heads, n_heads):
    return maps(x, heads, scale=1.0)


@wrong(MAPS, "scaled by the width of x")
def maps_scaled_by_x(x, heads, n_heads):
    return maps(x, heads, scale=x.shape[-1] ** -0.5)


@wrong(MAPS, "keys attend to queries")
def maps_turned(x, heads, n_heads):
    return np.stack([softmaxed(scored(with_bias(x, h, "k"), with_bias(x, h, "q"))) for h in heads], axis=-3)


@wrong(MAPS, "the softmax runs over the queries")
def maps_down(x, heads, n_heads):
    scores = [scored(with_bias(x, head, "q"), with_bias(x, head, "k")) for head in heads]
    return np.stack([softmaxed(s.swapaxes(-1, -2)).swapaxes(-1, -2) for s in scores], axis=-3)


def near(n, before, after):
    distance = np.arange(n) - np.arange(n)[:, None]
    return ((before < 0) | (distance >= -before)) & ((after < 0) | (distance <= after))


def squeezed(q, k, softcap=None, scale=None):
    scores = scored(q, k, scale)
    return scores if softcap is None else softcap * np.tanh(scores / softcap)


@right(WEIGHTS, "with a window and a softcap")
def local(q, k, mask=None, *, window=None, softcap=None):
    scores = squeezed(q, k, softcap)
    if window is not None:
        scores = blocked(scores, near(q.shape[-2], *window))
    return softmaxed(blocked(scores, mask))


@wrong(WEIGHTS, "the window counts the query's own key")
def window_of_w(q, k, *, window=None):
    before, after = window or (-1, -1)
    return softmaxed(blocked(scored(q, k), near(q.shape[-2], max(before - 1, 0) if before >= 0 else -1, after)))


@wrong(WEIGHTS, "the window's sides are exchanged")
def window_turned(q, k, *, window=None):
    return softmaxed(blocked(scored(q, k), near(q.shape[-2], *(window or (-1, -1))[::-1])))


@wrong(WEIGHTS, "the softcap comes after the bias")
def cap_after_bias(q, k, *, bias=None, softcap=None):
    scores = scored(q, k) + (0 if bias is None else bias)
    return softmaxed(scores if softcap is None else softcap * np.tanh(scores / softcap))


@wrong(WEIGHTS, "the softcap comes before the scale")
def cap_before_scale(q, k, *, softcap=None):
    return softmaxed(squeezed(q, k, softcap, scale=1.0) * q.shape[-1] ** -0.5)


@wrong(WEIGHTS, "the softcap cuts off")
def cap_by_clip(q, k, *, softcap=None):
    return softmaxed(scored(q, k) if softcap is None else np.clip(scored(q, k), -softcap, softcap))


@wrong(HEADS, "the output bias once for every head")
def own_bo_for_each(x, heads, n_heads, bo=None):
    return cross(x, x, heads, bo=None if bo is None else n_heads * bo)


def activated(z, activation):
    if activation in ("gelu", "gelu-tanh"):  # the form by tanh; that of erf needs a library
        return 0.5 * z * (1 + np.tanh(np.sqrt(2 / np.pi) * (z + 0.044715 * z**3)))
    return z / (1 + np.exp(-z)) if activation == "silu" else np.maximum(z, 0)


def post_norm(x, w, activation, bo):
    h = layer_norm(x + cross(x, x, w["heads"], bo=bo), w["ln1_gamma"], w["ln1_beta"])
    inner = activated(h @ w["w1"] + w["b1"], activation)
    return layer_norm(h + inner @ w["w2"] + w["b2"], w["ln2_gamma"], w["ln2_beta"])


@wrong(BLOCK, "gelu by tanh in the place of that by erf")
def one_gelu(x, weights, activation="relu"):
    return post_norm(x, weights, activation, weights.get("bo"))


@wrong(BLOCK, "relu whatever the activation")
def only_relu(x, weights, activation="relu"):
    return post_norm(x, weights, "relu", weights.get("bo"))


@wrong(BLOCK, "the output bias is left out")
def block_without_bo(x, weights):
    return post_norm(x, weights, "relu", None)


def rms(x, gamma, eps=1e-5):
    return gamma * x / np.sqrt((x**2).mean(axis=-1, keepdims=True) + eps)


def turned(x, interleaved=False):
    p = x.shape[-1] // 2
    angles = np.arange(x.shape[-2])[:, None] * 10000.0 ** (-np.arange(p) / p)
    left, right = (slice(0, None, 2), slice(1, None, 2)) if interleaved else (slice(0, p), slice(p, None))
    out = np.empty_like(x)
    out[..., left] = x[..., left] * np.cos(angles) - x[..., right] * np.sin(angles)
    out[..., right] = x[..., right] * np.cos(angles) + x[..., left] * np.sin(angles)
    return out


def silu(z):
    return z / (1 + np.exp(-z))


def llama(x, w, *, norm=rms, share=np.repeat, rotate=turned, gate=("w_gate", "w_up"), post=False):
    """The block, with a place for each fault."""

    def attention(n):
        q, k, v = (n[..., None, :, :] @ w["w" + s] for s in "qkv")
        q, k, v = (r + w["b" + s][:, None] if "b" + s in w else r for s, r in zip("qkv", (q, k, v), strict=True))
        size = len(w["wq"]) // len(w["wk"])
        k, v = (share(r, size, axis=-3) for r in (k, v))
        return (softmaxed(blocked(scored(rotate(q), rotate(k)), None, True)) @ v @ w["wo"]).sum(axis=-3)

    def feed_forward(n):
        return (silu(n @ w["ffn"][gate[0]]) * (n @ w["ffn"][gate[1]])) @ w["ffn"]["w_down"]

    if post:
        h = norm(x + attention(x), w["rms1_gamma"])
        return norm(h + feed_forward(h), w["rms2_gamma"])
    h = x + attention(norm(x, w["rms1_gamma"]))
    return h + feed_forward(norm(h, w["rms2_gamma"]))


@right(LLAMA, "with a copy of the keys for each query head")
def by_copies(x, weights):
    return llama(x, weights)


@wrong(LLAMA, "key heads side by side in the place of each several times")
def tiled(x, weights):
    return llama(x, weights, share=lambda rows, n, axis: np.concatenate([rows] * n, axis=axis))


@wrong(LLAMA, "entries 2i and 2i + 1 turn together")
def interleaved(x, weights):
    return llama(x, weights, rotate=lambda rows: turned(rows, interleaved=True))


@wrong(LLAMA, "no positions")
def nowhere(x, weights):
    return llama(x, weights, rotate=lambda rows: rows)


@wrong(LLAMA, "the other half of swiglu is the gate")
def other_gate(x, weights):
    return llama(x, weights, gate=("w_up", "w_gate"))


@wrong(LLAMA, "layer norm")
def centred(x, weights):
    return llama(x, weights, norm=lambda rows, gamma: layer_norm(rows, gamma, 0 * gamma))


@wrong(LLAMA, "post-norm")
def late_norms(x, weights):
    return llama(x, weights, post=True)


def decoder(x, memory, w, *, causal=True, bo="bo", cross_bo="cross_bo", order=(1, 2, 3), looks_at=None):
    mask = np.tri(x.shape[-2], dtype=bool) if causal else None
    h = layer_norm(x + cross(x, x, w["heads"], mask, w.get(bo)), w["ln1_gamma"], w["ln1_beta"])
    looked = cross(looks_at if looks_at is not None else h, memory, w["cross_heads"], bo=w.get(cross_bo))
    c = layer_norm(h + looked, w[f"ln{order[1]}_gamma"], w[f"ln{order[1]}_beta"])
    y = c + np.maximum(c @ w["w1"] + w["b1"], 0) @ w["w2"] + w["b2"]
    return layer_norm(y, w[f"ln{order[2]}_gamma"], w[f"ln{order[2]}_beta"])


@right(DECODER, "written out")
def decoder_written_out(x, memory, weights):
    return decoder(x, memory, weights)


@wrong(DECODER, "not causal")
def sees_what_comes(x, memory, weights):
    return decoder(x, memory, weights, causal=False)


@wrong(DECODER, "norms two and three are exchanged")
def norms_exchanged(x, memory, weights):
    return decoder(x, memory, weights, order=(1, 3, 2))


@wrong(DECODER, "the input looks at the memory, and not what attention made of it")
def input_looks(x, memory, weights):
    return decoder(x, memory, weights, looks_at=x)


@wrong(DECODER, "one output bias for both attentions")
def one_bias(x, memory, weights):
    return decoder(x, memory, weights, cross_bo="bo")


@wrong(DECODER, "no residual around the memory")
def no_residual(x, memory, weights):
    w = weights
    h = layer_norm(x + cross(x, x, w["heads"], np.tri(x.shape[-2]), w.get("bo")), w["ln1_gamma"], w["ln1_beta"])
    c = layer_norm(cross(h, memory, w["cross_heads"], bo=w.get("cross_bo")), w["ln2_gamma"], w["ln2_beta"])
    y = c + np.maximum(c @ w["w1"] + w["b1"], 0) @ w["w2"] + w["b2"]
    return layer_norm(y, w["ln3_gamma"], w["ln3_beta"])
