"""What heads are, and what one of them adds to the sum."""

from typing import NotRequired, TypedDict

import numpy as np
from opbook_attention_weights import allowed_pairs
from opbook_scaled_dot_product_attention import scaled_dot_product_attention

from opbook import Array, unbroadcast, vjp
from opbook.errors import ArgumentError


class Head(TypedDict):
    """One head's projections. D is the width of x; Dh, the width of the head, may differ from head to head."""

    wq: Array["D Dh"]
    wk: Array["D Dh"]
    wv: Array["D Dh"]
    wo: Array["Dh D"]
    bq: NotRequired[Array["Dh"]]
    bk: NotRequired[Array["Dh"]]
    bv: NotRequired[Array["Dh"]]


class CrossHead(TypedDict):
    """One head's projections where keys and values come from other rows, of width Dm."""

    wq: Array["D Dh"]
    wk: Array["Dm Dh"]
    wv: Array["Dm Dh"]
    wo: Array["Dh D"]
    bq: NotRequired[Array["Dh"]]
    bk: NotRequired[Array["Dh"]]
    bv: NotRequired[Array["Dh"]]


def answer_of(head, x, memory, mask, **options):
    """One head's part of the sum: what the rows of x take from those of memory, projected back."""
    q = plus(x @ head["wq"], head.get("bq"))
    k = plus(memory @ head["wk"], head.get("bk"))
    v = plus(memory @ head["wv"], head.get("bv"))
    return scaled_dot_product_attention(q, k, v, mask, **options) @ head["wo"]


def one_head(X, M, head, mask, **options):
    """What `answer_of` returns, and a pullback to the gradients of X, of M, and of the head."""
    Wq, Wk, Wv, Wo = (head[name] for name in ("wq", "wk", "wv", "wo"))
    Q, K, V = plus(X @ Wq, head.get("bq")), plus(M @ Wk, head.get("bk")), plus(M @ Wv, head.get("bv"))
    A, pull_attention = vjp(scaled_dot_product_attention, Q, K, V, mask, **options)

    def pullback(g):
        dA = g @ Wo.T
        dQ, dK, dV, _ = pull_attention(dA)
        d_head = {"wq": over_batch(X, dQ), "wk": over_batch(M, dK), "wv": over_batch(M, dV), "wo": over_batch(A, g)}
        d_biases = {"bq": dQ, "bk": 0 * dK, "bv": dV}  # any bk gives the same answer
        d_head |= {name: bias_gradient(d, head[name]) for name, d in d_biases.items() if name in head}
        return dQ @ Wq.T, dK @ Wk.T + dV @ Wv.T, d_head

    return A @ Wo, pullback


def plus(rows, bias):
    """The rows with a bias added to each, if there is one."""
    return rows if bias is None else rows + bias


def bias_gradient(g, bias):
    """The gradient of a bias that is added to every row: the sum of the rows; None without a bias."""
    return None if bias is None else unbroadcast(g, bias.shape)


def over_batch(a, b):
    """aᵀ b, summed over the batch axes."""
    product = np.swapaxes(a, -1, -2) @ b
    return unbroadcast(product, product.shape[-2:])


def padding_in(x, mask, key_mask, causal, window=None):
    """Where x is not finite in a row that no row may attend to, as a Boolean array of x's shape."""
    attended = allowed_pairs(x, x, mask, key_mask, causal=causal, window=window).any(axis=-2)
    return ~(attended[..., None] | np.isfinite(x))


def check_heads(name, heads, n_heads):
    """Refuse another number of heads than `n_heads`, or none."""
    if len(heads) != n_heads:
        raise ArgumentError(f"{name}: n_heads is {n_heads} but heads has {len(heads)} records; they must agree")
    if n_heads < 1:
        raise ArgumentError(f"{name}: n_heads must be at least 1, but is 0")
