"""Functions that make one number of many."""

from collections.abc import Callable
from functools import reduce
from typing import Any

import numpy as np

from opbook.autodiff.derivatives.elementwise import Parts
from opbook.autodiff.derivatives.indexing import cast
from opbook.autodiff.derivatives.table import composite, dispatching, if_there, normalized_axes, primitive

Axis = int | tuple[int, ...] | None


def _spread(g: Any, shape: tuple[int, ...], axis: Axis, keepdims: bool) -> Any:
    """Give the axes that a reduction removed back to its result, stretched to `shape`."""
    if not keepdims:
        kept = set(normalized_axes(axis, len(shape)))
        g = np.reshape(g, tuple(1 if i in kept else n for i, n in enumerate(shape)))
    return np.broadcast_to(g, shape)


@primitive(np.sum)
def sum_(
    x: Any, axis: Axis = None, dtype: Any = None, *, keepdims: bool = False, where: Any = True, initial: Any = None
) -> Parts:
    plain = where is True and dtype is None and initial is None  # most sums are, and options take time
    options = {} if plain else {"dtype": dtype, "where": where, "initial": initial or 0}

    def vjp(g: Any) -> Any:
        g = _spread(g if dtype is None else cast(g, x.dtype), np.shape(x), axis, keepdims)
        return g if where is True else np.where(where, g, 0)

    return np.sum(x, axis=axis, keepdims=keepdims, **options), (vjp,)


@composite(np.mean)
def mean(x: Any, axis: Axis = None, dtype: Any = None, *, keepdims: bool = False, **where: Any) -> Any:
    if x.dtype == np.float16 and dtype is None:  # as NumPy does: the sum of many halves is soon beyond their range
        return cast(mean(cast(x, np.float32), axis, keepdims=keepdims, **where), np.float16)
    return np.sum(x, axis=axis, dtype=dtype, keepdims=keepdims, **where) / _count(x, axis, keepdims, **where)


@composite(np.var)
def var(x: Any, axis: Axis = None, dtype: Any = None, *, ddof: float = 0, keepdims: bool = False, **where: Any) -> Any:
    centred = x - mean(x, axis, dtype, keepdims=True, **where)
    squares = np.sum(centred * centred, axis=axis, keepdims=keepdims, **where)
    return squares / (_count(x, axis, keepdims, **where) - ddof)


@composite(np.std)
def std(x: Any, axis: Axis = None, dtype: Any = None, **options: Any) -> Any:
    return root(var(x, axis, dtype, **options))


@dispatching
def root(square: Any) -> Any:
    """The root of a sum of squares."""
    return np.sqrt(square)


@primitive(root)
def _root(square: Any) -> Parts:
    """It has no slope at 0, and 0 is what the slopes of a norm in all directions agree on."""
    value = root(square)
    return value, (lambda g: g * 0.5 / np.where(np.equal(value, 0), np.inf, value),)


def _count(x: Any, axis: Axis, keepdims: bool, where: Any = True) -> Any:
    shape = np.shape(x)
    if where is True:
        return int(np.prod([shape[a] for a in normalized_axes(axis, len(shape))]))
    return np.sum(np.broadcast_to(where, shape), axis=axis, keepdims=keepdims).astype(x.dtype)


def _extreme(function: Callable[..., Any], *names: Callable[..., Any]) -> None:
    """Enter `max` or `min`: equal entries share the cotangent, so that the parts add up to it."""

    def rule(x: Any, axis: Axis = None, *, keepdims: bool = False, **where_and_initial: Any) -> Parts:
        value = function(x, axis=axis, keepdims=keepdims, **where_and_initial)

        def vjp(g: Any) -> Any:
            # NaN equals nothing, itself included, but is what a group with a NaN in it comes to
            hit = np.logical_or(np.equal(x, _spread(value, np.shape(x), axis, keepdims)), np.isnan(x))
            hit = np.logical_and(hit, where_and_initial.get("where", True))
            ties = np.maximum(np.sum(hit, axis=axis, keepdims=True), 1).astype(g.dtype)
            return _spread(g, np.shape(x), axis, keepdims) * (hit / ties).astype(g.dtype)

        return value, (vjp,)

    primitive(function, *names)(rule)


_extreme(np.max, np.amax)
_extreme(np.min, np.amin)


@composite(np.prod)
def prod(
    x: Any, axis: Axis = None, dtype: Any = None, *, keepdims: bool = False, where: Any = True, initial: Any = None
) -> Any:
    """Multiply one after the other, which is right at zeros too (value / x is not)."""
    if dtype is not None:
        x = x.astype(dtype)
    if where is not True:
        x = np.where(where, x, 1)
    axes = normalized_axes(axis, np.ndim(x))
    for a in sorted(axes, reverse=True):
        slices = np.moveaxis(x, a, 0)
        x = reduce(np.multiply, slices) if len(slices) else np.sum(slices, axis=0) + 1
    x = np.expand_dims(x, axes) if keepdims else x
    return x if initial is None else x * initial


@composite(np.apply_over_axes)
def apply_over_axes(function: Callable[..., Any], x: Any, axes: Any) -> Any:
    for axis in (axes,) if isinstance(axes, int) else axes:
        found = function(x, axis)
        x = found if np.ndim(found) == np.ndim(x) else np.expand_dims(found, axis)
    return x


@composite(np.apply_along_axis)
def apply_along_axis(function: Callable[..., Any], axis: int, x: Any, *args: Any, **kwargs: Any) -> Any:
    """Apply a function to every row, and join what it gives."""
    rows = np.moveaxis(x, axis, -1)
    around = np.shape(rows)[:-1]
    found = [function(rows[place], *args, **kwargs) for place in np.ndindex(around)]
    joined = np.stack(found)
    joined = np.reshape(joined, around + np.shape(joined)[1:])
    inner = np.ndim(joined) - len(around)
    axis %= np.ndim(x)
    return np.moveaxis(joined, range(len(around), np.ndim(joined)), range(axis, axis + inner))


@composite(np.linalg.norm)
def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    if axis is None and ord is None:
        value = root(np.sum(np.ravel(x) ** 2))
        return np.reshape(value, (1,) * np.ndim(x)) if keepdims else value
    axes = normalized_axes(axis, np.ndim(x))
    if len(axes) == 1:
        return vector_norm(x, axis=axes, keepdims=keepdims, ord=2 if ord is None else ord)
    if len(axes) != 2:
        raise ValueError("Improper number of dimensions to norm.")
    value = matrix_norm(np.moveaxis(x, axes, (-2, -1)), ord="fro" if ord is None else ord)
    return np.expand_dims(value, axes) if keepdims else value


@composite(*if_there("linalg.vector_norm"))
def vector_norm(x: Any, /, *, axis: Axis = None, keepdims: bool = False, ord: Any = 2) -> Any:
    if ord == 2:
        return root(np.sum(x * x, axis=axis, keepdims=keepdims))
    if ord == 0:
        return np.sum(np.not_equal(x, 0), axis=axis, keepdims=keepdims).astype(x.dtype)
    size = np.abs(x)
    if ord in (np.inf, -np.inf):
        return (np.max if ord > 0 else np.min)(size, axis=axis, keepdims=keepdims)
    if ord == 1:
        return np.sum(size, axis=axis, keepdims=keepdims)
    return np.sum(size**ord, axis=axis, keepdims=keepdims) ** (1.0 / ord)


@composite(*if_there("linalg.matrix_norm"))
def matrix_norm(x: Any, /, *, keepdims: bool = False, ord: Any = "fro") -> Any:
    if ord == "fro":
        value = root(np.sum(x * x, axis=(-2, -1)))
    elif ord in (1, -1, np.inf, -np.inf):
        sums = np.sum(np.abs(x), axis=-2 if ord in (1, -1) else -1)
        value = (np.max if ord > 0 else np.min)(sums, axis=-1)
    elif ord in (2, -2, "nuc"):
        s = np.linalg.svd(x, compute_uv=False)
        value = np.sum(s, axis=-1) if ord == "nuc" else (np.max if ord == 2 else np.min)(s, axis=-1)
    else:
        raise ValueError("Invalid norm order for matrices.")
    return np.expand_dims(value, (-2, -1)) if keepdims else value
