"""What scaled_dot_product_attention is verified on."""

import numpy as np

from opbook.figures import Heatmap, Switches
from opbook_scaled_dot_product_attention import attention_map, scaled_dot_product_attention


@scaled_dot_product_attention.samples
def _(draw):
    q, k, v = draw.normal(3, 2), draw.normal(4, 2), draw.normal(4, 5)
    empty = np.array([[1, 1, 0, 1], [0, 0, 0, 0], [0, 1, 0, 1]], bool)
    one_row_of_0 = "1 of 3 rows 0, the others finite"
    yield draw.edge("a query that may attend to nothing", q, k, v, mask=empty).in_pytorch(one_row_of_0)
    in_torch = {"1e10": one_row_of_0, "1.7e308": "5 of 15 entries NaN", "inf": "all NaN", "NaN": "all NaN"}
    for name, rubbish in (("1e10", 1e10), ("1.7e308", 1.7e308), ("inf", np.inf), ("NaN", np.nan)):
        dirty_k, dirty_v = k.copy(), v.copy()
        dirty_k[2], dirty_v[2] = rubbish, np.multiply(rubbish, [1, -1, 1, -1, 1])
        yield draw.edge(f"{name} in a blocked key and its value", q, dirty_k, dirty_v, mask=empty).in_pytorch(
            in_torch[name]
        )
        dirty_q = q.copy()
        dirty_q[1] = rubbish
        yield draw.edge(f"{name} in a query that may attend to nothing", dirty_q, k, v, mask=empty)
    yield draw.call(draw.normal(4, 2), k, v, causal=True)
    yield draw.call(q, draw.normal(2, 4, 2), draw.normal(2, 4, 5), key_mask=draw.mask(2, 4))
    padding = np.where(np.arange(4)[:, None] == 2, np.nan, v)
    yield draw.edge("NaN in padding", q, k, padding, key_mask=empty[0]).in_pytorch("all NaN")
    yield draw.edge("NaN where the bias is -inf", q, k, padding, bias=np.where(empty[0], 0.5, -np.inf)[None])
    dirty_v = v.copy()
    dirty_v[2, 0], dirty_v[1, 1], dirty_v[0, 2] = np.inf, np.nan, -np.inf  # of these, key 2 is blocked for all queries
    answer = np.exp(q @ k.T / np.sqrt(2)) * empty
    answer = answer / np.maximum(answer.sum(axis=1, keepdims=True), 1e-300) @ v
    answer[0, 1] = answer[2, 1] = answer[0, 2] = np.nan
    yield draw.known("values that are not finite, some of them blocked", answer, q, k, dirty_v, mask=empty)
    yield draw.known("NaN in a value, no mask", np.full((3, 5), np.nan), q, k, np.full((4, 5), np.nan))
    yield draw.large("scores far apart", 100 * q, 100 * k, v)
    yield draw.edge("scores far apart, masked", 100 * q, 100 * k, v, mask=empty).in_pytorch(one_row_of_0)
    yield draw.edge("no keys", q, k[:0], v[:0]).in_pytorch("all 0")
    x = draw.normal(2, 3, 7, 5)
    yield draw.call(x, draw.normal(7, 5), draw.normal(3, 7, 2), draw.mask(7, 7), window=(2, 1), softcap=1.5)
    yield draw.call(x, x, x, bias=draw.normal(7, 7), softcap=0.7, scale=2.0)
    rubbish = np.where(np.arange(7)[:, None] == 4, np.inf, x[0, 0])
    options = {"key_mask": np.arange(7) != 4, "softcap": 0.7, "window": (3, 2)}
    yield draw.edge("infinity in padding, with a softcap and a window", x, rubbish, rubbish, **options)
    yield draw.refused("a softcap of 0", x, x, x, softcap=0.0).saying("above 0, but is 0")
    yield from _long_samples(draw)


def _long_samples(draw):
    """Sequences longer than a tile, and no multiple of one."""
    q, k, v = draw.normal(130, 3), draw.normal(530, 3), draw.normal(530, 2)
    early, spread, sparse = np.arange(530) < 500, np.arange(530) % 7 > 0, draw.mask(130, 530)
    sparse[[0, 120]] = False
    sparse[:, 30:520] = False
    yield draw.edge("many keys, most of them blocked", q, k, v, sparse, key_mask=early)
    yield draw.large("many keys, most of them padding", q, k, v, key_mask=np.arange(530) < 200)
    yield draw.large("many keys and a bias", q, k, v, bias=draw.normal(1, 530), scale=0.3)
    queries, values = np.stack([[q], [2 * q]]), draw.normal(3, 530, 2)
    yield draw.edge("many keys, a batch of queries and of values", queries, k, values, sparse, key_mask=spread)
    batch = draw.normal(2, 530, 3)
    yield draw.large("many keys, a batch of them", q, batch, v, draw.mask(2, 130, 530), key_mask=draw.mask(2, 530))
    yield draw.edge("many keys, an empty batch", q[None][:0], k, v)
    yield draw.large(
        "very many keys", draw.normal(26, 30), draw.normal(2600, 30), draw.normal(2600, 2), draw.mask(26, 2600)
    )
    square = draw.normal(258, 3)
    yield draw.large("many keys, causal", square, square, draw.normal(2, 258, 2), causal=True)
    yield draw.edge("many keys, causal and masked", square, square, square, draw.mask(258, 258), causal=True)
    yield from _long_samples_of_numbers(draw, q, k, v, spread, sparse)
    yield draw.refused("many keys, causal", q, k, v, causal=True).saying("130 and 530")
    yield draw.refused("many keys, a key_mask for a batch that they have not", q, k, batch, key_mask=early[None])


def _long_samples_of_numbers(draw, q, k, v, spread, sparse):
    """Large numbers, and such that are none."""
    yield draw.large("many keys, scores far apart", 8 * q, 8 * k, v, key_mask=spread)
    far_q, far_k = q.copy(), k.copy()
    far_q[-1], far_k[0] = (0, 0, 3000), (0, 0, 5)
    yield draw.edge("many keys, scores far apart in one place", far_q, far_k, v, sparse)
    yield draw.large("many keys, all scores far below 0", 30 * np.abs(q), -30 * np.abs(k), v)
    directions = (6 * x / np.linalg.norm(x, axis=1, keepdims=True) for x in (q, k))
    yield draw.edge("many keys, large scores of very large values", *directions, -1e300 * np.abs(v), scale=1.0)
    for name, rubbish in (("1e10", 1e10), ("1e308", 1e308), ("NaN", np.nan)):
        dirty = np.where(spread[:, None], k, rubbish)
        yield draw.edge(f"many keys, {name} in those that are blocked", q, dirty, v, key_mask=spread)
    yield draw.edge("many keys, NaN in blocked values", q, k, np.where(spread[:, None], v, np.nan), key_mask=spread)
    huge = np.where(spread[:, None], k, 1e308)
    yield draw.edge("many keys, 1e308 in those that are blocked, queries of 0", 0 * q, huge, v, key_mask=spread)


@attention_map.samples
def _(draw):
    q, k, v = draw.normal(3, 2), draw.normal(4, 2), draw.normal(4, 5)
    yield q, k, v
    yield draw.call(
        q, k, v, draw.mask(3, 4), scale=2.0, title="weights", rows=("a", "b", "c"), columns=("w", "x", "y", "z")
    )
    yield draw.call(k, k, v, causal=True, switches=True)
    yield draw.edge("a query that may attend to nothing", q, k, v, mask=np.zeros((3, 4)))
    yield draw.edge("NaN in a query", np.where(q > 0, np.nan, q), k, v)
    told = (
        "query [2] · key [0] = 0\nscore 0 × 1 = 0\nsoftmax of the row's scores {on 0 0} = {row}\n"
        "weight {value} of the value [1, 3]",
        "query [2] · key [0] = 0\nscore 0 × 1 = 0\nsoftmax of the row's scores {on 0 0} = {row}\n"
        "weight {value} of the value [2, −4]",
    )
    halves = (((0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (0.5, 0.5)),)
    presets = (("no mask", (3,)), ("last key is padding", (1,)), ("all blocked", (0,)))
    labels, values = (("query 0",), ("key 0", "key 1")), [[1.0, 3.0], [2.0, -4.0]]
    by_hand = Heatmap(((0.5, 0.5),), "", *labels, 1.0, (told,), Switches(halves, (3,), presets))
    yield draw.known("two keys alike, with switches", by_hand, [[2.0]], [[0.0], [0.0]], values, switches=True)
    yield draw.refused("13 keys", draw.normal(3, 2), draw.normal(13, 2), draw.normal(13, 1)).saying("1 to 12")
    yield draw.refused("6 keys with switches", q, draw.normal(6, 2), draw.normal(6, 1), switches=True).saying("1 to 5")
    yield draw.refused("no queries", q[:0], k, v).saying("there are 0")
    yield draw.refused("a label too few", q, k, v, rows=("a", "b")).saying("queries (3), not 2")
    yield draw.refused("causal with other numbers of queries and keys", q, k, v, causal=True).saying("3 and 4")
