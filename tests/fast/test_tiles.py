"""Attention in tiles: the definition's answers with every kind of mask, in memory that grows with the length."""

import threading
import tracemalloc

import numpy as np
import pytest
from opbook_fast import attention, blas, tiles
from ops.transformer_inputs import draw

from opbook.autodiff.differentiate import vjp
from opbook.ops import scaled_dot_product_attention


@pytest.fixture
def small_tiles(monkeypatch):
    """Tiles of 16 queries and 24 keys, for all sizes."""
    monkeypatch.setattr(attention, "TILED_FROM", 0)
    monkeypatch.setattr(tiles, "ROWS", (16,))
    monkeypatch.setattr(tiles, "TILE_BYTES", 16 * 24 * 8)
    monkeypatch.setattr(tiles, "_own", threading.local())


def blocks():
    """A mask with tiles that are all blocked, all allowed, and mixed, and queries that may attend to nothing."""
    mask = np.zeros((70, 90), bool)
    mask[:40, :30] = True
    mask[30:66, 50:] = np.random.default_rng(3).random((36, 40)) < 0.4
    return mask


CASES = {
    "plain": (draw(70, 5), draw(90, 5), {}),
    "a mask": (draw(70, 5), draw(90, 5), {"mask": blocks()}),
    "everything blocked": (draw(70, 5), draw(90, 5), {"mask": np.zeros((70, 90), bool)}),
    "padding": (draw(2, 70, 5), draw(2, 90, 5), {"key_mask": np.arange(90) < [[50], [90]]}),
    "causal": (draw(3, 70, 5), draw(3, 70, 5), {"causal": True}),
    "causal and padding": (draw(70, 5), draw(70, 5), {"causal": True, "key_mask": np.arange(70) > 20}),
    "batch axes that broadcast": (draw(2, 1, 70, 5), draw(3, 90, 5), {"mask": blocks(), "scale": 0.3}),
    "large scores": (20 * draw(70, 5), 20 * draw(90, 5), {"mask": blocks()}),
    "large scores, causal": (20 * draw(70, 5), 20 * draw(70, 5), {"causal": True}),
}


@pytest.mark.usefixtures("small_tiles")
@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize(("dtype", "tolerance"), [(np.float32, 1e-4), (np.float64, 1e-11)])
def test_answers_and_gradients_are_the_definitions(name, dtype, tolerance):
    q, k, options = CASES[name]
    q, k, v = (x.astype(dtype) for x in (q, k, draw(*k.shape[:-1], 4)))
    mask, key_mask = options.get("mask"), options.get("key_mask")
    causal, scale = options.get("causal", False), options.get("scale")
    assert attention.fits_tiles(q, k, key_mask, causal)
    assert attention.tiled_attention(q, k, v, mask, key_mask=key_mask, causal=causal, scale=scale).is_finite
    value, pullback = vjp(scaled_dot_product_attention, q, k, v, **options)
    defined, pull_definition = vjp(
        lambda *a: scaled_dot_product_attention.definition(*a, **options), *(x.astype(float) for x in (q, k, v))
    )
    g = draw(*value.shape, seed=9).astype(dtype)
    for mine, expected in zip((value, *pullback(g)), (defined, *pull_definition(g.astype(float))), strict=True):
        np.testing.assert_allclose(mine, expected, rtol=0, atol=tolerance * max(1, np.abs(expected).max()))


@pytest.mark.usefixtures("small_tiles")
def test_values_may_have_batch_axes_of_their_own():
    q, k, v = draw(70, 5), draw(90, 5), draw(2, 90, 4)
    options = {"mask": blocks(), "key_mask": np.arange(90) < 60}
    value, pullback = vjp(scaled_dot_product_attention, q, k, v, **options)
    defined, pull_definition = vjp(lambda *a: scaled_dot_product_attention.definition(*a, **options), q, k, v)
    for mine, expected in zip((value, *pullback(value)), (defined, *pull_definition(value)), strict=True):
        np.testing.assert_allclose(mine, expected, rtol=1e-9, atol=1e-12)


@pytest.mark.usefixtures("small_tiles")
@pytest.mark.parametrize(
    "change",
    [
        lambda q, k, v: np.put(q, 3, np.nan),
        lambda q, k, v: np.put(k, 3, np.inf),
        lambda q, k, v: np.put(v, 3, -np.inf),
        lambda q, k, v: np.copyto(k, 1e300),
        lambda q, k, v: np.copyto(v, 1e308),
    ],
)
def test_what_tiles_can_not_do_is_left_to_the_own_rule(change):
    arrays = [draw(70, 5), draw(90, 5), draw(90, 4)]
    change(*arrays)
    assert not attention.tiled_attention(*arrays).is_finite
    with np.errstate(all="ignore"):
        value, pull = attention.attention(*arrays)
        expected, pull_own = scaled_dot_product_attention.own_rule(*arrays)
        np.testing.assert_array_equal(value, expected)
        for mine, theirs in zip(pull(draw(70, 4))[:3], pull_own(draw(70, 4))[:3], strict=True):
            np.testing.assert_array_equal(mine, theirs)


def test_memory_grows_with_the_length(monkeypatch):
    monkeypatch.setattr(
        blas.one_thread, "threads", lambda: 1
    )  # whether a second thread makes room for tiles is a matter of luck

    def peak(n):
        q, k, v = (draw(n, 8, seed=i, dtype=np.float32) for i in range(3))
        tracemalloc.start()
        value, pullback = vjp(scaled_dot_product_attention, q, k, v, causal=True)
        pullback(value)
        found = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return found

    peak(512)  # makes the room that each thread keeps
    assert peak(3000) < 3.5 * peak(1000)  # 9 times as many scores
    assert peak(3000) < 3000 * 3000  # a byte for each of them
