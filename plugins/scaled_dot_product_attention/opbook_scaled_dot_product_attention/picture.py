"""A picture of attention to point at: attention_map."""

import numpy as np
from opbook_attention_weights import allowed_pairs, attention_weights, pair_products, score_factor

from opbook import Array, Mask, builtin, stop_gradient
from opbook.errors import InputError
from opbook.figures import Heatmap, Switches, show

MOST, MOST_SWITCHED = 12, 5
"""How many queries and keys there may be: each cell has a sentence, and n keys that are switched 2ⁿ rows."""


# The picture is the heatmap of `attention_weights`: each row is a query, each column a key, and rows add up to 1. In
# addition it shows where a weight comes from. A reader who points at a cell sees the query, the key, their score, the
# softmax of the row's scores, and the value that enters the result with this weight.
#
# With `switches`, a page makes each cell a button that blocks a pair or allows it again. A row of weights depends on no
# mask but its own query's, so n keys give 2ⁿ rows for each query, far fewer than there are masks. `attention_weights`
# computes all of them when the picture is drawn, and the page looks them up.
#
# A figure has no value and no gradient. A function that is being differentiated may draw, too.
@builtin(category="Attention", aliases=("attention heatmap", "attention matrix", "attention visualization", "BertViz"))
def attention_map(
    q: Array["Nq D"],
    k: Array["Nk D"],
    v: Array["Nk Dv"],
    mask: Mask["Nq Nk"] | None = None,
    *,
    causal: bool = False,
    scale: float | None = None,
    title: str = "",
    rows: tuple[str, ...] = (),
    columns: tuple[str, ...] = (),
    switches: bool = False,
) -> None:
    """Draws who looks at whom, and tells for each cell how its weight comes about.

    It is for reading one head of attention: Nq queries, one a row, look at Nk keys, one a column. A cell shows the
    weight of the key's value in the query's answer, and on a page it also says what that weight was worked out from. A
    pair that the mask blocks has the weight 0.

    Args:
        q: The queries, of one head.
        k: The keys.
        v: The values that the weights are for.
        mask: 1 where a query may attend to a key, 0 where it may not.
        causal: Whether query i may attend to keys 0 to i only; needs Nq = Nk.
        scale: The factor of the scores, 1/√D unless given.
        title: What it shows.
        rows: A label for each query.
        columns: A label for each key.
        switches: Whether readers of a page may block pairs and allow them; for at most 5 queries and keys.

    Returns:
        Nothing; the figure goes to the page, or as characters to the terminal.

    Raises:
        ShapeError: q and k differ in width, the mask does not broadcast, or causal with Nq ≠ Nk.
        InputError: There are no queries or no keys, or more than 12 (with switches 5), or not as many labels.

    Source:
        Bahdanau, Cho and Bengio, *Neural Machine Translation by Jointly Learning to Align and Translate* (2015),
        figure 3.
    """
    q, k, v = (stop_gradient(one) for one in (q, k, v))
    rows, columns = (
        _labels(*nouns, labels, len(entries), MOST_SWITCHED if switches else MOST)
        for nouns, labels, entries in ((("query", "queries"), rows, q), (("key", "keys"), columns, k))
    )
    allowed = np.broadcast_to(allowed_pairs(q, k, mask, None, causal=causal), (len(q), len(k)))
    weights = attention_weights(q, k, allowed, scale=scale)
    told = _told(q, k, v, None if switches else allowed, score_factor(q, scale))
    switched = _switches(q, k, allowed, scale) if switches else None
    show(Heatmap(_as_rows(weights), title, rows, columns, 1.0, told, switched))


def _labels(noun, nouns, labels, number, most):
    if not 0 < number <= most:
        raise InputError(
            f"attention_map: there must be 1 to {most} {nouns} here, but there are {number}; "
            "heatmap draws the attention_weights of more"
        )
    if labels and len(labels) != number:
        raise InputError(f"attention_map: there must be as many labels as {nouns} ({number}), not {len(labels)}")
    return tuple(labels) or tuple(f"{noun} {i}" for i in range(number))


def _told(q, k, v, allowed, factor):
    """For each pair the way from the query and the key to the weight, which the page puts in, and to the value."""
    products = pair_products(q, k)
    scores = factor * products

    def told(i, j):
        row = scores[i] if allowed is None else np.where(allowed[i], scores[i], -np.inf)
        product = _number(products[i, j])
        blocked = ", blocked" if row[j] == -np.inf else ""
        lines = [
            f"query {_vector(q[i])} · key {_vector(k[j])} = {product}",
            f"score {product} × {_number(factor)} = {_number(scores[i, j])}{blocked}",
            f"softmax of the row's scores {{on {' '.join(map(_number, row))}}} = {{row}}",
            f"weight {{value}} of the value {_vector(v[j])}",
        ]
        return "\n".join(lines)

    return tuple(tuple(told(i, j) for j in range(len(k))) for i in range(len(q)))


def _switches(q, k, allowed, scale):
    """The weights of each query for each choice of keys, and the choices that one learns from."""
    bits = 1 << np.arange(len(k))
    choices = np.arange(1 << len(k))[:, None] & bits > 0
    weights = (attention_weights(np.broadcast_to(one, (len(choices), len(one))), k, choices, scale=scale) for one in q)
    full = len(choices) - 1
    causal = {"causal": tuple((2 << i) - 1 for i in range(len(q)))} if len(q) == len(k) else {}
    alike = {"no mask": full, "last key is padding": full >> 1, "all blocked": 0}
    presets = causal | {name: (choice,) * len(q) for name, choice in alike.items()}
    chosen = tuple((allowed * bits).sum(axis=1).tolist())
    return Switches(tuple(map(_as_rows, weights)), chosen, tuple(presets.items()))


def _as_rows(matrix):
    return tuple(map(tuple, matrix.tolist()))


def _vector(entries):
    shown = ", ".join(map(_number, entries[:MOST]))
    return f"[{shown}, …]" if len(entries) > MOST else f"[{shown}]"


def _number(value):
    return f"{value:.3g}".replace("-", "−").replace("inf", "∞")
