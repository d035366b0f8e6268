"""The model of chapters 7 and 8: a GPT on single characters, built of the builtins."""

from typing import Any

import numpy as np
from opbook_embedding import embedding
from opbook_layer_norm import layer_norm
from opbook_linear import linear
from opbook_losses.classification import cross_entropy
from opbook_transformer_block import transformer_block

from opbook import tree

Weights = dict[str, Any]


def started(
    rng: np.random.Generator,
    *,
    symbols: int,
    length: int,
    width: int,
    heads: int,
    layers: int,
    spread: float = 0.1,
    dtype: Any = np.float64,
) -> Weights:
    """Draw the weights that a training starts from.

    Args:
        rng: Where the random numbers come from.
        symbols: How many characters there are.
        length: How many positions a text may have.
        width: The length of a row.
        heads: How many heads each block has; a divisor of `width`.
        layers: How many blocks there are.
        spread: The standard deviation of the characters' rows.
        dtype: float64 or float32.

    Returns:
        A record of arrays, with the blocks as a tuple.
    """

    def normal(*shape, size=0.02):
        return rng.normal(size=shape) * size

    def head():
        return {"wq": matrix("in"), "wk": matrix("in"), "wv": matrix("in"), "wo": matrix("out")}

    def matrix(side):
        shape = (width, width // heads) if side == "in" else (width // heads, width)
        return normal(*shape, size=width**-0.5 if side == "in" else branch)

    def block():
        return {
            "heads": tuple(head() for _ in range(heads)),
            "ln1_gamma": np.ones(width),
            "ln1_beta": np.zeros(width),
            "w1": normal(width, 4 * width, size=width**-0.5),
            "b1": np.zeros(4 * width),
            "w2": normal(4 * width, width, size=branch / 2),
            "b2": np.zeros(width),
            "ln2_gamma": np.ones(width),
            "ln2_beta": np.zeros(width),
        }

    branch = (2 * layers * width) ** -0.5  # every branch adds to the rows: the more of them, the less each
    weights = {
        "tokens": normal(symbols, width, size=spread),
        "positions": normal(length, width, size=0.1),
        "blocks": tuple(block() for _ in range(layers)),
        "ln_gamma": np.ones(width),
        "ln_beta": np.zeros(width),
        "w": normal(width, symbols),
        "b": np.zeros(symbols),
    }
    return tree.map(lambda leaf: leaf.astype(dtype), weights)


def logits_of(weights: Weights, ids: np.ndarray) -> np.ndarray:
    """Score the next character at each place.

    Args:
        weights: As `started` gives them.
        ids: Characters, of shape `(..., N)`.

    Returns:
        An array of shape `(..., N, symbols)`.
    """
    x = embedding(weights["tokens"], ids) + weights["positions"][: ids.shape[-1]]
    for block in weights["blocks"]:
        x = transformer_block(x, block, causal=True, norm="pre", activation="gelu-tanh")
    return linear(layer_norm(x, weights["ln_gamma"], weights["ln_beta"]), weights["w"], weights["b"])


def loss_of(weights: Weights, rows: np.ndarray) -> np.ndarray:
    """Say how surprised the model is by each next character, in nats, on average.

    Args:
        weights: As `started` gives them.
        rows: Characters; from all but the last, all but the first are guessed. -1 stands where a row has ended.

    Returns:
        The mean cross-entropy.
    """
    ids, following = np.maximum(rows[..., :-1], 0), rows[..., 1:]
    return cross_entropy(logits_of(weights, ids), following, ignore_index=-1)


def size_of(weights: Weights) -> int:
    """Count the numbers in weights."""
    return sum(leaf.size for leaf in tree.leaves(weights))
