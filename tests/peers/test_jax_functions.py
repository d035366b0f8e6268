"""Builtins as JAX's functions: forward and gradients are the book's, compiled, over a batch and in second order."""

import numpy as np
import pytest
from ops.transformer_inputs import draw, head

import opbook
from opbook import ops, tree, vjp
from opbook.errors import ShapeError

jax = pytest.importorskip("jax", reason="JAX is not installed")

pytestmark = pytest.mark.peer


@pytest.fixture(autouse=True)
def in_float64():
    with jax.enable_x64(True):
        yield


def arrays(*numpy):
    return tuple(map(jax.numpy.asarray, numpy))


def book_norm(x, gamma, beta):
    centred = x - x.mean(-1, keepdims=True)
    return gamma * centred / jax.numpy.sqrt((centred**2).mean(-1, keepdims=True) + 1e-5) + beta


def total(function):
    return lambda *args: (function(*args) ** 3).sum()


@pytest.mark.parametrize("wrapped", [lambda f: f, jax.jit], ids=["eager", "compiled"])
def test_gradients_are_jaxs_own_to_rounding(wrapped):
    given = arrays(draw(2, 3, 5), draw(5, seed=1), draw(5, seed=2))
    norm = opbook.jax.function("layer_norm")
    np.testing.assert_allclose(wrapped(norm)(*given), book_norm(*given), rtol=1e-12)
    mine = wrapped(jax.grad(total(norm), (0, 1, 2)))(*given)
    for a, b in zip(mine, jax.grad(total(book_norm), (0, 1, 2))(*given), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-9)


def test_second_derivatives():
    x, gamma, beta = arrays(draw(2, 3), draw(3, seed=1), draw(3, seed=2))
    mine, theirs = (
        jax.jacrev(jax.grad(lambda x, f=f: total(f)(x, gamma, beta)))(x)
        for f in (opbook.jax.function("layer_norm"), book_norm)
    )
    np.testing.assert_allclose(mine, theirs, rtol=1e-9, atol=1e-8)


def test_over_a_batch():
    softmax = opbook.jax.function("softmax")
    (x,) = arrays(draw(4, 3))
    np.testing.assert_allclose(jax.vmap(softmax)(x), jax.nn.softmax(x), rtol=1e-12)
    mine, theirs = (jax.vmap(jax.grad(total(f)))(x) for f in (softmax, jax.nn.softmax))
    np.testing.assert_allclose(mine, theirs, rtol=1e-10)


def test_records_whole_numbers_and_masks():
    x, heads, mask = draw(3, 4), (head(4, 2, seed=1), head(4, 2, seed=2)), np.tri(3, dtype=bool)
    attention = opbook.jax.function("multi_head_attention")

    @jax.jit
    @jax.grad
    def gradient(weights, x, mask):
        return attention(x, weights, 2, mask).sum()

    mine = gradient(tree.map(jax.numpy.asarray, heads), *arrays(x, mask))
    value, pullback = vjp(ops.multi_head_attention, x, heads, 2, mask)
    for a, b in tree.zip(mine, pullback(np.ones_like(value))[1]):
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-12)


def test_several_results_and_whole_numbers_among_them():
    best = opbook.jax.function("top_k")
    (x,) = arrays(draw(5))
    found = jax.jit(lambda x: best(x, 2))(x)
    assert np.issubdtype(found["indices"].dtype, np.integer)
    slopes = jax.grad(lambda x: best(x, 2)["values"].sum())(x)
    assert sorted(found["indices"].tolist()) == np.flatnonzero(slopes).tolist()


def test_what_is_wrong_is_said_in_the_books_words():
    norm = opbook.jax.function("layer_norm")
    with pytest.raises(ShapeError, match="layer_norm: gamma has 4 entries but x has 5 columns"):
        norm(*arrays(draw(2, 5), draw(4), draw(5)))
