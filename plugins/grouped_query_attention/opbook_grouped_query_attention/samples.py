"""What grouped_query_attention and append_to_cache are verified on, and what is true of them."""

import numpy as np
from opbook_attention_weights import causal_mask

from opbook import Property, hookimpl
from opbook_grouped_query_attention import append_to_cache, grouped_query_attention


def numbers(*shape, start):
    """Numbers between -1 and 1 that a formula gives, for answers that were computed elsewhere."""
    return np.cos(start + 1.7 * np.arange(np.prod(shape))).reshape(shape)


@grouped_query_attention.samples
def _(draw):
    q, k, v = numbers(4, 3, 2, start=0.3), numbers(2, 5, 2, start=1.0), numbers(2, 5, 3, start=2.0)
    # by torch's scaled_dot_product_attention with enable_gqa=True, PyTorch 2.13, in float64
    plain = [
        [
            [0.014914668886, -0.073458565572, 0.00401479458],
            [0.164474013233, 0.00375479162, -0.165441581688],
            [-0.007861087776, -0.08114679567, 0.028771723479],
        ],
        [
            [0.210180129553, 0.013848953789, -0.213748852448],
            [-0.022175577014, -0.041478414531, 0.032864107703],
            [0.204724628173, 0.047539000547, -0.216974905142],
        ],
        [
            [0.125983599196, -0.028864482799, -0.118545539817],
            [-0.017422323996, -0.049835682543, 0.030264430627],
            [0.188895602857, -0.043067888486, -0.177797482232],
        ],
        [
            [-0.028891353583, -0.00502214333, 0.030185504618],
            [0.21110801753, -0.01483510906, -0.207285173281],
            [-0.034322471782, 0.051532920943, 0.021043005506],
        ],
    ]
    # by `Attention`, opset 25, as onnx.reference 1.23 evaluates it in float64
    of_one = [
        [
            [0.042832508684, -0.036090612927, -0.033532355141],
            [0.123197267135, 0.02729702966, -0.130231411099],
            [0.008120697759, -0.028008890666, -0.000903115052],
        ],
        [
            [0.155748377364, 0.03661739519, -0.165184276895],
            [-0.015760880835, -0.013348267487, 0.019200582383],
            [0.161250396437, 0.040283067711, -0.171630899412],
        ],
        [
            [-0.018378056279, 0.002789251473, 0.017659296888],
            [0.142451747986, 0.039004301032, -0.15250272687],
            [0.000798262787, 0.034625912876, -0.009720979255],
        ],
        [
            [0.086039209538, 0.019706104268, -0.091117255616],
            [0.036407308928, 0.036479277662, -0.045807617094],
            [0.051767802898, -0.022274972763, -0.046027787696],
        ],
    ]
    yield draw.known("two heads of keys, by PyTorch", np.array(plain), q, k, v)
    yield draw.known(
        "one head of keys and a softcap, by onnx.reference", np.array(of_one), q, k[:1], v[:1], softcap=0.5
    )
    yield from _with_options(draw)
    yield from _refusals(draw)


def _with_options(draw):
    q, k, v = draw.normal(2, 3, 6, 5, 4), draw.normal(3, 2, 5, 4), draw.normal(3, 2, 5, 7)
    yield draw.edge("a mask and a window", q, k, v, draw.mask(2, 3, 6, 5, 5), window=(3, -1), softcap=1.5)
    yield draw.edge("causal, masked", q, k, v, draw.mask(3, 1, 5, 5)[None], causal=True, scale=0.7)
    yield draw.call(q[0], k, v, draw.mask(6, 5, 5)[None], bias=draw.normal(6, 1, 5))
    yield draw.call(q[0, 0], k[0], v[0], draw.mask(6, 5, 5), bias=draw.normal(1, 5, 5))
    empty = np.array([[1, 1, 0, 1, 0], [0, 0, 0, 0, 0]], bool)
    yield draw.edge("a query that may attend to nothing", q[..., :2, :], k, v, empty)
    dirty_k, dirty_v = (np.where(np.arange(5)[:, None] == 3, np.nan, x) for x in (k, v))
    kept = np.stack([np.arange(5) != 3] * 3)
    yield draw.edge("NaN in padding, a key_mask for each batch", q[0], dirty_k, dirty_v, key_mask=kept)
    yield draw.edge("no keys", q, k[..., :0, :], v[..., :0, :])
    yield draw.edge("no heads at all", q[:, :, :0], k[:, :0], v[:, :0])


def _refusals(draw):
    q, k, v = draw.normal(2, 6, 3, 4), draw.normal(2, 2, 5, 4), draw.normal(2, 2, 5, 7)
    yield draw.refused("5 query heads to 2 heads of keys", q[:, :5], k, v).saying("Hk*G = 2*G for a whole number G")
    yield draw.refused("no heads of keys", q, k[:, :0], v[:, :0]).saying("q has 6 heads but k has 0")
    yield draw.refused("a mask without heads", q, k, v, draw.mask(6, 3, 5)).saying("mask has 3 axes, but must have 2")
    deep = q[None], k[None], v[None]
    yield draw.refused("a key_mask with one of two batch axes", *deep, key_mask=draw.mask(2, 5)).saying("or 3 (one")
    yield draw.refused("causal, with fewer queries than keys", q, k, v, causal=True).saying('align="lower-right"')


@append_to_cache.samples
def _(draw):
    k, v = draw.normal(2, 3, 5, 4), draw.normal(2, 3, 5, 7)
    yield draw.known("no cache", {"k": k, "v": v}, None, k, v)
    for n in (4, 2):
        first, rest = ({"k": k[..., rows, :], "v": v[..., rows, :]} for rows in (slice(n), slice(n, None)))
        yield draw.known(f"{5 - n} more rows", {"k": k, "v": v}, first, rest["k"], rest["v"])
    yield draw.known("an empty cache", {"k": k, "v": v}, {"k": k[..., :0, :], "v": v[..., :0, :]}, k, v)
    yield draw.known("no new rows", {"k": k, "v": v}, {"k": k, "v": v}, k[..., :0, :], v[..., :0, :])
    cache, row = {"k": k, "v": v}, (k[..., :1, :], v[..., :1, :])
    yield draw.refused("fewer batches than the cache", cache, row[0][:1], row[1][:1]).saying(
        "(1, 3) but cache.k has (2, 3)"
    )
    yield draw.refused("keys of another width than the cache", cache, row[1], row[1]).saying(
        "7 columns but cache.k has 4"
    )
    yield draw.refused("more keys than values", cache, k, row[1]).saying("v has 1 row but k has 5")


def in_steps(op, q, k, v, *, size=1, **options):
    """The answers of causal attention, `size` rows at a time, with all keys so far in a cache."""
    cache, answers, key_mask = None, [], options.pop("key_mask", None)
    for start in range(0, q.shape[-2], size):
        rows = slice(start, start + size)
        cache = append_to_cache(cache, k[..., rows, :], v[..., rows, :])
        n, n_keys = q[..., rows, :].shape[-2], cache["k"].shape[-2]
        mask = causal_mask(n, n_keys, align="lower-right")
        seen = None if key_mask is None else key_mask[..., :n_keys]
        answers.append(op(q[..., rows, :], cache["k"], cache["v"], mask, key_mask=seen, **options))
    return np.concatenate(answers, axis=-2)


@hookimpl
def opbook_properties():
    """State what sharing means, and that a cache changes nothing."""

    def copies(op, q, k, v, *args, **options):
        size = q.shape[-3] // max(k.shape[-3], 1)
        return op(q, np.repeat(k, size, axis=-3), np.repeat(v, size, axis=-3), *args, **options), op(
            q, k, v, *args, **options
        )

    def full_pass(op, q, k, v, mask, options):
        is_square = q.shape[-2] == k.shape[-2] and 1 < q.shape[-2] < 10
        if mask is not None or not is_square or {"bias", "window", "causal"} & set(options):
            return None
        return op(q, k, v, causal=True, **options)

    def decoded(op, q, k, v, mask=None, **options):
        whole = full_pass(op, q, k, v, mask, options)
        if whole is None:
            return None
        return [in_steps(op, q, k, v, size=size, **options) for size in (1, 3)], [whole, whole]

    def bits(op, q, k, v, mask=None, **options):
        q, k, v = (x.astype(np.float32) for x in (q, k, v))
        whole = full_pass(op, q, k, v, mask, options)
        if whole is None:
            return None
        stepwise = [in_steps(op, q, k, v, size=size, **options) for size in (1, 3)]
        return [float(np.array_equal(whole, steps, equal_nan=True)) for steps in stepwise], [1.0, 1.0]

    def joined(op, cache, k, v):
        one_by_one = cache
        for i in range(k.shape[-2]):
            one_by_one = op(one_by_one, k[..., i : i + 1, :], v[..., i : i + 1, :])
        if one_by_one is None:
            return None
        at_once = op(cache, k, v)
        same = [float(np.array_equal(one_by_one[name], at_once[name], equal_nan=True)) for name in ("k", "v")]
        return same, [1.0, 1.0]

    shared = "A head of keys that is shared answers as copies of it would, one for each query head, next to each other."
    steps = "Steps with a cache, of one row or of several, give the rows of the full causal pass."
    in_float32 = "In float32, steps with a cache give the full causal pass bit for bit."
    pieces = "Row by row or all at once, the cache is the same bit for bit."
    return [
        Property("grouped_query_attention", "shared heads", shared, copies),
        Property("grouped_query_attention", "steps with a cache", steps, decoded),
        Property("grouped_query_attention", "the bits of steps", in_float32, bits),
        Property("append_to_cache", "in pieces", pieces, joined),
    ]
