"""What definitions and rules share, by answers worked out by hand, as comparing the two could not refute it."""

import numpy as np
import pytest
from opbook_attention_weights import allowed_pairs, finite, pair_products, score_factor
from opbook_multi_head_attention.heads import over_batch, padding_in
from opbook_scaled_dot_product_attention import weighted_sum

from opbook import ops
from opbook.errors import InputError, ShapeError

Q, K = np.zeros((2, 3)), np.zeros((3, 3))
SQUARE = np.zeros((3, 3))


def test_without_masks_every_pair_is_allowed():
    assert allowed_pairs(Q, K, None, None, None, False).tolist() == [[True] * 3] * 2


def test_each_kind_of_mask_blocks_and_all_of_them_are_combined():
    mask = np.array([[1, 1, 0], [1, 0, 1]], bool)
    keys = np.array([0, 1, 1], bool)
    bias = np.array([[0.5, -np.inf, 0.0]])
    assert allowed_pairs(Q, K, mask, None, None, False).tolist() == mask.tolist()
    assert allowed_pairs(Q, K, None, keys, None, False).tolist() == [[False, True, True]] * 2
    assert allowed_pairs(Q, K, None, None, bias, False).tolist() == [[True, False, True]] * 2
    causal = allowed_pairs(SQUARE, SQUARE, None, None, None, True)
    assert causal.tolist() == [[True, False, False], [True, True, False], [True, True, True]]
    assert allowed_pairs(Q, K, mask, keys, bias, False).tolist() == [[False] * 3, [False, False, True]]
    # a large negative bias is not infinite, and neither is NaN: what they belong to may still be attended to
    assert allowed_pairs(Q, K, None, None, np.array([[-1e300, np.nan, np.inf]]), False).all()


def test_a_key_mask_of_each_batch_blocks_in_its_own_batch():
    keys = np.array([[1, 0, 1], [0, 1, 1]], bool)
    allowed = allowed_pairs(np.zeros((2, 4, 5)), np.zeros((2, 3, 5)), None, keys, None, False)
    assert allowed.tolist() == [[[True, False, True]] * 4, [[False, True, True]] * 4]
    with pytest.raises(ShapeError, match="key_mask has 2 axes, but must have 1"):
        allowed_pairs(Q, K, None, keys, None, False)
    with pytest.raises(ShapeError, match="2 and 3"):
        allowed_pairs(Q, K, None, None, None, True)


def test_products_of_pairs():
    q = np.array([[1.0, 2.0], [np.inf, 1.0]])
    k = np.array([[3.0, 4.0], [0.0, np.nan], [-1.0, 0.5]])
    np.testing.assert_array_equal(pair_products(q, k), [[11, np.nan, 0], [np.nan] * 3])
    both = pair_products(q[:1], np.stack([k, 2 * k[::-1]]))
    np.testing.assert_array_equal(both, [[[11, np.nan, 0]], [[0, np.nan, 22]]])
    assert pair_products(q.astype(np.float32), k.astype(np.float32)).dtype == np.float32


def test_finite():
    x = np.array([[1.5, np.nan], [np.inf, -np.inf]], np.float32)
    assert finite(x).tolist() == [[1.5, 0], [0, 0]]
    assert finite(x).dtype == np.float32


def test_factor_of_the_scores():
    assert score_factor(np.zeros((2, 16)), None) == 0.25
    assert score_factor(np.zeros((2, 16)), 3.0) == 3.0
    with pytest.raises(InputError, match=r"0 columns.*pass scale="):
        score_factor(np.zeros((2, 0)), None)


def test_a_weight_of_zero_takes_nothing():
    weights = np.array([[0.5, 0.5, 0.0], [0.0, 0.25, 0.75], [0.0, 0.0, 0.0]])
    v = np.array([[np.nan, 1.0], [2.0, 4.0], [8.0, -np.inf]])
    np.testing.assert_array_equal(weighted_sum(weights, v), [[np.nan, 2.5], [6.5, np.nan], [0, 0]])
    np.testing.assert_array_equal(weighted_sum(weights, np.full((3, 1), 1e308)), [[1e308], [1e308], [0]])
    assert weighted_sum(np.zeros((2, 0)), np.zeros((0, 3))).tolist() == [[0] * 3] * 2


def test_padding_is_what_is_not_finite_in_rows_that_nobody_attends_to():
    x = np.array([[1.0, np.nan], [np.inf, 2.0], [3.0, 4.0]])
    first, second = [[False, True], [False, False], [False, False]], [[False, False], [True, False], [False, False]]
    assert padding_in(x, None, np.array([0, 1, 1], bool), False).tolist() == first
    assert padding_in(x, None, None, False).tolist() == [[False] * 2] * 3
    mask = np.array([[1, 0, 0], [1, 0, 1], [0, 0, 1]], bool)  # key 1 is blocked, key 0 is not: row 1 attends to it
    assert padding_in(x, mask, None, False).tolist() == second
    # causal: row 2 only looks at row 2 itself, and is blocked there
    assert padding_in(x[::-1], None, np.array([1, 1, 0], bool), True).tolist() == first[::-1]
    batch = padding_in(np.stack([x, x]), None, np.array([[0, 1, 1], [1, 0, 1]], bool), False)
    assert batch.tolist() == [first, second]


def test_products_are_summed_over_the_batch():
    a = np.array([[[1.0, 2.0]], [[3.0, 4.0]]])
    b = np.array([[[5.0, 6.0, 7.0]], [[1.0, 0.0, -1.0]]])
    assert over_batch(a, b).tolist() == [[8, 6, 4], [14, 12, 10]]
    assert over_batch(a[0], b[0]).tolist() == [[5, 6, 7], [10, 12, 14]]
    assert over_batch(a[:0], b[:0]).tolist() == [[0] * 3] * 2


@pytest.mark.parametrize("window", [(2, 1), (0, 0), (-1, 0), (1, -1)])
def test_a_window_of_attention_is_the_mask_of_that_window(window):
    square = np.zeros((5, 3))
    mask = ops.sliding_window_mask(5, left=window[0], right=window[1])
    np.testing.assert_array_equal(allowed_pairs(square, square, None, None, window=window), mask)
