"""Inputs for the transformer ops, drawn without a pattern."""

from typing import Any

import numpy as np

HEAD_FIELDS = ("wq", "wk", "wv", "wo")


def draw(*shape: int, seed: int = 0, dtype: Any = np.float64) -> Any:
    return np.random.default_rng([seed, *shape]).normal(size=shape).astype(dtype)


def head(d: int, width: int, seed: int = 0) -> dict[str, Any]:
    shapes = [(d, width)] * 3 + [(width, d)]
    return {
        name: draw(*shape, seed=10 * seed + i) for i, (name, shape) in enumerate(zip(HEAD_FIELDS, shapes, strict=True))
    }


def block(d: int, width: int, n_heads: int, inner: int) -> dict[str, Any]:
    return {
        "heads": tuple(head(d, width, seed=i) for i in range(n_heads)),
        "ln1_gamma": draw(d, seed=21),
        "ln1_beta": draw(d, seed=22),
        "w1": draw(d, inner, seed=23),
        "b1": draw(inner, seed=24),
        "w2": draw(inner, d, seed=25),
        "b2": draw(d, seed=26),
        "ln2_gamma": draw(d, seed=27),
        "ln2_beta": draw(d, seed=28),
    }
