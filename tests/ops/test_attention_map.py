"""attention_map: what it says of a weight, and what a mask makes of it, by PyTorch's formula written out."""

import numpy as np
import pytest

from opbook import ops
from opbook.figures import Heatmap, capture

RNG = np.random.default_rng(5)
Q, K, V = RNG.normal(size=(3, 2)), RNG.normal(size=(4, 2)), RNG.normal(size=(4, 1))


def drawn(*args, **kwargs) -> Heatmap:
    with capture() as figures:
        ops.attention_map(*args, **kwargs)
    (figure,) = figures
    return figure


def by_hand(scores, allowed):
    exponents = np.exp(scores) * allowed
    return exponents / np.maximum(exponents.sum(axis=-1, keepdims=True), 1e-300)


def test_the_picture_has_the_weights():
    mask = np.array([[1, 1, 0, 1], [0, 0, 0, 0], [0, 1, 0, 0]])
    figure = drawn(Q, K, V, mask, scale=0.5, title="t", rows=("a", "b", "c"))
    np.testing.assert_allclose(figure.values, by_hand(0.5 * Q @ K.T, mask), atol=1e-12)
    assert (figure.title, figure.rows, figure.limit) == ("t", ("a", "b", "c"), 1.0)
    assert figure.columns == ("key 0", "key 1", "key 2", "key 3")


def test_a_cell_tells_what_its_weight_comes_from():
    told = drawn([[1, 2], [3, 0]], [[2, 0], [0, -1.5], [1, 1]], [[7], [8], [9]], [[1, 1, 0], [1, 1, 1]], scale=2).told
    assert told[0][1].splitlines() == [
        "query [1, 2] · key [0, −1.5] = −3",
        "score −3 × 2 = −6",
        "softmax of the row's scores {on 4 −6 −∞} = {row}",
        "weight {value} of the value [8]",
    ]
    assert told[0][2].splitlines()[1] == "score 3 × 2 = 6, blocked"


@pytest.mark.parametrize("n", [1, 3, 5])
def test_switches_know_every_mask_of_a_row(n):
    k = RNG.normal(size=(n, 2))
    figure = drawn(Q, k, k, switches=True)
    for choice in range(2**n):
        allowed = [choice >> j & 1 for j in range(n)]
        weights = by_hand(Q @ k.T / np.sqrt(2), allowed)
        found = [row[choice] for row in figure.switches.rows]
        np.testing.assert_allclose(found, weights, atol=1e-12, err_msg=str(allowed))
    assert figure.switches.chosen == (2**n - 1,) * 3


def test_switches_begin_with_the_mask_and_offer_those_that_one_learns_from():
    square = RNG.normal(size=(3, 2))
    figure = drawn(square, square, square, [[1, 0, 1], [0, 0, 0], [1, 1, 0]], switches=True)
    assert figure.switches.chosen == (0b101, 0b000, 0b011)
    assert dict(figure.switches.presets) == {
        "causal": (0b001, 0b011, 0b111),
        "no mask": (0b111,) * 3,
        "last key is padding": (0b011,) * 3,
        "all blocked": (0,) * 3,
    }
    assert "causal" not in dict(drawn(Q, K, V, switches=True).switches.presets)
