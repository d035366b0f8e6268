"""A call: whose arrays a rule works on, and in which layout. A rule is written without a thought of either."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

from opbook import Array, Int, builtin, grad, vjp
from opbook.errors import ArgumentError

RNG = np.random.default_rng(7)


@builtin(category="Tests")
def scaled(x: Array["... D"], w: Array["D"]) -> Array["... D"]:
    """Multiplies the exponentials of rows by weights."""
    return np.exp(x) * w


SEEN: list[Any] = []


@scaled.defvjp
def _(x, w):
    SEEN.append((x, w))
    y = np.exp(x)
    value = y * w
    return value, lambda g: (g * value, (g * np.exp(x)).sum(axis=tuple(range(x.ndim - 1))))


@builtin(category="Tests")
def added(x: Array["N"], y: Array["N"]) -> Array["N"]:
    """Adds."""
    return x + y


added.defvjp(lambda x, y: (x + y, lambda g: (g, g)))


@builtin(category="Tests")
def total(x: Array["N M"]) -> Array["1"]:
    """Adds up."""
    return np.sum(x) * np.ones(1)


total.defvjp(lambda x: (np.sum(x) * np.ones(1), lambda g: (np.broadcast_to(g, x.shape),)))


@builtin(category="Tests")
def same(x: Array["... N M"]) -> Array["... M N"]:
    """Exchanges rows and columns."""
    return np.swapaxes(x, -1, -2)


def arguments(dtype=np.float64):
    return RNG.normal(size=(2, 3, 4)).astype(dtype), RNG.normal(size=4).astype(dtype)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_what_the_caller_changes_later_changes_no_gradient(dtype):
    x, w = arguments(dtype)
    g = RNG.normal(size=x.shape).astype(dtype)
    right = vjp(scaled, x.copy(), w.copy())[1](g)
    value, pullback = vjp(scaled, x, w)
    for array in (x, w, value):
        array[...] = 77
    first = pullback(g)
    for mine, due in zip(first, right, strict=True):
        assert mine.tobytes() == due.tobytes()
    for gradient in first:
        gradient[...] = 77
    for mine, due in zip(pullback(g), right, strict=True):
        assert mine.tobytes() == due.tobytes()


def test_a_constant_beside_a_value_on_a_tape_is_kept_too():
    x, w = arguments()
    _, pullback = vjp(lambda x: scaled(x, w), x)
    due = np.exp(x) * w
    w[...] = 77
    np.testing.assert_allclose(pullback(np.ones(x.shape))[0], due, rtol=1e-14)


def test_a_plain_call_works_on_the_arrays_themselves():
    x, w = arguments()
    SEEN.clear()
    scaled(x, w)
    assert SEEN[0][0] is x
    assert SEEN[0][1] is w


def test_gradients_share_memory_with_nothing():
    x, y = RNG.normal(size=(2, 5))
    g = RNG.normal(size=5)
    dx, dy = vjp(added, x, y)[1](g)
    assert not any(np.may_share_memory(a, b) for a, b in ((dx, dy), (dx, g), (dy, g)))
    (spread,) = vjp(total, RNG.normal(size=(2, 3)))[1](np.array([3.0]))
    spread[0, 0] = 5
    assert spread.tolist() == [[5, 3, 3], [3, 3, 3]]


def test_a_value_shares_no_memory_with_an_argument():
    x = np.arange(6.0).reshape(1, 2, 3)
    turned = same(x)
    turned[...] = 77
    assert x.ravel().tolist() == [0, 1, 2, 3, 4, 5]
    value = vjp(same, x)[0]
    assert not np.may_share_memory(value, x)


@builtin(category="Tests")
def as_it_came(ids: Int["N"]) -> Int["N"]:
    """Returns its argument."""
    return ids


def test_a_value_of_whole_numbers_shares_no_memory_with_an_argument():
    ids = np.arange(3)
    as_it_came(ids)[...] = 77
    assert ids.tolist() == [0, 1, 2]


LAYOUTS = {
    "Fortran's order": np.asfortranarray,
    "reversed": lambda a: np.array(a[..., ::-1])[..., ::-1],
    "every second": lambda a: np.repeat(a, 2, axis=-1)[..., ::2],
    "read-only": lambda a: np.frombuffer(a.tobytes(), a.dtype).reshape(a.shape),
}


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
def test_the_same_numbers_give_the_same_bits_however_they_lie_in_memory(layout):
    x, w = arguments(np.float32)
    other = layout(x), layout(w)
    SEEN.clear()
    assert scaled(*other).tobytes() == scaled(x, w).tobytes()
    assert vjp(scaled, *other)[0].tobytes() == scaled(x, w).tobytes()
    on_tape = grad(lambda x: (scaled(np.swapaxes(np.swapaxes(x, 0, 1), 0, 1), w) * x).sum())
    assert on_tape(other[0]).tobytes() == on_tape(x).tobytes()
    assert all(array.flags.c_contiguous for arrays in SEEN for array in arrays)


@builtin(category="Tests")
def applied(f: Callable, x: Array["N"]) -> Array["N"]:
    """Applies a function to every entry."""
    return np.stack([f(x[i]) for i in range(len(x))])


@applied.defvjp
def _(f, x):
    pairs = [vjp(f, entry) for entry in x]
    value = np.array([value for value, _ in pairs])
    return value, lambda g: (None, np.array([pull(d)[0] for (_, pull), d in zip(pairs, g, strict=True)]))


@pytest.mark.parametrize("also", [False, True])
def test_a_function_that_has_values_on_a_tape_in_it_takes_the_op_to_its_definition(also):
    x = np.array([1.0, 2.0])

    def of_factor(factor):
        return applied(lambda entry: factor * entry**2, x * factor if also else x).sum()

    np.testing.assert_allclose(grad(of_factor)(3.0), 3 * 3.0**2 * 5 if also else 5)
    np.testing.assert_allclose(grad(grad(of_factor))(3.0), 6 * 3.0 * 5 if also else 0)
    assert vjp(applied, lambda entry: 3 * entry**2, x)[1](np.ones(2))[1].tolist() == [6, 12]


class Pair(NamedTuple):
    double: Array["N"]
    largest: Int[""]


@builtin(category="Tests")
def pair(x: Array["N"]) -> Pair:
    """Doubles x, and tells where the largest entry stands."""
    return Pair(2 * x, np.argmax(x))


@pair.defvjp
def _(x):
    return (2 * x, np.argmax(x)), lambda g: (2 * g[0],)


def test_several_results_have_their_names_and_those_of_whole_numbers_no_cotangent():
    x = np.array([1.0, 5.0, 2.0])
    assert pair(x).largest == 1
    value, pullback = vjp(pair, x)
    assert type(value) is Pair
    assert pullback((np.ones(3), None))[0].tolist() == [2, 2, 2]
    assert pullback((None, None))[0].tolist() == [0, 0, 0]
    assert grad(lambda x: (pair(x).double * x[pair(x).largest]).sum())(x).tolist() == [10, 26, 10]
    with pytest.raises(ArgumentError, match=r"built like the value \(value\.double, value\.largest\), but has value$"):
        pullback(np.ones(3))
