"""A cotangent that is exactly 0 stays 0 through every rule, whatever the derivative there: 0, NaN or infinity."""

import numpy as np
import pytest
from numeric import uneven

from opbook import Array, builtin, grad, vjp

# functions whose slope is not finite where x is 0, negative, huge or NaN
POISONOUS = {
    "sqrt": np.sqrt,
    "log": np.log,
    "reciprocal": lambda x: 1 / x,
    "power": lambda x: x**0.5,
    "exp": np.exp,
    "arcsin": np.arcsin,
    "arctan2": lambda x: np.arctan2(x, x),
    "divide": lambda x: x / x,
    "logaddexp": lambda x: np.logaddexp(x, x * x),
    "hypot of nothing": lambda x: np.sqrt(x * x),
    "std": lambda x: np.std(np.stack([x, x * x]), axis=0),
    "cumprod of a reciprocal": lambda x: np.exp(np.log(x) * 3),
}
WHERE = [0.0, -2.0, 1e4, np.nan, np.inf, -np.inf]


@pytest.mark.parametrize("f", POISONOUS.values(), ids=POISONOUS)
@pytest.mark.parametrize("bad", WHERE)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_nothing_is_sent_to_the_branch_not_taken(f, bad, dtype):
    x = np.array([0.7, bad, 0.4], dtype)
    good = np.array([True, False, True])
    with np.errstate(all="ignore"):
        got = grad(lambda x: (np.where(good, f(np.where(good, x, x)), x.astype(dtype)) * 2).sum())(x)
        alone = grad(lambda x: (f(x) * 2).sum())(x[good])
    assert got[1] == 2
    np.testing.assert_allclose(got[good], alone, rtol=1e-5)


def test_the_branches_of_the_issue():
    with np.errstate(all="ignore"):
        assert grad(lambda x: np.where(x >= 0, x, np.sqrt(-x)).sum())(np.array([1.0])) == 1
        assert grad(lambda x: np.where(x > 1, np.log(x), np.sqrt(1 - x)).sum())(np.array([2.0])) == 0.5
        assert grad(lambda x: np.where(x > 0, 0.0, np.exp(x)).sum())(np.array([1000.0])) == 0


def test_a_row_that_nobody_uses_poisons_no_product():
    x, w = uneven((3, 4)), uneven((4, 5), 1)
    x[1] = np.nan
    kept = np.array([0, 2])
    for product in (np.matmul, lambda x, w: np.einsum("ij,jk->ik", x, w), lambda x, w: np.tensordot(x, w, 1)):
        dx, dw = vjp(lambda x, w, product=product: product(x, w)[kept], x, w)[1](uneven((2, 5), 2))
        expected = vjp(lambda x, w: x @ w, x[kept], w)[1](uneven((2, 5), 2))
        np.testing.assert_allclose(dx[kept], expected[0])
        assert dx[1].tolist() == [0, 0, 0, 0]
        np.testing.assert_allclose(dw, expected[1])


def test_what_is_not_finite_and_used_is_not_hidden():
    assert grad(np.sqrt)(0.0) == np.inf
    assert np.isnan(grad(lambda x: (x * np.nan).sum())(np.ones(2))).all()
    with np.errstate(invalid="ignore"):
        got = grad(lambda x: (x @ np.array([[1.0, np.inf], [2.0, 3.0]])).sum())(np.ones(2))
    assert got.tolist() == [np.inf, 5]


def test_a_cotangent_of_zeros_gives_zeros():
    x = np.array([0.0, 1.0])
    assert vjp(np.sqrt, x)[1](np.zeros(2))[0].tolist() == [0, 0]
    assert vjp(np.sqrt, x)[1](np.array([0.0, 2.0]))[0].tolist() == [0, 1]


def test_second_derivatives_of_the_branch_taken():
    def f(x):
        return np.where(x > 0, x**3, np.sqrt(x)).sum()

    with np.errstate(invalid="ignore"):
        x = np.array([2.0, 3.0])
        np.testing.assert_allclose(grad(lambda x: grad(f)(x).sum())(x), 6 * x)
        # the slope on the way is exactly 0 at x = 0, but changes: it must not be taken for a branch that is not there
        assert grad(grad(lambda x: np.sin(x) ** 2))(0.0) == 2
        poisoned = grad(grad(lambda x: np.where(x > 5, np.log(x - 5), np.sin(x) ** 2)))
        assert poisoned(0.0) == 2


def test_the_gradient_of_a_spread_without_spread_is_0():
    assert grad(np.std)(np.ones(3)).tolist() == [0, 0, 0]
    x = np.array([[1.0, 1.0], [1.0, 3.0]])
    assert grad(lambda x: x.std(axis=1).sum())(x).tolist() == [[0, 0], [-0.5, 0.5]]
    assert grad(np.linalg.norm)(np.zeros(3)).tolist() == [0, 0, 0]


def test_the_rules_of_builtins_have_strong_zeros_too():
    """A rule may be compiled code; where it gives NaN for a cotangent of 0, the definition is asked."""

    @builtin(category="Tests")
    def logarithm(x: Array["... D"], scale: Array["D"], *, shift: float = 0.0) -> Array["... D"]:
        """The logarithm of x + shift, and a scale for each column."""
        return np.log(x + shift) * scale

    @logarithm.defvjp
    def _(x, scale, *, shift=0.0):
        value = np.log(x + shift)
        return value * scale, lambda g: (g * scale / (x + shift), (g * value).sum(axis=0))

    x = np.array([[1.0, 0.0], [np.nan, 2.0], [-3.0, 0.5]])
    good = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]])
    expected = [[[2, 0], [0, 1.5], [0, 0]], [0, np.log(2)]]
    with np.errstate(all="ignore"):
        for dtype in (np.float16, np.float32, np.float64):
            arrays = x.astype(dtype), np.array([2.0, 3.0], dtype)
            alone = vjp(logarithm, *arrays)[1](good)
            taped = vjp(lambda x, s: np.where(good, logarithm(x, s), x * 0), *arrays)[1](np.ones(x.shape))
            for got in (alone, taped):
                assert [g.dtype for g in got] == [dtype, dtype]
                for mine, right in zip(got, expected, strict=True):
                    np.testing.assert_allclose(mine, right, rtol=1e-3)
        assert np.isnan(vjp(logarithm, *arrays)[1](np.ones(x.shape))[0]).tolist() == np.isnan(x).tolist()
        assert vjp(logarithm, *arrays)[1](np.zeros(x.shape))[0].tolist() == np.zeros(x.shape).tolist()
