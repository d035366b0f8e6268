"""Each rule of the tape against central differences, and the table against this list."""

import numpy as np
import pytest
from numeric import central_differences, uneven

from opbook import grad, vjp
from opbook.autodiff.derivatives import COMPOSITES, CONSTANTS, PRIMITIVES
from opbook.autodiff.derivatives.table import full_name, supported
from opbook.errors import TapeError

A = uneven((3, 4))
B = uneven((3, 4), 1)
ROW = uneven((4,), 2)
CUBE = uneven((2, 3, 4), 3)
POSITIVE = np.abs(A)
SQUARE = uneven((3, 3), 4) + 3 * np.eye(3)
SMALL = A / 4
INDEX = np.array([[2, 0, 2, 1], [1, 1, 0, 2]])

# fmt: off
CASES = {
    "np.absolute": [(np.absolute, A)],
    "np.fabs": [(np.fabs, A)],
    "np.negative": [(lambda x: -x, A)],
    "np.positive": [(lambda x: +x, A)],
    "np.square": [(np.square, A)],
    "np.sqrt": [(np.sqrt, POSITIVE)],
    "np.cbrt": [(np.cbrt, A)],
    "np.reciprocal": [(np.reciprocal, A)],
    "np.exp": [(np.exp, A)],
    "np.exp2": [(np.exp2, A)],
    "np.expm1": [(np.expm1, A)],
    "np.log": [(np.log, POSITIVE)],
    "np.log2": [(np.log2, POSITIVE)],
    "np.log10": [(np.log10, POSITIVE)],
    "np.log1p": [(np.log1p, POSITIVE)],
    "np.sin": [(np.sin, A)],
    "np.cos": [(np.cos, A)],
    "np.tan": [(np.tan, SMALL)],
    "np.arcsin": [(np.arcsin, SMALL)],
    "np.arccos": [(np.arccos, SMALL)],
    "np.arctan": [(np.arctan, A)],
    "np.sinh": [(np.sinh, A)],
    "np.cosh": [(np.cosh, A)],
    "np.tanh": [(np.tanh, A)],
    "np.add": [(np.add, A, ROW), (lambda x: x + 2, A), (lambda x: 2 + x, A)],
    "np.subtract": [(np.subtract, ROW, CUBE), (lambda x: 2 - x, A)],
    "np.multiply": [(np.multiply, A, ROW), (np.multiply, CUBE, A), (lambda x: x * x, A)],
    "np.divide": [(np.divide, A, ROW), (lambda x: 1 / x, A)],
    "np.power": [(np.power, POSITIVE, B), (lambda x: x**3, A), (lambda x: 2.0**x, A), (lambda x: x**0, A)],
    "np.float_power": [(np.float_power, POSITIVE, B)],
    "np.logaddexp": [(np.logaddexp, A, ROW)],
    "np.arctan2": [(np.arctan2, A, B)],
    "np.maximum": [(np.maximum, A, B), (lambda x: np.maximum(x, 0), A)],
    "np.minimum": [(np.minimum, A, ROW)],
    "np.where": [(lambda x, y: np.where(x > 0, x * y, y), A, ROW), (lambda x: np.where(x > 0, x, 0), A)],
    "np.clip": [(lambda x: np.clip(x, -0.9, 0.8), A), (lambda x: x.clip(min=0.5), A), (lambda x: x.clip(max=1), A)],
    "np.nan_to_num": [(np.nan_to_num, A)],
    "np.sum": [
        (np.sum, A),
        (lambda x: x.sum(axis=0), CUBE),
        (lambda x: x.sum(axis=(0, -1), keepdims=True), CUBE),
        (lambda x: np.add.reduce(x, axis=1), A),
        (sum, A),
    ],
    "np.mean": [(np.mean, A), (lambda x: x.mean(-1, keepdims=True), CUBE)],
    "np.var": [(np.var, A), (lambda x: x.var(axis=-1, ddof=1), CUBE)],
    "np.std": [(np.std, A), (lambda x: x.std(axis=0, keepdims=True), A)],
    "np.max": [(np.max, A), (lambda x: x.max(axis=1), A), (lambda x: x.max(axis=(0, 2)), CUBE)],
    "np.min": [(np.min, A), (lambda x: x.min(axis=0, keepdims=True), A)],
    "np.amax": [(np.amax, A)],
    "np.amin": [(np.amin, A)],
    "np.prod": [(np.prod, A), (lambda x: np.prod(x * (np.arange(4) > 0), axis=1), A), (lambda x: x.prod(axis=0), A)],
    "np.cumsum": [(np.cumsum, A), (lambda x: x.cumsum(axis=0), A)],
    "np.linalg.norm": [
        (np.linalg.norm, A),
        (lambda x: np.linalg.norm(x, axis=-1), A),
        (lambda x: np.linalg.norm(x, 1, axis=0), A),
    ],
    "np.reshape": [(lambda x: x.reshape(2, 6), A), (lambda x: np.reshape(x, -1), A)],
    "np.transpose": [
        (lambda x: x.T, A),
        (lambda x: x.transpose(2, 0, 1), CUBE),
        (lambda x: np.transpose(x, (1, -1, 0)), CUBE),
    ],
    "np.swapaxes": [(lambda x: x.swapaxes(0, 2), CUBE), (lambda x: x.mT, CUBE)],
    "np.matrix_transpose": [(np.matrix_transpose, CUBE)],
    "np.linalg.matrix_transpose": [(np.linalg.matrix_transpose, CUBE)],
    "np.moveaxis": [(lambda x: np.moveaxis(x, 0, -1), CUBE)],
    "np.expand_dims": [(lambda x: np.expand_dims(x, (0, 2)), A), (lambda x: x[:, None] * x, ROW)],
    "np.squeeze": [(lambda x: np.squeeze(x[None]), A)],
    "np.ravel": [(np.ravel, A), (lambda x: x.flatten(), A)],
    "np.copy": [(np.copy, A), (lambda x: x.copy(), A)],
    "np.broadcast_to": [(lambda x: np.broadcast_to(x, (2, 3, 4)), ROW)],
    "np.flip": [(np.flip, A), (lambda x: np.flip(x, 1), CUBE)],
    "np.roll": [(lambda x: np.roll(x, 2), A), (lambda x: np.roll(x, (1, -2), (0, 1)), A)],
    "np.concatenate": [(lambda x, y: np.concatenate([x, y, x]), A, B), (lambda x, y: np.concatenate((x, y), -1), A, B)],
    "np.stack": [(lambda x, y: np.stack([x, y], axis=1), A, B)],
    "np.vstack": [(lambda x, y: np.vstack([x, y]), A, ROW)],
    "np.hstack": [(lambda x, y: np.hstack([x, y]), A, B), (lambda x: np.hstack([x, x]), ROW)],
    "np.split": [(lambda x: np.split(x, 2, axis=1)[1], A), (lambda x: np.split(x, [1])[1], A)],
    "np.take": [(lambda x: np.take(x, INDEX, axis=0), A), (lambda x: x.take(INDEX), A)],
    "np.take_along_axis": [(lambda x: np.take_along_axis(x, INDEX, axis=1), A[:2])],
    "np.sort": [(np.sort, A), (lambda x: np.sort(x, axis=0), A)],
    "np.repeat": [(lambda x: np.repeat(x, 3), A), (lambda x: x.repeat([1, 0, 2], axis=0), A)],
    "np.tile": [(lambda x: np.tile(x, 2), ROW), (lambda x: np.tile(x, (2, 1, 3)), A)],
    "np.pad": [(lambda x: np.pad(x, ((1, 0), (2, 3))), A), (lambda x: np.pad(x, 1, constant_values=7), A)],
    "np.tril": [(np.tril, A), (lambda x: np.tril(x, -1), CUBE)],
    "np.triu": [(np.triu, A), (lambda x: np.triu(x, 1), CUBE)],
    "np.diagonal": [(np.diagonal, A), (lambda x: np.diagonal(x, -1, 1, 2), CUBE)],
    "np.diag": [(np.diag, A), (lambda x: np.diag(x, -1), ROW)],
    "np.trace": [(np.trace, A)],
    "np.matmul": [
        (np.matmul, A, B.T),
        (np.matmul, CUBE, B.T),
        (np.matmul, ROW, B.T),
        (np.matmul, CUBE, ROW),
        (np.matmul, ROW, ROW[::-1]),
        (np.matmul, CUBE[:, None], np.moveaxis(CUBE, 1, 2)),
        (lambda x: x @ x.T, A),
    ],
    "np.dot": [(np.dot, A, ROW), (np.dot, A, B.T), (lambda x: np.dot(x, 3), A), (np.dot, A, CUBE.mT)],
    "np.vdot": [(np.vdot, A, B)],
    "np.inner": [(np.inner, A, B), (np.inner, CUBE, ROW)],
    "np.outer": [(np.outer, ROW, A)],
    "np.tensordot": [
        (lambda x, y: np.tensordot(x, y, ((1, 2), (0, 1))), CUBE, A),
        (lambda x, y: np.tensordot(x, y, 1), A, B.T),
    ],
    "np.einsum": [
        (lambda x, y: np.einsum("ij,kj->ik", x, y), A, B),
        (lambda x: np.einsum("ij->i", x), A),
        (lambda x, y: np.einsum("bij,j", x, y), CUBE, ROW),
        (lambda x, y: np.einsum("...ij,...kj->...ik", x, y), CUBE, A),
        (lambda x, y, z: np.einsum("ij,ij,j->", x, y, z), A, B, ROW),
    ],
    "np.linalg.inv": [(np.linalg.inv, SQUARE)],
    "np.linalg.solve": [(np.linalg.solve, SQUARE, A)],
}
# fmt: on


@pytest.mark.parametrize(
    ("f", "args"),
    [pytest.param(f, args, id=f"{name}-{i}") for name, cases in CASES.items() for i, (f, *args) in enumerate(cases)],
)
def test_rule_against_central_differences(f, args):
    value, pullback = vjp(f, *args)
    np.testing.assert_allclose(value, f(*args), rtol=1e-14)
    cotangent = uneven(np.shape(value), 9)
    for got, argument, expected in zip(pullback(cotangent), args, central_differences(f, args, cotangent), strict=True):
        assert np.shape(got) == np.shape(argument)
        np.testing.assert_allclose(got, expected, rtol=1e-7, atol=1e-8)


def test_every_function_in_the_table_is_tested_here():
    assert sorted(CASES) == supported()["differentiable"]


def test_every_second_derivative():
    """The rules are differentiable themselves: held to central differences of first gradients."""
    for name, cases in CASES.items():
        f, *args = cases[0]
        cotangent = uneven(np.shape(f(*args)), 5)

        def slope(*x, f=f, cotangent=cotangent):
            return vjp(f, *x)[1](cotangent)[0]

        outer = uneven(np.shape(args[0]), 6)
        got = vjp(slope, *args)[1](outer)
        for mine, expected in zip(got, central_differences(slope, args, outer), strict=True):
            np.testing.assert_allclose(mine, expected, rtol=1e-6, atol=1e-7, err_msg=name)


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
    arity = {"np.where": 3}.get(full_name(function), 2 if getattr(function, "nin", 1) == 2 else 1)
    binary = {np.isclose, np.allclose, np.array_equal, np.full_like, np.searchsorted}
    seen = []

    def f(x):
        args = (x, 1.0) if arity == 2 or function in binary else (x,)
        seen.append(function(*args))
        return x.sum()

    vjp(f, np.array([1.0, 2.0]))
    plain = np.ndarray | np.generic | bool | int | tuple | np.dtype
    assert isinstance(seen[0], plain)


def test_the_tables_are_disjoint():
    assert not PRIMITIVES.keys() & COMPOSITES.keys()
    assert not (PRIMITIVES.keys() | COMPOSITES.keys()) & CONSTANTS


@pytest.mark.parametrize(
    ("f", "words"),
    [
        (lambda x: np.convolve(x, x), ["np.convolve", "not known to the tape", "defvjp"]),
        (lambda x: np.sum(x, where=[True, False]), ["np.sum", "where"]),
        (lambda x: np.reshape(x, 2, order="K"), ["np.reshape", "order='K'", "order='C'"]),
        (lambda x: np.add.reduceat(x, [0]), ["np.add.reduceat"]),
        (lambda x: np.linalg.norm(x, 3), ["np.linalg.norm", "ord=3"]),
        (lambda x: np.clip(x, x, 2), ["np.clip", "argument 2", "stop_gradient"]),
        (lambda x: np.einsum("ii", np.outer(x, x)), ["np.einsum", "np.trace"]),
    ],
)  # fmt: skip
def test_unsupported_uses_say_which_and_what_instead(f, words):
    with pytest.raises(TapeError) as error:
        vjp(f, np.array([1.0, 2.0]))
    assert all(word in str(error.value) for word in words), str(error.value)
