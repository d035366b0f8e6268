"""Layer normalization at its edges."""

import numpy as np
import pytest
from ops.transformer_inputs import draw

from opbook import grad, vjp
from opbook.errors import InputError, ShapeError
from opbook.ops import layer_norm


def test_biased_variance_with_eps_under_the_root():
    # by hand: mean 0, variance 0.75 + 1e-5 for the row 3/2, -1/2, -1/2, -1/2
    expected = np.array([1.5, -0.5, -0.5, -0.5]) / np.sqrt(0.75 + 1e-5)
    np.testing.assert_allclose(layer_norm([[4.0, 2.0, 2.0, 2.0]], np.ones(4), np.zeros(4)), [expected], rtol=1e-13)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("constant", [7.0, 0.1, 0.0, -1e4])
def test_a_constant_row_gives_exactly_beta(dtype, constant):
    gamma, beta = np.array([1, 2, 3], dtype), np.array([0.1, 0.2, 0.3], dtype)
    value, pullback = vjp(layer_norm, np.full((2, 3), constant, dtype), gamma, beta)
    np.testing.assert_array_equal(value, [beta, beta])
    np.testing.assert_array_equal(layer_norm.bind((np.full(3, constant, dtype), gamma, beta), {}).define(), beta)
    dx, d_gamma, d_beta = pullback(np.array([[1, 0, 0], [0, 0, 0]]))
    assert d_gamma.tolist() == [0, 0, 0]
    assert d_beta.tolist() == [1, 0, 0]
    # by hand: (g · gamma − its mean) / √eps
    np.testing.assert_allclose(dx, np.array([[2, -1, -1], [0, 0, 0]]) / 3 / np.sqrt(1e-5), rtol=1e-3)
    assert [g.dtype for g in (dx, d_gamma, d_beta)] == [dtype] * 3


@pytest.mark.parametrize("middle", [4096.0, 2.0**22])
def test_float32_keeps_a_small_spread_around_a_large_mean(middle):
    x = (middle + np.array([[-1.5, -0.5, 0.5, 1.5]])).astype(np.float32)
    spread = np.array([-1.5, -0.5, 0.5, 1.5]) / np.sqrt(1.25 + 1e-5)
    for value in (
        layer_norm(x, np.ones(4, np.float32), np.zeros(4, np.float32)),
        layer_norm.definition(x.astype(float), 1, 0),
    ):
        np.testing.assert_allclose(value, [spread], rtol=1e-6)


def test_rows_of_the_smallest_float32_numbers_are_rows_like_others():
    x = np.array([[1, 2, 3, 4]], np.float32) * np.float32(1e-42)
    answer = layer_norm(x, np.ones(4, np.float32), np.zeros(4, np.float32), eps=0.0)
    np.testing.assert_allclose(answer, [[-1.3416, -0.4472, 0.4472, 1.3416]], atol=2e-3)  # x has three digits left


def test_huge_float32_values_give_a_finite_answer():
    x = np.array([[1e30, 2e30, 3e30], [-1e38, 0, 1e38]], np.float32)
    value, pullback = vjp(layer_norm, x, np.ones(3, np.float32), np.zeros(3, np.float32))
    np.testing.assert_allclose(value, [[-1.2247449, 0, 1.2247449]] * 2, atol=1e-6)
    assert all(np.isfinite(g).all() for g in pullback(np.ones((2, 3))))


def test_eps_is_checked():
    with pytest.raises(InputError, match="layer_norm: eps must be at least 0, but is -1"):
        layer_norm([[1.0, 2.0]], [1, 1], [0, 0], eps=-1)
    with pytest.raises(InputError, match=r"constant.*eps > 0"):
        layer_norm([[1.0, 1.0]], [1, 1], [0, 0], eps=0)
    np.testing.assert_allclose(layer_norm([[1.0, 3.0]], [1, 1], [0, 0], eps=0), [[-1, 1]])


def test_gamma_and_beta_gradients_have_their_own_shape_with_any_batch():
    for batch in ((), (5,), (2, 0, 3), (2, 5, 3)):
        x = draw(*batch, 4)
        value, pullback = vjp(layer_norm, x, np.ones(4), np.zeros(4))
        assert [g.shape for g in pullback(np.ones(value.shape))] == [x.shape, (4,), (4,)]


@pytest.mark.parametrize("order", ["C", "F"])
def test_strided_and_read_only_rows(order):
    x = np.asarray(draw(4, 3, 6), order=order)[::2, :, ::-1]
    x.flags.writeable = False
    contiguous = np.ascontiguousarray(x)
    g = draw(2, 3, 6, seed=3)
    for mine, expected in zip(
        vjp(layer_norm, x, draw(6), draw(6, seed=1))[1](g),
        vjp(layer_norm, contiguous, draw(6), draw(6, seed=1))[1](g),
        strict=True,
    ):
        np.testing.assert_allclose(mine, expected, rtol=1e-12, atol=1e-13)


def test_changing_arrays_afterwards_changes_no_gradient():
    x, gamma, beta = draw(2, 4), draw(4, seed=1), draw(4, seed=2)
    value, pullback = vjp(layer_norm, x, gamma, beta)
    before = pullback(np.ones((2, 4)))
    for array in (x, gamma, beta, value):
        array[...] = np.nan
    for mine, expected in zip(pullback(np.ones((2, 4))), before, strict=True):
        np.testing.assert_array_equal(mine, expected)


def test_one_column_and_shapes_that_do_not_fit():
    assert layer_norm([[3.0], [4.0]], [2.0], [0.5]).tolist() == [[0.5], [0.5]]
    with pytest.raises(ShapeError, match="layer_norm: gamma has 2 entries but x has 3 columns"):
        layer_norm(np.ones((2, 3)), [1, 1], [0, 0, 0])
    with pytest.raises(ShapeError, match=r"beta must be a \(D,\) vector, but has shape \(1, 3\)"):
        layer_norm(np.ones((2, 3)), [1, 1, 1], [[0, 0, 0]])


def test_second_derivative():
    x, v = draw(2, 4), draw(2, 4, seed=1)

    def f(x):
        return (layer_norm(x, np.arange(4.0), np.ones(4)) ** 3).sum()

    expected = (grad(f)(x + 1e-5 * v) - grad(f)(x - 1e-5 * v)) / 2e-5
    np.testing.assert_allclose(grad(lambda x: (grad(f)(x) * v).sum())(x), expected, rtol=1e-5, atol=1e-6)


def test_many_rows_at_once_are_the_same_rows():
    x, gamma, beta, g = draw(5000, 40), draw(40, seed=1), draw(40, seed=2), draw(5000, 40, seed=3)
    value, pullback = vjp(layer_norm, x, gamma, beta)
    found = [vjp(layer_norm, x[i : i + 50], gamma, beta) for i in range(0, 5000, 50)]
    parts = [pull(g[50 * i : 50 * i + 50]) for i, (_, pull) in enumerate(found)]
    np.testing.assert_allclose(value, np.concatenate([v for v, _ in found]), rtol=1e-12, atol=1e-12)
    dx, d_gamma, d_beta = pullback(g)
    np.testing.assert_allclose(dx, np.concatenate([part[0] for part in parts]), rtol=1e-11, atol=1e-12)
    np.testing.assert_allclose(d_gamma, sum(part[1] for part in parts), rtol=1e-10)
    np.testing.assert_allclose(d_beta, sum(part[2] for part in parts), rtol=1e-10)
