"""What multi_head_attention is verified on, and what is true of it."""

import numpy as np

from opbook import Property, hookimpl
from opbook_multi_head_attention import cross_attention, multi_head_attention, multi_head_weights


@multi_head_attention.samples
def _(draw):
    # heads as most libraries have them: equal ones that fill the width
    yield draw.normal(3, 4), heads_of(draw, 4, (2, 2)), 2
    for batch, rows, width, count in (((), 5, 6, 2), ((7,), 5, 6, 3), ((4, 7), 5, 6, 2)):
        yield draw.normal(*batch, rows, width), heads_of(draw, width, [width // count] * count), count
    yield draw.large("three batch axes", draw.normal(4, 7, 5, 11, 6), heads_of(draw, 6, (2, 2, 2)), 3)
    yield draw.large("larger sizes", draw.normal(2, 37, 20), heads_of(draw, 20, (4,) * 5), 5)
    yield draw.large("larger sizes, bo", draw.normal(2, 37, 20), heads_of(draw, 20, (4,) * 5), 5, bo=draw.normal(20))
    # by torch.nn.MultiheadAttention(4, 2), PyTorch 2.13, in float64
    by_torch = [
        [0.952622640042, 0.128911814575, -0.985841795157, 0.12512876053],
        [0.952650240626, 0.128902806732, -0.985867074519, 0.125144282586],
        [0.952759491395, 0.128879389364, -0.985970290891, 0.125194297676],
    ]
    by_formula = numbers(3, 4, start=0.3), heads_by_formula(4), 2
    yield draw.known("biases, by PyTorch", np.array(by_torch), *by_formula, bo=numbers(4, start=50))
    for batch in ((), (2,), (3, 2)):
        heads = *quiet_heads_of(draw, 4, (2,)), *heads_of(draw, 4, (3,), biases=("bv",))
        yield draw.call(draw.normal(*batch, 5, 4), heads, 2, bo=draw.normal(4), causal=True)
        heads = heads_of(draw, 4, (2, 2), biases=("bq", "bv"))
        yield draw.call(draw.normal(*batch, 5, 4), heads, 2, bo=draw.normal(4))
    for batch, widths in (((), (3,)), ((), (2, 5)), ((2,), (4, 4)), ((0,), (1,))):
        yield draw.normal(*batch, 4, 3), heads_of(draw, 3, widths), len(widths)
    yield from _masked_samples(draw, heads=({name: draw.normal(3, 3) for name in ("wq", "wk", "wv", "wo")},) * 2)


def heads_of(draw, width, widths, memory_width=None, biases=()):
    """Heads for rows of a width.

    Args:
        draw: Draws the numbers.
        width: The width of the rows.
        widths: The width of each head.
        memory_width: The width of the rows that keys and values come from, if it is another one.
        biases: The names of the biases that they have.

    Returns:
        A record for each head.
    """
    inner = memory_width or width
    return tuple(
        {
            **{name: draw.normal(rows, own) for name, rows in (("wq", width), ("wk", inner), ("wv", inner))},
            "wo": draw.normal(own, width),
            **{name: draw.normal(own) for name in biases},
        }
        for own in widths
    )


def quiet_heads_of(draw, width, widths, memory_width=None):
    """Heads with all biases; see `_quiet`."""
    return tuple(_quiet(head, 1e-4) for head in heads_of(draw, width, widths, memory_width, BIASES))


BIASES = ("bq", "bk", "bv")


def numbers(*shape, start):
    """Numbers between -1 and 1 that a formula gives, for answers that were computed elsewhere."""
    return np.cos(start + 1.7 * np.arange(np.prod(shape))).reshape(shape)


def heads_by_formula(memory_width):
    """Two heads with biases, for rows of width 4."""
    shapes = {"wq": (4, 2), "wk": (memory_width, 2), "wv": (memory_width, 2), "wo": (2, 4)} | dict.fromkeys(
        BIASES, (2,)
    )
    return tuple(
        _quiet({name: numbers(*shape, start=10 * h + i) for i, (name, shape) in enumerate(shapes.items())}, 0.01)
        for h in range(2)
    )


def _quiet(head, factor):
    """A head of small gradients, so that what rounding leaves of that of bk, which is 0, is small as well."""
    return {**head, "wo": factor * head["wo"]}


def _without(heads, field):
    return tuple({name: value for name, value in head.items() if name != field} for head in heads)


@cross_attention.samples
def _(draw):
    # by torch.nn.MultiheadAttention(4, 2, kdim=3, vdim=3), PyTorch 2.13, in float64
    by_torch = [
        [0.941852940604, 0.136173694229, -0.976943402142, 0.115573862979],
        [0.942528584422, 0.135893421646, -0.977546822802, 0.116009630423],
        [0.94395792092, 0.135303028836, -0.978824021574, 0.116929143292],
    ]
    x, memory, heads = numbers(3, 4, start=0.3), numbers(2, 3, start=0.6), heads_by_formula(3)
    yield draw.known("by PyTorch", np.array(by_torch), x, memory, heads, 2, bo=numbers(4, start=50))
    yield draw.normal(3, 4), draw.normal(2, 4), heads_of(draw, 4, (2, 2)), 2
    for batch, memory_batch in (((), ()), ((2,), (2,)), ((3, 2), (2,)), ((), (2,)), ((3, 1), (3, 2)), ((0,), ())):
        x, memory = draw.normal(*batch, 3, 4), draw.normal(*memory_batch, 5, 7)
        yield x, memory, heads_of(draw, 4, (2, 3), 7), 2
        yield draw.call(x, memory, quiet_heads_of(draw, 4, (2,), 7), 1, key_mask=draw.mask(5), bo=draw.normal(4))
        yield draw.call(x, draw.normal(*memory_batch, 5, 4), heads_of(draw, 4, (2, 2), biases=("bq", "bv")), 2)
    x, memory, heads = draw.normal(3, 4), draw.normal(5, 7), quiet_heads_of(draw, 4, (2, 3), 7)
    mask = np.array([[1, 1, 0, 1, 0], [0, 0, 0, 0, 0], [0, 1, 0, 1, 0]], bool)
    clean = cross_attention.definition(x[[0, 2]], memory[[0, 1, 3]], heads, 2, mask[[0, 2]][:, [0, 1, 3]])
    clean = np.stack([clean[0], np.zeros(4), clean[1]])  # of the rows and keys that are in use only
    for name, rubbish in (("NaN", np.nan), ("inf", np.inf), ("1e10", 1e10)):
        dirty_x, dirty = x.copy(), memory.copy()
        dirty_x[1, 2] = dirty[2, 1] = dirty[4] = rubbish
        yield draw.known(f"{name} in masked rows", clean, dirty_x, dirty, heads, 2, mask).at_edge()
        two, masks = np.stack([dirty, memory]), np.stack([mask, np.ones((3, 5), bool)])
        yield draw.edge(f"{name} in masked rows of one batch", x, two, heads, 2, masks)
    yield draw.edge("a memory of no rows", x, memory[:0], heads, 2)
    yield draw.large(
        "larger sizes", draw.normal(2, 37, 20), draw.normal(2, 41, 15), heads_of(draw, 20, (4,) * 5, 15), 5
    )
    yield draw.refused("fewer heads than n_heads", x, memory, heads, 3).saying("n_heads is 3 but heads has 2")
    yield draw.refused("no heads", x, memory, (), 0)
    yield draw.refused("heads for a memory of another width", x, memory[:, :6], heads, 2).saying("wk")


@multi_head_weights.samples
def _(draw):
    # by torch.nn.MultiheadAttention(4, 2) with average_attn_weights=False, PyTorch 2.13, in float64
    by_torch = [
        [
            [0.419006680546, 0.317820213866, 0.263173105587],
            [0.413548005186, 0.321877547145, 0.264574447669],
            [0.398705742852, 0.325798114506, 0.275496142642],
        ],
        [
            [0.407327893631, 0.320434655756, 0.272237450613],
            [0.403573188516, 0.324519981722, 0.271906829762],
            [0.390952969621, 0.327904996823, 0.281142033556],
        ],
    ]
    heads = [_without(heads_by_formula(width), "bk") for width in (4, 3)]  # which changes nothing
    yield draw.known("by PyTorch", np.array(by_torch), numbers(3, 4, start=0.3), heads[0], 2)
    by_torch = [
        [[0.162914322759, 0.837085677241], [0.185228455985, 0.814771544015], [0.232778500136, 0.767221499864]],
        [[0.194523405361, 0.805476594639], [0.216190929286, 0.783809070714], [0.261569596856, 0.738430403144]],
    ]
    x, memory = numbers(3, 4, start=0.3), numbers(2, 3, start=0.6)
    yield draw.known("of a memory, by PyTorch", np.array(by_torch), x, memory, heads[1], 2)
    yield draw.normal(3, 4), heads_of(draw, 4, (2, 2)), 2
    for batch in ((), (2,), (3, 2)):
        x, memory = draw.normal(*batch, 3, 4), draw.normal(*batch, 5, 7)
        yield x, heads_of(draw, 4, (2, 3, 5)), 3
        yield draw.call(x, heads_of(draw, 4, (2, 2), biases=("bq",)), 2, key_mask=[1, 0, 1], causal=True)
        yield x, memory, heads_of(draw, 4, (2, 3), 7), 2, draw.mask(3, 5)
    dirty = np.where(np.arange(3)[:, None] == 1, np.nan, draw.normal(3, 4))
    yield draw.edge("NaN in padding", dirty, heads_of(draw, 4, (2, 3)), 2, key_mask=[1, 0, 1])
    yield draw.edge("NaN in padding of the memory", x, dirty[:, :2], heads_of(draw, 4, (2,), 2), 1, key_mask=[1, 0, 1])
    yield draw.refused("fewer heads than n_heads", x, heads_of(draw, 4, (2, 3)), 3)


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
    yield draw.known("NaN in padding that mask hides", by_hand(cleaned, mask), dirty, heads, 2, mask).at_edge()
    keys = np.array([[1, 1, 0, 1], [1, 0, 1, 1]], bool)
    yield draw.known(
        "NaN in padding that key_mask hides", by_hand(cleaned, keys[0]), dirty, heads, 2, key_mask=keys[0]
    ).at_edge()
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
    """State that attention knows no order, what a bias of the keys does, and what cross-attention has to do with it."""

    def backwards(op, x, heads, n_heads, mask=None, **options):
        if mask is not None or options:
            return None  # which name rows by their places
        return op(x[..., ::-1, :], heads, n_heads), op(x, heads, n_heads)[..., ::-1, :]

    sentence = "Without a mask, rows in another order give the same answers in that order."

    def other_bk(op, x, heads, n_heads, *args, **options):
        moved = tuple({**head, "bk": 2 * np.cos(np.arange(head["wk"].shape[1]))} for head in heads)
        return op(x, moved, n_heads, *args, **options), op(x, heads, n_heads, *args, **options)

    def own_memory(op, x, memory, heads, n_heads, mask=None, bo=None, **options):
        if memory.shape[-1] != x.shape[-1] or mask is not None:
            return None
        self_attention = multi_head_attention(memory, heads, n_heads, bo=bo, **options)
        return op(memory, memory, heads, n_heads, bo=bo, **options), self_attention

    weights_sentence = "Each row of each head's weights adds up to 1, or is 0 altogether."

    def sums(op, *args, **options):
        total = op(*args, **options).sum(axis=-1)
        return total, np.where(np.isnan(total), total, total > 0.5)

    return [
        Property("multi_head_attention", "order of rows", sentence, backwards),
        Property("multi_head_attention", "bias of the keys", "Any bias of the keys gives the same answers.", other_bk),
        Property("cross_attention", "own memory", "Rows that are their own memory: multi_head_attention.", own_memory),
        Property("multi_head_weights", "rows add up to 1", weights_sentence, sums),
    ]
