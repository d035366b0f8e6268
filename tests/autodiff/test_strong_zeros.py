"""A cotangent that is exactly 0 stays 0 through every rule, whatever the derivative there: 0, NaN or infinity."""

import numpy as np
import pytest
from numeric import uneven

from opbook import grad, vjp

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


def test_a_rule_of_an_outer_function_gets_zeros_for_zeros():
    from opbook import Array, builtin

    @builtin(category="Tests")
    def half_log(x: Array["..."]) -> Array["..."]:
        """Half the logarithm."""
        return np.log(x) / 2

    @half_log.defvjp
    def _(x):
        return np.log(x) / 2, lambda g: (g / x / 2,)

    with np.errstate(all="ignore"):
        assert grad(lambda x: (0 * half_log(x)).sum() + x.sum())(np.zeros(2)).tolist() == [1, 1]
