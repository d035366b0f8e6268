"""Functions that change the shape of an array, or the order of its entries."""

from typing import Any

import numpy as np

from opbook.autodiff.derivatives.elementwise import Parts
from opbook.autodiff.derivatives.table import composite, primitive, unbroadcast


@primitive(np.reshape)
def reshape(x: Any, /, shape: Any, order: Any = "C") -> Parts:
    if order == "C":
        return np.reshape(x, shape), (lambda g: np.reshape(g, np.shape(x)),)
    return np.reshape(x, shape, order=_order(order)), (lambda g: np.reshape(g, np.shape(x), order),)


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
    back = tuple(-s for s in shift) if isinstance(shift, tuple | list) else -shift
    return np.roll(x, shift, axis), (lambda g: np.roll(g, back, axis),)


@composite(np.rollaxis)
def rollaxis(x: Any, axis: int, start: int = 0) -> Any:
    axis, start = axis % np.ndim(x), start + np.ndim(x) if start < 0 else start
    return np.moveaxis(x, axis, start - 1 if axis < start else start)


@composite(np.flipud)
def flipud(x: Any) -> Any:
    return np.flip(x, 0)


@composite(np.fliplr)
def fliplr(x: Any) -> Any:
    return np.flip(x, 1)


@composite(np.rot90)
def rot90(x: Any, k: int = 1, axes: Any = (0, 1)) -> Any:
    """Turn the plane of two axes by k right angles."""
    first, second = axes
    for _ in range(k % 4):
        x = np.flip(np.swapaxes(x, first, second), first)
    return x


def _middle(n: int, back: bool) -> int:
    return -(n // 2) if back else n // 2


@composite(np.fft.fftshift)
def fftshift(x: Any, axes: Any = None) -> Any:
    return _shifted(x, axes, back=False)


@composite(np.fft.ifftshift)
def ifftshift(x: Any, axes: Any = None) -> Any:
    return _shifted(x, axes, back=True)


def _shifted(x: Any, axes: Any, back: bool) -> Any:
    chosen = tuple(range(np.ndim(x))) if axes is None else (axes,) if isinstance(axes, int) else tuple(axes)
    return np.roll(x, tuple(_middle(np.shape(x)[a], back) for a in chosen), chosen)


@composite(np.atleast_1d)
def atleast_1d(*arrays: Any) -> Any:
    return _each(lambda x: x if np.ndim(x) else np.reshape(x, (1,)), arrays)


@composite(np.atleast_2d)
def atleast_2d(*arrays: Any) -> Any:
    return _each(lambda x: x if np.ndim(x) >= 2 else np.reshape(x, (1, np.size(x))), arrays)


@composite(np.atleast_3d)
def atleast_3d(*arrays: Any) -> Any:
    def deep(x: Any) -> Any:
        shapes = {0: (1, 1, 1), 1: (1, *np.shape(x), 1), 2: (*np.shape(x), 1)}
        return np.reshape(x, shapes[np.ndim(x)]) if np.ndim(x) < 3 else x

    return _each(deep, arrays)


def _each(function: Any, arrays: Any) -> Any:
    return function(arrays[0]) if len(arrays) == 1 else tuple(function(x) for x in arrays)


@composite(np.broadcast_arrays)
def broadcast_arrays(*arrays: Any) -> Any:
    shape = np.broadcast_shapes(*map(np.shape, arrays))
    return tuple(np.broadcast_to(x, shape) for x in arrays)


@composite(np.full_like)
def full_like(x: Any, fill_value: Any, dtype: Any = None, *, shape: Any = None) -> Any:
    """An array of one number, which has a gradient; the array whose shape it takes has none."""
    value = np.broadcast_to(fill_value, np.shape(x) if shape is None else shape)
    return value.astype(dtype or x.dtype)


@composite(np.meshgrid)
def meshgrid(*arrays: Any, copy: bool = True, sparse: bool = False, indexing: str = "xy") -> Any:
    n = len(arrays)
    lines = [np.reshape(x, [-1 if i == j else 1 for j in range(n)]) for i, x in enumerate(arrays)]
    if indexing == "xy" and n > 1:
        lines = [np.swapaxes(line, 0, 1) for line in lines]
    return tuple(lines) if sparse else broadcast_arrays(*lines)
