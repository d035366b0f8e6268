"""Products in which a cotangent that is exactly 0 counts for nothing, whatever it is multiplied with.

`np.where(x > 0, np.log(x), 0)` sends the cotangent 0 to the logarithm where it was not chosen, and its derivative 1 / x
may be infinite there. What nobody looked at has no influence, so its gradient is 0, and not 0 times infinity.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from opbook.autodiff.derivatives.products import einsum
from opbook.autodiff.derivatives.signals import full_convolution


def _entrywise(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of which each entry is one product of the cotangent."""

    def strong(operands: list[Any], position: int, **kwargs: Any) -> Any:
        value = function(*operands, **kwargs)
        if np.all(np.isfinite(value)):
            return value
        return np.where(np.logical_and(np.equal(operands[position], 0), np.logical_not(np.isfinite(value))), 0, value)

    return strong


def _summed(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of which each entry is a sum of products, each with one entry of the cotangent."""

    def strong(operands: list[Any], position: int, **kwargs: Any) -> Any:
        def with_others(cotangent: Any, change: Callable[[Any], Any]) -> Any:
            return function(*(cotangent if i == position else change(x) for i, x in enumerate(operands)), **kwargs)

        g = operands[position]
        value = with_others(g, lambda x: x)
        if np.all(np.isfinite(value)):
            return value
        used = np.not_equal(g, 0).astype(float)
        all_terms, finite_terms = with_others(used, np.ones_like), with_others(used, lambda x: np.isfinite(x) * 1.0)
        without = with_others(g, lambda x: np.where(np.isfinite(x), x, 0))
        return np.where(np.equal(all_terms, finite_terms), without, value)

    return strong


def _solve(operands: list[Any], position: int) -> Any:
    """The solution for a column of zeros is a column of zeros."""
    value = np.linalg.solve(*operands)
    if position != 1 or np.all(np.isfinite(value)):
        return value
    return np.where(np.all(np.equal(operands[1], 0), axis=-2, keepdims=True), 0, value)


STRONG: dict[Callable[..., Any], Callable[..., Any]] = {
    np.multiply: _entrywise(np.multiply),
    np.divide: _entrywise(np.divide),
    np.matmul: _summed(np.matmul),
    np.einsum: _summed(lambda *operands, **letters: einsum(*operands, **letters)[0]),
    full_convolution: _summed(full_convolution),
    np.linalg.solve: _solve,
}
"""What takes the place of a product, by NumPy's function: takes the operands, and which of them is the cotangent."""
