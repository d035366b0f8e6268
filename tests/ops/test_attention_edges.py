"""What attention does at its edges: empty rows, rubbish in blocked slots, half precision, and masks of every kind."""

import numpy as np
import pytest
from ops.transformer_inputs import block, draw, head

from opbook import grad, vjp
from opbook.autodiff import tree
from opbook.errors import ArgumentError, InputError, ShapeError
from opbook.ops import (
    attention_weights,
    causal_mask,
    multi_head_attention,
    scaled_dot_product_attention,
    transformer_block,
)

Q = np.array([[1.0, 0.0], [0.0, 2.0]])
K = np.array([[1.0, 1.0], [0.0, -1.0], [2.0, 0.0]])
V = np.array([[1.0, 2.0], [3.0, 5.0], [-1.0, 4.0]])


def both_ways(op, *args, **kwargs):
    """Run an op by its rule and by its definition; the two must agree to the last digits."""
    value, pullback = vjp(op, *args, **kwargs)
    booleans = {k: np.asarray(v, bool) if k in ("mask", "key_mask") else v for k, v in kwargs.items()}
    defined, pull_definition = vjp(lambda *a: op.definition(*a, **booleans), *args)
    g = draw(*value.shape)
    np.testing.assert_allclose(value, defined, rtol=1e-12, atol=1e-12)
    gradients = pullback(g)
    for mine, expected in zip(gradients, pull_definition(g), strict=True):
        np.testing.assert_allclose(mine, expected, rtol=1e-10, atol=1e-12)
    return value, gradients


def test_a_query_that_may_attend_to_nothing():
    mask = np.array([[True, False, True], [False, False, False]])
    value, pullback = vjp(scaled_dot_product_attention, Q, K, V, mask=mask)
    dq, dk, dv = pullback(np.array([[1.0, -2.0], [3.0, 4.0]]))
    # by hand: weights of row 0 are softmax(1/√2, √2) over keys 0 and 2
    p = 1 / (1 + np.exp(1 / np.sqrt(2)))
    np.testing.assert_allclose(value, [[p - (1 - p), 2 * p + 4 * (1 - p)], [0, 0]], rtol=1e-12)
    slope = p * (1 - p) * ((1 - 4) - (-1 - 8)) / np.sqrt(2)  # g · v is -3 for key 0 and -9 for key 2
    np.testing.assert_allclose(dq, [[-slope, slope], [0, 0]], rtol=1e-10, atol=1e-15)
    np.testing.assert_allclose(dk, [[slope, 0], [0, 0], [-slope, 0]], rtol=1e-10, atol=1e-15)
    np.testing.assert_allclose(dv, [[p, -2 * p], [0, 0], [1 - p, -2 * (1 - p)]], rtol=1e-12)


@pytest.mark.parametrize("rubbish", [1e10, np.inf, -np.inf, np.nan])
def test_rubbish_in_a_blocked_slot_changes_nothing(rubbish):
    mask = np.array([[1, 1, 0], [0, 1, 0]])
    clean = both_ways(scaled_dot_product_attention, Q, K, V, mask=mask)
    k, v = K.copy(), V.copy()
    k[2], v[2] = rubbish, rubbish
    k_part, v_part = k.copy(), v.copy()
    value, gradients = both_ways(scaled_dot_product_attention, Q, k, v, mask=mask)
    np.testing.assert_array_equal(value, clean[0])
    for mine, expected in zip(gradients, clean[1], strict=True):
        np.testing.assert_array_equal(mine, expected)
    # key 0 is blocked for query 1 only: query 1 must not notice, query 0 must
    k_part[0], v_part[0] = rubbish, rubbish
    value, pullback = vjp(scaled_dot_product_attention, Q, k_part, v_part, mask=mask)
    np.testing.assert_array_equal(value[1], clean[0][1])
    with np.errstate(invalid="ignore"):  # 0 · inf where query 0 did look at the rubbish
        assert np.isfinite(pullback(np.ones((2, 2)))[0][1]).all()


def test_rubbish_that_is_attended_to_shows():
    v = V.copy()
    v[0] = np.nan
    assert np.isnan(scaled_dot_product_attention(Q, K, v, mask=[[1, 1, 1], [0, 1, 1]])).tolist() == [
        [True] * 2,
        [False] * 2,
    ]


def test_rubbish_in_an_empty_query():
    q = Q.copy()
    q[1] = np.nan
    value, gradients = both_ways(scaled_dot_product_attention, q, K, V, mask=[[1, 1, 1], [0, 0, 0]])
    assert value[1].tolist() == [0, 0]
    assert all(np.isfinite(g).all() for g in gradients)


@pytest.mark.parametrize("rubbish", [np.nan, np.inf])
@pytest.mark.parametrize("kwargs", [{"mask": np.outer([1, 1, 1, 0], [1, 1, 1, 0])}, {"key_mask": [1, 1, 1, 0]}])
@pytest.mark.parametrize("op", [multi_head_attention, transformer_block])
def test_padding_reaches_no_other_row_and_no_weight(op, kwargs, rubbish):
    x = draw(4, 3)
    x[3] = 0
    args = ((head(3, 2), head(3, 2, seed=1)), 2) if op is multi_head_attention else (block(3, 2, 2, 5),)
    clean, pull_clean = vjp(op, x, *args, **kwargs)
    x[3] = rubbish
    dirty, pull_dirty = vjp(op, x, *args, **kwargs)
    np.testing.assert_array_equal(dirty, clean)
    g = draw(4, 3, seed=1)
    (dx, *rest), (dx_clean, *rest_clean) = pull_dirty(g), pull_clean(g)
    np.testing.assert_array_equal(dx[:3], dx_clean[:3])
    assert dx[3].tolist() == [0, 0, 0]  # what was replaced has no part in the value
    for mine, expected in zip(tree.leaves(rest), tree.leaves(rest_clean), strict=True):
        np.testing.assert_array_equal(mine, expected)


def test_an_allowed_score_never_loses_to_a_blocked_one():
    assert attention_weights([[1e154]], [[-1.5e154], [1.0]], [[1, 0]], scale=1.0).tolist() == [[1, 0]]
    lowest = float(np.finfo(np.float32).min)
    q = np.zeros((1, 1), np.float32)
    assert attention_weights(q, np.zeros((2, 1), np.float32), bias=[[lowest, lowest]], key_mask=[1, 0]).tolist() == [
        [1, 0]
    ]


@pytest.mark.parametrize("op", [multi_head_attention, transformer_block])
def test_widths_of_zero(op):
    args = (({**head(0, 2)},), 1) if op is multi_head_attention else (block(3, 2, 1, 0),)
    x = draw(4, 0 if op is multi_head_attention else 3)
    value, pullback = vjp(op, x, *args)
    assert [np.shape(g) for g in tree.leaves(pullback(value))] == [np.shape(a) for a in tree.leaves((x, *args))]


def test_half_precision_with_scores_far_apart_and_masks_combined():
    q = np.array([[1.0, 0.0], [-4.0, -4.0]], np.float16)
    k = np.array([[1.0, 1.0], [4.0, 4.0], [8.0, 8.0]], np.float16)
    v = V.astype(np.float16)
    mask = [[False, False, False], [False, True, False]]
    value, pullback = vjp(scaled_dot_product_attention, q, k, v, mask=mask)
    assert value.dtype == np.float16
    assert value.tolist() == [[0, 0], [3, 5]]
    assert all(g.dtype == np.float16 and np.isfinite(g).all() for g in pullback(np.ones((2, 2))))


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_scores_far_apart(dtype):
    q = np.array([[200.0]], dtype)
    k = np.array([[100.0], [-100.0], [99.0]], dtype)
    value, pullback = vjp(attention_weights, q, k)
    np.testing.assert_allclose(value, [[1, 0, 0]], atol=1e-80)
    assert all(np.isfinite(g).all() for g in pullback(np.array([[1.0, 2, 3]])))


def test_one_means_attend():
    v = np.array([[1.0], [10.0]])
    for mask in (
        [[True, False]],
        [[1, 0]],
        np.array([[1, 0]], np.uint8),
        np.array([[1.0, 0.0]], np.float16),
        [True, False],
    ):
        assert scaled_dot_product_attention([[0.0]], [[0.0], [0.0]], v, mask=mask) == [[1]]


def test_other_mask_values_are_refused_with_the_first():
    with pytest.raises(InputError, match=r"scaled_dot_product_attention: mask .* the value -1e\+09.*bias="):
        scaled_dot_product_attention(Q, K, V, mask=[[0, -1e9, 0.5]] * 2)


def test_masks_broadcast_but_do_not_guess():
    q, k, v = draw(2, 5, 4, 3), draw(2, 5, 6, 3), draw(2, 5, 6, 3)
    padding = np.ones((2, 6), bool)
    padding[1, 4:] = False
    with pytest.raises(ShapeError, match=r"mask has shape \(2, 6\).*\(2, 5, 4, 6\)"):
        scaled_dot_product_attention(q, k, v, mask=padding)
    with pytest.raises(ShapeError, match="key_mask"):
        scaled_dot_product_attention(q, k, v, key_mask=padding)
    by_key = scaled_dot_product_attention(q, k, v, key_mask=padding[:, None])
    np.testing.assert_array_equal(by_key, scaled_dot_product_attention(q, k, v, mask=padding[:, None, None]))
    np.testing.assert_array_equal(by_key[1], scaled_dot_product_attention(q[1], k[1, :, :4], v[1, :, :4]))


def test_a_mask_with_as_many_axes_as_heads_is_not_taken_for_the_batch():
    """batch = heads = 2: sizes agree by chance, and still the axes are not guessed."""
    q = draw(2, 2, 4, 3)
    with pytest.raises(ShapeError, match="key_mask has 2 axes"):
        scaled_dot_product_attention(q, q, q, key_mask=np.ones((2, 4), bool))


def test_causal_needs_square_scores_and_both_alignments_are_there():
    q, k, v = np.zeros((2, 1)), np.zeros((3, 1)), np.array([[1.0], [10.0], [100.0]])
    with pytest.raises(ShapeError, match=r'2 and 3.*causal_mask\(2, 3, align="lower-right"\)'):
        scaled_dot_product_attention(q, k, v, causal=True)
    lower = scaled_dot_product_attention(q, k, v, mask=causal_mask(2, 3, align="lower-right"))
    upper = scaled_dot_product_attention(q, k, v, mask=causal_mask(2, 3, align="upper-left"))
    np.testing.assert_allclose(lower, [[5.5], [37]])
    np.testing.assert_allclose(upper, [[1], [5.5]])
    with pytest.raises(InputError, match="2 queries and 3 keys"):
        causal_mask(2, 3)
    assert causal_mask(3, 2, align="lower-right").tolist() == [[False, False], [True, False], [True, True]]
    assert causal_mask(2).tolist() == [[True, False], [True, True]]


def test_causal_equals_its_mask():
    x = draw(3, 4, 2)
    np.testing.assert_array_equal(
        scaled_dot_product_attention(x, x, x, causal=True), scaled_dot_product_attention(x, x, x, mask=causal_mask(4))
    )


def test_no_keys_no_queries_no_batch():
    assert scaled_dot_product_attention(np.ones((2, 3)), np.ones((0, 3)), np.ones((0, 4))).tolist() == [[0] * 4] * 2
    assert scaled_dot_product_attention(np.ones((0, 3)), np.ones((2, 3)), np.ones((2, 4))).shape == (0, 4)
    value, pullback = vjp(scaled_dot_product_attention, *(np.ones((0, 2, 3)),) * 3, mask=np.eye(2))
    assert [g.shape for g in pullback(value)] == [(0, 2, 3)] * 3


def test_the_same_array_three_times_adds_up():
    x = draw(3, 2)
    (total,) = vjp(lambda x: scaled_dot_product_attention(x, x, x), x)[1](np.ones((3, 2)))
    parts = vjp(scaled_dot_product_attention, x, x, x)[1](np.ones((3, 2)))
    np.testing.assert_allclose(total, sum(parts))


def test_weights_times_values_is_attention_and_rows_add_up():
    q, k, v = draw(2, 3, 4), draw(2, 5, 4), draw(2, 5, 2)
    weights = attention_weights(q, k)
    np.testing.assert_allclose(weights.sum(axis=-1), np.ones((2, 3)))
    np.testing.assert_allclose(weights @ v, scaled_dot_product_attention(q, k, v), rtol=1e-13)
    np.testing.assert_allclose(attention_weights(q, k, scale=0.0), np.full((2, 3, 5), 0.2))


def test_one_identity_head_is_plain_attention():
    x, eye = draw(3, 2), np.eye(2)
    record = {"wq": eye, "wk": eye, "wv": eye, "wo": eye}
    np.testing.assert_allclose(multi_head_attention(x, (record,), 1), scaled_dot_product_attention(x, x, x), rtol=1e-14)


def test_a_pre_norm_block_without_output_projections_is_the_identity():
    weights = block(3, 2, 2, 5)
    weights["heads"] = tuple({**record, "wo": np.zeros((2, 3))} for record in weights["heads"])
    weights["w2"], weights["b2"] = np.zeros((5, 3)), np.zeros(3)
    x = draw(4, 3)
    np.testing.assert_array_equal(transformer_block(x, weights, norm="pre"), x)


def test_changing_inputs_afterwards_changes_no_gradient():
    args = [draw(3, 2), draw(4, 2), draw(4, 5)]
    value, pullback = vjp(scaled_dot_product_attention, *args)
    before = pullback(np.ones((3, 5)))
    for array in (*args, value):
        array[...] = np.nan
    for mine, expected in zip(pullback(np.ones((3, 5))), before, strict=True):
        np.testing.assert_array_equal(mine, expected)


def test_second_derivatives_go_through_the_definition():
    x = draw(3, 2)

    def f(x):
        return (scaled_dot_product_attention(x, x, x, causal=True) ** 2).sum()

    v = draw(3, 2, seed=1)
    step = 1e-5
    expected = (grad(f)(x + step * v) - grad(f)(x - step * v)) / (2 * step)
    np.testing.assert_allclose(grad(lambda x: (grad(f)(x) * v).sum())(x), expected, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: scaled_dot_product_attention(Q, draw(3, 3), V), ShapeError, ["k has 3 columns but q has 2"]),
        (lambda: scaled_dot_product_attention(Q, K, V[:2]), ShapeError, ["v has 2 rows but k has 3"]),
        (lambda: scaled_dot_product_attention(Q[0], K, V), ShapeError, ["q must be", "(2,)"]),
        (lambda: scaled_dot_product_attention(Q, K, V, causal=1), ArgumentError, ["causal", "true or false"]),
        (lambda: multi_head_attention(Q, (head(2, 1),), 2), ArgumentError, ["n_heads is 2", "heads has 1"]),
        (lambda: multi_head_attention(Q, (), 0), ArgumentError, ["at least 1"]),
        (lambda: multi_head_attention(Q, head(2, 1), 1), ArgumentError, ["heads", "(head,)"]),
        (lambda: multi_head_attention(Q, (head(3, 1),), 1), ShapeError, ["heads[0].wq has 3 rows but x has 2 columns"]),
        (lambda: multi_head_attention(Q, ({"wq": Q},), 1), ArgumentError, ["heads[0] has no field wk"]),
        (
            lambda: multi_head_attention(Q, ({**head(2, 1), "wz": Q},), 1),
            ArgumentError,
            ["unknown field wz", "wq, wk, wv, wo"],
        ),
        (lambda: transformer_block(Q, {}), ArgumentError, ["weights has no field heads", "ln1_gamma"]),
    ],
)
def test_errors_name_the_argument_and_the_numbers(call, error, words):
    with pytest.raises(error) as caught:
        call()
    assert all(word in str(caught.value) for word in words), str(caught.value)
