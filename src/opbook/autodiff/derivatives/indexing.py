"""Functions that take entries out of an array, or put them into zeros."""

from typing import Any

import numpy as np

from opbook.autodiff.derivatives.elementwise import Parts
from opbook.autodiff.derivatives.table import as_constant, composite, dispatching, if_there, normalized_axes, primitive


@dispatching
def cast(x: Any, dtype: Any) -> Any:
    """Convert to another dtype; the gradient is converted back."""
    with np.errstate(over="ignore"):  # beyond the range of a narrower dtype the honest answer is inf
        return np.asarray(x).astype(dtype)


@primitive(cast)
def _cast(x: Any, dtype: Any) -> Parts:
    return cast(x, dtype), (lambda g: cast(g, x.dtype),)


@dispatching
def take_items(x: Any, index: Any) -> Any:
    """`x[index]`, as a function."""
    return x[index]


@dispatching
def put_items(g: Any, index: Any, shape: tuple[int, ...]) -> Any:
    """Zeros of `shape` with `g` added in at `index`: the transpose of `take_items`."""
    out = np.zeros(shape, g.dtype)
    if any(isinstance(i, np.ndarray | list) for i in (index if isinstance(index, tuple) else (index,))):
        np.add.at(out, index, g)  # an index array may name an entry twice; a slice can't, and is much faster
    else:
        out[index] = g
    return out


@primitive(take_items)
def _take_items(x: Any, index: Any) -> Parts:
    return x[index], (lambda g: put_items(g, index, np.shape(x)),)


@primitive(put_items)
def _put_items(g: Any, index: Any, shape: tuple[int, ...]) -> Parts:
    return put_items(g, index, shape), (lambda h: h[index],)


@composite(*if_there("astype"))
def astype(x: Any, dtype: Any, /, *, copy: bool = True) -> Any:
    return x.astype(dtype)


@composite(np.take)
def take(x: Any, indices: Any, axis: int | None = None) -> Any:
    if axis is None:
        return np.ravel(x)[indices]
    return x[(slice(None),) * (axis % np.ndim(x)) + (indices,)]


@composite(np.take_along_axis)
def take_along_axis(x: Any, indices: Any, axis: int | None = -1) -> Any:
    if axis is None:
        return np.ravel(x)[indices]
    grid = list(np.ogrid[tuple(slice(n) for n in np.shape(indices))])
    grid[axis % np.ndim(x)] = indices
    return x[tuple(grid)]


@composite(np.compress)
def compress(condition: Any, x: Any, axis: int | None = None) -> Any:
    return np.take(x, np.flatnonzero(condition), axis=axis)


@composite(np.extract)
def extract(condition: Any, x: Any) -> Any:
    return np.ravel(x)[np.flatnonzero(condition)]


@composite(np.delete)
def delete(x: Any, obj: Any, axis: int | None = None) -> Any:
    if axis is None:
        x, axis = np.ravel(x), 0
    return np.take(x, np.delete(np.arange(np.shape(x)[axis]), obj), axis=axis)


@composite(np.trim_zeros)
def trim_zeros(x: Any, trim: str = "fb") -> Any:
    if np.ndim(x) != 1:
        raise TypeError("an array of more than one axis")
    kept = np.arange(np.shape(x)[0])[as_constant(x) != 0]
    first, last = (kept[0], kept[-1] + 1) if len(kept) else (0, 0)
    return x[first if "f" in trim.lower() else 0 : last if "b" in trim.lower() else None]


def _lower(x: Any, k: int) -> Any:
    shape = np.shape(x)
    return np.tri(shape[-2] if len(shape) > 1 else shape[0], shape[-1], k, dtype=bool)


@composite(np.tril)
def tril(x: Any, k: int = 0) -> Any:
    return np.where(_lower(x, k), x, 0)


@composite(np.triu)
def triu(x: Any, k: int = 0) -> Any:
    return np.where(_lower(x, k - 1), 0, x)


@composite(np.diagonal)
def diagonal(x: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    x = np.moveaxis(x, (axis1, axis2), (-2, -1))
    rows, columns = np.shape(x)[-2:]
    start, stop = max(0, -offset), min(rows, columns - offset)
    i = np.arange(start, max(start, stop))
    return x[..., i, i + offset]


@composite(np.diag)
def diag(x: Any, k: int = 0) -> Any:
    if np.ndim(x) == 2:
        return diagonal(x, k)
    n = np.shape(x)[0] + abs(k)
    i = np.arange(np.shape(x)[0])
    return put_items(x, (i + max(0, -k), i + max(0, k)), (n, n))


@composite(np.trace)
def trace(x: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    return np.sum(diagonal(x, offset, axis1, axis2), axis=-1)


@composite(*if_there("linalg.diagonal"))
def diagonal_of_last_axes(x: Any, /, *, offset: int = 0) -> Any:
    return diagonal(x, offset, -2, -1)


@composite(*if_there("linalg.trace"))
def trace_of_last_axes(x: Any, /, *, offset: int = 0) -> Any:
    return np.sum(diagonal(x, offset, -2, -1), axis=-1)


@composite(np.diagflat)
def diagflat(x: Any, k: int = 0) -> Any:
    return diag(np.ravel(x), k)


@composite(np.bincount)
def bincount(ids: Any, /, weights: Any = None, minlength: int = 0) -> Any:
    """How often each number occurs, or the sum of its weights."""
    count = max(minlength, int(np.max(ids)) + 1 if np.size(ids) else 0)
    return put_items(weights.astype(np.float64), (np.asarray(ids),), (count,))


@composite(np.lib.stride_tricks.sliding_window_view)
def sliding_window_view(x: Any, window_shape: Any, axis: Any = None, **kwargs: Any) -> Any:
    """Every window of an array: its places become axes, and what is in it the last ones."""
    windows = window_shape if isinstance(window_shape, tuple | list) else (window_shape,)
    axes = normalized_axes(tuple(axis) if isinstance(axis, list) else axis, np.ndim(x))
    if len(windows) != len(axes):
        raise ValueError(f"window_shape has {len(windows)} lengths for {len(axes)} axes")
    for a, length in zip(axes, windows, strict=True):
        starts = np.shape(x)[a] - length + 1
        if starts < 0 + (length < 0):
            raise ValueError("window shape cannot be larger than input array shape")
        places = np.arange(starts)[:, None] + np.arange(length)
        x = np.moveaxis(np.take(x, places, axis=a), a + 1, -1)
    return x
