"""Functions that join arrays, cut them into parts, or repeat what is in them."""

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from opbook.autodiff.derivatives.elementwise import Parts
from opbook.autodiff.derivatives.shaping import atleast_1d, atleast_2d, atleast_3d
from opbook.autodiff.derivatives.table import composite, if_there, primitive


def _in_a_row(arrays: Any, axis: int | None = 0) -> tuple[tuple[Any, ...], dict[str, Any]]:
    if axis is None:
        return tuple(np.ravel(a) for a in arrays), {"axis": 0}
    return tuple(arrays), {"axis": axis}


@primitive(np.concatenate, unpack=_in_a_row)
def concatenate(*arrays: Any, axis: int = 0) -> Parts:
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
    return np.concatenate([atleast_2d(a) for a in arrays], axis=0)


@composite(np.hstack)
def hstack(arrays: Any) -> Any:
    arrays = [atleast_1d(a) for a in arrays]
    return np.concatenate(arrays, axis=0 if np.ndim(arrays[0]) == 1 else 1)


@composite(np.dstack)
def dstack(arrays: Any) -> Any:
    return np.concatenate([atleast_3d(a) for a in arrays], axis=2)


@composite(np.column_stack)
def column_stack(arrays: Any) -> Any:
    return np.concatenate([a if np.ndim(a) > 1 else np.reshape(a, (-1, 1)) for a in arrays], axis=1)


@composite(np.append)
def append(x: Any, values: Any, axis: int | None = None) -> Any:
    return np.concatenate([x, values], axis=axis)


@composite(np.block)
def block(arrays: Any) -> Any:
    """Join nested lists: the innermost along the last axis, those around them along the axis before it."""

    def depth(part: Any) -> int:
        return 1 + max(map(depth, part)) if isinstance(part, list) else 0

    def joined(part: Any, level: int) -> Any:
        if isinstance(part, list):
            return np.concatenate([joined(inner, level + 1) for inner in part], axis=level - levels)
        missing = max(levels, axes) - np.ndim(part)
        return np.reshape(part, (1,) * missing + np.shape(part))

    def leaves(part: Any) -> list[Any]:
        return [leaf for inner in part for leaf in leaves(inner)] if isinstance(part, list) else [part]

    levels, axes = depth(arrays), max(map(np.ndim, leaves(arrays)))
    return joined(arrays, 0)


@composite(np.insert)
def insert(x: Any, obj: Any, values: Any, axis: int | None = None) -> Any:
    if axis is None:
        x, axis = np.ravel(x), 0
    axis %= np.ndim(x)
    shape = np.shape(x)
    if np.ndim(obj) == 0 and not isinstance(obj, slice):
        # as many entries as values has along the axis, all of them before one place
        values = np.reshape(values, (1,) * (np.ndim(x) - np.ndim(values)) + np.shape(values))
        values = np.moveaxis(values, 0, axis)
        count = np.shape(values)[axis]
        layout = np.insert(np.arange(shape[axis]), [obj] * count, np.arange(count) + shape[axis])
    else:
        count = len(np.arange(shape[axis])[obj]) if isinstance(obj, slice) else np.size(obj)
        layout = np.insert(np.arange(shape[axis]), obj, np.arange(count) + shape[axis])
    new = np.broadcast_to(values, (*shape[:axis], count, *shape[axis + 1 :]))
    return np.take(np.concatenate([x, new], axis=axis), layout, axis=axis)


@composite(np.split)
def split(x: Any, indices_or_sections: Any, axis: int = 0) -> Any:
    return _parts(np.split, x, indices_or_sections, axis)


@composite(np.array_split)
def array_split(x: Any, indices_or_sections: Any, axis: int = 0) -> Any:
    return _parts(np.array_split, x, indices_or_sections, axis)


@composite(np.hsplit)
def hsplit(x: Any, indices_or_sections: Any) -> Any:
    return split(x, indices_or_sections, axis=1 if np.ndim(x) > 1 else 0)


@composite(np.vsplit)
def vsplit(x: Any, indices_or_sections: Any) -> Any:
    return split(x, indices_or_sections, axis=0)


@composite(np.dsplit)
def dsplit(x: Any, indices_or_sections: Any) -> Any:
    return split(x, indices_or_sections, axis=2)


@composite(*if_there("unstack"))
def unstack(x: Any, /, *, axis: int = 0) -> Any:
    return tuple(np.moveaxis(x, axis, 0))


def _parts(cut: Callable[..., Any], x: Any, indices_or_sections: Any, axis: int) -> list[Any]:
    axis %= np.ndim(x)
    places = cut(np.arange(np.shape(x)[axis]), indices_or_sections)
    before = (slice(None),) * axis
    return [x[(*before, slice(part[0], part[-1] + 1) if len(part) else slice(0, 0))] for part in places]


@composite(np.repeat)
def repeat(x: Any, repeats: Any, axis: int | None = None) -> Any:
    if axis is None:
        x, axis = np.ravel(x), 0
    return np.take(x, np.repeat(np.arange(np.shape(x)[axis]), repeats), axis=axis)


@composite(np.tile)
def tile(x: Any, reps: Any) -> Any:
    reps = (reps,) if np.ndim(reps) == 0 else tuple(reps)
    shape = np.shape(x)
    n = max(len(reps), len(shape))
    reps, shape = (1,) * (n - len(reps)) + reps, (1,) * (n - len(shape)) + shape
    split_up = [size for length in shape for size in (1, length)]
    stretched = [size for r, length in zip(reps, shape, strict=True) for size in (r, length)]
    tiled = np.broadcast_to(np.reshape(x, split_up), stretched)
    return np.reshape(tiled, [r * length for r, length in zip(reps, shape, strict=True)])


@composite(np.resize)
def resize(x: Any, new_shape: Any) -> Any:
    """Repeat an array's entries until they fill another shape."""
    shape = (new_shape,) if isinstance(new_shape, int) else tuple(new_shape)
    if np.size(x) == 0:
        return np.zeros(shape, x.dtype)
    return np.ravel(x)[np.reshape(np.arange(prod(shape)) % np.size(x), shape)]


MIRRORED = ("edge", "reflect", "symmetric", "wrap")
"""Ways of padding that repeat entries of the array."""


def _padded(x: Any, pad_width: Any, mode: str = "constant", **options: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Turn a padding into one with constants, after entries have been repeated where the mode says so."""
    n = np.ndim(x)
    if isinstance(pad_width, dict):
        widths = np.zeros((n, 2), int)
        for axis, width in pad_width.items():
            widths[axis] = width
    else:
        widths = np.array(np.broadcast_to(pad_width, (n, 2)))
    if mode == "constant":
        return (x, widths), options
    if mode not in MIRRORED or options.get("reflect_type", "even") != "even":
        raise TypeError(f"mode={mode!r} {options or ''} (the modes are constant, {', '.join(MIRRORED)})")
    for axis, width in enumerate(widths):
        x = np.take(x, np.pad(np.arange(np.shape(x)[axis]), tuple(width), mode=mode), axis=axis)  # type: ignore[call-overload]
    return (x, np.zeros((n, 2), int)), {}


@primitive(np.pad, unpack=_padded)
def pad(x: Any, widths: Any, *, constant_values: Any = 0) -> Parts:
    inner = tuple(slice(int(b), int(b) + n) for b, n in zip(widths[:, 0], np.shape(x), strict=True))
    return np.pad(x, widths, constant_values=constant_values), (lambda g: g[inner], None)
