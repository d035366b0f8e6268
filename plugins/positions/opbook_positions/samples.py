"""What the positions are verified on, and what is true of them.

Known answers of rope are those of the operator `RotaryEmbedding` as ONNX 1.23 evaluates it in float64, and, for
adjacent entries, those of a product of complex numbers in PyTorch 2.13. Slopes are those that the paper's authors list
for 8 and 12 heads. Sinusoids and windows are by hand.
"""

import numpy as np

from opbook import Property, hookimpl
from opbook_positions import alibi_bias, rope, sinusoidal_positions, sliding_window_mask

ROWS = np.array([[1.0, -2.0, 0.5, 3.0], [0.25, 1.5, -1.0, 2.0], [2.0, 0.0, -0.5, 1.0]])
PLACES = np.array([0, 3, 7])


@rope.samples
def _(draw):
    for shape in ((5, 4), (3, 5, 6), (2, 3, 5, 4)):
        yield (draw.normal(*shape),)
        yield draw.call(draw.normal(*shape), pairing="interleaved", base=100.0)
    yield draw.normal(3, 4), np.array([7, 0, -2])
    yield draw.call(draw.normal(2, 3, 4), np.array([[0, 1, 2], [5, 6, 9]]), pairing="interleaved")
    yield draw.normal(2, 3, 4, 6), np.array([[[0, 1, 2, 3]], [[5, 6, 9, 2]]])
    yield draw.normal(1, 3, 4), np.array([[0, 1, 2], [5, 6, 9]])
    for pairing in ("halves", "interleaved"):
        yield draw.call(draw.normal(2, 5, 7), width=4, pairing=pairing)
    yield draw.call(draw.normal(3, 5), width=0)
    yield draw.normal(0, 4), None
    yield draw.large("many rows", draw.normal(3, 65, 32))
    halves = [ROWS[0].tolist(), [-0.10637811609024414, 0.8419643203657299, 1.0252724986154123, 2.3539532882432215]]
    halves += [[1.8362978080460037, -0.6442176872376911, 0.9370220702659258, 0.7648421872844884]]
    yield draw.known("ONNX's RotaryEmbedding", np.array(halves), ROWS, PLACES, base=100.0)
    pairs = [ROWS[0].tolist(), [-0.45917813623991216, -1.4497087428857014, -1.5463769024482852, 1.6151527715898724]]
    pairs += [[1.5078045086866092, 1.3139731974375781, -1.0266387808799353, 0.4427333436656428]]
    yield draw.known("a product of complex numbers", np.array(pairs), ROWS, PLACES, base=100.0, pairing="interleaved")
    part = np.concatenate([np.array(pairs)[:, :2], ROWS[:, 2:]], axis=-1)
    yield draw.known("ONNX's RotaryEmbedding of two entries", part, ROWS, PLACES, base=100.0, width=2)
    yield draw.known("one token after three others", np.array(halves)[1:2], ROWS[1:2], PLACES[1:2], base=100.0)
    yield draw.edge("positions above 100,000", draw.normal(2, 4), np.array([100_000, 131_071]))
    yield draw.refused("rows of odd length", draw.normal(3, 5)).saying(
        "have 5 entries, which do not pair up; pass an even"
    )
    yield draw.refused("an odd width", draw.normal(3, 4), width=3).saying("from 0 to 4, the entries of a row, but is 3")
    yield draw.refused("a width beyond the row", draw.normal(3, 4), width=6).saying("but is 6")
    yield draw.refused("a base of 0", draw.normal(3, 4), base=0.0).saying("base must be above 0, but is 0")
    yield draw.refused("positions with one of two batch axes", draw.normal(2, 5, 3, 4), np.zeros((5, 3), int)).saying(
        "positions has 2 axes, but must have 1 (the rows) or 3"
    )
    yield draw.refused("a position that is not a whole number", draw.normal(2, 4), np.array([0.5, 1.5])).saying(
        "must be a whole number"
    )


@sinusoidal_positions.samples
def _(draw):
    yield from ((5, 4), (3, 7), (1, 1), (0, 4), (4, 0))
    for layout in ("interleaved", "halves"):
        yield draw.call(4, 6, base=100.0, layout=layout)
        yield draw.call(4, 5, layout=layout)
    s, c = np.sin, np.cos
    rows = np.array([[0, 1, 0, 1], [s(1), c(1), s(0.1), c(0.1)], [s(2), c(2), s(0.2), c(0.2)]])
    yield draw.known("by hand", rows, 3, 4, base=100.0)
    yield draw.known("by hand, sines first", rows[:, [0, 2, 1, 3]], 3, 4, base=100.0, layout="halves")
    odd = np.array([[0, 1, 0], [s(1), c(1), s(0.01)]])
    yield draw.known("a sine without its cosine", odd, 2, 3, base=1000.0)
    yield draw.known("two sines and one cosine", odd[:, [0, 2, 1]], 2, 3, base=1000.0, layout="halves")
    yield draw.refused("a negative number of rows", -1, 4).saying("must be at least 0, but are -1 and 4")
    yield draw.refused("a negative width", 4, -2).saying("must be at least 0, but are 4 and -2")
    yield draw.refused("a base of 0", 4, 4, base=0.0).saying("base must be above 0, but is 0")


@alibi_bias.samples
def _(draw):
    yield 4, 3
    for n_heads in (1, 3, 5, 16):
        yield draw.call(n_heads, 2, 5, align="lower-right")
    yield draw.call(6, 4, 2, align="upper-left")
    yield draw.call(2, 0, 3, align="lower-right")
    eight = np.array([1 / 2, 1 / 4, 1 / 8, 1 / 16, 1 / 32, 1 / 64, 1 / 128, 1 / 256])
    between = 2 ** -np.array([0.5, 1.5, 2.5, 3.5])
    away = np.array([[0, 1, 2], [1, 0, 1], [2, 1, 0]])
    yield draw.known("the paper's 8 heads", eight[:, None, None] * -away, 8, 3)
    yield draw.known("12 heads", np.concatenate([eight, between])[:, None, None] * -away, 12, 3)
    last = np.array([[[-2.0, -1.0, 0.0]]]) / 256
    yield draw.known("one query after two others", last, 1, 1, 3, align="lower-right")
    yield draw.known("one query before two others", last[..., ::-1], 1, 1, 3, align="upper-left")
    yield draw.refused("n_heads = 0", 0, 3).saying("n_heads must be at least 1, but is 0")
    yield draw.refused("a negative number of queries", 2, -1).saying("must be at least 0, but are -1 and -1")
    yield draw.refused("too many entries", 10, 10**4, 10**4).saying("10 × 10000 × 10000 is more than 10⁸ entries")
    yield draw.refused("different numbers of queries and keys, without align", 2, 3, 4).saying(
        "with 3 queries and 4 keys, say where"
    )


@sliding_window_mask.samples
def _(draw):
    yield draw.call(5, left=2)
    yield draw.call(6, left=1, right=2)
    for align in ("upper-left", "lower-right"):
        yield draw.call(2, 5, left=1, right=1, align=align)
        yield draw.call(5, 2, left=2, align=align)
    yield draw.call(0, left=1)
    two = np.array([[1, 0, 0, 0], [1, 1, 0, 0], [0, 1, 1, 0], [0, 0, 1, 1]], bool)
    yield draw.known("one key before, two keys in all", two, 4, left=1)
    yield draw.known("one key after", two.T, 4, left=0, right=1)
    yield draw.known("no limit before", np.tri(4, dtype=bool), 4, left=-1)
    yield draw.known("no limit", np.ones((4, 4), bool), 4, left=-1, right=-1)
    yield draw.known("the last two of four queries", two[2:], 2, 4, left=1, align="lower-right")
    yield draw.known("the first two of four queries", two[:2], 2, 4, left=1, align="upper-left")
    yield draw.refused("left = -2", 4, left=-2).saying("counts of keys, or -1 for no limit, but are -2 and 0")
    yield draw.refused("a negative number of queries", -1, left=1).saying("must be at least 0, but are -1 and -1")
    yield draw.refused("too many entries", 10**4, 10**4 + 1, left=1, align="upper-left").saying("more than 10⁸ entries")
    yield draw.refused("different numbers of queries and keys, without align", 2, 3, left=1).saying(
        "with 2 queries and 3 keys, say where"
    )


@hookimpl
def opbook_properties():
    """State what depends on distances only, and what stays as long as it was."""

    def moved(op, x, positions=None, **options):
        """The dot products of all pairs of rows, and the same with all rows 5 positions further on."""
        places = np.arange(np.shape(x)[-2]) if positions is None else np.asarray(positions)
        rows, further = op(x, places, **options), op(x, places + 5, **options)
        near = np.abs(places).max(initial=0) < 1000
        return (rows @ np.swapaxes(rows, -1, -2), further @ np.swapaxes(further, -1, -2)) if near else None

    def length(op, x, *positions, **options):
        y = op(x, *positions, **options)
        return np.sum(y**2, axis=-1), np.broadcast_to(np.sum(np.square(x), axis=-1), y.shape[:-1])

    def a_step(op, x, positions=None, **options):
        """The last row, turned with all others and as a new token."""
        n = np.shape(x)[-2]
        if positions is not None or not n:
            return None
        return op(x[..., -1:, :], np.array([n - 1]), **options), op(x, **options)[..., -1:, :]

    def along(op, n, d, **options):
        rows = op(n, d, **options)
        return (np.diag(rows @ rows.T, 1), np.full(n - 1, rows[0] @ rows[1])) if n > 2 and d % 2 == 0 else None

    def in_other_order(op, n, d, *, base=10000.0, layout="interleaved"):
        rows = op(n, d, base=base, layout="interleaved")
        return op(n, d, base=base, layout="halves"), np.concatenate([rows[:, ::2], rows[:, 1::2]], axis=-1)

    def shorter(op, n_heads, n_queries, n_keys=None, *, align=None):
        """The last query alone, and as the last of all."""
        n_keys = n_queries if n_keys is None else n_keys
        if not n_queries or (align == "upper-left" and n_queries != n_keys):
            return None
        return op(n_heads, 1, n_keys, align="lower-right"), op(n_heads, n_queries, n_keys, align=align)[:, -1:]

    def counted(op, n_queries, n_keys=None, *, left, right=0, align=None):
        """How many keys a query in the middle sees."""
        if n_keys is not None or min(left, right) < 0 or n_queries < left + right + 1:
            return None
        return op(n_queries, left=left, right=right)[left].sum(), left + 1 + right

    return [
        Property("rope", "distance", "Dot products of rows stay the same if all move by as many positions.", moved),
        Property("rope", "length", "Rows stay as long as they were.", length),
        Property("rope", "a step", "A row turned alone, at its position, is the row turned with all others.", a_step),
        Property("sinusoidal_positions", "distance", "Neighbours have the same dot product everywhere.", along),
        Property("sinusoidal_positions", "order", "Halves are the interleaved columns, sines first.", in_other_order),
        Property("alibi_bias", "a step", "A query alone has the biases that it has as the last of all.", shorter),
        Property("sliding_window_mask", "count", "A query in the middle sees left + 1 + right keys.", counted),
    ]
