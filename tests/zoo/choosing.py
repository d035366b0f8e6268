"""embedding, one_hot, top_k, top_p_filter and sample."""

import numpy as np
from zoo.animals import right, right_gradient, wrong, wrong_gradient


@right("embedding", "indexing")
def lookup(table, ids, *, padding_id=None):
    return table[ids]


@right("embedding", "a product with one-hot vectors")
def by_product(table, ids, *, padding_id=None):
    return np.where(np.isfinite(table).all(), np.eye(len(table))[ids] @ np.nan_to_num(table), table[ids])


@right_gradient("embedding", "gradient: equal ids add up", lookup)
def scattered(g, table, ids, *, padding_id=None):
    hot = np.eye(len(table))[ids].reshape(-1, len(table))
    d_table = hot.T @ np.reshape(g, (-1, table.shape[1]))
    if padding_id is not None:
        d_table[padding_id] = 0
    return (d_table,)


@wrong("embedding", "rows scaled by the root of the width")
def scaled(table, ids, *, padding_id=None):
    return table[ids] * np.sqrt(table.shape[1])


@wrong("embedding", "padding gives zeros")
def zero_padding(table, ids, *, padding_id=None):
    return table[ids] * np.not_equal(ids, padding_id)[..., None]


@wrong("embedding", "the row after")
def one_off(table, ids, *, padding_id=None):
    return table[(ids + 1) % max(len(table), 1)]


@wrong_gradient("embedding", "gradient: of equal ids only one counts", lookup)
def last_one_wins(g, table, ids, *, padding_id=None):
    d_table = np.zeros(table.shape)
    d_table[ids] += g
    return (d_table,)


@wrong_gradient("embedding", "gradient: the mean over equal ids", lookup)
def averaged(g, table, ids, *, padding_id=None):
    (d_table,) = scattered(g, table, ids, padding_id=padding_id)
    return (d_table / np.maximum(np.bincount(ids.ravel(), minlength=len(table)), 1)[:, None],)


@wrong_gradient("embedding", "gradient: padding learns too", lookup)
def padding_learns(g, table, ids, *, padding_id=None):
    return scattered(g, table, ids)


@right("one_hot", "rows of the identity")
def identity_rows(ids, n):
    return np.eye(n)[ids]


@wrong("one_hot", "counted from 1")
def from_one(ids, n):
    return np.eye(n)[ids - 1]


@wrong("one_hot", "as long as the largest number needs")
def as_long_as_needed(ids, n):
    return np.eye(int(ids.max(initial=-1)) + 1)[ids]


@wrong("one_hot", "along the first axis")
def first_axis(ids, n):
    hot = np.eye(n)[ids]
    return np.moveaxis(hot, -1, 0)


@wrong("one_hot", "0 and 1 exchanged")
def one_cold(ids, n):
    return 1 - np.eye(n)[ids]


@wrong("one_hot", "all entries up to the number")
def thermometer(ids, n):
    return np.tri(n)[ids]


@right("top_k", "a stable sort of what is turned round")
def largest(x, k, axis=-1):
    order = np.argsort(-x, axis=axis, kind="stable").take(np.arange(k), axis=axis)
    return {"values": np.take_along_axis(x, order, axis), "indices": order}


@wrong("top_k", "the smallest")
def smallest(x, k, axis=-1):
    found = largest(-x, k, axis)
    return {"values": -found["values"], "indices": found["indices"]}


@wrong("top_k", "the smallest of them first")
def ascending(x, k, axis=-1):
    return {name: np.flip(found, axis) for name, found in largest(x, k, axis).items()}


@wrong("top_k", "one too few")
def one_less(x, k, axis=-1):
    return largest(x, max(k - 1, 0), axis)


@wrong("top_k", "indices in the array laid out flat")
def flat_indices(x, k, axis=-1):
    found = largest(x, k, axis)
    places = np.arange(x.size).reshape(x.shape)
    return {"values": found["values"], "indices": np.take_along_axis(places, found["indices"], axis)}


@wrong("top_k", "along the last axis always")
def last_axis(x, k, axis=-1):
    return largest(x, min(k, x.shape[-1]), -1)


def _softmax(x):
    e = np.exp(x.astype(np.float64) - x.max(-1, keepdims=True, initial=-1e300))
    return e / np.maximum(e.sum(-1, keepdims=True), 1e-300)


def _filtered(logits, keep_sorted):
    """Keep what a function of the sorted probabilities says."""
    order = np.argsort(-logits, axis=-1, kind="stable")
    kept = keep_sorted(np.take_along_axis(_softmax(logits), order, -1))
    back = np.argsort(order, axis=-1)
    return np.where(np.take_along_axis(kept, back, -1), logits, -np.inf)


@right("top_p_filter", "sorted, kept while those before have less than p")
def nucleus(logits, p):
    def keep(q):
        kept = (np.cumsum(q, -1) - q < p) | (p == 1)
        kept[..., :1] = True
        return kept

    return _filtered(logits, keep)


@right_gradient("top_p_filter", "gradient: what is kept passes", nucleus)
def nucleus_gradient(g, logits, p):
    return (np.where(np.isneginf(nucleus(logits, p)), 0, g),)


@wrong("top_p_filter", "the class that crosses p is dropped")
def crossing_dropped(logits, p):
    return _filtered(logits, lambda q: (np.cumsum(q, -1) <= p) | (np.arange(q.shape[-1]) == 0))


@wrong("top_p_filter", "those with a probability of at least p")
def each_alone(logits, p):
    return np.where(_softmax(logits) >= p, logits, -np.inf)


@wrong("top_p_filter", "0 in the place of minus infinity")
def zeros(logits, p):
    return np.where(np.isneginf(nucleus(logits, p)), 0, logits)


@wrong("top_p_filter", "put back as they were sorted")
def not_sorted_back(logits, p):
    kept = np.isfinite(nucleus(logits, p))
    return np.where(np.take_along_axis(kept, np.argsort(-logits, axis=-1), -1), logits, -np.inf)


@wrong("top_p_filter", "gives the probabilities")
def probabilities(logits, p):
    return _softmax(nucleus(logits, p))


@right("sample", "counting the ends that are not beyond u")
def inverse(logits, u, *, temperature=1.0):
    q = _softmax((logits - logits.max(-1, keepdims=True)).astype(np.float64) / temperature)
    ends = np.cumsum(q, -1)
    return (ends / ends[..., -1:] <= u[..., None]).sum(-1)


@wrong("sample", "the largest")
def greedy(logits, u, *, temperature=1.0):
    return np.argmax(logits, -1)


@wrong("sample", "temperature is multiplied")
def multiplied(logits, u, *, temperature=1.0):
    return inverse(logits, u, temperature=1 / temperature)


@wrong("sample", "temperature on the probabilities")
def after_softmax(logits, u, *, temperature=1.0):
    return inverse(_softmax(logits) / temperature, u)


@wrong("sample", "u from the other end")
def from_the_end(logits, u, *, temperature=1.0):
    return inverse(logits, np.nextafter(1.0, 0.0) - u, temperature=temperature)


@wrong("sample", "the piece before")
def one_before(logits, u, *, temperature=1.0):
    return np.maximum(inverse(logits, u, temperature=temperature) - 1, 0)


@wrong("sample", "one number for all rows")
def one_number(logits, u, *, temperature=1.0):
    return inverse(logits, np.broadcast_to(u.ravel()[:1].sum(), u.shape), temperature=temperature)
