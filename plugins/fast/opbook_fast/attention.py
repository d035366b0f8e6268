"""Scaled dot-product attention: in tiles where there are many scores, and with BLAS held where there are fewer."""

from math import sqrt

import numpy as np
from opbook_attention_weights import allowed_pairs
from opbook_scaled_dot_product_attention import scaled_dot_product_attention

from opbook_fast import blas
from opbook_fast.short import ShortAttention, blocked_pairs, later_keys
from opbook_fast.tiles import AllowedTiles, TiledAttention

TAKEN_FROM = 2**13
"""Calls of fewer multiplications are left to the builtin's own rule: BLAS shares no product of them among threads."""

TILED_FROM = 2**16
"""Tiles pay from so many scores a head on (256 × 256): below, starting threads and copying the inputs costs more."""


def attention(q, k, v, mask=None, *, key_mask=None, bias=None, causal=False, window=None, scale=None, softcap=None):
    """The rule, for calls whose products BLAS would share among threads, without a window or a softcap."""
    if window is not None or softcap is not None:
        return NotImplemented
    if q.shape[-2] * k.shape[-2] * (q.shape[-1] + v.shape[-1]) < TAKEN_FROM:
        return NotImplemented
    value, pull = attend(q, k, v, mask, key_mask=key_mask, bias=bias, causal=causal, scale=scale)
    return value, lambda g: (*pull(g), None)


def attend(q, k, v, mask=None, *, key_mask=None, bias=None, causal=False, scale=None, out=None):
    """Attention by the plan that suits the sizes, for other rules to build on.

    Args:
        q: As for `scaled_dot_product_attention`, and likewise all others.
        k: The keys.
        v: The values.
        mask: Which query may attend to which key.
        key_mask: Which keys may be attended to.
        bias: Added to the scores.
        causal: Whether a query may only attend to keys up to its own position.
        scale: The factor of the scores, or None.
        out: An array for the answers, for several heads with the same batch axes in q, k and v; or None.

    Returns:
        The answers, which must not be written into; a function from their cotangent to the gradients of q, k and v,
        which takes arrays to write these into as `out`.
    """
    if bias is None and fits_tiles(q, k, key_mask, causal):
        tiled = tiled_attention(q, k, v, mask, key_mask=key_mask, causal=causal, scale=scale)
        if tiled.is_finite:
            return _written(tiled.forward(), tiled.backward, out)
    elif bias is None and is_short(q, k, v, key_mask, causal):
        short = short_attention(q, k, v, mask, key_mask=key_mask, causal=causal, scale=scale)
        value = np.empty((*q.shape[:-1], v.shape[-1]), q.dtype) if out is None else out
        with blas.one_thread:
            is_done = short.forward(value)
        if is_done:

            def pull(g, out=None):
                gradients = [np.empty(x.shape, x.dtype) for x in (q, k, v)] if out is None else out
                with blas.one_thread:
                    short.backward(g, gradients)
                return gradients

            return value, pull
    rule = blas.held(scaled_dot_product_attention.own_rule)
    value, pull = rule(q, k, v, mask, key_mask=key_mask, bias=bias, causal=causal, scale=scale)
    return _written(value, lambda g: pull(g)[:3], out)


def _written(value, pull, out):
    """Answers and their pullback, of a plan that makes its own arrays, with results in arrays that are given."""
    if out is not None:
        out[...] = value

    def into(g, out=None):
        gradients = pull(g)
        if out is None:
            return gradients
        for array, gradient in zip(out, gradients, strict=True):
            array[...] = gradient
        return out

    return value if out is None else out, into


def is_short(q, k, v, key_mask, causal):
    """Tell whether all scores of a head at once are the better plan, for a call that fits no tiles and is right.

    Args:
        q: (..., Nq, D) queries.
        k: (..., Nk, D) keys.
        v: (..., Nk, Dv) values.
        key_mask: Which keys may be attended to.
        causal: Whether a query may only attend to keys up to its own position.

    Returns:
        False also for a call without a batch axis, or with several that are broadcast.
    """
    if not 2 < q.ndim == k.ndim == v.ndim or not q.shape[:-2] == k.shape[:-2] == v.shape[:-2]:
        return False
    return not _may_be_refused(q, k, key_mask, causal)


def short_attention(q, k, v, mask=None, *, key_mask=None, causal=False, scale=None):
    """Prepare attention with all scores of a head at once.

    Args:
        q: As for `scaled_dot_product_attention`, and likewise all others.
        k: The keys.
        v: The values.
        mask: Which query may attend to which key.
        key_mask: Which keys may be attended to.
        causal: Whether a query may only attend to keys up to its own position.
        scale: The factor of the scores, or None.

    Returns:
        A `ShortAttention`.
    """
    if causal and mask is None and key_mask is None:
        blocked = later_keys(q.shape[-2], q.dtype)
    else:
        blocked = blocked_pairs(allowed_pairs(q, k, mask, key_mask, causal=causal), q.dtype)
    return ShortAttention(q, k, v, blocked, 1 / sqrt(q.shape[-1]) if scale is None else scale)


def fits_tiles(q, k, key_mask, causal):
    """Tell whether tiles are the better plan. What has to be refused is left to the builtin's own rule.

    Args:
        q: (..., Nq, D) queries.
        k: (..., Nk, D) keys.
        key_mask: Which keys may be attended to.
        causal: Whether a query may only attend to keys up to its own position.

    Returns:
        False for few scores, and for a call that may be wrong.
    """
    return q.shape[-2] * k.shape[-2] >= TILED_FROM and not _may_be_refused(q, k, key_mask, causal)


def _may_be_refused(q, k, key_mask, causal):
    (n_queries, width), n_keys = q.shape[-2:], k.shape[-2]
    is_causal_wrong = causal and n_queries != n_keys
    is_key_mask_wrong = key_mask is not None and key_mask.ndim not in (1, max(q.ndim, k.ndim) - 1)
    return width == 0 or is_causal_wrong or is_key_mask_wrong


def tiled_attention(q, k, v, mask=None, *, key_mask=None, causal=False, scale=None):
    """Prepare attention in tiles.

    Args:
        q: As for `scaled_dot_product_attention`, and likewise all others.
        k: The keys.
        v: The values.
        mask: Which query may attend to which key.
        key_mask: Which keys may be attended to.
        causal: Whether a query may only attend to keys up to its own position.
        scale: The factor of the scores, or None.

    Returns:
        A `TiledAttention`, which may say that the numbers are none for it.
    """
    batch = np.broadcast_shapes(q.shape[:-2], k.shape[:-2], v.shape[:-2])
    allowed = AllowedTiles(batch, q.shape[-2], k.shape[-2], mask, key_mask, causal)
    return TiledAttention(q, k, v, allowed, 1 / sqrt(q.shape[-1]) if scale is None else scale)
