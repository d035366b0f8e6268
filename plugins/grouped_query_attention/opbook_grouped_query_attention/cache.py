"""The cache of keys and values."""

from typing import TypedDict

import numpy as np

from opbook import Array, builtin


class Cache(TypedDict):
    """The keys and values of all rows so far, in their order. `*B` are the batch axes, of heads too."""

    k: Array["*B Nc D"]
    v: Array["*B Nc Dv"]


class LongerCache(TypedDict):
    """The same, with the new rows behind them."""

    k: Array["*B M D"]
    v: Array["*B M Dv"]


# A model that writes a text adds one token at a time. The key and the value of a token depend on what comes before it
# only, so they stay as they are once they have been computed. Kept in a cache, they need not be computed again: a step
# of decoding computes one row of queries, keys and values, appends the last two, and attends with the one query to all
# keys.
#
# Where the new rows stand is the count of rows in the cache *before* they are appended. Two things need it:
#
# - [`rope`](rope.md) turns the new queries and keys by their positions: `positions = Nc + np.arange(N)`. Keys are kept
#   after they have been turned.
# - The mask is `causal_mask(N, Nc + N, align="lower-right")`, as the last query is the last row: it sees all keys. For
#   a single new row that is a row of ones, and needs no mask. With several new rows at once, which is called *prefill*
#   for a prompt, or *chunked prefill* if that is taken in parts, each may look at itself and at what came before it.
#
# However the rows are divided into steps, the cache is the same bit for bit. And the results? In a full pass a row is a
# sum over all keys, of which the later ones have the weight 0. In a step it is a shorter sum, and a sum of another
# length is added up in another order, and a product of one row by another routine than that of many. So in float64 a
# step and the full pass may differ in the last digits, by up to 2e-15 for numbers around 1. In float32,
# [`grouped_query_attention`](grouped_query_attention.md) gives the same bits: it works in float64, and rounds once.
#
# How a block of Llama or GPT-2 is run with a cache is on a page of its own, "Write with a cache".
#
# Each call copies the cache. Programs that write long texts keep room in advance and write into it, and have to block
# the part that is not filled yet; the results are the same.
#
# **The gradient.** The cotangent is cut where the arrays were joined: the first Nc rows of the cotangent belong to the
# cache, the others to the new rows.
@builtin(
    category="Attention",
    aliases=(
        "kv cache",
        "key-value cache",
        "past_key_values",
        "past_key",
        "DynamicCache",
        "present_key",
        "TensorScatter",
        "incremental decoding",
        "prefill",
        "autoregressive decoding",
    ),
)
def append_to_cache(
    cache: Cache | None,
    k: Array["*B N D"],
    v: Array["*B N Dv"],
) -> LongerCache:
    r"""Appends new keys and values to those of earlier rows, so that these need not be computed again.

    While a text is written, each new row needs the keys and values of all rows before it, and these never change. The
    cache is a record of both; a step appends its own rows, and attends with its queries to all that is in it.

    Args:
        cache: The record of the last call, or None at first.
        k: The keys of the new rows.
        v: The values of the new rows.

    Returns:
        A record of all keys, k, and all values, v.

    Raises:
        ShapeError: Batch axes or widths of the new rows that are not those of the cache, or not as many keys as values.

    Formula:
        $$K' = \begin{bmatrix} K_{\text{cache}} \\ K \end{bmatrix}, \qquad
        V' = \begin{bmatrix} V_{\text{cache}} \\ V \end{bmatrix}$$

    Source:
        Shazeer, *Fast Transformer Decoding: One Write-Head is All You Need* (2019), section 2.4; operator `Attention`
        of ONNX opset 23, `past_key` and `present_key`.
    """
    if cache is None:
        return {"k": k, "v": v}
    return {"k": np.concatenate([cache["k"], k], axis=-2), "v": np.concatenate([cache["v"], v], axis=-2)}
