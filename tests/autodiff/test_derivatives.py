"""Each rule of the tape against central differences, and the table against this list."""

from collections import Counter
from functools import reduce

import numpy as np
import pytest
from autodiff.numpy_cases import CASES
from numeric import central_differences, uneven

from opbook import grad, vjp
from opbook.autodiff.derivatives import COMPOSITES, CONSTANTS, PRIMITIVES
from opbook.autodiff.derivatives.refusals import surface
from opbook.autodiff.derivatives.table import full_name
from opbook.autodiff.tape import TapeValue
from opbook.errors import DTypeError, InputError, TapeError

CALLS = [pytest.param(f, args, id=f"{name}-{i}") for name, cases in CASES.items() for i, (f, *args) in enumerate(cases)]


@pytest.mark.parametrize(("f", "args"), CALLS)
def test_rule_against_central_differences(f, args):
    value, pullback = vjp(f, *args)
    np.testing.assert_allclose(value, f(*args), rtol=1e-12, atol=1e-14)
    cotangent = uneven(np.shape(value), 9)
    for got, argument, expected in zip(pullback(cotangent), args, central_differences(f, args, cotangent), strict=True):
        assert np.shape(got) == np.shape(argument)
        np.testing.assert_allclose(got, expected, rtol=1e-7, atol=1e-8)


@pytest.mark.parametrize(("f", "args"), CALLS)
def test_second_derivatives_against_central_differences_of_first(f, args):
    """The rules are differentiable themselves."""
    cotangent = uneven(np.shape(f(*args)), 5)

    def slopes(*x):
        return vjp(f, *x)[1](cotangent)

    outer = [uneven(np.shape(x), 6 + i) for i, x in enumerate(args)]

    def directed(*x):
        return sum(np.sum(slope * direction) for slope, direction in zip(slopes(*x), outer, strict=True))

    got = vjp(directed, *args)[1](1.0)
    for mine, expected in zip(got, central_differences(directed, args, 1.0), strict=True):
        np.testing.assert_allclose(mine, expected, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize(("f", "args"), CALLS)
def test_single_precision_stays_what_it_is(f, args):
    narrow = [x.astype(np.float32) for x in args]
    value, pullback = vjp(f, *narrow)
    expected, wide_pullback = vjp(f, *args)
    assert value.dtype == np.asarray(f(*narrow)).dtype
    cotangent = uneven(np.shape(value), 9)
    np.testing.assert_allclose(value, expected, rtol=2e-3, atol=1e-4)
    for got, wide in zip(pullback(cotangent), wide_pullback(cotangent), strict=True):
        assert got.dtype == np.float32
        np.testing.assert_allclose(got, wide, rtol=2e-2, atol=2e-3)


def test_every_differentiated_function_is_tested_here():
    differentiated = {full_name(named(name)) for name, what, _ in surface() if what == "differentiated"}
    assert {full_name(named(name)) for name in CASES} == differentiated


def named(name):
    return reduce(getattr, name.split(".")[1:], np)


def test_every_public_function_is_in_the_list():
    """Of those that are neither known nor refused, none can be given a value on a tape."""
    kinds = Counter(what for _, what, _ in surface())
    assert kinds["differentiated"] > 220
    assert kinds["refused"] > 60
    for name, what, why in surface():
        assert (what == "refused") is bool(why), name
        if what == "no arrays":
            assert not isinstance(named(name), np.ufunc), name
            assert not hasattr(named(name), "_implementation"), name


@pytest.mark.parametrize(
    ("index", "shape"),
    [
        (0, (3, 4)),
        ((slice(None), -1), (3, 4)),
        ((..., None, slice(0, 4, 2)), (2, 3, 4)),
        (np.array([2, 0, 2]), (3, 4)),
        (np.array([[True, False, True, True]] * 3), (3, 4)),
        ((np.array([0, 0, 2]), np.array([1, 1, 3])), (3, 4)),
        (((0, 0, 1),), (3, 4)),
        (((0, 0), range(2)), (3, 4)),
        ([1, 1], (3, 4)),
    ],
)
def test_indexing(index, shape):
    x = uneven(shape)
    value, pullback = vjp(lambda x: x[index], x)
    cotangent = uneven(value.shape, 7)
    np.testing.assert_allclose(
        pullback(cotangent)[0], central_differences(lambda x: x[index], (x,), cotangent)[0], atol=1e-9
    )


def test_ties_share_the_cotangent():
    assert grad(np.max)(np.array([2.0, 2.0, 1.0])).tolist() == [0.5, 0.5, 0]
    assert [g.tolist() for g in vjp(np.maximum, np.array([1.0, 2]), np.array([1.0, 0]))[1](np.ones(2))] == [
        [0.5, 1],
        [0.5, 0],
    ]


def test_empty_arrays():
    dx, dy = vjp(np.matmul, np.ones((2, 3, 0)), np.ones((0, 4)))[1](np.ones((2, 3, 4)))
    assert (dx.shape, dy.shape) == ((2, 3, 0), (0, 4))
    assert vjp(np.prod, np.ones(0))[0] == 1
    assert vjp(lambda x: np.prod(x, axis=(0, 1)), np.full((2, 2), 3.0))[1](1.0)[0].tolist() == [[27, 27], [27, 27]]
    assert vjp(lambda x: np.sum(x, axis=0), 3.0)[1](1.0) == (1.0,)


def test_equal_infinities_share():
    shares = vjp(np.logaddexp, np.array([-np.inf, np.inf, 3.0]), np.array([-np.inf, 0.0, -np.inf]))[1](np.ones(3))
    assert [s.tolist() for s in shares] == [[0.5, 1, 1], [0.5, 0, 0]]


def test_constants_by_keyword():
    assert vjp(lambda x: x * np.argmax(a=x), np.array([1.0, 3.0]))[0].tolist() == [1, 3]


def test_norm_and_power_at_zero():
    assert grad(np.linalg.norm)(np.zeros(3)).tolist() == [0, 0, 0]
    assert grad(lambda x: (x**0).sum())(np.zeros(2)).tolist() == [0, 0]
    assert grad(lambda x: (x**1).sum())(np.zeros(2)).tolist() == [1, 1]
    assert grad(np.prod)(np.array([0.0, 3, 5])).tolist() == [15, 0, 0]


@pytest.mark.parametrize("function", sorted(CONSTANTS, key=full_name), ids=full_name)
def test_constants_have_no_gradient(function):
    """They return plain values, so that conditions and shapes can be computed with anywhere."""
    calls = {
        np.argpartition: lambda x: np.argpartition(x, 1),
        np.can_cast: lambda x: np.can_cast(x.dtype, float),
        **{f: lambda x, f=f: f(np.outer(x, x)) for f in (np.tril_indices_from, np.triu_indices_from)},
        np.diag_indices_from: lambda x: np.diag_indices_from(np.outer(x, x)),
        np.einsum_path: lambda x: np.einsum_path("i->", x),
        np.lexsort: lambda x: np.lexsort((x, x)),
    }
    binary = {np.isclose, np.allclose, np.array_equal, np.array_equiv, np.isin, np.searchsorted, np.digitize}
    binary |= {np.shares_memory, np.may_share_memory}
    seen = []

    def f(x):
        two = getattr(function, "nin", 1) == 2 or function in binary
        seen.append(calls.get(function, lambda x: function(x, np.ones(1)) if two else function(x))(x))
        return x.sum()

    vjp(f, np.array([1.0, 2.0]))
    plain = np.ndarray | np.generic | bool | int | str | tuple | np.dtype | type
    assert type(seen[0]) is not TapeValue
    assert isinstance(seen[0], plain)


def test_the_tables_are_disjoint():
    assert not PRIMITIVES.keys() & COMPOSITES.keys()
    assert not (PRIMITIVES.keys() | COMPOSITES.keys()) & CONSTANTS


@pytest.mark.parametrize(
    ("f", "words"),
    [
        (lambda x: np.frompyfunc(abs, 1, 1)(x), ["abs", "not known to the tape", "defvjp"]),
        (lambda x: np.vectorize(lambda v: v * v)(x), ["np.stack([f(v) for v in x])"]),
        (lambda x: np.unique(x), ["np.unique", "stop_gradient(x)", "np.sort"]),
        (lambda x: np.put(x, 0, 1.0), ["np.put", "writes into", "np.where"]),
        (lambda x: np.histogram(x), ["np.histogram", "stop_gradient"]),
        (lambda x: np.linalg.eig(np.outer(x, x)), ["np.linalg.eig", "complex", "np.linalg.eigh"]),
        (lambda x: np.log(np.fft.fft(x)), ["np.log", "complex", "np.abs"]),
        (lambda x: np.asarray(np.fft.fft(x)), ["complex", ".real"]),
        (lambda x: np.sum(x, where=x), ["np.sum", "by position"]),
        (lambda x: np.sum(x, out=np.ones(())), ["np.sum", "out"]),
        (lambda x: np.reshape(x, 2, order="K"), ["np.reshape", "order='K'", "order='C'"]),
        (lambda x: np.add.reduceat(x, [0]), ["np.add.reduceat"]),
        (lambda x: np.add.at(x, [0], 1.0), ["np.add.at"]),
        (lambda x: np.quantile(x, 0.5, method="hazen"), ["np.quantile", "method='hazen'", "linear"]),
        (lambda x: np.pad(x, 1, mode="mean"), ["np.pad", "mode='mean'", "reflect"]),
        (lambda x: np.linalg.svd(np.outer(x, np.ones(3))), ["np.linalg.svd", "full_matrices=False"]),
        (lambda x: np.take_along_axis(x, x, 0), ["index or a count"]),
    ],
)  # fmt: skip
def test_unsupported_uses_say_which_and_what_instead(f, words):
    with pytest.raises(TapeError) as error:
        vjp(f, np.array([1.0, 2.0]))
    assert all(word in str(error.value) for word in words), str(error.value)


def test_a_complex_result_is_refused():
    with pytest.raises(DTypeError, match=r"complex.*\.real"):
        vjp(np.fft.fft, np.ones(3))


def test_equal_eigenvalues_have_a_gradient_and_their_vectors_none():
    twice = np.diag([2.0, 2.0, 5.0])
    trace = grad(lambda x: np.linalg.eigvalsh(x).sum())(twice)
    np.testing.assert_allclose(trace, np.eye(3), atol=1e-14)
    # a function of the matrix does not depend on which vectors were found
    square = grad(lambda x: np.trace((e := np.linalg.eigh(x))[1] @ np.diag(e[0] ** 2) @ e[1].T))(twice)
    np.testing.assert_allclose(square, 2 * twice, atol=1e-12)
    with pytest.raises(InputError, match="numbers 0 and 1 are 2 and 2, 0 apart"):
        grad(lambda x: (np.linalg.eigh(x)[1] * uneven((3, 3))).sum())(twice)
    with pytest.raises(InputError, match="equal singular values"):
        grad(lambda x: (np.linalg.svd(x)[0] * uneven((3, 3))).sum())(np.eye(3))


def test_only_the_lower_triangle_of_a_symmetric_matrix_is_read():
    for f in (np.linalg.cholesky, np.linalg.eigvalsh):
        (gradient,) = vjp(f, np.array([[2.0, np.nan], [0.5, 3.0]]))[1](np.ones_like(f(np.eye(2))))
        assert gradient[0, 1] == 0
        assert np.isfinite(gradient).all()
