"""Values and gradients against PyTorch in float64, on shapes, masks and numbers that hypothesis draws."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ops.transformer_inputs import block, draw, head

from opbook import ops, vjp
from opbook.autodiff import tree

torch = pytest.importorskip("torch", reason="PyTorch is not installed; .ci/run installs its CPU build")

from peers import pytorch  # noqa: E402

pytestmark = pytest.mark.peer

SIZE = st.integers(1, 5)
SEED = st.integers(0, 2**20)
BATCH = st.sampled_from([(), (1,), (3,)])


@st.composite
def masks(draw, rows, columns):
    """Masks in which every query may attend to something: there PyTorch's answer is defined."""
    bits = draw(st.lists(st.booleans(), min_size=rows * columns, max_size=rows * columns))
    mask = np.array(bits).reshape(rows, columns)
    mask[np.arange(rows), draw(st.lists(st.integers(0, columns - 1), min_size=rows, max_size=rows))] = True
    return mask


def assert_alike(op, args, kwargs):
    value, pullback = vjp(getattr(ops, op), *args, **kwargs)
    cotangent = draw(*value.shape, seed=9)
    gradients = zip(tree.leaves(args), tree.leaves(pullback(cotangent)), strict=True)
    mine = [g for argument, g in gradients if isinstance(argument, np.ndarray)]
    expected, theirs = pytorch.value_and_gradients(getattr(pytorch, op), args, kwargs, cotangent)
    np.testing.assert_allclose(value, expected, rtol=1e-10, atol=1e-10)
    for got, want in zip(mine, theirs, strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-8, atol=1e-10)


@given(BATCH, SIZE, st.integers(2, 6), st.floats(1e-6, 1), SEED)
def test_layer_norm(batch, n, d, eps, seed):
    x = draw(*batch, n, d, seed=seed) + seed % 7
    assert_alike("layer_norm", (x, draw(d, seed=seed + 1), draw(d, seed=seed + 2)), {"eps": eps})


@given(st.data(), BATCH, SIZE, SIZE, SIZE, SIZE, SEED)
def test_attention(data, batch, n, m, d, dv, seed):
    args = (draw(*batch, n, d, seed=seed), draw(*batch, m, d, seed=seed + 1), draw(*batch, m, dv, seed=seed + 2))
    kind = data.draw(st.sampled_from(["plain", "mask", "bias", "scale", "causal", "window", "softcap"]))
    kwargs = {
        "plain": {},
        "mask": {"mask": data.draw(masks(n, m))},
        "bias": {"bias": draw(n, m, seed=seed)},
        "scale": {"scale": 0.3},
        "causal": {"causal": True},
        "window": {"window": (seed % 3, seed % 2), "softcap": 0.8},
        "softcap": {"softcap": 1.5, "mask": data.draw(masks(n, m))},
    }[kind]
    if kind in ("causal", "window"):
        args = (args[1], *args[1:])
    assert_alike("scaled_dot_product_attention", args, kwargs)


BIASES = {"bq", "bk", "bv"}


def heads_of(d, n_heads, width, has_biases, seed):
    """Heads of one width, perhaps with biases."""
    heads = (head(d, width, seed=seed % 100 + i) for i in range(n_heads))
    return tuple(
        one | ({name: draw(width, seed=seed % 100 + i) for i, name in enumerate(sorted(BIASES))} if has_biases else {})
        for one in heads
    )


@given(st.data(), st.sampled_from([(), (2,)]), SIZE, st.integers(1, 3), st.integers(1, 3), st.booleans(), SEED)
def test_multi_head_attention(data, batch, n, n_heads, width, has_biases, seed):
    d = n_heads * width  # PyTorch's heads must split the width of x
    heads = heads_of(d, n_heads, width, has_biases, seed)
    kwargs = {"mask": data.draw(masks(n, n))} if data.draw(st.booleans()) else {}
    kwargs |= {"bo": draw(d, seed=seed)} if has_biases else {}
    assert_alike("multi_head_attention", (draw(*batch, n, d, seed=seed), heads, n_heads), kwargs)


@given(st.data(), st.sampled_from([(), (2,)]), SIZE, SIZE, st.integers(1, 3), SIZE, SEED)
def test_cross_attention(data, batch, n, m, n_heads, memory_width, seed):
    d = 2 * n_heads
    heads = heads_of(d, n_heads, 2, True, seed)
    for i, one in enumerate(heads):
        one |= {name: draw(memory_width, 2, seed=seed % 100 + 7 * i + j) for j, name in enumerate(("wk", "wv"))}
    kwargs = {"mask": data.draw(masks(n, m))} if data.draw(st.booleans()) else {}
    x, memory = draw(*batch, n, d, seed=seed), draw(*batch, m, memory_width, seed=seed + 1)
    assert_alike("cross_attention", (x, memory, heads, n_heads), kwargs | {"bo": draw(d, seed=seed)})


NORMS, ACTIVATIONS = st.sampled_from(["post", "pre"]), st.sampled_from(["relu", "gelu", "gelu-tanh", "silu"])


@settings(max_examples=25)
@given(st.sampled_from([(), (2,)]), SIZE, st.integers(1, 2), st.integers(2, 3), NORMS, ACTIVATIONS, st.booleans(), SEED)
def test_transformer_block(batch, n, n_heads, width, norm, activation, has_biases, seed):
    d = n_heads * width
    x, weights = draw(*batch, n, d, seed=seed), block(d, width, n_heads, 5)
    if has_biases:
        weights |= {"heads": heads_of(d, n_heads, width, True, seed), "bo": draw(d, seed=seed)}
    assert_alike("transformer_block", (x, weights), {"norm": norm, "activation": activation, "eps": 1e-3})


@settings(max_examples=25)
@given(st.sampled_from([(), (2,)]), SIZE, SIZE, st.integers(1, 2), st.integers(2, 3), NORMS, ACTIVATIONS, SEED)
def test_decoder_block(batch, n, m, n_heads, width, norm, activation, seed):
    d = n_heads * width
    weights = block(d, width, n_heads, 5) | {"heads": heads_of(d, n_heads, width, True, seed)}
    weights |= {"cross_heads": heads_of(d, n_heads, width, True, seed + 1), "ln3_gamma": draw(d), "ln3_beta": draw(d)}
    weights |= {"bo": draw(d, seed=seed), "cross_bo": draw(d, seed=seed + 1)}
    x, memory = draw(*batch, n, d, seed=seed), draw(*batch, m, d, seed=seed + 1)
    assert_alike("decoder_block", (x, memory, weights), {"norm": norm, "activation": activation})
