"""Which query may attend to which key, and how what stands in a blocked slot is kept out of every product.

Shared by the definitions and the rules of all attention builtins.
"""

import numpy as np

from opbook.errors import InputError, ShapeError


def allowed_pairs(n_queries, n_keys, batch_ndim, mask, key_mask, bias, causal):
    """Combine everything that blocks, as Booleans: sums of large negative numbers would overflow.

    Args:
        n_queries: The number of queries, Nq.
        n_keys: The number of keys, Nk.
        batch_ndim: How many batch axes the scores have.
        mask: Boolean, broadcasts against (..., Nq, Nk), or None.
        key_mask: Boolean, (..., Nk), or None.
        bias: What is added to the scores, or None; -inf blocks.
        causal: Whether a query may only attend to keys up to its own position.

    Returns:
        A Boolean array that broadcasts against (..., Nq, Nk), True where attention is allowed; None if all of it is.

    Raises:
        ShapeError: `causal` with different numbers of queries and keys, or a key_mask whose axes can't be matched up.
    """
    check_masks(n_queries, n_keys, batch_ndim, key_mask, causal)
    parts = [] if mask is None else [mask]
    if key_mask is not None:
        parts.append(key_mask[..., None, :])
    if causal:
        parts.append(np.tri(n_queries, dtype=bool))
    if bias is not None and np.any(bias == -np.inf):
        parts.append(np.not_equal(bias, -np.inf))
    if not parts:
        return None
    allowed = parts[0]
    for part in parts[1:]:
        allowed = allowed & part
    return allowed


def check_masks(n_queries, n_keys, batch_ndim, key_mask, causal):
    """Refuse a key_mask or `causal` that `allowed_pairs` would have to guess the meaning of.

    Args:
        n_queries: The number of queries, Nq.
        n_keys: The number of keys, Nk.
        batch_ndim: How many batch axes the scores have.
        key_mask: Boolean, (..., Nk), or None.
        causal: Whether a query may only attend to keys up to its own position.

    Raises:
        ShapeError: `causal` with different numbers of queries and keys, or a key_mask whose axes can't be matched up.
    """
    if key_mask is not None and key_mask.ndim not in (1, batch_ndim + 1):
        batches = f" or {batch_ndim + 1} (one for each batch axis, which may be 1, and the keys)" if batch_ndim else ""
        raise ShapeError(
            f"key_mask has {key_mask.ndim} axes, but must have 1 (the keys){batches}, so that no axis has to be guessed"
        )
    if causal and n_queries != n_keys:
        raise ShapeError(
            f"causal=True needs as many queries as keys, but there are {n_queries} and {n_keys}; pass "
            f'mask=causal_mask({n_queries}, {n_keys}, align="lower-right") if the last query sees all keys (cached '
            'keys), or align="upper-left" if the first query sees the first key only'
        )


def score_scale(width, scale):
    """The factor of the scores: 1 / sqrt(D) unless one is given."""
    if scale is not None:
        return scale
    if width == 0:
        raise InputError("q and k have 0 columns, so 1 / sqrt(D) is not defined; pass scale=")
    return float(1 / np.sqrt(width))


def pair_scores(q, k, allowed):
    """Multiply q by the transpose of k so that a pair's score depends on that pair alone.

    A matrix product adds up 0 · NaN = NaN over whole rows, in its gradient too: rubbish in a blocked slot would spread.
    So entries that are not finite are replaced before the product, and NaN is put back for the pairs they belong to.

    Args:
        q: (..., Nq, D) queries.
        k: (..., Nk, D) keys.
        allowed: What `allowed_pairs` returned.

    Returns:
        The scores, and q and k as they went into the product.
    """
    if allowed is None or (np.isfinite(q).all() and np.isfinite(k).all()):
        with np.errstate(over="ignore", invalid="ignore"):  # huge numbers in a blocked slot may overflow there
            return q @ np.swapaxes(k, -1, -2), q, k
    good_q, good_k = np.isfinite(q), np.isfinite(k)
    q, k = np.where(good_q, q, 0), np.where(good_k, k, 0)
    good_pair = good_q.all(axis=-1)[..., :, None] & good_k.all(axis=-1)[..., None, :]
    with np.errstate(over="ignore", invalid="ignore"):
        return np.where(good_pair, q @ np.swapaxes(k, -1, -2), np.nan), q, k


def weighted_values(weights, v, allowed):
    """Multiply the weights by v so that a blocked value has no part in it, whatever stands there.

    Args:
        weights: (..., Nq, Nk) attention weights.
        v: (..., Nk, Dv) values.
        allowed: What `allowed_pairs` returned.

    Returns:
        The weighted sums, and v as it went into the product.
    """
    if allowed is None or np.isfinite(v).all():
        return weights @ v, v
    good = np.isfinite(v)
    v = np.where(good, v, 0)
    reached = np.broadcast_to(allowed, weights.shape).astype(np.float32) @ (~good).astype(np.float32) > 0
    return np.where(reached, np.nan, weights @ v), v
