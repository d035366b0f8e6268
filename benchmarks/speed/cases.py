"""What is measured: ops, sizes, precisions and masks."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

DTYPES = ("float32", "float64")
HEAD_FIELDS = ("wq", "wk", "wv", "wo")


@dataclass(frozen=True)
class Case:
    """One op at one size.

    Attributes:
        op: The builtin's name.
        size: The size, in words.
        dtype: The precision.
        inputs: Makes the positional arguments.
        variant: "plain", "causal" or "padded".
        n_heads: How many heads there are, for ops that have any.
        seconds: How long to measure it.
        slow: Whether a quick run leaves it out.
    """

    op: str
    size: str
    dtype: str
    inputs: Callable[[str], tuple[Any, ...]] = field(repr=False)
    variant: str = "plain"
    n_heads: int = 0
    seconds: float = 3.0
    slow: bool = False

    @property
    def name(self) -> str:
        """What it is called in tables and on the command line."""
        variant = "" if self.variant == "plain" else f", {self.variant}"
        return f"{self.op} {self.size}{variant} {self.dtype}"

    def key_mask(self, n_keys: int) -> Any:
        """The padding mask of a padded case: the last quarter of the keys is padding.

        Args:
            n_keys: How many keys there are.

        Returns:
            True for the keys that count.
        """
        return np.arange(n_keys) < n_keys - n_keys // 4


def normal(*shape: int, dtype: str, seed: int = 0) -> Any:
    """Draw an array of standard normal numbers, the same in every run.

    Args:
        *shape: The shape.
        dtype: The dtype.
        seed: Another number for other numbers.

    Returns:
        The array.
    """
    return np.random.default_rng([seed, *shape]).normal(size=shape).astype(dtype)


def _norm(n: int, d: int) -> Callable[[str], tuple[Any, ...]]:
    return lambda dtype: (normal(n, d, dtype=dtype), normal(d, dtype=dtype), normal(d, dtype=dtype, seed=1))


def _attention(*shape: int) -> Callable[[str], tuple[Any, ...]]:
    return lambda dtype: tuple(normal(*shape, dtype=dtype, seed=seed) for seed in range(3))


def head_weights(d: int, n_heads: int, dtype: str) -> tuple[dict[str, Any], ...]:
    """Draw the weights of heads that share d columns."""
    width = d // n_heads
    shapes = dict(zip(HEAD_FIELDS, ((d, width),) * 3 + ((width, d),), strict=True))
    return tuple(
        {name: normal(*shape, dtype=dtype, seed=10 * h + i) / d**0.5 for i, (name, shape) in enumerate(shapes.items())}
        for h in range(n_heads)
    )


def _multi_head(n: int, d: int, n_heads: int) -> Callable[[str], tuple[Any, ...]]:
    return lambda dtype: (normal(n, d, dtype=dtype), head_weights(d, n_heads, dtype), n_heads)


def block_inputs(n: int, d: int, n_heads: int) -> Callable[[str], tuple[Any, ...]]:
    """Draw the rows and the weights of a block, in a dtype that is given later."""
    inner = 4 * d

    def make(dtype: str) -> tuple[Any, ...]:
        vectors = {name: normal(d, dtype=dtype, seed=i) for i, name in enumerate(("ln1_beta", "b2", "ln2_beta"))}
        scales = {name: 1 + normal(d, dtype=dtype, seed=9) / 10 for name in ("ln1_gamma", "ln2_gamma")}
        matrices = {
            "w1": normal(d, inner, dtype=dtype) / d**0.5,
            "b1": normal(inner, dtype=dtype),
            "w2": normal(inner, d, dtype=dtype) / inner**0.5,
        }
        return normal(n, d, dtype=dtype), {"heads": head_weights(d, n_heads, dtype), **vectors, **scales, **matrices}

    return make


def _cases() -> Iterator[Case]:
    for n, d in ((512, 768), (4096, 1024)):
        for dtype in DTYPES:
            yield Case("layer_norm", f"{n}×{d}", dtype, _norm(n, d))
    for shape in ((256, 64), (512, 64), (1024, 64), (2048, 64), (8192, 64), (8, 1024, 64)):
        for variant in ("plain", "causal", "padded"):
            for dtype in DTYPES:
                long = shape[0] == 8192
                yield Case(
                    *("scaled_dot_product_attention", "×".join(map(str, shape)), dtype, _attention(*shape)),
                    variant=variant,
                    seconds=8.0 if long else 3.0,
                    slow=long,
                )
    for dtype in DTYPES:
        yield Case("multi_head_attention", "512×768", dtype, _multi_head(512, 768, 12), n_heads=12, seconds=4.0)
    for n, d, n_heads in ((512, 768, 12), (8, 16, 2)):
        for dtype in DTYPES:
            yield Case(
                "transformer_block", f"{n}×{d}", dtype, block_inputs(n, d, n_heads), n_heads=n_heads, seconds=5.0
            )


CASES = list(_cases())
