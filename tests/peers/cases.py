"""The inputs of the committed table of reference values."""

from typing import Any

import numpy as np
from ops.transformer_inputs import block, draw, head

MASK = np.array([[1, 0, 1, 1], [0, 0, 0, 1], [1, 1, 0, 0], [0, 1, 1, 1]], bool)

CASES: dict[str, tuple[str, tuple[Any, ...], dict[str, Any]]] = {
    "layer_norm": ("layer_norm", (draw(2, 5), draw(5, seed=1), draw(5, seed=2)), {}),
    "layer_norm, a large eps": ("layer_norm", (draw(3, 4), draw(4, seed=1), draw(4, seed=2)), {"eps": 0.25}),
    "attention": ("scaled_dot_product_attention", (draw(2, 3), draw(4, 3), draw(4, 2)), {}),
    "attention, mask": ("scaled_dot_product_attention", (draw(4, 3), draw(4, 3, seed=1), draw(4, 2)), {"mask": MASK}),
    "attention, causal": ("scaled_dot_product_attention", (draw(3, 2), draw(3, 2) + 1, draw(3, 1)), {"causal": True}),
    "attention, scale": ("scaled_dot_product_attention", (draw(2, 3), draw(4, 3), draw(4, 2)), {"scale": 0.3}),
    "two heads, mask": ("multi_head_attention", (draw(4, 4), (head(4, 2), head(4, 2, seed=1)), 2), {"mask": MASK}),
    "block": ("transformer_block", (draw(3, 4), block(4, 2, 2, 5)), {}),
    "block, pre-norm": ("transformer_block", (draw(3, 4), block(4, 2, 2, 5)), {"norm": "pre"}),
}  # fmt: skip


def cotangent_of(op: str, args: tuple[Any, ...]) -> Any:
    """A cotangent of the shape of the op's value."""
    last = args[2] if op == "scaled_dot_product_attention" else args[0]
    return draw(*args[0].shape[:-1], last.shape[-1], seed=9)
