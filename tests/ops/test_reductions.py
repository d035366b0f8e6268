"""Values and edges of the reductions."""

import math

import numpy as np
import pytest

from opbook import ops, vjp
from opbook.errors import InputError

X = np.array([[1.0, 5.0, 2.0], [7.0, 7.0, 0.0]])
REDUCTIONS = [ops.sum, ops.mean, ops.max, ops.min]


@pytest.mark.parametrize(
    ("name", "everything", "rows", "columns"),
    [
        ("sum", 22, [8, 14], [8, 12, 2]),
        ("mean", 22 / 6, [8 / 3, 14 / 3], [4, 6, 1]),
        ("max", 7, [5, 7], [7, 7, 2]),
        ("min", 0, [1, 0], [1, 5, 0]),
    ],
)
def test_values(name, everything, rows, columns):
    op = getattr(ops, name)
    assert op(X) == pytest.approx(everything, rel=1e-15)
    assert isinstance(op(X), np.float64)
    np.testing.assert_allclose(op(X, 1), rows, rtol=1e-15)
    np.testing.assert_allclose(op(X, axis=-2), columns, rtol=1e-15)
    assert op(X, 1, keepdims=True).shape == (2, 1)
    assert op(X, keepdims=True).shape == (1, 1)
    assert op(X, None) == op(X)


@pytest.mark.parametrize("op", REDUCTIONS, ids=lambda op: op.name)
def test_gradients_with_and_without_keepdims(op):
    g = np.array([10.0, 20.0])
    expected = {
        "sum": [[10, 10, 10], [20, 20, 20]],
        "mean": [[10 / 3] * 3, [20 / 3] * 3],
        "max": [[0, 10, 0], [10, 10, 0]],
        "min": [[10, 0, 0], [0, 0, 20]],
    }[op.name]
    np.testing.assert_allclose(vjp(op, X, 1)[1](g)[0], expected, rtol=1e-15)
    kept = vjp(op, X, 1, keepdims=True)[1](g[:, None])
    np.testing.assert_allclose(kept[0], expected, rtol=1e-15)


@pytest.mark.parametrize("name", ["max", "min"])
def test_ties_share_the_cotangent(name):
    value, pullback = vjp(getattr(ops, name), np.array([2.0, 2.0, 2.0, 2.0]))
    assert value == 2
    np.testing.assert_array_equal(pullback(1.0)[0], [0.25] * 4)


@pytest.mark.parametrize("op", REDUCTIONS, ids=lambda op: op.name)
def test_an_axis_out_of_range_is_named_with_the_number_of_axes(op):
    with pytest.raises(InputError, match=rf"^{op.name}: axis 2 is out of range; the array has 2 axes$"):
        op(X, 2)
    with pytest.raises(InputError, match=r"axis -2 is out of range; the array has 1 axis$"):
        vjp(op, X[0], -2)
    with pytest.raises(InputError, match="axis 5"):
        vjp(lambda x: op(x, 5) * 1.0, X)


@pytest.mark.parametrize("name", ["mean", "max", "min"])
def test_nothing_can_not_be_reduced(name):
    with pytest.raises(InputError, match=rf"^{name}: x must have at least one entry, but has shape \(0,\)"):
        getattr(ops, name)([])
    with pytest.raises(InputError, match=r"at least one entry along axis 0, but has shape \(0, 3\)"):
        getattr(ops, name)(np.zeros((0, 3)), 0)
    assert getattr(ops, name)(np.zeros((0, 3)), 1).shape == (0,)


def test_the_sum_of_nothing_is_0():
    assert ops.sum([]) == 0
    value, pullback = vjp(ops.sum, np.zeros((0, 3)), 0)
    np.testing.assert_array_equal(value, [0, 0, 0])
    assert pullback(np.ones(3))[0].shape == (0, 3)


def test_narrow_floats_are_added_precisely():
    # one after the other in float16, adding 1 to 2048 changes nothing
    assert ops.sum(np.ones(5000, np.float16)) == 5000
    assert ops.mean(np.full(5000, 100.0, np.float16)) == 100
    assert ops.mean(np.full(10, 3e38, np.float32)) == np.float32(3e38)
    big = np.array([1e8, 1.0, -1e8], np.float32)
    assert ops.sum(big) == 1
    assert ops.sum(np.full(2, 60000, np.float16)) == math.inf  # too large for the dtype, and no warning


@pytest.mark.parametrize("name", ["max", "min"])
def test_nan_is_passed_on_and_gets_the_gradient(name):
    value, pullback = vjp(getattr(ops, name), np.array([[1.0, math.nan, 3.0], [4.0, 4.0, 4.0]]), 1)
    np.testing.assert_array_equal(value, [math.nan, 4])
    np.testing.assert_array_equal(pullback(np.array([2.0, 6.0]))[0], [[0, 2, 0], [2, 2, 2]])
