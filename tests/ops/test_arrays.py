"""Values and edges of what makes, joins and rearranges arrays."""

import math

import numpy as np
import pytest
from numeric import central_differences, uneven

from opbook import grad, ops, vjp
from opbook.errors import ArgumentError, DTypeError, InputError, ShapeError

A, B = uneven((2, 3)), uneven((4, 3), 1)


def test_sizes():
    assert ops.zeros(3).tolist() == [0, 0, 0]
    assert ops.ones(2, 3).tolist() == [[1, 1, 1], [1, 1, 1]]
    assert ops.zeros(columns=2, rows=1).tolist() == [[0, 0]]
    assert ops.ones((2, 1, 2)).tolist() == [[[1, 1]], [[1, 1]]]
    assert ops.zeros(()).shape == ()
    assert ops.zeros(0).shape == (0,)
    assert ops.eye(2).tolist() == [[1, 0], [0, 1]]
    assert ops.zeros(np.int64(2)).dtype == np.float64


@pytest.mark.parametrize("name", ["zeros", "ones"])
def test_sizes_that_can_not_be(name):
    op = getattr(ops, name)
    with pytest.raises(InputError, match=rf"^{name}: n must be at least 0, but is -1$"):
        op(-1)
    with pytest.raises(InputError, match=r"columns must be at least 0, but is -2"):
        op(3, -2)
    with pytest.raises(InputError, match=r"shape\[1\] must be at least 0"):
        op((3, -2))
    with pytest.raises(InputError, match=r"100000 by 100000 would be more than 100,000,000"):
        op(10**5, 10**5)
    with pytest.raises(ArgumentError, match=r"n must be an integer, but is 2\.5"):
        op(2.5)


def test_eye_and_linspace_have_the_same_limits():
    with pytest.raises(InputError, match="eye: rows must be at least 0"):
        ops.eye(-1)
    with pytest.raises(InputError, match="eye: 10001 by 10001"):
        ops.eye(10_001)
    with pytest.raises(InputError, match="linspace: count must be at least 0, but is -1"):
        ops.linspace(0, 1, -1)
    with pytest.raises(InputError, match="linspace: 100000001 would be more"):
        ops.linspace(0, 1, 10**8 + 1)


@pytest.mark.parametrize(
    "arguments", [(5,), (0,), (-3,), (2, 5), (5, 2), (0, 7, 3), (0, 6, 3), (7, 0, -3), (6, 0, -3), (0, 6, -1)]
)
def test_arange_counts_as_range_does(arguments):
    assert ops.arange(*arguments).tolist() == list(range(*arguments))


def test_arange_refuses_step_0_and_too_many():
    with pytest.raises(InputError, match="step must not be 0"):
        ops.arange(1, 2, 0)
    with pytest.raises(InputError, match="0 to 1000000000 would be more than 100,000,000"):
        ops.arange(10**9)
    with pytest.raises(InputError, match="more than"):
        ops.arange(0, -(10**30), -1)


def test_linspace_hits_both_ends():
    assert ops.linspace(0, 1, 5).tolist() == [0, 0.25, 0.5, 0.75, 1]
    assert ops.linspace(0.1, 0.7, 4)[[0, -1]].tolist() == [0.1, 0.7]
    assert ops.linspace(2, 3, 1).tolist() == [2]
    assert ops.linspace(2, 3, 0).tolist() == []
    found = vjp(lambda a, b: ops.linspace(a, b, 3), 1.0, 5.0)[1](np.array([1.0, 10.0, 100.0]))
    assert found == (6.0, 105.0)


def test_shape():
    assert ops.shape(np.zeros((2, 0, 3))) == (2, 0, 3)
    assert ops.shape([[1, 2], [3, 4], [5, 6]]) == (3, 2)
    assert ops.shape(4) == ()
    assert all(type(n) is int for n in ops.shape(A))
    # it can be used inside what is differentiated
    assert grad(lambda x: np.sum(x) / ops.shape(x)[0])(np.ones(4)).tolist() == [0.25] * 4


def test_transpose_swaps_the_last_two_axes():
    assert ops.transpose([[1, 2, 3], [4, 5, 6]]).tolist() == [[1, 4], [2, 5], [3, 6]]
    assert ops.transpose(np.zeros((5, 2, 3))).shape == (5, 3, 2)
    with pytest.raises(ShapeError, match=r"transpose: x must be a \(\.\.\., M, N\) array, but has shape \(3,\)"):
        ops.transpose([1, 2, 3])


@pytest.mark.parametrize("rearranged", [ops.transpose, lambda x: ops.reshape(x, (3, 2)), lambda x: ops.take(x, 0)])
def test_results_have_memory_of_their_own(rearranged):
    x = A.copy()
    rearranged(x)[...] = 9.0
    np.testing.assert_array_equal(x, A)


def test_reshape():
    assert ops.reshape(np.arange(6), (3, -1)).tolist() == [[0, 1], [2, 3], [4, 5]]
    assert ops.reshape(5, (1, 1)).tolist() == [[5]]
    assert ops.reshape([[7]], ()) == 7
    assert ops.reshape(np.zeros((0, 4)), (2, 0)).shape == (2, 0)
    with pytest.raises(ShapeError, match=r"x has 6 entries \(its shape is \(2, 3\)\), but shape \(4, 2\) needs 8"):
        ops.reshape(A, (4, 2))
    with pytest.raises(ShapeError, match="needs a multiple of 4"):
        ops.reshape(A, (4, -1))
    with pytest.raises(InputError, match="one of them may be -1"):
        ops.reshape(A, (-1, -1))
    with pytest.raises(InputError, match="one of them may be -1"):
        ops.reshape(A, (-2, 3))
    with pytest.raises(InputError, match="with a length of 0"):
        ops.reshape(np.zeros((0, 4)), (0, -1))


def test_concatenate_values_and_gradients():
    assert ops.concatenate(([1, 2], [3])).tolist() == [1, 2, 3]
    assert ops.concatenate([[[1], [2]], [[3], [4]]], axis=-1).tolist() == [[1, 3], [2, 4]]
    g = uneven((6, 3), 7)
    value, pullback = vjp(lambda a, b: ops.concatenate((a, b)), A, B)
    np.testing.assert_array_equal(value, np.vstack([A, B]))
    for found, wanted in zip(
        pullback(g), central_differences(lambda a, b: ops.concatenate((a, b)), (A, B), g), strict=True
    ):
        np.testing.assert_allclose(found, wanted, rtol=1e-8)
    # called directly, the gradients come in a tuple as the arrays did
    (direct,) = vjp(ops.concatenate, (A, B))[1](g)
    np.testing.assert_array_equal(direct[1], g[2:])


def test_concatenate_keeps_float32():
    assert ops.concatenate((A.astype(np.float32), B.astype(np.float32))).dtype == np.float32
    assert ops.concatenate((A.astype(np.float32), B)).dtype == np.float64
    assert ops.concatenate((np.array([1, 2]), np.array([True]))).tolist() == [1.0, 2.0, 1.0]


@pytest.mark.parametrize(
    ("arrays", "axis", "error", "message"),
    [
        ((), 0, InputError, "at least one array"),
        (([[1, 2]], [[1, 2, 3]]), 0, ShapeError, r"arrays\[1\] has shape \(1, 3\) but arrays\[0\] has \(1, 2\)"),
        (([1], [[1]]), 0, ShapeError, r"arrays\[1\] has 2 axes but arrays\[0\] has 1"),
        ((1, 2), 0, ShapeError, r"arrays\[0\] is a single number"),
        (([1], [2]), 4, InputError, "axis 4 is out of range; the array has 1 axis"),
        (([1], ["a"]), 0, DTypeError, r"arrays\[1\]: expected real numbers"),
    ],
)
def test_concatenate_refuses(arrays, axis, error, message):
    with pytest.raises(error, match="^concatenate: .*" + message):
        ops.concatenate(arrays, axis)


def test_where_takes_conditions_of_any_kind():
    x = np.array([1.0, 2.0, 3.0])
    for condition in (x > 1.5, [False, True, True], np.array([0, 1, 1]), [0.0, 1.0, -2.0]):
        assert ops.where(condition, x, 0).tolist() == [0, 2, 3]
    assert ops.where(True, [1, 2], 5).tolist() == [1, 2]
    assert ops.where([[True], [False]], x, -x).shape == (2, 3)


def test_where_sends_nothing_to_the_branch_not_taken():
    x, y = np.array([1.0, math.nan, math.inf]), np.array([math.nan, 5.0, 6.0])
    condition = np.array([True, False, False])
    for function in (ops.where, ops.where.definition):
        value, pullback = vjp(lambda x, y, f=function: f(condition, x, y), x, y)
        assert value.tolist() == [1, 5, 6]
        of_x, of_y = pullback(np.array([1.0, 10.0, 100.0]))
        assert (of_x.tolist(), of_y.tolist()) == ([1, 0, 0], [0, 10, 100])


def test_where_undoes_broadcasting_in_each_argument():
    condition = np.array([[True], [False]])
    value, pullback = vjp(ops.where, condition, np.ones(3), 2.0)
    assert value.tolist() == [[1, 1, 1], [2, 2, 2]]
    none, of_x, of_y = pullback(np.arange(6.0).reshape(2, 3))
    assert of_x.tolist() == [0, 1, 2]
    assert of_y == 12
    assert none is None


def test_where_keeps_float32_and_its_own_copy_of_the_condition():
    x = np.ones(2, np.float32)
    condition = np.array([True, False])
    value, pullback = vjp(ops.where, condition, x, x)
    condition[:] = False
    assert value.dtype == np.float32
    assert pullback(np.ones(2))[1].tolist() == [1, 0]


def test_where_names_the_shapes_that_do_not_fit():
    with pytest.raises(ShapeError, match=r"condition has shape \(2,\).* x \(3,\) and y \(\)"):
        ops.where([1, 0], [1, 2, 3], 0)


def test_take():
    table = np.array([[0.0, 0.0], [1.0, 10.0], [2.0, 20.0]])
    assert ops.take(table, [2, 0, 2]).tolist() == [[2, 20], [0, 0], [2, 20]]
    assert ops.take(table, -1).tolist() == [2, 20]
    assert ops.take(table, 1, axis=1).tolist() == [0, 10, 20]
    assert ops.take([5, 6], 1) == 6
    assert ops.take(table, np.zeros((2, 2), np.int8)).shape == (2, 2, 2)
    assert ops.take(table, []).shape == (0, 2)


def test_take_adds_up_what_was_taken_twice():
    pullback = vjp(lambda x: ops.take(x, [2, 0, 2]), np.zeros((3, 1)))[1]
    assert pullback(np.array([[1.0], [5.0], [2.0]]))[0].tolist() == [[5], [0], [3]]


@pytest.mark.parametrize(
    ("indices", "message"),
    [
        (2, "indices has 2, but x has 2 entries along axis 0; count from 0 to 1, or from -1 to -2"),
        ([0, -3], "indices has -3"),
        (0.5, "whole numbers, but has 0.5"),
        (math.nan, "whole numbers, but has nan"),
        ([True, False], "to choose by a condition, use where"),
    ],
)
def test_take_refuses_indices(indices, message):
    with pytest.raises(InputError, match=f"^take: .*{message}"):
        ops.take([5.0, 6.0], indices)


def test_take_from_nothing_and_along_no_axis():
    with pytest.raises(InputError, match="x has 0 entries"):
        ops.take([], 0)
    with pytest.raises(InputError, match="take: axis 1 is out of range; the array has 1 axis"):
        ops.take([1, 2], 0, 1)
