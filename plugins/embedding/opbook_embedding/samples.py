"""What embedding and one_hot are verified on, and what is true of them.

Known answers are from PyTorch 2.13, from the operator `OneHot` as ONNX 1.23 evaluates it, and by hand.
"""

import numpy as np

from opbook import Property, hookimpl
from opbook_embedding import embedding, one_hot

TABLE = np.array([[0.5, -1.25], [2.0, 3.0], [0.25, -0.5]])


@embedding.samples
def _(draw):
    draw.stops("padding_id")
    for shape in ((), (5,), (2, 3), (3, 1, 4)):
        yield draw.normal(4, 3), np.arange(np.prod(shape, dtype=int)).reshape(shape) % 3
    yield draw.edge("a padding id", draw.normal(4, 3), np.array([[1, 0, 1], [3, 1, 1]]), padding_id=1)
    yield draw.large("many ids, most of them equal", draw.normal(33, 18), np.arange(600).reshape(20, 30) ** 2 % 33)
    rows = np.array([[[0.25, -0.5], [0.5, -1.25]], [[0.25, -0.5], [0.25, -0.5]]])
    yield draw.known("an id three times", rows, TABLE, np.array([[2, 0], [2, 2]]))
    yield draw.known("padding is looked up", rows, TABLE, np.array([[2, 0], [2, 2]]), padding_id=2)
    yield draw.known("no ids", np.zeros((0, 2)), TABLE, np.zeros(0, int))
    unused = np.array([[np.nan, np.inf], [2.0, 3.0]])
    yield draw.known("NaN in a row that is not used", unused[[1, 1]], unused, np.array([1, 1])).at_edge()
    below = draw.refused("a negative id", TABLE, np.array([0, -1]))
    yield below.saying("ids[1] is -1, but must be at least 0 and below V = 3")
    above = draw.refused("an id beyond the table", TABLE, np.array([[0, 1], [3, 0]]))
    yield above.saying("ids[1, 0] is 3, but must be at least 0 and below V = 3")
    yield draw.refused("an id that is not a whole number", TABLE, np.array([0.5])).saying(
        "ids[0] is 0.5, but must be a whole number"
    )
    padding = draw.refused("a padding_id beyond the table", TABLE, np.array([0]), padding_id=3)
    yield padding.saying("padding_id is 3, but must be at least 0 and below V = 3")


@one_hot.samples
def _(draw):
    yield np.array([[0, 2], [1, 1], [4, 3]]), 5
    yield draw.known("in two rows", np.array([[[1.0, 0, 0], [0, 0, 1]], [[0, 1, 0], [0, 1, 0]]]), [[0, 2], [1, 1]], 3)
    yield draw.known("one number", np.array([0.0, 0, 1, 0]), np.array(2), 4)
    yield draw.known("no numbers", np.zeros((0, 3)), np.zeros(0, int), 3)
    yield draw.refused("an id beyond n", np.array([0, 3]), 3).saying(
        "ids[1] is 3, but must be at least 0 and below n = 3"
    )
    yield draw.refused("too many entries", np.array([0, 1]), 10**8).saying("more than 100,000,000 entries")
    yield draw.refused("a negative id", np.array([-1]), 3).saying("ids[0] is -1")
    yield draw.refused("a negative n", np.zeros(0, int), -2).saying("n must be at least 0, but is -2")


@hookimpl
def opbook_properties():
    """State that looking up is a product with one-hot vectors, and what those add up to."""

    def product(op, table, ids, **options):
        picked = one_hot(ids, len(table)) @ table if np.isfinite(table).all() else None
        return None if picked is None else (op(table, ids, **options), picked)

    def sums(op, ids, n):
        return op(ids, n).sum(axis=-1), np.ones(np.shape(ids))

    return [
        Property("embedding", "a product", "It is the product of the one-hot vectors of ids and the table.", product),
        Property("one_hot", "adds up to 1", "Every vector adds up to 1.", sums),
    ]
