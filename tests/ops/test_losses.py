"""Losses and similarities at their edges, worked out by hand."""

import math

import numpy as np
import pytest

from opbook import grad, ops, vjp
from opbook.errors import InputError, ShapeError

INF, NAN = math.inf, math.nan
NARROW = (np.float16, np.float32, np.float64)


def test_an_ignored_row_matters_to_nothing():
    logits = np.array([[NAN, INF], [0.0, 0.0], [1e300, -INF]])
    options = {"ignore_index": 7, "label_smoothing": 0.5}
    value, pullback = vjp(ops.cross_entropy, logits, np.array([7, 1, 7]), **options)
    assert value == pytest.approx(math.log(2), rel=1e-15)
    assert pullback(1.0)[0].tolist() == [[0, 0], [0.25, -0.25], [0, 0]]  # 1/2 - 1/4 and 1/2 - 3/4
    each, pullback = vjp(ops.cross_entropy, logits, np.array([7, 0, 7]), ignore_index=7, reduction="none")
    assert each.tolist() == [0, pytest.approx(math.log(2)), 0]
    assert pullback(np.array([5.0, 2.0, NAN]))[0].tolist() == [[0, 0], [-1, 1], [0, 0]]


def test_no_row_counts():
    for reduction in ("mean", "sum"):
        value, pullback = vjp(
            ops.cross_entropy, np.ones((2, 3)), np.array([-1, -1]), ignore_index=-1, reduction=reduction
        )
        assert value == 0
        assert not pullback(1.0)[0].any()
    assert ops.cross_entropy(np.ones((2, 3)), [0, 0], weight=[0.0, 1.0, 1.0]) == 0


def test_each_row_has_a_cotangent_of_its_own():
    logits = np.zeros((2, 2))
    gradient = vjp(ops.cross_entropy, logits, np.array([0, 1]), reduction="none")[1](np.array([2.0, 0.0]))[0]
    assert gradient.tolist() == [[-1, 1], [0, 0]]


def test_two_classes_are_yes_and_no():
    x = np.linspace(-30, 30, 7)
    logits, targets = np.stack([np.zeros(7), x], axis=-1), np.array([0, 1, 1, 0, 1, 0, 1])
    two = ops.cross_entropy(logits, targets, reduction="none")
    np.testing.assert_allclose(ops.binary_cross_entropy(x, targets, reduction="none"), two, rtol=1e-13, atol=1e-15)


def test_a_class_that_is_impossible_and_right_costs_infinitely_much():
    assert ops.cross_entropy([[0.0, -INF]], [1]) == INF
    assert ops.cross_entropy([[0.0, -INF]], [0]) == 0


@pytest.mark.parametrize("dtype", NARROW)
def test_losses_keep_the_dtype_and_the_digits(dtype):
    x, target = np.array([300, -400], dtype), np.zeros(2, dtype)  # the squares are beyond float16
    assert ops.huber_loss(x, target).dtype == dtype
    assert float(ops.huber_loss(x, target)) == pytest.approx(349.5, rel=1e-3)
    assert ops.mse_loss(x / 100, target).dtype == dtype
    similar = ops.cosine_similarity(x, 2 * x)
    assert similar.dtype == dtype
    assert float(similar) == pytest.approx(1, rel=1e-3)
    assert all(np.isfinite(g).all() for g in vjp(ops.cosine_similarity, target, target)[1](1.0)[:2])


def test_a_column_and_a_row_are_not_broadcast():
    for op in (ops.mse_loss, ops.huber_loss, ops.binary_cross_entropy):
        with pytest.raises(ShapeError, match="they must be equal"):
            op(np.ones((3, 1)), np.ones(3))


def test_the_gradient_of_huber_is_cut_off_at_delta():
    error = np.array([-3.0, -1.5, 0.5, 1.5, 1e300])
    assert grad(ops.huber_loss)(error, np.zeros(5), delta=1.5, reduction="sum").tolist() == [-1.5, -1.5, 0.5, 1.5, 1.5]


def test_similarity_of_zeros():
    y = np.array([3.0, 4.0])
    for function in (ops.cosine_similarity, ops.cosine_similarity.definition):
        value, pullback = vjp(function, np.zeros(2), y)
        assert value == 0
        np.testing.assert_allclose(pullback(1.0)[0], [0.6e8, 0.8e8], rtol=1e-14)  # y's direction, divided by eps
        assert pullback(1.0)[1].tolist() == [0, 0]
    tiny = np.array([3e-30, 4e-30], np.float32)  # the squares are 0 in float32
    assert float(ops.cosine_similarity(tiny, tiny, eps=0.0)) == pytest.approx(1, rel=1e-6)
    assert float(ops.cosine_similarity(tiny, tiny, eps=1e-29)) == pytest.approx(0.25, rel=1e-6)


def test_divergence_where_probabilities_are_zero():
    with np.errstate(divide="ignore"):
        p, q = np.log([0.5, 0.5, 0.0]), np.log([0.25, 0.5, 0.25])
    value, pullback = vjp(ops.kl_divergence, p, q)
    assert value == pytest.approx(0.5 * math.log(2))
    np.testing.assert_allclose(pullback(1.0)[0], [0.5 * (math.log(2) + 1), 0.5, 0], rtol=1e-14)
    np.testing.assert_allclose(pullback(1.0)[1], [-0.5, -0.5, 0], rtol=1e-14)
    assert ops.kl_divergence(q, p) == INF
    assert pullback(0.0)[0].tolist() == [0, 0, 0]


def test_probabilities_are_no_logarithms():
    with pytest.raises(InputError, match=r"kl_divergence: log_p has an entry of 0.5, but logarithms of probabilities"):
        ops.kl_divergence([0.5, 0.5], [0.25, 0.75])


def test_second_derivatives():
    logits, v = np.array([[0.5, -1.0, 2.0]]), np.array([[1.0, 2.0, -1.0]])
    p = np.exp(logits) / np.exp(logits).sum()
    curvature = grad(lambda x: (grad(ops.cross_entropy)(x, [1]) * v).sum())(logits)
    np.testing.assert_allclose(curvature, p * v - p * (p * v).sum(), rtol=1e-12)  # (diag p - p pᵀ) v
