"""grouped_query_attention and append_to_cache."""

import numpy as np
from zoo.animals import right, wrong
from zoo.attention import blocked, scored, softmaxed

GROUPED, APPEND = "grouped_query_attention", "append_to_cache"


def attention(q, k, v, mask=None, *, causal=False, scale=None):
    return softmaxed(blocked(scored(q, k, scale), mask, causal)) @ v


@right(GROUPED, "each head by its own index")
def by_index(q, k, v, mask=None, *, causal=False, scale=None):
    heads = np.arange(q.shape[-3]) * k.shape[-3] // max(q.shape[-3], 1)
    return attention(q, k[..., heads, :, :], v[..., heads, :, :], mask, causal=causal, scale=scale)


@right(GROUPED, "the groups as an axis of their own")
def by_axis(q, k, v, *, causal=False, scale=None):
    groups, size = k.shape[-3], q.shape[-3] // k.shape[-3]
    split = q.reshape(*q.shape[:-3], groups, size, *q.shape[-2:])
    answers = attention(split, k[..., None, :, :], v[..., None, :, :], causal=causal, scale=scale)
    return answers.reshape(*answers.shape[:-4], groups * size, *answers.shape[-2:])


@wrong(GROUPED, "tiled, not repeated")
def tiled(q, k, v, mask=None, *, causal=False, scale=None):
    heads = np.arange(q.shape[-3]) % k.shape[-3]
    return attention(q, k[..., heads, :, :], v[..., heads, :, :], mask, causal=causal, scale=scale)


@wrong(GROUPED, "the keys repeated, the values tiled")
def values_tiled(q, k, v, mask=None, *, causal=False, scale=None):
    keys = np.arange(q.shape[-3]) * k.shape[-3] // q.shape[-3]
    values = np.arange(q.shape[-3]) % k.shape[-3]
    return attention(q, k[..., keys, :, :], v[..., values, :, :], mask, causal=causal, scale=scale)


@wrong(GROUPED, "the first head of keys for all")
def first_head(q, k, v, mask=None, *, causal=False, scale=None):
    return attention(q, k[..., :1, :, :], v[..., :1, :, :], mask, causal=causal, scale=scale)


@wrong(GROUPED, "the mean of all heads of keys for all")
def mean_head(q, k, v, mask=None, *, causal=False, scale=None):
    k, v = (x.mean(axis=-3, keepdims=True) for x in (k, v))
    return attention(q, k, v, mask, causal=causal, scale=scale)


@wrong(GROUPED, "the heads of a group in the other order")
def in_reverse(q, k, v, mask=None, *, causal=False, scale=None):
    size = q.shape[-3] // k.shape[-3]
    heads = np.arange(q.shape[-3]).reshape(-1, size)[:, ::-1].ravel()
    return by_index(q, k, v, mask, causal=causal, scale=scale)[..., heads, :, :]


@wrong(GROUPED, "scaled by the number of heads")
def by_heads(q, k, v, mask=None, *, causal=False, scale=None):
    return by_index(q, k, v, mask, causal=causal, scale=q.shape[-3] ** -0.5 if scale is None else scale)


@right(APPEND, "written into room kept in advance")
def into_room(cache, k, v):
    if cache is None:
        return {"k": k, "v": v}
    joined = {}
    for name, new in (("k", k), ("v", v)):
        old, n = cache[name], cache[name].shape[-2]
        room = np.empty((*old.shape[:-2], n + new.shape[-2], old.shape[-1]), new.dtype)
        room[..., :n, :], room[..., n:, :] = old, new
        joined[name] = room
    return joined


@wrong(APPEND, "the new rows in front")
def in_front(cache, k, v):
    if cache is None:
        return {"k": k, "v": v}
    return {name: np.concatenate([new, cache[name]], axis=-2) for name, new in (("k", k), ("v", v))}


@wrong(APPEND, "the last row written over")
def one_too_early(cache, k, v):
    if cache is None:
        return {"k": k, "v": v}
    parts = {name: (cache[name][..., :-1, :], new) for name, new in (("k", k), ("v", v))}
    return {name: np.concatenate([*both, both[1][..., :0, :]], axis=-2) for name, both in parts.items()}


@wrong(APPEND, "an empty row in between")
def one_too_late(cache, k, v):
    if cache is None:
        return {"k": k, "v": v}
    parts = {name: (cache[name], 0 * new[..., :1, :], new) for name, new in (("k", k), ("v", v))}
    return {name: np.concatenate(both, axis=-2) for name, both in parts.items()}


@wrong(APPEND, "nothing appended")
def forgets_the_new(cache, k, v):
    return {"k": k, "v": v} if cache is None else {"k": 1.0 * cache["k"], "v": 1.0 * cache["v"]}


@wrong(APPEND, "the cache forgotten")
def forgets_the_old(cache, k, v):
    return {"k": 1.0 * k, "v": 1.0 * v}


@wrong(APPEND, "keys and values exchanged")
def exchanged(cache, k, v):
    if cache is None:
        return {"k": v, "v": k}
    return {name: np.concatenate([cache[name], new], axis=-2) for name, new in (("v", k), ("k", v))}
