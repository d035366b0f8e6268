"""The rules of the transformer ops, held to the tape through their definitions and to central differences."""

import numpy as np
import pytest
from numeric import central_differences
from ops.transformer_inputs import block, draw, head

from opbook import vjp
from opbook.autodiff import tree
from opbook.ops import (
    attention_weights,
    causal_mask,
    layer_norm,
    multi_head_attention,
    scaled_dot_product_attention,
    transformer_block,
)

MASK = np.array([[1, 0, 1, 1], [0, 0, 0, 0], [1, 1, 0, 0]], bool)
X = draw(4, 3)
HEADS = (head(3, 2, seed=1), head(3, 5, seed=2))
QKV = (draw(3, 2, seed=1), draw(4, 2, seed=2), draw(4, 5, seed=3))
BATCHED = (draw(2, 1, 3, 2, seed=1), draw(2, 4, 2, seed=2), draw(4, 5, seed=3))

CASES = {
    "layer_norm": (layer_norm, (draw(2, 4), draw(4, seed=1), draw(4, seed=2)), {}),
    "layer_norm, batches": (layer_norm, (draw(2, 3, 4) + 5, draw(4, seed=1), draw(4, seed=2)), {"eps": 0.1}),
    "layer_norm, one row, constant": (layer_norm, (np.full(4, 0.1), draw(4, seed=1), draw(4, seed=2)), {}),
    "attention_weights": (attention_weights, QKV[:2], {"mask": MASK}),
    "attention": (scaled_dot_product_attention, QKV, {}),
    "attention, mask": (scaled_dot_product_attention, QKV, {"mask": MASK}),
    "attention, all at once": (
        scaled_dot_product_attention,
        BATCHED,
        {"mask": MASK, "key_mask": [1, 0, 1, 1], "bias": draw(3, 4), "scale": 0.3},
    ),
    "attention, bias -inf": (scaled_dot_product_attention, QKV, {"bias": np.where(MASK, 0.5, -np.inf)}),
    "attention, causal": (scaled_dot_product_attention, (QKV[1], *QKV[1:]), {"causal": True}),
    "attention, other alignment": (
        scaled_dot_product_attention,
        QKV,
        {"mask": causal_mask(3, 4, align="upper-left")},
    ),
    "attention, no keys": (scaled_dot_product_attention, (draw(3, 2), draw(0, 2), draw(0, 5)), {}),
    "heads": (multi_head_attention, (X, HEADS, 2), {}),
    "heads, batch, mask": (multi_head_attention, (draw(2, 3, 3), HEADS, 2), {"mask": MASK[:, :3], "causal": True}),
    "heads, padding": (multi_head_attention, (X, HEADS, 2), {"key_mask": [1, 0, 1, 1]}),
    "block": (transformer_block, (X, block(3, 2, 2, 6)), {}),
    "block, pre-norm, batch, causal": (
        transformer_block,
        (draw(2, 4, 3), block(3, 2, 1, 6)),
        {"norm": "pre", "causal": True},
    ),
    "block, mask, eps": (transformer_block, (draw(3, 3), block(3, 1, 2, 2)), {"mask": MASK[:, :3], "eps": 0.3}),
}


@pytest.fixture(params=CASES, name="case")
def _case(request):
    op, args, kwargs = CASES[request.param]
    value, pullback = vjp(op, *args, **kwargs)
    cotangent = draw(*value.shape, seed=9)
    return op, args, kwargs, value, pullback(cotangent), cotangent


def test_rule_agrees_with_the_definition(case):
    op, args, kwargs, value, gradients, cotangent = case
    kwargs = (
        {"mask": None, "key_mask": None, **kwargs} if "mask" in op.definition.__code__.co_varnames else dict(kwargs)
    )
    for name in ("mask", "key_mask"):
        if kwargs.get(name) is not None:
            kwargs[name] = np.asarray(kwargs[name], bool)
    numeric = [i for i, arg in enumerate(args) if not isinstance(arg, int)]

    def definition(*parts):
        complete = list(args)
        for i, part in zip(numeric, parts, strict=True):
            complete[i] = part
        return op.definition(*complete, **kwargs)

    defined, pullback = vjp(definition, *(args[i] for i in numeric))
    np.testing.assert_allclose(value, defined, rtol=1e-12, atol=1e-13)
    for got, expected in zip(
        tree.leaves([gradients[i] for i in numeric]), tree.leaves(pullback(cotangent)), strict=True
    ):
        np.testing.assert_allclose(got, expected, rtol=1e-10, atol=1e-10)


def test_rule_agrees_with_central_differences(case):
    op, args, kwargs, _, gradients, cotangent = case
    numeric = [i for i, arg in enumerate(args) if not isinstance(arg, int)]

    def value(*parts):
        complete = list(args)
        for i, part in zip(numeric, parts, strict=True):
            complete[i] = part
        return op(*complete, **kwargs)

    expected = central_differences(value, [args[i] for i in numeric], cotangent)
    for got, want in zip(tree.leaves([gradients[i] for i in numeric]), expected, strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-6, atol=1e-6)


def test_gradients_are_built_as_the_arguments_are(case):
    _, args, _, _, gradients, _ = case
    assert tree.same_structure(args, gradients)
    assert [np.shape(g) for g in tree.leaves(gradients)] == [np.shape(a) for a in tree.leaves(args)]
