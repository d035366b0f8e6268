"""What attention_weights and causal_mask are verified on, and what is true of them."""

import numpy as np

from opbook import Property, hookimpl
from opbook_attention_weights import attention_weights, causal_mask


@attention_weights.samples
def _(draw):
    q, k, square = draw.normal(3, 2), draw.normal(5, 2), draw.normal(4, 2)
    mask = np.array([[1, 1, 0, 1, 0], [0, 0, 0, 0, 0], [0, 1, 0, 1, 0]], bool)
    keys = np.array([0, 1, 1, 1, 0], bool)

    def by_hand(q, k, allowed, scale):
        e = np.exp(scale * q @ k.T) * allowed
        return e / np.maximum(e.sum(axis=1, keepdims=True), 1e-300)

    yield draw.known("scale", by_hand(q, k, 1, 0.7), q, k, scale=0.7)
    yield draw.known(
        "mask and key_mask leave a query no key", by_hand(q, k, mask & keys, 2**-0.5), q, k, mask, key_mask=keys
    ).at_edge()
    yield draw.known("causal", by_hand(square, square, np.tri(4), 2**-0.5), square, square, causal=True)
    causal = np.tri(4) * [0, 1, 1, 1]
    both = by_hand(square, square, causal, 2**-0.5)
    yield draw.known(
        "causal, and a key_mask that leaves a query no key", both, square, square, key_mask=[0, 1, 1, 1], causal=True
    ).at_edge()
    yield draw.known(
        "a bias of -inf at blocked keys", by_hand(q, k, mask, 2**-0.5), q, k, bias=np.where(mask, 0, -np.inf)
    ).at_edge()
    yield draw.call(q, draw.normal(2, 5, 2), key_mask=draw.mask(2, 5))
    yield draw.call(draw.normal(2, 3, 2), k, key_mask=draw.mask(2, 5))
    yield draw.call(draw.normal(2, 3, 2), k, key_mask=keys)
    clean, bias = by_hand(q, k, mask, 2**-0.5), np.where(mask, 0.5, -np.inf)
    for name, rubbish in (("NaN", np.nan), ("inf", np.inf), ("1e10", 1e10)):
        dirty_q, dirty_k = q.copy(), k.copy()
        dirty_q[1, 0] = dirty_k[2, 1] = rubbish
        yield draw.known(f"{name} in a blocked query and a blocked key", clean, dirty_q, dirty_k, mask).at_edge()
        yield draw.known(f"{name} in a query that may attend to nothing", clean, dirty_q, k, mask).at_edge()
        yield draw.known(
            f"{name} in a blocked key of one batch", np.stack([clean, clean]), q, np.stack([k, dirty_k]), mask
        ).at_edge()
        yield draw.known(f"{name} where the bias is -inf", clean, dirty_q, dirty_k, bias=bias).at_edge()
        dirty_q, dirty_k = q.copy(), k.copy()
        dirty_q[1], dirty_k[4], dirty_k[2, 0] = (1e300, -1e300), 1e300, rubbish  # they overflow, and cancel each other
        yield draw.known(f"{name} and 1e300 in blocked keys", clean, dirty_q, dirty_k, mask).at_edge()
    blocking = np.full((3, 5), -np.inf)
    yield draw.known("a bias of nothing but -inf", np.zeros((3, 5)), q, k, bias=blocking).at_edge()
    yield draw.known("NaN, and a bias of nothing but -inf", np.zeros((3, 5)), q, np.nan * k, bias=blocking).at_edge()
    bad_q, bad_k, answer = q.copy(), k.copy(), clean.copy()
    bad_q[0, 1] = bad_k[0, 0] = answer[0] = np.nan  # only query 0 may attend to key 0
    yield draw.known("NaN in a query that attends to some keys", answer, bad_q, k, mask)
    yield draw.known("NaN in a key that is attended to by one query", answer, q, bad_k, mask)
    both = np.stack([answer, clean])
    yield draw.known("NaN in one of two batches", both, np.stack([bad_q, q]), np.stack([bad_k, k]), mask)
    yield draw.large("scores far apart", 100 * q, 100 * k)
    yield draw.edge("scores far apart, masked", 100 * q, 100 * k, mask)
    largest = np.full((3, 1), 1e154), 8e153 * np.array([[0.1], [1.0], [0.5], [0.7], [0.2]])
    yield draw.edge("scores close to the largest number", *largest, mask)
    yield draw.edge("no keys", q, k[:0])
    yield draw.edge("vectors of length 0", q[:, :0], k[:, :0], scale=1.0)
    yield draw.refused("vectors of length 0, without scale", q[:, :0], k[:, :0])
    yield draw.refused("causal, with fewer queries than keys", q, k, causal=True)
    yield draw.refused("causal, with one query and several keys", q[:1], k, causal=True)
    two = draw.normal(2, 2, 3, 2)
    yield draw.refused("a key_mask with one of two batch axes", two, k, key_mask=draw.mask(2, 5)).saying("or 3 (one")
    yield from _capped_and_local_samples(draw)


def _capped_and_local_samples(draw):
    q, k = np.array([[1.0, 0.5], [-0.5, 1.0], [0.2, -0.3]]), np.array([[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]])
    # from `Attention`, opset 25, as onnx.reference 1.23 evaluates it in float64, with the unit matrix as v
    by_onnx = np.array([[0.534884008501, 0.465115991499, 0], [0, 0.568180440722, 0.431819559278], [0, 0, 1]])
    yield draw.known("a window and a softcap, by onnx.reference", by_onnx, q, k, window=(0, 1), softcap=0.5)
    by_onnx = np.array([[1, 0, 0], [0.257183315227, 0.742816684773, 0], [0, 0.455920556651, 0.544079443349]])
    yield draw.known("a window, by onnx.reference", by_onnx, q, k, window=(1, 0))
    by_onnx = [
        [0.354657721041, 0.308397661816, 0.336944617144],
        [0.211828504018, 0.447823627951, 0.340347868031],
        [0.391502607604, 0.279210748252, 0.329286644144],
    ]
    yield draw.known("a softcap, by onnx.reference", np.array(by_onnx), q, k, softcap=0.5)
    batch = draw.normal(2, 3, 7, 5), draw.normal(3, 7, 5)
    yield draw.call(*batch, softcap=0.8, scale=2.0, bias=draw.normal(7, 7))
    yield draw.call(*batch, softcap=1.2, bias=draw.normal(7, 7))
    yield draw.call(*batch, draw.mask(2, 3, 7, 7), softcap=1.5, window=(3, -1))
    yield draw.call(*batch, window=(-1, 2), key_mask=draw.mask(7), causal=True)
    dirty = np.where(np.arange(7)[:, None] == 4, np.nan, batch[1])
    yield draw.edge("NaN in a blocked key, with a softcap", *batch[:1], dirty, key_mask=np.arange(7) != 4, softcap=0.8)
    early, late = np.arange(7) > 2, np.full((7, 5), 1e200)
    yield draw.edge("a window without any key that is left", *batch, key_mask=early, window=(1, 0), softcap=0.8)
    yield draw.edge("scores beyond the largest number, with a softcap", late, late, softcap=2.0)
    yield draw.refused("a softcap of 0", q, k, softcap=0.0).saying("above 0, but is 0")
    yield draw.refused("a window below -1", q, k, window=(2, -2)).saying("(2, -2)")
    yield draw.refused("a window, with fewer queries than keys", q[:2], k, window=(1, 0)).saying("2 and 3")


@causal_mask.samples
def _(draw):
    yield 4
    yield 3, 3
    yield draw.call(0, 2, align="upper-left")
    for align in ("upper-left", "lower-right"):
        yield draw.call(2, 4, align=align)
        yield draw.call(4, 2, align=align)
    yield from ((0,), (0, 0))
    yield draw.refused("a negative number of queries", -1)
    yield draw.refused("a negative number of queries only", -1, 2, align="upper-left")
    yield draw.refused("a negative number of keys", 2, -1, align="upper-left")
    yield draw.refused("more than 10⁸ entries", 10**4, 10**4 + 1, align="upper-left")
    yield draw.refused("different numbers of queries and keys, without align", 2, 3)


@hookimpl
def opbook_properties():
    """State what makes an answer of attention an average, and that -1 is no limit."""

    def sums(op, *args, **options):
        total = op(*args, **options).sum(axis=-1)
        return total, np.where(np.isnan(total), total, total > 0.5)

    def without_limits(op, q, k, *args, **options):
        if q.shape[-2] != k.shape[-2] or "window" in options:
            return None
        return op(q, k, *args, window=(-1, -1), **options), op(q, k, *args, **options)

    return [
        Property("attention_weights", "rows add up to 1", "Each row adds up to 1, or is 0 altogether.", sums),
        Property("attention_weights", "no limits", "A window of (-1, -1) changes nothing.", without_limits),
    ]
