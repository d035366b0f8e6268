"""Values and edges of softmax, log_softmax, relu and gelu."""

import math

import numpy as np
import pytest
from numeric import uneven

from opbook import grad, ops, vjp
from opbook.errors import InputError

INF, NAN = math.inf, math.nan


def gradient(op, x, g):
    return vjp(op, np.array(x))[1](np.array(g, float))[0]


def test_softmax_by_hand():
    # exp(log 1), exp(log 2), exp(log 5) over their sum 8
    np.testing.assert_allclose(ops.softmax(np.log([1, 2, 5])), [0.125, 0.25, 0.625], rtol=1e-15)
    # p (g - <p, g>) with <p, g> = 0.125 + 1.25 = 1.375 for g = (1, 5, 0)
    found = gradient(ops.softmax, np.log([1, 2, 5]), [1, 5, 0])
    np.testing.assert_allclose(found, [0.125 * -0.375, 0.25 * 3.625, 0.625 * -1.375], rtol=1e-14)


def test_softmax_of_scores_hundreds_apart():
    np.testing.assert_allclose(ops.softmax([-431.0, 279.0, 427.0]), [0, math.exp(-148), 1], rtol=1e-14)
    np.testing.assert_array_equal(ops.log_softmax([-431.0, 279.0, 427.0]), [-858, -148, 0])
    loss = grad(lambda x: -ops.log_softmax(x)[0])(np.array([-431.0, 279.0, 427.0]))
    np.testing.assert_allclose(loss, [-1, 5.301718666092324e-65, 1], rtol=1e-12)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_softmax_depends_on_differences_only(dtype):
    x = np.array([1, 2, 4], dtype)
    np.testing.assert_array_equal(ops.softmax(x + dtype(1000)), ops.softmax(x))
    assert ops.softmax(np.array([-60000, 0, 60000], dtype)).tolist() == [0, 0, 1]


def test_rows_that_have_no_weights_to_give():
    x = np.array([[-INF, -INF], [0.0, -INF], [1.0, 1.0]])
    for function in (ops.softmax, ops.softmax.definition):
        value, pullback = vjp(function, x)
        assert value.tolist() == [[0, 0], [1, 0], [0.5, 0.5]]
        assert pullback(np.array([[1.0, 2.0], [1.0, 2.0], [1.0, 2.0]]))[0].tolist() == [[0, 0], [0, 0], [-0.25, 0.25]]
    for function in (ops.log_softmax, ops.log_softmax.definition):
        value, pullback = vjp(function, x)
        np.testing.assert_allclose(value, [[-INF, -INF], [0, -INF], [-math.log(2)] * 2], rtol=1e-15)
        found = pullback(np.array([[1.0, 2.0], [1.0, 2.0], [1.0, 2.0]]))[0]
        np.testing.assert_allclose(found, [[1, 2], [-2, 2], [-0.5, 0.5]], rtol=1e-15)


@pytest.mark.parametrize("op", [ops.softmax, ops.log_softmax], ids=lambda op: op.name)
def test_softmax_edges(op):
    with pytest.raises(InputError, match=rf"^{op.name}: x must be finite or -inf, but has an entry of inf"):
        op([1.0, INF])
    with pytest.raises(InputError, match="axis 1 is out of range; the array has 1 axis"):
        op([1.0, 2.0], 1)
    with pytest.raises(InputError, match="axis -1 is out of range; the array has 0 axes"):
        op(3.0)
    assert op(np.zeros((2, 0))).shape == (2, 0)
    assert op(np.zeros((0, 2))).shape == (0, 2)
    assert vjp(op, np.zeros((2, 0)))[1](np.zeros((2, 0)))[0].shape == (2, 0)
    mixed = op([[NAN, 1000.0], [0.0, 0.0]])
    assert np.isnan(mixed[0]).all()
    assert np.isfinite(mixed[1]).all()


def test_relu():
    x = [-INF, -2.0, -0.0, 0.0, 3.0, INF, NAN]
    np.testing.assert_array_equal(ops.relu(x), [0, 0, 0, 0, 3, INF, NAN])
    found = gradient(ops.relu, x, [NAN, 1, 1, 1, 2, 1, 1])
    np.testing.assert_array_equal(found, [0, 0, 0, 0, 2, 1, 1])
    assert grad(ops.relu.definition)(0.0) == 0


def test_gelu_by_hand():
    # Φ(1) = 0.8413447460685429
    assert ops.gelu(1.0) == pytest.approx(0.8413447460685429, rel=1e-15)
    assert ops.gelu(-1.0) == pytest.approx(0.8413447460685429 - 1, rel=1e-14)
    inner = math.sqrt(2 / math.pi) * 1.044715
    assert ops.gelu(1.0, "tanh") == pytest.approx(0.5 * (1 + math.tanh(inner)), rel=1e-15)
    assert ops.gelu(1.0, approximate="none") == ops.gelu(1.0)
    assert grad(ops.gelu)(0.0) == 0.5


@pytest.mark.parametrize("form", ["none", "tanh"])
def test_gelu_far_out(form):
    far = np.array([-INF, -1e200, -1000.0, 1000.0, 1e200, INF])
    for function in (ops.gelu, ops.gelu.definition):
        value, pullback = vjp(lambda x, function=function: function(x, form), far)
        np.testing.assert_array_equal(value, [0, 0, 0, 1000, 1e200, INF])
        np.testing.assert_array_equal(pullback(np.ones(6))[0], [0, 0, 0, 1, 1, 1])
    assert np.isnan(ops.gelu(NAN, form))
    assert ops.gelu(np.float16(-60000), form) == 0


def test_the_two_forms_of_gelu_are_near_each_other_and_not_the_same():
    x = np.linspace(-6, 6, 1201)
    apart = np.max(np.abs(ops.gelu(x) - ops.gelu(x, "tanh")))
    assert 1e-4 < apart < 5e-4
    assert ops.gelu(x).min() > -0.171
    assert ops.gelu(x, "tanh").min() > -0.171


def test_gelu_refuses_other_forms():
    with pytest.raises(InputError, match='approximate must be "none" or "tanh", but is \'erf\''):
        ops.gelu(1.0, "erf")


@pytest.mark.peer
@pytest.mark.parametrize("name", ["softmax", "log_softmax", "gelu", "gelu tanh", "relu"])
def test_pytorch_agrees(name):
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    functions = torch.nn.functional
    ours, theirs = {
        "softmax": (ops.softmax, lambda x: functions.softmax(x, -1)),
        "log_softmax": (ops.log_softmax, lambda x: functions.log_softmax(x, -1)),
        "gelu": (ops.gelu, functions.gelu),
        "gelu tanh": (lambda x: ops.gelu(x, "tanh"), lambda x: functions.gelu(x, approximate="tanh")),
        "relu": (ops.relu, functions.relu),
    }[name]
    x, g = 4 * uneven((5, 7), 3), uneven((5, 7), 4)
    peer = torch.tensor(x, requires_grad=True)
    expected = theirs(peer)
    expected.backward(torch.tensor(g))
    value, pullback = vjp(ours, x)
    np.testing.assert_allclose(value, expected.detach().numpy(), rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(pullback(g)[0], peer.grad.numpy(), rtol=1e-11, atol=1e-14)
