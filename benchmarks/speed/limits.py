"""What no implementation in NumPy's place can beat: the op's bare matrix products, or one read and one write."""

import importlib.util
from collections.abc import Callable
from typing import Any

import numpy as np

from speed.cases import Case, normal
from speed.timing import Work

Product = tuple[Any, Any, Any]
"""Two factors and the array that the product is written to."""


def work(case: Case, args: tuple[Any, ...]) -> dict[str, dict[str, Work]]:
    """Make the limits of a case.

    Args:
        case: The case.
        args: The op's arguments.

    Returns:
        For a norm, a copy of the data for each direction. For all else, the matrix products that the op consists of, by
        NumPy and, where it is installed, by PyTorch, each with memory that is there already; masks are left out, so a
        causal op may be faster than this limit.
    """
    if case.op == "layer_norm":
        source, out = args[0], np.empty_like(args[0])
        copy = {"forward": lambda: np.copyto(out, source), "forward+VJP": _in_turn([(np.copyto, (out, source))] * 2)}
        return {"limit": copy}
    shapes = _attention(args) if case.op == "scaled_dot_product_attention" else projections(case, args[0].shape)
    forward, backward = ([_product(*shape, dtype=case.dtype) for shape in part] for part in shapes)
    found = {"limit": _products(np.matmul, forward, backward)}
    if importlib.util.find_spec("torch"):
        import torch

        def matmul(a: Any, b: Any, out: Any) -> None:
            torch.matmul(a, b, out=out)

        tensors = [[tuple(map(torch.from_numpy, product)) for product in part] for part in (forward, backward)]
        found["torch's limit"] = _products(matmul, *tensors)
    return found


def _in_turn(calls: list[tuple[Callable[..., Any], tuple[Any, ...]]]) -> Work:
    def run() -> None:
        for function, arguments in calls:
            function(*arguments)

    return run


def _products(matmul: Callable[..., Any], forward: list[Any], backward: list[Any]) -> dict[str, Work]:
    calls = [(matmul, product) for product in (*forward, *backward)]
    return {"forward": _in_turn(calls[: len(forward)]), "forward+VJP": _in_turn(calls)}


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
