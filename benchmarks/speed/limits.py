"""What no implementation in NumPy's place can beat: the op's bare matrix products, or one read and one write."""

from collections.abc import Callable
from typing import Any

import numpy as np

from speed.cases import Case, normal
from speed.timing import Work

Product = tuple[Any, Any, Any]
"""Two factors and the array that the product is written to."""


def work(case: Case, args: tuple[Any, ...]) -> dict[str, Work]:
    """Make the limit of a case.

    Args:
        case: The case.
        args: The op's arguments.

    Returns:
        For a norm, a copy of the data for each direction. For all else, the matrix products that the op consists of,
        each with memory that is there already; masks are left out, so a causal op may be faster than this limit.
    """
    if case.op == "layer_norm":
        source, out = args[0], np.empty_like(args[0])
        return {"forward": lambda: np.copyto(out, source), "forward+VJP": _in_turn([(np.copyto, (out, source))] * 2)}
    shapes = _attention(args) if case.op == "scaled_dot_product_attention" else projections(case, args[0].shape)
    forward, backward = ([_product(*shape, dtype=case.dtype) for shape in part] for part in shapes)
    return {"forward": _products(forward), "forward+VJP": _products(forward + backward)}


def _in_turn(calls: list[tuple[Callable[..., Any], tuple[Any, ...]]]) -> Work:
    def run() -> None:
        for function, arguments in calls:
            function(*arguments)

    return run


def _products(products: list[Product]) -> Work:
    return _in_turn([(np.matmul, product) for product in products])


def _product(batch: tuple[int, ...], m: int, k: int, n: int, *, dtype: str) -> Product:
    return (
        normal(*batch, m, k, dtype=dtype),
        normal(*batch, k, n, dtype=dtype),
        np.empty((*batch, m, n), dtype),
    )


Shape = tuple[tuple[int, ...], int, int, int]


def _attention(args: tuple[Any, ...]) -> tuple[list[Shape], list[Shape]]:
    """Scores and answers; then the gradients of both factors of each."""
    *batch, n, d = args[0].shape
    wide, tall = (tuple(batch), n, d, n), (tuple(batch), n, n, d)
    return [wide, tall], [wide, tall, tall, tall]


def projections(case: Case, shape: tuple[int, ...]) -> tuple[list[Shape], list[Shape]]:
    """List the products of multi-head attention, and of a block with its feed-forward network.

    Args:
        case: The case.
        shape: The shape of the rows.

    Returns:
        Batch shape, M, K and N of each product of the forward and of the backward pass.
    """
    n, d = shape
    wide, tall = ((case.n_heads,), n, d // case.n_heads, n), ((case.n_heads,), n, n, d // case.n_heads)
    widths = [(d, 3 * d), (d, d)] + ([(d, 4 * d), (4 * d, d)] if case.op == "transformer_block" else [])
    forward: list[Shape] = [((), n, k, m) for k, m in widths]
    backward: list[Shape] = [((), n, m, k) for k, m in widths] + [((), k, n, m) for k, m in widths]
    return [*forward, wide, tall], [*backward, wide, tall, tall, tall]
