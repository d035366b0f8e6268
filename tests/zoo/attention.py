"""attention_weights and scaled_dot_product_attention."""

import numpy as np
from zoo.animals import right, right_gradient, wrong, wrong_gradient
from zoo.cheats import add_cheats, add_idioms

WEIGHTS, ATTENTION = "attention_weights", "scaled_dot_product_attention"


def softmaxed(scores):
    e = np.exp(scores - scores.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def scored(q, k, scale=None):
    return q @ k.swapaxes(-1, -2) * (q.shape[-1] ** -0.5 if scale is None else scale)


def blocked(scores, mask, causal=False, by=-1e30):
    if causal:
        scores = np.where(np.tri(*scores.shape[-2:], dtype=bool), scores, max(by, np.finfo(scores.dtype).min))
    return scores if mask is None else np.where(mask, scores, max(by, np.finfo(scores.dtype).min))


def weights(q, k, mask=None, causal=False, scale=None):
    return softmaxed(blocked(scored(q, k, scale), mask, causal))


def attention(q, k, v, mask=None, causal=False, scale=None):
    return weights(q, k, mask, causal, scale) @ v


add_idioms(WEIGHTS, weights)
add_cheats(WEIGHTS, weights)
add_idioms(ATTENTION, attention)
add_cheats(ATTENTION, attention)


@right(WEIGHTS, "einsum, with masks of both kinds and a bias")
def by_einsum(q, k, mask=None, *, key_mask=None, bias=None, causal=False, scale=None):
    scores = np.einsum("...qd,...kd->...qk", q, k) / (
        np.sqrt(q.shape[-1]).astype(q.dtype) if scale is None else 1 / scale
    )
    if bias is not None:
        scores = scores + bias
    if key_mask is not None:
        key_mask = np.asarray(key_mask, bool)[..., None, :]
        mask = key_mask if mask is None else np.asarray(mask, bool) & key_mask
    return softmaxed(blocked(scores, mask, causal))


@right(ATTENTION, "query by query")
def by_queries(q, k, v, mask=None, scale=None):
    scores = blocked(scored(q, k, scale), mask)
    rows = [softmaxed(scores[..., i : i + 1, :]) @ v for i in range(q.shape[-2])]
    return np.concatenate(rows, axis=-2)


@right(ATTENTION, "in tiles of keys, with the largest score so far")
def in_tiles(q, k, v, mask=None, scale=None):
    scores = blocked(scored(q, k, scale), mask)
    largest, total, out = np.float64(-1e300), np.float64(0), 0.0
    for start in range(0, k.shape[-2], 4):
        tile = scores[..., start : start + 4]
        new = np.maximum(largest, tile.max(-1, keepdims=True))
        e, shrink = np.exp(tile - new), np.exp(largest - new)
        total, out = total * shrink + e.sum(-1, keepdims=True), out * shrink + e @ v[..., start : start + 4, :]
        largest = new
    return out / total


@right(ATTENTION, "weights returned as well")
def with_weights(q, k, v, mask=None):
    w = weights(q, k, mask)
    return w @ v, w


@right_gradient(ATTENTION, "dV, dP, dS, dQ, dK", attention)
def gradient(g, q, k, v, mask=None, causal=False, scale=None):
    p = weights(q, k, mask, causal, scale)
    s = q.shape[-1] ** -0.5 if scale is None else scale
    d_v, d_p = p.swapaxes(-1, -2) @ g, g @ v.swapaxes(-1, -2)
    d_s = p * (d_p - (d_p * p).sum(-1, keepdims=True)) * s
    return tuple(reduced(d, a.shape) for d, a in ((d_s @ k, q), (d_s.swapaxes(-1, -2) @ q, k), (d_v, v)))


def reduced(d, shape):
    d = d.sum(tuple(range(d.ndim - len(shape))))
    return d.sum(tuple(i for i, n in enumerate(shape) if n == 1 and d.shape[i] > 1), keepdims=True)


def faults(op, rest):
    """The same faults in the weights, of both ops."""

    @wrong(op, "not scaled")
    def not_scaled(q, k, *v, mask=None):
        return rest(softmaxed(blocked(scored(q, k, 1.0), mask)), v)

    @wrong(op, "divided by the width, not its root")
    def by_width(q, k, *v, mask=None):
        return rest(softmaxed(blocked(scored(q, k, 1 / q.shape[-1]), mask)), v)

    @wrong(op, "scaled by the number of keys")
    def by_keys(q, k, *v, mask=None):
        return rest(softmaxed(blocked(scored(q, k, k.shape[-2] ** -0.5), mask)), v)

    @wrong(op, "softmax over the queries")
    def over_queries(q, k, *v, mask=None):
        scores = blocked(scored(q, k), mask).swapaxes(-1, -2)
        return rest(softmaxed(scores).swapaxes(-1, -2), v)

    @wrong(op, "the mask the other way round")
    def inverted(q, k, *v, mask=None):
        return rest(softmaxed(blocked(scored(q, k), None if mask is None else mask == 0)), v)

    @wrong(op, "a mask of 0 and 1 added to the scores")
    def added(q, k, *v, mask=None):
        scores = scored(q, k)
        return rest(softmaxed(scores if mask is None else scores + mask), v)

    @wrong(op, "blocked after the softmax")
    def blocked_late(q, k, *v, mask=None):
        p = softmaxed(scored(q, k))
        return rest(p if mask is None else p * mask, v)

    @wrong(op, "blocked scores set to 0")
    def set_to_zero(q, k, *v, mask=None):
        scores = scored(q, k)
        return rest(softmaxed(scores if mask is None else scores * mask), v)

    @wrong(op, "blocked by a number that is not low enough")
    def too_high(q, k, *v, mask=None):
        return rest(softmaxed(blocked(scored(q, k), mask, by=-10.0)), v)

    @wrong(op, "nothing subtracted before exp")
    def overflows(q, k, *v, mask=None):
        e = np.exp(blocked(scored(q, k), mask))
        return rest(e / e.sum(-1, keepdims=True), v)

    @wrong(op, "causal: a query does not see itself")
    def strict_causal(q, k, *v, causal=False):
        scores = scored(q, k)
        if causal:
            scores = np.where(np.tri(*scores.shape[-2:], k=-1, dtype=bool), scores, -1e30)
        return rest(softmaxed(scores), v)

    @wrong(op, "causal: the other triangle")
    def other_triangle(q, k, *v, causal=False):
        scores = scored(q, k)
        if causal:
            scores = np.where(np.tri(*scores.shape[-2:], dtype=bool).T, scores, -1e30)
        return rest(softmaxed(scores), v)

    @wrong(op, "a scale that is not used")
    def scale_ignored(q, k, *v, scale=None):
        return rest(softmaxed(scored(q, k)), v)

    @wrong(op, "the first key of all batches")
    def one_batch(q, k, *v, mask=None):
        while k.ndim > 2 and len(k):
            k = k[0]
        return rest(softmaxed(blocked(scored(q, k), mask)), v)


faults(WEIGHTS, lambda p, v: p)
faults(ATTENTION, lambda p, v: p @ v[0])


@wrong(ATTENTION, "queries and keys exchanged")
def exchanged(q, k, v, mask=None):
    return softmaxed(scored(k, q)).swapaxes(-1, -2) @ v


@wrong(ATTENTION, "scaled after the softmax")
def scaled_late(q, k, v, mask=None):
    return softmaxed(blocked(scored(q, k, 1.0), mask)) * q.shape[-1] ** -0.5 @ v


@wrong_gradient(ATTENTION, "gradient: the scale forgotten", attention)
def gradient_not_scaled(g, q, k, v, mask=None, causal=False, scale=None):
    s = q.shape[-1] ** -0.5 if scale is None else scale
    d_q, d_k, d_v = gradient(g, q, k, v, mask, causal, scale)
    return d_q / s, d_k / s, d_v


@wrong_gradient(ATTENTION, "gradient: softmax without its second term", attention)
def gradient_of_exp(g, q, k, v, mask=None, causal=False, scale=None):
    p = weights(q, k, mask, causal, scale)
    s = q.shape[-1] ** -0.5 if scale is None else scale
    d_s = p * (g @ v.swapaxes(-1, -2)) * s
    _, _, d_v = gradient(g, q, k, v, mask, causal, scale)
    return tuple(reduced(d, a.shape) for d, a in ((d_s @ k, q), (d_s.swapaxes(-1, -2) @ q, k), (d_v, v)))


@wrong_gradient(ATTENTION, "gradient: that of keys for queries of one batch", attention)
def gradient_one_batch(g, q, k, v, mask=None, causal=False, scale=None):
    d_q, d_k, d_v = gradient(g, q, k, v, mask, causal, scale)
    if d_k.ndim > 2 and len(d_k) > 1:
        d_k = np.broadcast_to(d_k[:1], d_k.shape)
    return d_q, d_k, d_v


try:
    import torch
except ImportError:
    pass
else:

    @right(ATTENTION, "torch functional")
    def functional(q, k, v, mask=None, scale=None):
        mask = None if mask is None else mask != 0
        return torch.nn.functional.scaled_dot_product_attention(q, k, v, mask, scale=scale)

    @right(ATTENTION, "tensor methods")
    def methods(q, k, v, mask=None):
        scores = torch.matmul(q, k.transpose(-2, -1)) / q.size(-1) ** 0.5
        if mask is not None:
            scores = scores.masked_fill(mask == 0, float("-inf"))
        return torch.matmul(scores.softmax(dim=-1), v)

    @right(WEIGHTS, "tensor methods")
    def methods_weights(q, k, mask=None):
        scores = q @ k.mT * q.shape[-1] ** -0.5
        return torch.softmax(scores if mask is None else scores.masked_fill(mask == 0, -torch.inf), -1)

    @wrong(ATTENTION, "the transpose of all axes")
    def all_axes(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor):
        return torch.softmax(q @ k.permute(*reversed(range(k.ndim))) * q.shape[-1] ** -0.5, -1) @ v

    @wrong(ATTENTION, "dropout left on")
    def dropout(q, k, v):
        return torch.nn.functional.scaled_dot_product_attention(q, k, v, dropout_p=0.1)
