"""Short attention, gelu by tanh and blocks in parts compute what the definitions say."""

import numpy as np
import pytest
from opbook_fast import activations, attention, short
from opbook_fast import block as blocks
from ops.transformer_inputs import block, draw

from opbook import tree, vjp
from opbook.ops import gelu, scaled_dot_product_attention, transformer_block

DTYPES = {"float32": 2e-5, "float64": 1e-11}


def masks(length):
    """Options of attention, each with a query that may attend to nothing where that is possible."""
    rng = np.random.default_rng(5)
    yield {}
    yield {"causal": True}
    yield {"key_mask": np.arange(length) > 2, "causal": True}
    yield {"key_mask": rng.random((3, 1, length)) < 0.5}
    yield {"mask": rng.random((length, length)) < 0.3}
    yield {"mask": rng.random((3, 2, length, length)) < 0.3}


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("options", list(masks(7)), ids=str)
@pytest.mark.parametrize("width", [5, 1])  # so that weights are kept, and are computed again
@pytest.mark.parametrize("size", [1, 300], ids=["small scores", "large scores"])
def test_short_attention_is_the_definition(options, width, size, dtype, monkeypatch):
    monkeypatch.setattr(short, "SCORES_BYTES", 2 * 7 * 7 * 8)  # one text of the batch at a time
    q, k, v = (draw(3, 2, 7, width, seed=i).astype(dtype) for i in range(3))
    q *= size
    found, pull = attention.attend(q, k, v, options.get("mask"), **{n: o for n, o in options.items() if n != "mask"})
    definition = scaled_dot_product_attention.definition
    due, pull_due = vjp(lambda q, k, v: definition(q, k, v, **options), *(x.astype(np.float64) for x in (q, k, v)))
    g = draw(3, 2, 7, width, seed=9)
    tolerance = DTYPES[dtype] * size
    np.testing.assert_allclose(found, due, rtol=0, atol=tolerance)
    for gradient, wanted in zip(pull(g.astype(dtype)), pull_due(g), strict=True):
        assert gradient.dtype == dtype
        np.testing.assert_allclose(gradient, wanted, rtol=0, atol=tolerance * size)


def test_numbers_that_are_not_finite_are_left_to_the_own_rule():
    q, k, v = (draw(2, 7, 5, seed=i) for i in range(3))
    v[0, 3, 2] = np.nan
    assert not attention.short_attention(q, k, v).forward(np.empty(v.shape))
    key_mask = np.arange(7) != 3
    value, _ = attention.attend(q, k, v, key_mask=key_mask)
    np.testing.assert_allclose(value, scaled_dot_product_attention.definition(q, k, v, key_mask=key_mask), atol=1e-12)


@pytest.mark.parametrize("dtype", DTYPES)
def test_gelu_by_tanh_is_the_definition(dtype):
    x = np.concatenate([draw(3 * activations.TAKEN_FROM) * 4, [0, 100, -100, np.inf, -np.inf, np.nan]]).astype(dtype)
    assert activations.gelu(x) is NotImplemented
    value, pull = activations.gelu(x, "tanh")
    due, pull_due = vjp(lambda x: gelu.definition(x, "tanh"), x.astype(np.float64))
    np.testing.assert_allclose(value, due, rtol=0, atol=DTYPES[dtype])
    slope, wanted = pull(np.ones(x.shape, dtype))[0][:-3], pull_due(np.ones(x.shape))[0][:-3]
    np.testing.assert_allclose(slope, wanted, rtol=0, atol=DTYPES[dtype])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("norm", ["pre", "post"])
def test_a_block_in_parts_is_the_own_rule(norm, dtype, monkeypatch):
    monkeypatch.setattr(blocks, "WORK_OF_A_PART", 100)
    rng = np.random.default_rng(3)
    x, weights = draw(5, 2, 6, 8), block(8, 4, n_heads=2, inner=9)
    weights["bo"] = draw(8)
    x, weights = tree.map(lambda leaf: leaf.astype(dtype), (x, weights))
    assert len(blocks.parts_of(x, weights["w1"])) == 3
    mask, key_mask = rng.random((5, 1, 6, 6)) < 0.6, rng.random((5, 2, 6)) < 0.7
    options = {"norm": norm, "activation": "gelu-tanh", "key_mask": key_mask}
    value, pull = blocks.block(x, weights, mask, **options)
    own = transformer_block.with_rule("own")
    assert value.dtype == dtype
    due, pull_due = vjp(own, *tree.map(lambda leaf: leaf.astype(np.float64), (x, weights)), mask, **options)
    g = draw(*x.shape, seed=9)
    found, wanted = (tree.leaves(v) for v in ([value, pull(g.astype(dtype))], [due, pull_due(g)]))
    for array, expected in zip(found, wanted, strict=True):
        if expected is not None:
            np.testing.assert_allclose(array, expected, rtol=0, atol=DTYPES[dtype] * np.abs(expected).max() + 1e-12)


def test_a_batch_is_cut_by_its_size_alone():
    w1 = np.empty((64, 256))
    assert blocks.parts_of(np.empty((16, 64, 64)), w1) == [slice(0, 8), slice(8, 16)]
    assert blocks.parts_of(np.empty((2, 64, 64)), w1) == [slice(0, 2)]
    assert blocks.parts_of(np.empty((4096, 64)), w1) == [...]
    assert blocks.parts_of(np.empty((0, 64, 64)), w1) == [...]
