"""Edges of the normalizations, of relu's relatives, and of what runs along an axis, worked out by hand."""

import math

import numpy as np
import pytest

from opbook import grad, ops, vjp

INF, NAN = math.inf, math.nan


def gradient(op, x, g, *rest, **options):
    return vjp(op, np.array(x), *rest, **options)[1](np.array(g, float))[0]


def test_rms_norm_in_half_precision():
    # the mean square of (300, -400) is 125000, beyond float16
    found = ops.rms_norm(np.array([300, -400], np.float16), np.ones(2, np.float16))
    np.testing.assert_allclose(found, [300 / math.sqrt(125000), -400 / math.sqrt(125000)], rtol=1e-3)
    assert found.dtype == np.float16
    np.testing.assert_array_equal(ops.rms_norm(np.zeros((2, 3)), np.ones(3)), np.zeros((2, 3)))
    # with x = 0 the norm is x / √eps
    np.testing.assert_allclose(gradient(ops.rms_norm, [0.0, 0.0], [1, 2], np.ones(2), eps=0.25), [2, 4], rtol=1e-15)


def test_group_norm_scales_channels_and_not_groups():
    x = np.array([[1.0, 1.0], [-1.0, -1.0], [3.0, 3.0], [1.0, 1.0]])
    found = ops.group_norm(x, np.array([1.0, 10.0, 100.0, 1000.0]), np.zeros(4), 2, eps=0.0)
    np.testing.assert_array_equal(found, [[1, 1], [-10, -10], [100, 100], [-1000, -1000]])


def test_dropout_uses_its_mask_again_and_leaves_alone_what_it_drops():
    keep = np.array([True, False, True])
    value, pullback = vjp(ops.dropout, np.array([1.0, NAN, 3.0]), keep, rate=0.75)
    assert value.tolist() == [4, 0, 12]
    assert pullback(np.array([1.0, NAN, 2.0]))[0].tolist() == [4, 0, 8]
    assert ops.dropout(np.array([1.0, 2.0]), np.ones(2, bool), rate=1.0).tolist() == [0, 0]


def test_dropout_masks_are_those_of_their_seed():
    # PCG64 of seed 1 begins with 0.512, 0.950, 0.144, 0.949, 0.312
    assert ops.dropout_mask((5,), 0.5, 1).tolist() == [True, True, False, True, False]
    assert ops.dropout_mask((5,), 0.2, 1).tolist() == [True, True, False, True, True]
    # 10 000 entries: the share that is kept is within 4 standard deviations of 0.7
    assert abs(ops.dropout_mask((100, 100), 0.3, 5).mean() - 0.7) < 4 * math.sqrt(0.3 * 0.7 / 10_000)


@pytest.mark.parametrize(
    ("op", "options", "slope"), [("leaky_relu", {"slope": 0.2}, 0.2), ("elu", {"alpha": 0.5}, 0.5)]
)
def test_slopes_at_the_kink_are_those_of_the_left_side(op, options, slope):
    for function in (getattr(ops, op), getattr(ops, op).definition):
        assert gradient(function, [-0.0, 0.0, 1e-300], [1, 1, 1], **options).tolist() == [slope, slope, 1]


def test_relatives_of_relu_far_out():
    far = np.array([-INF, INF, NAN])
    np.testing.assert_array_equal(ops.leaky_relu(far, slope=0.5), [-INF, INF, NAN])
    np.testing.assert_array_equal(ops.elu(far), [-1, INF, NAN])
    np.testing.assert_array_equal(ops.silu(far), [0, INF, NAN])
    np.testing.assert_array_equal(ops.log_sigmoid(far), [-INF, 0, NAN])
    np.testing.assert_array_equal(gradient(ops.silu, far, [1, 1, 1]), [0, 1, NAN])
    np.testing.assert_array_equal(gradient(ops.log_sigmoid, far, [1, 1, 1]), [1, 0, NAN])
    assert gradient(ops.silu, [-1000.0, 0.0, 1000.0], [1, 1, 1]).tolist() == [0, 0.5, 1]


def test_second_derivatives_at_0_see_no_kink():
    # σ(-x) has the slope -1/4 at 0; that of silu is σ + xσ', so its own is 2σ' = 1/2
    assert grad(grad(ops.log_sigmoid))(0.0) == pytest.approx(-0.25, rel=1e-15)
    assert grad(grad(ops.silu))(0.0) == pytest.approx(0.5, rel=1e-15)


def test_logsumexp_of_nothing_but_minus_infinity():
    x = np.array([[-INF, -INF], [0.0, -INF]])
    for function in (ops.logsumexp, ops.logsumexp.definition):
        value, pullback = vjp(function, x)
        assert value.tolist() == [-INF, 0]
        assert pullback(np.array([1.0, 2.0]))[0].tolist() == [[0, 0], [2, 0]]


def test_norm_has_no_direction_at_0():
    for function in (ops.norm, ops.norm.definition):
        found = vjp(lambda x, f=function: f(x, axis=1), np.array([[0.0, 0.0], [3.0, 4.0]]))[1](np.array([1.0, 5.0]))[0]
        assert found.tolist() == [[0, 0], [3, 4]]
    assert ops.norm(np.array([3, 4], np.float16) * np.float16(1000)) == 5000  # the squares are beyond float16


def test_equal_entries_stay_in_their_order():
    assert gradient(ops.sort, [2.0, 1.0, 2.0, 1.0], [1, 2, 3, 4]).tolist() == [3, 1, 4, 2]
    # beyond 16 entries NumPy's default is not stable
    x = np.arange(40.0) % 2
    assert gradient(ops.sort, x, np.arange(40)).tolist() == [i // 2 + 20 * (i % 2) for i in range(40)]


def test_the_gradient_of_a_running_sum_runs_the_other_way():
    assert gradient(ops.cumsum, [5.0, 6.0, 7.0], [1, 10, 100]).tolist() == [111, 110, 100]
    assert gradient(ops.cumsum, [5.0, 6.0, 7.0], [1, 10, 100], exclusive=True).tolist() == [110, 100, 0]
    assert gradient(ops.cumsum, [5.0, 6.0, 7.0], [1, 10, 100], reverse=True).tolist() == [1, 11, 111]


def test_batch_norm_by_hand():
    # the column (1, 3) has mean 2, biased variance 1 and unbiased variance 2
    x, one, zero = np.array([[1.0], [3.0]]), np.ones(1), np.zeros(1)
    found = ops.batch_norm(x, 10 * one, one, 4 * one, 6 * one, training=True, momentum=0.5, eps=0.0)
    assert {name: value.ravel().tolist() for name, value in found.items()} == {"y": [-9, 11], "mean": [3], "var": [4]}
    biased = ops.batch_norm(x, one, zero, zero, zero, training=True, momentum=1.0, running="biased")
    assert (biased["mean"].tolist(), biased["var"].tolist()) == ([2], [1])
    used = ops.batch_norm(x, one, zero, 5 * one, 4 * one, eps=0.0)
    assert {name: value.ravel().tolist() for name, value in used.items()} == {"y": [-2, -1], "mean": [5], "var": [4]}


def test_running_statistics_send_gradients_to_the_batch():
    x = np.array([[1.0], [3.0]])
    value, pullback = vjp(ops.batch_norm, x, *np.ones((4, 1)), training=True, momentum=0.5)
    nothing = {name: 0 * array for name, array in value.items()}
    # the mean has the slope 1/2 by each entry, the unbiased variance 2 (x - 2); momentum halves both
    dx, _, _, d_mean, _ = pullback({**nothing, "mean": np.ones(1)})
    assert (dx.ravel().tolist(), d_mean.tolist()) == ([0.25, 0.25], [0.5])
    dx, _, _, _, d_var = pullback({**nothing, "var": np.ones(1)})
    assert (dx.ravel().tolist(), d_var.tolist()) == ([-1, 1], [0.5])


def test_the_gradient_of_a_trace_is_the_identity():
    _, pullback = vjp(ops.einsum, "ii->", (np.arange(9.0).reshape(3, 3),))
    assert pullback(1.0)[1][0].tolist() == np.eye(3).tolist()


def test_argmax_is_a_whole_number_that_can_index():
    x = np.array([[1.0, 7.0, 7.0], [NAN, 9.0, NAN]])
    found = ops.argmax(x, 1)
    assert (found.tolist(), found.dtype.kind) == ([1, 0], "i")
    assert ops.argmax(x, 1, ties="last").tolist() == [2, 2]
    # on a tape too: the gradient of the entry that is chosen
    assert grad(lambda row: row[ops.argmax(row)])(np.array([1.0, 3.0, 2.0])).tolist() == [0, 1, 0]
