"""Values and edges of the elementwise functions."""

import math

import numpy as np
import pytest

from opbook import grad, ops, vjp
from opbook.errors import InputError, ShapeError

INF, NAN = math.inf, math.nan


def slopes(op, x):
    x = np.array(x, float)
    return vjp(op, x)[1](np.ones_like(x))[0]


@pytest.mark.parametrize("name", ["sqrt", "exp", "log", "tanh", "sin", "cos"])
def test_values_are_those_of_the_math_module(name):
    for x in (0.25, 1.0, 3.5):
        assert getattr(ops, name)(x) == pytest.approx(getattr(math, name)(x), rel=1e-15)


def test_abs_has_gradient_0_at_0():
    np.testing.assert_array_equal(ops.abs([-2, 0, 3]), [2, 0, 3])
    np.testing.assert_array_equal(slopes(ops.abs, [-2, 0, 3]), [-1, 0, 1])


@pytest.mark.parametrize("op", [ops.sqrt, ops.log])
def test_negative_entries_are_refused_with_the_first_of_them(op):
    with pytest.raises(InputError, match=rf"^{op.name}: x must be at least 0 everywhere, but has the value -3\.5$"):
        op(np.array([[1.0, -3.5], [-4.0, 2.0]]))
    with pytest.raises(InputError, match=op.name):
        grad(op)(-1.0)
    with pytest.raises(InputError, match=op.name):  # through the definition
        grad(grad(op))(-1.0)
    assert np.isnan(op(NAN))


def test_slopes_at_0_are_infinite_but_not_where_nothing_is_asked():
    for op in (ops.sqrt, ops.log):
        value, pullback = vjp(op, np.array([0.0, 0.0, 4.0]))
        np.testing.assert_array_equal(pullback(np.array([0.0, 1.0, 0.0]))[0], [0, INF, 0])
        # on a tape too
        np.testing.assert_array_equal(grad(lambda x, op=op: np.sum(op(x)[2:]))(np.array([0.0, 0.0, 4.0]))[:2], [0, 0])
    assert ops.log(0) == -INF
    assert value.dtype == np.float64


def test_exp_overflows_to_infinity_without_a_warning():
    np.testing.assert_array_equal(ops.exp([-1000, 0, 1000]), [0, 1, INF])
    assert ops.exp(np.float16(20)) == INF


def test_sine_and_cosine_of_infinity():
    assert np.isnan(ops.sin(INF))
    assert np.isnan(ops.cos(-INF))


@pytest.mark.parametrize(
    ("x", "digits", "expected"),
    [
        (0.5, 0, 0.0),
        (1.5, 0, 2.0),
        (2.5, 0, 2.0),
        (-2.5, 0, -2.0),
        (0.125, 2, 0.12),
        (0.375, 2, 0.38),
        (1.005, 2, 1.0),
        (1250, -2, 1200.0),
        (1350, -2, 1400.0),
        (49, -2, 0.0),
        (1e300, 20, 1e300),
        (1e300, 292, 1e300),
        (INF, 2, INF),
    ],
)
def test_round(x, digits, expected):
    assert ops.round(x, digits) == expected


@pytest.mark.parametrize(("x", "digits"), [(-0.2, 0), (-0.0, 0), (-0.001, 2), (-3, -2)])
def test_round_gives_no_negative_zero(x, digits):
    assert math.copysign(1, ops.round(x, digits)) == 1


def test_round_refuses_digits_out_of_range_and_keeps_nan():
    for digits in (293, -293):
        with pytest.raises(InputError, match=f"round: digits must be from -292 to 292, but is {digits}"):
            ops.round(1, digits)
    assert np.isnan(ops.round(NAN, 2))


def test_round_has_gradient_0_also_for_large_whole_numbers():
    np.testing.assert_array_equal(slopes(lambda x: ops.round(x, 2), [0.123, 1e17]), [0, 0])


def test_maximum_and_minimum_split_ties_and_pass_nan():
    x, y = np.array([1.0, 2.0, 5.0]), np.array([3.0, 2.0, 4.0])
    g = np.array([1.0, 10.0, 100.0])
    for op, value, of_x in ((ops.maximum, [3, 2, 5], [0, 5, 100]), (ops.minimum, [1, 2, 4], [1, 5, 0])):
        found, pullback = vjp(op, x, y)
        np.testing.assert_array_equal(found, value)
        np.testing.assert_array_equal(pullback(g)[0], of_x)
        np.testing.assert_array_equal(sum(pullback(g)), g)
        assert np.isnan(op(NAN, 1.0))
        assert np.isnan(op(1.0, NAN))
    with pytest.raises(ShapeError, match=r"maximum: y .*\(3,\).* x .*\(2,\)"):
        ops.maximum([1, 2], [1, 2, 3])


def test_the_smooth_functions_far_out():
    far = np.array([-INF, -1000.0, 0.0, 1000.0, INF])
    np.testing.assert_array_equal(ops.sigmoid(far), [0, 0, 0.5, 1, 1])
    np.testing.assert_array_equal(ops.tanh(far), [-1, -1, 0, 1, 1])
    np.testing.assert_array_equal(ops.softplus(far), [0, 0, math.log(2), 1000, INF])
    np.testing.assert_array_equal(slopes(ops.sigmoid, far), [0, 0, 0.25, 0, 0])
    np.testing.assert_array_equal(slopes(ops.tanh, far), [0, 0, 1, 0, 0])
    np.testing.assert_array_equal(slopes(ops.softplus, far), [0, 0, 0.5, 1, 1])
    for op in (ops.sigmoid, ops.tanh, ops.softplus, ops.erf):
        assert np.isnan(op(NAN))


def test_gradients_keep_their_digits_in_the_tails():
    # sigmoid'(x) = exp(-|x|) and tanh'(x) = 4 exp(-2|x|) to within exp(-30) of themselves
    for x in (-40.0, 40.0):
        assert grad(ops.sigmoid)(x) == pytest.approx(math.exp(-40), rel=1e-14)
        assert grad(ops.tanh)(x) == pytest.approx(4 * math.exp(-80), rel=1e-14)
        assert grad(ops.tanh)(np.float32(x / 4)) == pytest.approx(4 * math.exp(-20), rel=1e-5)
    assert ops.sigmoid(-700.0) == pytest.approx(math.exp(-700), rel=1e-13)
    assert ops.softplus(-700.0) == pytest.approx(math.exp(-700), rel=1e-13)


def test_sigmoid_has_no_kink_at_0():
    # a definition by way of abs would give 0 here
    assert grad(ops.sigmoid.definition)(0.0) == 0.25
    assert grad(grad(ops.sigmoid))(0.0) == 0.0
    assert grad(grad(ops.softplus))(0.0) == pytest.approx(0.25, rel=1e-15)


def test_erf_agrees_with_the_math_module():
    edges = [0.46875, np.nextafter(0.46875, 1), 4.0, np.nextafter(4.0, 5), 5e-324, 1e-300, 27.0, 28.0, 1e200, INF]
    x = np.concatenate([np.linspace(-7, 7, 4001), edges, np.negative(edges)])
    exact = np.array([math.erf(v) for v in x])
    np.testing.assert_allclose(ops.erf(x), exact, rtol=1e-15, atol=0)


def test_erf_is_differentiable_twice_on_all_its_ranges():
    for x in (-5.0, -1.0, -0.2, 0.0, 0.3, 2.0, 3.9, 4.5):
        slope = 2 / math.sqrt(math.pi) * math.exp(-x * x)
        assert grad(ops.erf)(x) == pytest.approx(slope, rel=1e-15)
        assert grad(ops.erf.definition)(x) == pytest.approx(slope, rel=1e-12, abs=1e-15)
        assert grad(grad(ops.erf))(x) == pytest.approx(-2 * x * slope, rel=1e-11, abs=1e-14)
    np.testing.assert_array_equal(slopes(ops.erf, [-1e200, INF]), [0, 0])


@pytest.mark.peer
@pytest.mark.parametrize("name", ["sigmoid", "softplus", "tanh", "erf"])
def test_pytorch_agrees(name):
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    x = np.concatenate([np.linspace(-18, 18, 73), [-1000.0, 1000.0]])
    peer = torch.tensor(x, requires_grad=True)
    function = torch.nn.functional.softplus if name == "softplus" else getattr(torch, name)
    expected = function(peer)
    expected.sum().backward()
    np.testing.assert_allclose(getattr(ops, name)(x), expected.detach().numpy(), rtol=1e-14, atol=1e-15)
    np.testing.assert_allclose(slopes(getattr(ops, name), x), peer.grad.numpy(), rtol=1e-13, atol=1e-15)
