"""Attention, and the block that is built of it, each as one graph of PyTorch's."""

from functools import partial

import numpy as np
from opbook_attention_weights import allowed_pairs, check_masks

from opbook_torch.activations import bounded_gelu, bounded_silu
from opbook_torch.engine import by_torch, constant, differentiated, refuse_unless, torch
from opbook_torch.norms import normed

LARGEST_SCORE = 1000.0
"""For the gradient PyTorch makes the weights anew, from the scores and the logarithm of a sum. The digits that are lost
in the difference of large ones stay in gradients that should be 0."""


@by_torch
def scaled_dot_product_attention(
    q, k, v, mask=None, *, key_mask=None, bias=None, causal=False, window=None, scale=None, softcap=None
):
    """The rule, for queries that may each attend to something, without a window or a softcap."""
    refuse_unless(window is None and softcap is None)
    added = bias_of(q, k, mask, key_mask, bias, causal)
    return differentiated(lambda q, k, v, _: attended(q, k, v, added, causal, scale), q, k, v, None)


@by_torch
def multi_head_attention(x, heads, n_heads, mask=None, bo=None, *, key_mask=None, causal=False):
    """The rule, for heads of one width."""
    refuse_unless(len(heads) == n_heads and len({head["wq"].shape for head in heads}) == 1)
    added = for_all_heads(bias_of(x, x, mask, key_mask, None, causal))

    def forward(x, heads, _, __, bo):
        return many_heads(x, heads, bo, added, causal)

    return differentiated(forward, x, heads, None, None, bo)


@by_torch
def transformer_block(x, weights, mask=None, *, key_mask=None, causal=False, norm="post", activation="relu", eps=1e-5):
    """The rule, for heads of one width."""
    refuse_unless(len({head["wq"].shape for head in weights["heads"]}) == 1 and eps >= 0)
    added = for_all_heads(bias_of(x, x, mask, key_mask, None, causal))

    def forward(x, w, _):
        def attention(rows):
            return many_heads(rows, w["heads"], w.get("bo"), added, causal)

        def feed_forward(rows):
            return activated(rows @ w["w1"] + w["b1"], activation) @ w["w2"] + w["b2"]

        h = with_residual(x, attention, w["ln1_gamma"], w["ln1_beta"], norm, eps)
        return with_residual(h, feed_forward, w["ln2_gamma"], w["ln2_beta"], norm, eps)

    return differentiated(forward, x, weights, None)


def bias_of(q, k, mask, key_mask, bias, causal):
    """What is added to the scores: -inf for pairs that must not meet; None where `causal` says all there is to say.

    Raises:
        HandOn: A query may attend to nothing, or none of them to more than one key: PyTorch's gradients of the scores,
            which should be 0, are what rounding leaves.
    """
    refuse_unless(k.shape[-2] > 1)
    if mask is None and key_mask is None and bias is None:
        check_masks(q, k, key_mask, causal)
        return None
    allowed = allowed_pairs(q, k, mask, key_mask, bias, causal)
    seen = allowed.sum(axis=-1)
    refuse_unless(seen.min(initial=1) > 0 and seen.max(initial=0) > 1)
    return np.where(allowed, q.dtype.type(0) if bias is None else bias, q.dtype.type(-np.inf))


def for_all_heads(added):
    """The same bias for every head: its axis comes before that of the rows."""
    return added if added is None or added.ndim < 3 else np.expand_dims(added, -3)


def attended(q, k, v, added, causal, scale):
    """PyTorch's attention of tensors, all of whose batch axes become one: with others it takes a slower way."""
    batch = torch().broadcast_shapes(q.shape[:-2], k.shape[:-2], v.shape[:-2])
    flat = [a.expand(*batch, *a.shape[-2:]).reshape(1, -1, *a.shape[-2:]) for a in (q, k, v)]
    factor = q.shape[-1] ** -0.5 if scale is None else abs(scale)
    lengths = [a.detach().square().sum(dim=-1).max().sqrt() for a in (q, k)]
    refuse_unless(factor * lengths[0] * lengths[1] <= LARGEST_SCORE)  # no score is larger than that; false for NaN
    if added is not None:
        refuse_unless(np.broadcast_shapes(batch, added.shape[:-2]) == batch)
        n_pairs = added.shape[-2:]
        added = constant(added)
        added = added[None, None] if added.ndim == 2 else added.expand(*batch, *n_pairs).reshape(1, -1, *n_pairs)
    function = torch().nn.functional.scaled_dot_product_attention
    answers = function(*flat, added, is_causal=causal and added is None, scale=scale)
    return answers.reshape(*batch, *answers.shape[-2:])


def many_heads(x, heads, bo, added, causal):
    """Multi-head attention of tensors, with the weights of all heads side by side."""

    def projected(matrix, bias):
        rows = x @ torch().cat([head[matrix] for head in heads], dim=-1)
        if any(bias in head for head in heads):
            zero = rows.new_zeros(rows.shape[-1] // len(heads))
            rows = rows + torch().cat([head.get(bias, zero) for head in heads])
        return rows.unflatten(-1, (len(heads), -1)).transpose(-2, -3)

    q, k, v = (projected(f"w{name}", f"b{name}") for name in "qkv")
    answers = attended(q, k, v, added, causal, None).transpose(-2, -3).flatten(-2)
    summed = answers @ torch().cat([head["wo"] for head in heads])
    return summed if bo is None else summed + bo


def with_residual(rows, branch, gamma, beta, norm, eps):
    """The rows plus what a branch makes of them; the norm comes after the sum, or before the branch."""
    if norm == "pre":
        return rows + branch(normed(rows, gamma, beta, eps))
    return normed(rows + branch(rows), gamma, beta, eps)


def activated(z, activation):
    """An activation of each entry, by its name."""
    functions = {
        "relu": torch().relu,
        "gelu": bounded_gelu,
        "gelu-tanh": partial(bounded_gelu, approximate="tanh"),
        "silu": bounded_silu,
    }
    return functions[activation](z)
