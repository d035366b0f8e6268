"""Ops with annotations of every kind: numbers in a range, several results, records with optional fields, trees."""

from typing import NamedTuple, NotRequired, TypedDict

import numpy as np

from opbook import Array, Bool, Int, Tree, builtin, tree
from opbook.errors import InputError


@builtin(category="Embedding & indexing")
def embedding(table: Array["V D"], ids: Int["*B N", "0:V"]) -> Array["*B N D"]:
    """Looks rows of a table up by their numbers."""
    return table[ids]


@embedding.defvjp
def _(table, ids):
    def pullback(g):
        d_table = np.zeros_like(table)
        np.add.at(d_table, ids, g)
        return d_table, None

    return table[ids], pullback


@builtin(category="Losses")
def cross_entropy(logits: Array["*B C"], labels: Int["*B", "0:C"]) -> Array["*B"]:
    """Says how surprising each label is: minus the logarithm of its probability."""
    shifted = logits - logits.max(axis=-1, keepdims=True)
    log_p = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
    return -np.take_along_axis(log_p, labels[..., None], axis=-1)[..., 0]


@cross_entropy.defvjp
def _(logits, labels):
    shifted = logits - logits.max(axis=-1, keepdims=True)
    p = np.exp(shifted) / np.exp(shifted).sum(axis=-1, keepdims=True)
    y = np.eye(logits.shape[-1], dtype=p.dtype)[labels]
    value = np.log(np.exp(shifted).sum(axis=-1)) - (y * shifted).sum(axis=-1)
    return value, lambda g: (g[..., None] * (p - y), None)


class GruWeights(TypedDict):
    w: Array["D 3*H"]
    u: Array["H 3*H"]
    b: NotRequired[Array["3*H"]]


class GruStep(NamedTuple):
    h: Array["N H"]
    kept: Array["N H"]


def gates(x, h, weights):
    a, c = np.split(x @ weights["w"] + weights.get("b", 0.0), 3, axis=1), np.split(h @ weights["u"], 3, axis=1)
    r, z = ((1 + np.tanh((a[i] + c[i]) / 2)) / 2 for i in (0, 1))
    return r, z, np.tanh(a[2] + r * c[2]), c[2]


@builtin(category="Recurrence")
def gru_cell(x: Array["N D"], h: Array["N H"], weights: GruWeights) -> GruStep:
    """Takes one step of a gated recurrent unit, and shows how much of the old state each gate keeps."""
    _, z, n, _ = gates(x, h, weights)
    return GruStep((1 - z) * n + z * h, z)


@gru_cell.defvjp
def _(x, h, weights):
    r, z, n, c = gates(x, h, weights)

    def pullback(g):
        dz = (g.kept + g.h * (h - n)) * z * (1 - z)
        dn = g.h * (1 - z) * (1 - n**2)
        dr = dn * c * r * (1 - r)
        da, dc = np.concatenate([dr, dz, dn], axis=1), np.concatenate([dr, dz, dn * r], axis=1)
        parts = {"w": x.T @ da, "u": h.T @ dc, "b": da.sum(axis=0)}
        return da @ weights["w"].T, dc @ weights["u"].T + g.h * z, {name: parts[name] for name in weights}

    return GruStep((1 - z) * n + z * h, z), pullback


class Cache(TypedDict):
    k: Array["*B N D"]
    v: Array["*B N D"]


class LongerCache(TypedDict):
    k: Array["*B N+M D"]
    v: Array["*B N+M D"]


@builtin(category="Attention")
def append_to_cache(cache: Cache, k: Array["*B M D"], v: Array["*B M D"]) -> LongerCache:
    """Adds the keys and values of new tokens to those of the tokens before them."""
    return {"k": np.concatenate([cache["k"], k], axis=-2), "v": np.concatenate([cache["v"], v], axis=-2)}


@append_to_cache.defvjp
def _(cache, k, v):
    n = cache["k"].shape[-2]
    value = {"k": np.concatenate([cache["k"], k], axis=-2), "v": np.concatenate([cache["v"], v], axis=-2)}

    def pullback(g):
        old = {name: g[name][..., :n, :] for name in ("k", "v")}
        return old, g["k"][..., n:, :], g["v"][..., n:, :]

    return value, pullback


@builtin(category="Arrays")
def is_close(x: Array["..."], y: Array["..."], *, tolerance: float = 1e-6) -> Bool["..."]:
    """Tells which entries of two arrays are nearly equal."""
    return np.abs(x - y) <= tolerance


@builtin(category="Reductions")
def argmax(x: Array["*B N"]) -> Int["*B", "0:N"]:
    """Tells where the largest entry of each row stands; the first of several."""
    if x.shape[-1] == 0:
        raise InputError("a row without entries has no largest one")
    return np.argmax(x, axis=-1)


class Stepped(TypedDict):
    params: Tree["P"]
    momentum: Tree["P"]


@builtin(category="Optimization")
def sgd_step(
    params: Tree["P"], grads: Tree["P"], momentum: Tree["P"] | None = None, *, lr: float = 0.1, mu: float = 0.9
) -> Stepped:
    """Moves parameters against their gradients, with momentum."""
    before = tree.map(np.zeros_like, params) if momentum is None else momentum
    after = tree.map(lambda m, g: mu * m + g, before, grads)
    return {"params": tree.map(lambda p, m: p - lr * m, params, after), "momentum": after}
