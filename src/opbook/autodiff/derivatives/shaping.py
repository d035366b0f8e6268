"""Functions that move entries about without changing them."""

from typing import Any

import numpy as np

from opbook.autodiff.derivatives.elementwise import Parts
from opbook.autodiff.derivatives.table import CONSTANTS, composite, dispatching, primitive, unbroadcast


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


@primitive(np.reshape)
def reshape(x: Any, /, shape: Any, order: Any = "C") -> Parts:
    value = np.reshape(x, shape, order=_order(order))
    return value, (lambda g: np.reshape(g, np.shape(x), order),)


def _order(order: Any) -> Any:
    if order not in ("C", "F"):
        raise TypeError(f"order={order!r} depends on how the array lies in memory (write order='C' or 'F')")
    return order


@primitive(np.transpose, np.permute_dims)
def transpose(x: Any, axes: Any = None) -> Parts:
    back = None if axes is None else tuple(np.argsort([a % len(axes) for a in axes]))
    return np.transpose(x, axes), (lambda g: np.transpose(g, back),)


@primitive(np.swapaxes)
def swapaxes(x: Any, axis1: int, axis2: int) -> Parts:
    return np.swapaxes(x, axis1, axis2), (lambda g: np.swapaxes(g, axis1, axis2),)


@composite(np.matrix_transpose, np.linalg.matrix_transpose)
def matrix_transpose(x: Any) -> Any:
    return np.swapaxes(x, -1, -2)


@primitive(np.moveaxis)
def moveaxis(x: Any, source: Any, destination: Any) -> Parts:
    return np.moveaxis(x, source, destination), (lambda g: np.moveaxis(g, destination, source),)


@primitive(np.expand_dims)
def expand_dims(x: Any, axis: Any) -> Parts:
    return np.expand_dims(x, axis), (lambda g: np.reshape(g, np.shape(x)),)


@primitive(np.squeeze)
def squeeze(x: Any, axis: Any = None) -> Parts:
    return np.squeeze(x, axis), (lambda g: np.reshape(g, np.shape(x)),)


@primitive(np.ravel)
def ravel(x: Any, order: Any = "C") -> Parts:
    return np.ravel(x, _order(order)), (lambda g: np.reshape(g, np.shape(x), order),)


@primitive(np.copy)
def copy(x: Any) -> Parts:
    return np.copy(x), (lambda g: g,)


@primitive(np.broadcast_to)
def broadcast_to(x: Any, shape: Any) -> Parts:
    return np.broadcast_to(x, shape), (lambda g: unbroadcast(g, np.shape(x)),)


@primitive(np.flip)
def flip(x: Any, axis: Any = None) -> Parts:
    return np.flip(x, axis), (lambda g: np.flip(g, axis),)


@primitive(np.roll)
def roll(x: Any, shift: Any, axis: Any = None) -> Parts:
    back = tuple(-s for s in shift) if isinstance(shift, tuple) else -shift
    return np.roll(x, shift, axis), (lambda g: np.roll(g, back, axis),)


@primitive(np.concatenate, unpack=lambda arrays, axis=0: (tuple(arrays), {"axis": axis}))
def concatenate(*arrays: Any, axis: int | None = 0) -> Parts:
    if axis is None:
        raise TypeError("axis=None")
    ends = np.cumsum([np.shape(a)[axis] for a in arrays])

    def part(i: int) -> Any:
        index = [slice(None)] * np.ndim(arrays[0])
        index[axis] = slice(ends[i - 1] if i else 0, ends[i])
        return lambda g: g[tuple(index)]

    return np.concatenate(arrays, axis=axis), tuple(part(i) for i in range(len(arrays)))


@composite(np.stack)
def stack(arrays: Any, axis: int = 0) -> Any:
    return np.concatenate([np.expand_dims(a, axis) for a in arrays], axis=axis)


@composite(np.vstack)
def vstack(arrays: Any) -> Any:
    return np.concatenate([a if np.ndim(a) > 1 else np.reshape(a, (1, -1)) for a in arrays], axis=0)


@composite(np.hstack)
def hstack(arrays: Any) -> Any:
    arrays = [np.reshape(a, -1) if np.ndim(a) == 0 else a for a in arrays]
    return np.concatenate(arrays, axis=0 if np.ndim(arrays[0]) == 1 else 1)


@composite(np.split)
def split(x: Any, indices_or_sections: Any, axis: int = 0) -> Any:
    where = np.split(np.arange(np.shape(x)[axis]), indices_or_sections)
    return [np.take(x, part, axis=axis) for part in where]


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


@composite(np.sort)
def sort(x: Any, axis: int | None = -1) -> Any:
    return np.take_along_axis(x, np.argsort(x, axis=axis), axis=axis)


@composite(np.repeat)
def repeat(x: Any, repeats: Any, axis: int | None = None) -> Any:
    if axis is None:
        x, axis = np.ravel(x), 0
    return np.take(x, np.repeat(np.arange(np.shape(x)[axis]), repeats), axis=axis)


@composite(np.tile)
def tile(x: Any, reps: Any) -> Any:
    reps = (reps,) if isinstance(reps, int) else tuple(reps)
    shape = np.shape(x)
    n = max(len(reps), len(shape))
    reps, shape = (1,) * (n - len(reps)) + reps, (1,) * (n - len(shape)) + shape
    split_up = [size for length in shape for size in (1, length)]
    stretched = [size for r, length in zip(reps, shape, strict=True) for size in (r, length)]
    tiled = np.broadcast_to(np.reshape(x, split_up), stretched)
    return np.reshape(tiled, [r * length for r, length in zip(reps, shape, strict=True)])


@primitive(np.pad)
def pad(x: Any, pad_width: Any, mode: str = "constant", *, constant_values: Any = 0) -> Parts:
    if mode != "constant":
        raise TypeError(f"mode={mode!r}")
    before = np.broadcast_to(pad_width, (np.ndim(x), 2))[:, 0]
    inner = tuple(slice(int(b), int(b) + n) for b, n in zip(before, np.shape(x), strict=True))
    return np.pad(x, pad_width, constant_values=constant_values), (lambda g: g[inner],)


def _lower(x: Any, k: int) -> Any:
    rows, columns = np.shape(x)[-2:]
    return np.tri(rows, columns, k, dtype=bool)


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


CONSTANTS.update({np.shape, np.ndim, np.size, np.zeros_like, np.ones_like, np.full_like, np.empty_like, np.result_type})
CONSTANTS.update({np.nonzero, np.searchsorted, np.iscomplexobj, np.isrealobj})
