"""Adapters for functions of other layouts: right ones agree, and wrong ones do not."""

import numpy as np
import pytest

from opbook.testing import adapters, compare


def softmaxed(scores):
    e = np.exp(scores - scores.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def heads_behind_rows(q, k, v):
    weights = softmaxed(np.einsum("...qhd,...khd->...hqk", q, k) * q.shape[-1] ** -0.5)
    return np.einsum("...hqk,...khd->...qhd", weights, v), weights


def with_added_mask(q, k, v, mask=None):
    scores = q @ k.swapaxes(-1, -2) * q.shape[-1] ** -0.5
    return softmaxed(scores if mask is None else scores + mask) @ v


def with_blocked(q, k, v, mask=None):
    scores = q @ k.swapaxes(-1, -2) * q.shape[-1] ** -0.5
    return softmaxed(scores if mask is None else np.where(mask, -1e30, scores)) @ v


def joined(x, wq, wk, wv, wo, n_heads):
    def split(rows):
        return rows.reshape(*rows.shape[:-1], n_heads, -1).swapaxes(-2, -3)

    q, k, v = split(x @ wq), split(x @ wk), split(x @ wv)
    out = softmaxed(q @ k.swapaxes(-1, -2) * q.shape[-1] ** -0.5) @ v
    return out.swapaxes(-2, -3).reshape(x.shape) @ wo


def packed(x, w_qkv, w_out, n_heads):
    return joined(x, *np.split(w_qkv, 3, axis=-1), w_out, n_heads)


@pytest.mark.parametrize(
    ("adapted", "op"),
    [
        (adapters.heads_last(heads_behind_rows), "scaled_dot_product_attention"),
        (adapters.additive_mask(with_added_mask), "scaled_dot_product_attention"),
        (adapters.inverted_mask(with_blocked), "scaled_dot_product_attention"),
        (adapters.joined_projections(joined), "multi_head_attention"),
        (adapters.packed_projections(packed), "multi_head_attention"),
    ],
    ids=lambda value: getattr(value, "__name__", value),
)
def test_a_function_of_another_layout_agrees(adapted, op):
    found = compare(adapted, op)
    assert found.verdict == "agrees", found.sentence


@pytest.mark.parametrize(
    ("adapted", "op"),
    [
        (heads_behind_rows, "scaled_dot_product_attention"),
        (adapters.inverted_mask(with_added_mask), "scaled_dot_product_attention"),
        (with_blocked, "scaled_dot_product_attention"),
        (adapters.joined_projections(lambda x, q, k, v, o, n: joined(x, k, v, q, o, n)), "multi_head_attention"),
        (adapters.packed_projections(lambda x, qkv, o, n: packed(x, qkv, o.T, n)), "multi_head_attention"),
    ],
)
def test_a_layout_that_was_mistaken_is_wrong(adapted, op):
    assert compare(adapted, op).verdict != "agrees"


def test_heads_that_do_not_fill_the_width_are_refused():
    found = compare(adapters.joined_projections(joined), "multi_head_attention")
    assert any("fill the width" in case.message for case in found.of("refused"))
