"""What top_k, top_p_filter and sample are verified on, and what is true of them.

Known answers are from PyTorch 2.13 (`topk`), and by hand: the probabilities are quarters and eighths.
"""

import numpy as np

from opbook import Property, hookimpl
from opbook_sampling import sample, top_k, top_p_filter

SCORES = np.array([[0.5, 2.0, -1.0, 1.25], [3.0, 0.25, 0.75, -2.0]])


@top_k.samples
def _(draw):
    for shape in ((7,), (5, 7), (2, 3, 5)):
        yield draw.normal(*shape), 3
    yield draw.normal(5, 3, 4), 2, 0
    yield draw.normal(5, 3, 4), 3, 1
    yield draw.normal(4), 4
    yield draw.large("many entries", draw.normal(33, 135), 20)
    two = {"values": np.array([[2.0, 1.25], [3.0, 0.75]]), "indices": np.array([[1, 3], [0, 2]])}
    one = {"values": np.array([[3.0, 2.0, 0.75, 1.25]]), "indices": np.array([[1, 0, 1, 0]])}
    none = {"values": np.zeros((2, 0)), "indices": np.zeros((2, 0), int)}
    yield draw.known("two of each row", two, SCORES, 2)
    yield draw.known("one of each column", one, SCORES, 1, 0)
    yield draw.known("none", none, SCORES, 0)
    tied = {"values": np.array([1.0, 1.0, 1.0]), "indices": np.array([1, 3, 4])}
    yield draw.known(
        "equal entries: the lower index first", tied, np.array([0.0, 1.0, 0.5, 1.0, 1.0, 1.0]), 3
    ).at_edge()
    infinite = {"values": np.array([np.inf, 2.0, -np.inf]), "indices": np.array([1, 2, 0])}
    yield draw.known("infinities", infinite, np.array([-np.inf, np.inf, 2.0]), 3).at_edge()
    yield draw.refused("k above the number of entries", SCORES, 5).saying(
        "k must be from 0 to 4, the entries of x along axis -1, but is 5"
    )
    yield draw.refused("k = -1", SCORES, -1).saying("but is -1")
    yield draw.refused("no such axis", SCORES, 1, 2)


@top_p_filter.samples
def _(draw):
    for shape in ((7,), (5, 7), (2, 3, 5)):
        yield draw.normal(*shape), 0.6
    yield draw.large("many classes", draw.normal(3, 533), 0.9)
    quarters = np.log(np.array([0.125, 0.5, 0.25, 0.125]))
    off = -np.inf
    yield draw.known("the one that crosses p is kept", np.where([0, 1, 1, 0], quarters, off), quarters, 0.6)
    yield draw.known("one is enough", np.where([0, 1, 0, 0], quarters, off), quarters, 0.4)
    yield draw.known("p = 0 keeps one", np.where([0, 1, 0, 0], quarters, off), quarters, 0.0).at_edge()
    yield draw.known("p = 1 keeps all", quarters, quarters, 1.0).at_edge()
    yield draw.known(
        "equal entries: the lower index first", np.where([1, 1, 1, 0], quarters, off), quarters, 0.8
    ).at_edge()
    rare = np.array([0.0, -40.0, -80.0, -800.0])
    yield draw.known("p = 1 and scores far apart", rare, rare, 1.0).at_edge()
    yield draw.known(
        "a class that is -inf already", np.array([1.0, off, off]), np.array([1.0, off, 0.0]), 0.5
    ).at_edge()
    yield draw.edge("rows of -inf", np.full((2, 3), off), 0.5)
    yield draw.refused("p in per cent", quarters, 90.0).saying("p must be from 0 to 1, but is 90")
    yield draw.refused("a negative p", quarters, -0.1).saying("p must be from 0 to 1, but is -0.1")


@sample.samples
def _(draw):
    for shape in ((), (5,), (2, 3)):
        yield np.asarray(draw.normal(*shape, 7)), np.asarray(draw.positive(*shape) / 2.5)
    yield draw.call(draw.normal(5, 4), draw.positive(5) / 2.5, temperature=0.5)
    yield draw.large("many classes", draw.normal(33, 533), draw.positive(33) / 2.5)
    quarters = np.log(np.array([0.125, 0.5, 0.25, 0.125]))
    u = np.array([0.0, 0.12, 0.13, 0.62, 0.63, 0.87, 0.88, 0.999])
    rows = np.broadcast_to(quarters, (8, 4))
    yield draw.known("one on each side of every edge", np.array([0, 0, 1, 1, 2, 2, 3, 3]), rows, u)
    # the squares of the probabilities, made to add up to 1: 1, 16, 4 and 1 of 22
    colder = np.array([0, 1, 1, 1, 1, 2, 2, 3])
    yield draw.known("temperature 1/2", colder, rows, u, temperature=0.5)
    off = np.array([-np.inf, 0.0, -np.inf, 0.0, -np.inf])
    yield draw.known("what is off is never chosen", np.array([1, 1, 3, 3]), np.tile(off, (4, 1)), u[[0, 1, 4, 7]])
    almost = np.array([1 - 2**-11])  # of which float16 has one more below 1
    yield draw.known("u just below 1", np.array([9]), np.zeros((1, 10)), almost).at_edge()
    yield draw.edge("a temperature of 1e-300", rows, u, temperature=1e-300)
    yield draw.refused("temperature 0", rows, u, temperature=0.0).saying("temperature must be above 0, but is 0")
    yield draw.refused("u = 1", quarters, np.array(1.0)).saying("u must be at least 0 and below 1, but has the value 1")
    yield draw.refused("a single u for all rows", rows, np.array(0.5)).saying("u has batch axes () but logits has (8,)")
    yield draw.refused("a row of -inf", np.full(3, -np.inf), np.array(0.5)).saying("nothing to choose from")
    yield draw.refused("a score of inf", np.array([0.0, np.inf]), np.array(0.5)).saying("logits must be finite or -inf")
    yield draw.refused("rows without scores", np.zeros(0), np.array(0.5)).saying("nothing to choose from")


@hookimpl
def opbook_properties():
    """State what is found, kept and chosen."""

    def sorted_entries(op, x, k, axis=-1):
        return op(x, k, axis)["values"], np.flip(np.sort(x, axis=axis), axis=axis).take(np.arange(k), axis=axis)

    def at_its_indices(op, x, k, axis=-1):
        found = op(x, k, axis)
        return found["values"], np.take_along_axis(x, found["indices"], axis=axis)

    def twice(op, logits, p):
        return (op(op(logits, p), p), op(logits, p)) if p in (0, 1) else None

    def enough(op, logits, p):
        weights = np.exp(logits - logits.max(axis=-1, keepdims=True, initial=-1e300))
        weights = weights / weights.sum(axis=-1, keepdims=True)
        if not np.isfinite(weights).all():
            return None
        together = np.where(np.isfinite(op(logits, p)), weights, 0.0).sum(axis=-1)
        return np.minimum(together, p), np.full(together.shape, float(p))

    def often(op, logits, u, *, temperature=1.0):
        """How often each class is chosen by 1000 evenly spaced u, and how often it should be."""
        row = np.reshape(logits, (-1, np.shape(logits)[-1]))[:1]
        if not len(row):
            return None
        even = (np.arange(1000) + 0.5) / 1000
        chosen = op(np.repeat(row, 1000, axis=0), even, temperature=temperature)
        shares = np.bincount(chosen, minlength=row.shape[1]) / 1000
        weights = np.exp((row[0] - row[0].max()) / temperature)
        return np.abs(shares - weights / weights.sum()).max() < 0.0011, True

    return [
        Property("top_k", "sorted", "The values are the first k of all entries in descending order.", sorted_entries),
        Property("top_k", "at its indices", "The values are the entries of x at indices.", at_its_indices),
        Property("top_p_filter", "again", "With p of 0 or 1, filtering again changes nothing.", twice),
        Property("top_p_filter", "enough", "What is kept has a probability of at least p.", enough),
        Property("sample", "as often", "Evenly spaced u choose each class as often as its probability says.", often),
    ]
