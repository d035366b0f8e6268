"""What multi_head_attention is verified on, and what is true of it."""

import numpy as np

from opbook import Property, hookimpl
from opbook_multi_head_attention import multi_head_attention


@multi_head_attention.samples
def _(draw):
    # heads as most libraries have them: equal ones that fill the width
    for batch, rows, width, count in (((), 5, 6, 2), ((7,), 5, 6, 3), ((4, 7), 5, 6, 2)):
        yield draw.normal(*batch, rows, width), heads_of(draw, width, [width // count] * count), count
    yield draw.large("three batch axes", draw.normal(4, 7, 5, 11, 6), heads_of(draw, 6, (2, 2, 2)), 3)
    yield draw.large("larger sizes", draw.normal(2, 37, 20), heads_of(draw, 20, (4,) * 5), 5)
    for batch, widths in (((), (3,)), ((), (2, 5)), ((2,), (4, 4)), ((0,), (1,))):
        yield draw.normal(*batch, 4, 3), heads_of(draw, 3, widths), len(widths)
    yield from _masked_samples(draw, heads=({name: draw.normal(3, 3) for name in ("wq", "wk", "wv", "wo")},) * 2)


def heads_of(draw, width, widths):
    """Heads for rows of a width.

    Args:
        draw: Draws the numbers.
        width: The width of the rows.
        widths: The width of each head.

    Returns:
        A record for each head.
    """
    return tuple(
        {name: draw.normal(width, own) for name in ("wq", "wk", "wv")} | {"wo": draw.normal(own, width)}
        for own in widths
    )


def _masked_samples(draw, heads):
    def by_hand(x, allowed):
        total = 0
        for head in heads:
            q, k, v = (x @ head[name] for name in ("wq", "wk", "wv"))
            e = np.exp(q @ k.T / np.sqrt(3)) * allowed
            total = total + e / np.maximum(e.sum(axis=1, keepdims=True), 1e-300) @ v @ head["wo"]
        return total

    x, other, all_keys = draw.normal(4, 3), draw.normal(4, 3), np.ones((4, 4), bool)
    dirty, cleaned = x.copy(), x.copy()
    dirty[2, 1], cleaned[2, 1] = np.nan, 0
    # row 0 attends only, row 1 is attended to only, row 2 attends but is padding
    mask = np.array([[0, 1, 0, 1], [0, 0, 0, 0], [0, 1, 0, 0], [0, 1, 0, 1]], bool)
    yield draw.known("NaN in padding, mask", by_hand(cleaned, mask), dirty, heads, 2, mask).at_edge()
    keys = np.array([[1, 1, 0, 1], [1, 0, 1, 1]], bool)
    yield draw.known("NaN in padding, key_mask", by_hand(cleaned, keys[0]), dirty, heads, 2, key_mask=keys[0]).at_edge()
    one_batch = np.stack([by_hand(cleaned, mask), by_hand(other, mask)])
    yield draw.known("NaN in padding of one batch", one_batch, np.stack([dirty, other]), heads, 2, mask).at_edge()
    both = np.stack([by_hand(cleaned, keys[0]), by_hand(other, keys[1])])
    yield draw.known(
        "NaN in padding, a key_mask for each batch", both, np.stack([dirty, other]), heads, 2, key_mask=keys
    )
    late, all_keys[3, 3] = np.where(np.arange(4)[:, None] == 3, [np.inf, 1.0, -np.inf], x), False
    causal = by_hand(np.where(np.isfinite(late), late, 0), np.tri(4) * all_keys)
    yield draw.known("infinity in padding, causal", causal, late, heads, 2, all_keys, causal=True).at_edge()
    answer = by_hand(x, mask)
    answer[[0, 2, 3]] = np.nan
    in_use = np.where(np.arange(4)[:, None] == 1, np.nan, x)
    yield draw.known("NaN in a row that some may attend to", answer, in_use, heads, 2, mask)
    each = np.stack([mask, draw.mask(4, 4)])
    answers = np.stack([by_hand(x, mask), by_hand(other, each[1])])
    yield draw.known("a mask for each batch", answers, np.stack([x, other]), heads, 2, each).at_edge()
    yield draw.known(
        "a mask with two batch axes", answers[None], np.stack([x, other])[None], heads, 2, each[None]
    ).at_edge()
    yield draw.known("NaN and no mask", np.full((4, 3), np.nan), dirty, heads, 2)
    yield draw.large("many rows", draw.normal(2, 270, 3), heads, 2, key_mask=np.arange(540).reshape(2, 270) % 7 > 0)
    yield draw.refused("fewer heads than n_heads", x, heads, 3)
    yield draw.refused("no heads", x, (), 0)


@hookimpl
def opbook_properties():
    """State that attention knows no order."""

    def backwards(op, x, heads, n_heads, mask=None, **options):
        if mask is not None or options:
            return None  # which name rows by their places
        return op(x[..., ::-1, :], heads, n_heads), op(x, heads, n_heads)[..., ::-1, :]

    sentence = "Without a mask, rows in another order give the same answers in that order."
    return [Property("multi_head_attention", "order of rows", sentence, backwards)]
