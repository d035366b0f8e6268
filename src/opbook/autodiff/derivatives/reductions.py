"""Functions that make one number of many."""

from collections.abc import Callable
from functools import reduce
from typing import Any

import numpy as np

from opbook.autodiff.derivatives.elementwise import Parts
from opbook.autodiff.derivatives.shaping import cast
from opbook.autodiff.derivatives.table import CONSTANTS, composite, normalized_axes, primitive

Axis = int | tuple[int, ...] | None


def _spread(g: Any, shape: tuple[int, ...], axis: Axis, keepdims: bool) -> Any:
    """Give the axes that a reduction removed back to its result, stretched to `shape`."""
    if not keepdims:
        kept = set(normalized_axes(axis, len(shape)))
        g = np.reshape(g, tuple(1 if i in kept else n for i, n in enumerate(shape)))
    return np.broadcast_to(g, shape)


@primitive(np.sum)
def sum_(x: Any, axis: Axis = None, *, keepdims: bool = False) -> Parts:
    return np.sum(x, axis=axis, keepdims=keepdims), (lambda g: _spread(g, np.shape(x), axis, keepdims),)


@composite(np.mean)
def mean(x: Any, axis: Axis = None, *, keepdims: bool = False) -> Any:
    if x.dtype == np.float16:  # as NumPy does: the sum of many halves is soon beyond their range
        return cast(mean(cast(x, np.float32), axis, keepdims=keepdims), np.float16)
    return np.sum(x, axis=axis, keepdims=keepdims) / _count(x, axis)


@composite(np.var)
def var(x: Any, axis: Axis = None, *, ddof: float = 0, keepdims: bool = False) -> Any:
    centred = x - mean(x, axis, keepdims=True)
    return np.sum(centred * centred, axis=axis, keepdims=keepdims) / (_count(x, axis) - ddof)


@composite(np.std)
def std(x: Any, axis: Axis = None, *, ddof: float = 0, keepdims: bool = False) -> Any:
    return _root(var(x, axis, ddof=ddof, keepdims=keepdims))


def _root(square: Any) -> Any:
    """The root of a sum of squares; it has no derivative at 0, and 0 is what its slopes in all directions agree on."""
    empty = np.equal(square, 0)
    if not np.any(empty):
        return np.sqrt(square)
    return np.where(empty, 0, np.sqrt(np.where(empty, 1, square)))


def _count(x: Any, axis: Axis) -> int:
    shape = np.shape(x)
    return int(np.prod([shape[a] for a in normalized_axes(axis, len(shape))]))


def _extreme(function: Callable[..., Any], *names: Callable[..., Any]) -> None:
    """Enter `max` or `min`: equal entries share the cotangent, so that the parts add up to it."""

    def rule(x: Any, axis: Axis = None, *, keepdims: bool = False) -> Parts:
        value = function(x, axis=axis, keepdims=keepdims)

        def vjp(g: Any) -> Any:
            # NaN equals nothing, itself included, but is what a group with a NaN in it comes to
            hit = np.logical_or(np.equal(x, _spread(value, np.shape(x), axis, keepdims)), np.isnan(x))
            ties = np.sum(hit, axis=axis, keepdims=True).astype(g.dtype)
            return _spread(g, np.shape(x), axis, keepdims) * (hit / ties).astype(g.dtype)

        return value, (vjp,)

    primitive(function, *names)(rule)


_extreme(np.max, np.amax)
_extreme(np.min, np.amin)


@composite(np.prod)
def prod(x: Any, axis: Axis = None, *, keepdims: bool = False) -> Any:
    """Multiply one after the other, which is right at zeros too (value / x is not)."""
    axes = normalized_axes(axis, np.ndim(x))
    for a in sorted(axes, reverse=True):
        slices = np.moveaxis(x, a, 0)
        x = reduce(np.multiply, slices) if len(slices) else np.sum(slices, axis=0) + 1
    return np.expand_dims(x, axes) if keepdims else x


@primitive(np.cumsum)
def cumsum(x: Any, axis: int | None = None) -> Parts:
    def vjp(g: Any) -> Any:
        along = 0 if axis is None else axis
        return np.reshape(np.flip(np.cumsum(np.flip(g, along), axis=along), along), np.shape(x))

    return np.cumsum(x, axis=axis), (vjp,)


@composite(np.linalg.norm)
def norm(x: Any, ord: Any = None, axis: Axis = None, keepdims: bool = False) -> Any:
    """The 2-norm and the 1-norm of vectors, and the Frobenius norm of matrices."""
    vector = isinstance(axis, int) or (axis is None and np.ndim(x) == 1)
    if ord == 1 and vector:
        return np.sum(np.abs(x), axis=axis, keepdims=keepdims)
    if ord is None or (ord == 2 and vector) or (ord == "fro" and not vector):
        return _root(np.sum(x * x, axis=axis, keepdims=keepdims))
    raise TypeError(f"ord={ord!r}")


CONSTANTS.update({np.argmax, np.argmin, np.argsort, np.all, np.any, np.count_nonzero})
