"""What people rely on when they differentiate: structures, dtypes, aliasing, depth, threads, memory."""

import gc
import threading
import weakref
from collections import OrderedDict, namedtuple
from concurrent.futures import ThreadPoolExecutor
from types import MappingProxyType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numeric import central_differences, uneven

from opbook import Array, OpbookError, builtin, grad, stop_gradient, value_and_grad, vjp
from opbook.errors import ArgumentError, DTypeError, ShapeError, TapeError


def test_diamond_counts_every_path():
    def f(x):
        y = x * 3
        return y * 2 + y * 5

    assert vjp(f, 2.0)[0] == 42
    assert grad(f)(2.0) == 21


def test_records_tuples_and_lists_come_back_built_as_they_were():
    Point = namedtuple("Point", "a b")

    def f(weights, pair):
        total = weights["w"].sum() * pair[0] + pair[1][0]
        return {"total": total, "parts": [weights["w"] * 2, (pair[0],)]}

    weights = MappingProxyType(OrderedDict(w=np.array([1.0, 2.0]), unused=np.ones((2, 1), np.float32)))
    value, pullback = vjp(f, weights, Point(3.0, [4.0]))
    assert value["total"] == 13
    d_weights, d_pair = pullback({"total": 1.0, "parts": [np.array([1.0, 0.0]), (0.5,)]})
    assert d_weights["w"].tolist() == [5, 3]
    assert d_weights["unused"].tolist() == [[0], [0]]
    assert d_weights["unused"].dtype == np.float32
    assert d_pair == Point(3.5, [1.0])
    assert isinstance(d_pair, Point)


def test_outputs_that_depend_on_nothing_and_text_pass_through():
    value, pullback = vjp(lambda x, name, none: (x * 2, np.ones(3), name), 1.0, "tanh", None)
    assert value[2] == "tanh"
    assert pullback((1.0, np.ones(3), None)) == (2.0, None, None)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_dtypes_are_kept_beside_python_numbers(dtype):
    value, pullback = vjp(lambda x: np.tanh(x * 2 + 1) / 3, np.ones((2, 3), dtype))
    assert value.dtype == dtype
    (gradient,) = pullback(np.ones((2, 3)))
    assert gradient.dtype == dtype


def test_gradients_have_their_arguments_dtype_when_dtypes_mix():
    _, pullback = vjp(lambda x, y: x * y, np.ones(2, np.float32), np.ones(2))
    assert [g.dtype.name for g in pullback([1.0, 1.0])] == ["float32", "float64"]


def test_a_plain_whole_number_is_a_number_and_still_counts():
    assert grad(lambda x: x**2)(3) == 6
    value, pullback = vjp(lambda x, i: x[i] * i, np.array([4.0, 5.0, 6.0]), 2)
    assert value == 12
    assert [g.tolist() for g in pullback(1.0)] == [[0, 0, 2], 6]
    assert vjp(lambda x, n: sum(x for _ in range(n)), 1.5, 3)[0] == 4.5
    assert vjp(lambda x, ids: x[ids], np.array([4.0, 5.0]), [1, 0, 1])[0].tolist() == [5, 4, 5]


def test_arrays_of_integers_and_booleans_stay_plain():
    def f(x, ids, mask):
        assert type(ids) is type(mask) is np.ndarray
        return np.where(mask, x[ids], 0).sum()

    value, pullback = vjp(f, np.array([1.0, 2.0]), np.array([1, 1, 0]), np.array([True, False, True]))
    assert value == 3
    dx, *others = pullback(1.0)
    assert dx.tolist() == [1, 1]
    assert others == [None, None]


@pytest.mark.parametrize("bad", [np.ones(2, complex), np.array([object()]), np.array(["a"]), 1j])
def test_other_dtypes_are_named(bad):
    with pytest.raises(DTypeError, match=str(np.asarray(bad).dtype)):
        vjp(lambda x: x * 2, bad)


@given(hnp.mutually_broadcastable_shapes(num_shapes=2, max_dims=3, max_side=3))
def test_broadcasting_is_undone(shapes):
    left, right = shapes.input_shapes
    x, y = uneven(left, 1), uneven(right, 2)
    value, pullback = vjp(lambda x, y: x * y + y, x, y)
    g = uneven(value.shape, 3)
    for got, argument, want in zip(
        pullback(g), (x, y), central_differences(lambda x, y: x * y + y, (x, y), g), strict=True
    ):
        assert got.shape == argument.shape
        np.testing.assert_allclose(got, want, atol=1e-8)


@given(st.permutations(range(3)), st.sampled_from(["C", "F"]), st.integers(1, 2))
def test_strided_input(axes, order, step):
    x = np.asarray(uneven((4, 3, 5)), order=order).transpose(axes)[::step, ::-1]
    (gradient,) = vjp(lambda x: np.sin(x).sum(axis=-1), x)[1](np.ones(x.shape[:2]))
    np.testing.assert_allclose(gradient, np.cos(x))


def test_read_only_and_zero_stride_input():
    x = np.broadcast_to(np.float64(2.0), (3,))
    assert grad(lambda x: (x * x).sum())(x).tolist() == [4, 4, 4]


def test_changing_arrays_afterwards_changes_no_gradient():
    x, w = np.array([1.0, 2.0]), np.array([3.0, 4.0])
    value, pullback = vjp(lambda x: np.exp(x * w), x)
    before = pullback(np.ones(2))[0].copy()
    x[...] = w[...] = value[...] = 0
    (after,) = pullback(np.ones(2))
    np.testing.assert_array_equal(after, before)
    after[...] = 0
    np.testing.assert_array_equal(pullback(np.ones(2))[0], before)


def test_a_list_may_change_afterwards_too():
    w = [1.0, 2.0]
    _, pullback = vjp(lambda x: x * w, np.ones(2))
    w[0] = 100.0
    assert pullback(np.ones(2))[0].tolist() == [1, 2]


def test_what_stop_gradient_gives_is_read_only():
    def f(x):
        plain = stop_gradient(x)
        with pytest.raises(ValueError, match="read-only"):
            plain[0] = 50
        return (x * x).sum()

    assert grad(f)(np.array([1.0, 2.0])).tolist() == [2, 4]


def test_rounding_to_whole_numbers_has_no_gradient():
    assert grad(lambda x: (x.astype(int) * 1.0 + x).sum())(np.ones(2)).tolist() == [1, 1]


def test_the_mean_of_many_halves():
    value, pullback = vjp(lambda x: x.mean(), np.full(70_000, 2, np.float16))
    assert value == 2
    assert pullback(1.0)[0].dtype == np.float16


def test_an_index_array_may_change_afterwards():
    index = np.array([0, 0])
    _, pullback = vjp(lambda x: x[index], np.array([1.0, 2.0]))
    index[...] = 1
    assert pullback(np.ones(2))[0].tolist() == [2, 0]


def test_gradients_do_not_alias_the_cotangent_or_each_other():
    g = np.ones(2)
    dx, dy = vjp(lambda x, y: x + y, np.ones(2), np.ones(2))[1](g)
    dx[...] = 5
    assert g.tolist() == dy.tolist() == [1, 1]


def test_a_deep_chain_needs_no_recursion():
    def f(x):
        for _ in range(100_000):
            x = x + 1.0
        return x

    assert grad(f)(0.0) == 1


def test_dropping_the_pullback_frees_the_tape_without_the_collector():
    inner = []

    def f(x):
        y = np.tanh(x)
        inner.append(weakref.ref(stop_gradient(y).base))
        return y * x

    gc.disable()
    try:
        _, pullback = vjp(f, np.ones(1000))
        assert inner[0]() is not None
        del pullback
        assert inner[0]() is None
    finally:
        gc.enable()


def test_threads_get_the_serial_bits():
    x = uneven((30, 30))

    def f(x):
        return np.tanh(x @ x.T / 30).sum(axis=0) / np.sqrt((x * x).mean())

    serial = vjp(f, x)[1](np.arange(30.0))[0].tobytes()
    barrier = threading.Barrier(8)

    def run(_):
        barrier.wait()
        return vjp(f, x)[1](np.arange(30.0))[0].tobytes()

    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(run, range(8))) == {serial}


def test_nested_differentiation():
    assert grad(grad(lambda x: x**3))(2.0) == 12
    assert grad(grad(grad(np.sin)))(0.5) == pytest.approx(-np.cos(0.5))
    # an inner function that closes over an outer value: the two tapes must not be taken for each other
    assert grad(lambda x: x * grad(lambda y: x + y)(1.0))(1.0) == 1
    assert grad(lambda x: grad(lambda y: x * y * y)(3.0))(2.0) == 6


def test_hessian_vector_product():
    a = uneven((3, 3))

    def f(x):
        return 0.5 * (x @ a) @ x + np.sin(x).sum()

    x, v = uneven((3,), 1), uneven((3,), 2)
    got = grad(lambda x: grad(f)(x) @ v)(x)
    np.testing.assert_allclose(got, 0.5 * (a + a.T) @ v - np.sin(x) * v)


def test_ordinary_control_flow_and_shapes():
    def f(x):
        if x[0] > 0:
            x = x * 2
        assert (x.shape, x.ndim, x.size, len(x), x.dtype) == ((2,), 1, 2, 2, np.float64)
        return sum(entry * i for i, entry in enumerate(x))

    assert grad(f)(np.array([1.0, 5.0])).tolist() == [0, 2]
    assert grad(f)(np.array([-1.0, 5.0])).tolist() == [0, 1]


def test_lists_of_values_and_stop_gradient():
    assert grad(lambda x: np.stack([x[0], 3 * x[1]]).sum())(np.ones(2)).tolist() == [1, 3]
    assert grad(lambda x: x * stop_gradient(x))(3.0) == 3


@builtin(category="Tests")
def gates(x: Array["... D"], w: Array["D"]) -> tuple[Array["... D"], Array["... D"]]:
    """How far each gate is open, and how far it is closed."""
    opened = 1 / (1 + np.exp(-x * w))
    return opened, 1 - opened


@gates.defvjp
def _(x, w):
    opened = 1 / (1 + np.exp(-x * w))

    def pullback(g):
        slope = (g[0] - g[1]) * opened * (1 - opened)
        return slope * w, (slope * x).reshape(-1, len(w)).sum(axis=0)

    return (opened, 1 - opened), pullback


def test_a_rule_of_several_arrays_is_one_step():
    x, w = uneven((2, 5, 3)), uneven((3,), 1)
    for f in (
        lambda x, w: gates(x, w)[0] ** 2,  # nobody uses the other: its cotangent is zeros
        lambda x, w: gates(x, w)[1] * 3,
        lambda x, w: np.sin(gates(x, w)[0] * gates(x * x, w)[1]),
        lambda x, w: np.multiply(*gates(x, w)),
    ):
        value, pullback = vjp(f, x, w)
        cotangent = uneven(value.shape, 2)
        for got, expected in zip(pullback(cotangent), central_differences(f, (x, w), cotangent), strict=True):
            np.testing.assert_allclose(got, expected, atol=1e-8)

        def slope(w, f=f, cotangent=cotangent):
            return vjp(f, x, w)[1](cotangent)[1]

        (second,) = vjp(slope, w)[1](np.ones(3))
        np.testing.assert_allclose(second, central_differences(slope, (w,), np.ones(3))[0], atol=1e-6)
    unused = vjp(lambda x, w: gates(x, w) and x.sum(), x, w)[1](1.0)
    assert [np.unique(g).tolist() for g in unused] == [[1], [0]]


def test_value_and_grad_and_argnums():
    def f(x, w, *, power):
        return (x * w).sum() ** power

    value, (dw, dx) = value_and_grad(f, (1, 0))(np.ones(2), np.array([1.0, 2.0]), power=2)
    assert value == 9
    assert (dx.tolist(), dw.tolist()) == ([6, 12], [6, 6])
    assert grad(f, -1)(np.ones(2), np.ones(2), power=1).tolist() == [1, 1]


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: grad(lambda x: x * 2)(np.ones((2, 3))), ShapeError, ["(2, 3)", "sum it first"]),
        (lambda: grad(lambda x: (x, x))(1.0), ShapeError, ["tuple", "scalar"]),
        (lambda: grad(np.sin, 1)(1.0), ArgumentError, ["argnums=1", "1 argument"]),
        (lambda: vjp(np.sin, np.ones(2))[1](np.ones((2, 2))), ShapeError, ["(2,)", "(2, 2)", "cotangent"]),
        (lambda: vjp(lambda x: {"a": x}, 1.0)[1](1.0), ArgumentError, ["value.a", "cotangent"]),
        (lambda: vjp(lambda x: np.array([x, x]), 1.0), TapeError, ["np.stack"]),
        (lambda: vjp(lambda x: float(x), 1.0), TapeError, ["float()", "stop_gradient"]),
        (lambda: vjp(lambda x: x.__setitem__(0, 1.0), np.ones(2)), TapeError, ["np.where", "written into"]),
        (lambda: vjp(lambda x: x.__iadd__(1.0), np.ones(2)), TapeError, ["x = x + y"]),
        (lambda: vjp(lambda x: np.add(np.ones(2), x, out=np.ones(2)), np.ones(2)), TapeError, ["out="]),
        (lambda: grad(lambda x: None)(1.0), ShapeError, ["NoneType", "scalar"]),
        (lambda: grad(lambda x: x > 0)(1.0), ShapeError, ["bool", "scalar"]),
        (lambda: grad(np.multiply, (0, -2))(1.0, 2.0), ArgumentError, ["(0, -2)", "different"]),
        (lambda: grad(np.sin, "x")(1.0), ArgumentError, ["'x'", "integer"]),
        (lambda: grad(lambda x: x.sum())(np.arange(3)), ArgumentError, ["argument 0", "int64", "astype(float)"]),
        (lambda: vjp(3, 1.0), ArgumentError, ["function", "int"]),
        (lambda: vjp(lambda x: np.abs(x * 1j), 1.0), DTypeError, ["complex128"]),
        (lambda: vjp(lambda x: x, {"w": [1.0, np.ones(2, complex)]}), DTypeError, ["complex128", "w[1]"]),
    ],
)  # fmt: skip
def test_errors_say_what_was_expected_and_what_came(call, error, words):
    with pytest.raises(error) as caught:
        call()
    assert isinstance(caught.value, OpbookError)
    assert all(word in str(caught.value) for word in words), str(caught.value)
