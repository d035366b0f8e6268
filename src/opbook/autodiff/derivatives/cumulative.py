"""Functions along an axis in which each entry is made of its neighbours, or of all that come before it."""

from collections.abc import Callable
from functools import reduce
from itertools import accumulate
from typing import Any

import numpy as np

from opbook.autodiff.derivatives.elementwise import Parts
from opbook.autodiff.derivatives.table import as_constant, composite, full_name, if_there, normalized_axes, primitive
from opbook.errors import TapeError


@primitive(np.cumsum)
def cumsum(x: Any, axis: int | None = None, dtype: Any = None) -> Parts:
    def vjp(g: Any) -> Any:
        along = 0 if axis is None else axis
        return np.reshape(np.flip(np.cumsum(np.flip(g, along), axis=along), along), np.shape(x)).astype(x.dtype)

    return np.cumsum(x, axis=axis, dtype=dtype), (vjp,)


@composite(np.cumprod)
def cumprod(x: Any, axis: int | None = None, dtype: Any = None) -> Any:
    return running(np.multiply, x if dtype is None else x.astype(dtype), axis)


UFUNC_METHODS: dict[tuple[Callable[..., Any], str], Callable[..., Any]] = {
    (np.add, "reduce"): np.sum,
    (np.multiply, "reduce"): np.prod,
    (np.maximum, "reduce"): np.max,
    (np.minimum, "reduce"): np.min,
    (np.logical_and, "reduce"): np.all,
    (np.logical_or, "reduce"): np.any,
    (np.add, "accumulate"): np.cumsum,
    (np.multiply, "accumulate"): np.cumprod,
}
"""What a method such as `np.add.reduce` is under its usual name."""


def by_method(ufunc: Any, method: str, inputs: Any, kwargs: Any) -> Any:
    """Write a method of a ufunc, such as `np.add.reduce(x)`, with functions."""
    if (ufunc, method) in UFUNC_METHODS:
        return UFUNC_METHODS[ufunc, method](*inputs, **{"axis": 0, **kwargs})
    if method == "reduce":
        return folded(ufunc, *inputs, **kwargs)
    if method == "accumulate":
        return running(ufunc, *inputs, **{"axis": 0, **kwargs})
    if method == "outer" and not kwargs:
        x, y = inputs
        return ufunc(np.reshape(x, np.shape(x) + (1,) * np.ndim(y)), y)
    raise TapeError(f"{full_name(ufunc)}.{method} is not known to the tape: use NumPy functions such as np.sum")


def folded(function: Callable[..., Any], x: Any, axis: Any = 0, *, keepdims: bool = False) -> Any:
    """Put a function of two arrays between the entries along axes: what `reduce` of any ufunc does."""
    axes = normalized_axes(axis, np.ndim(x))
    for a in sorted(axes, reverse=True):
        x = reduce(function, np.moveaxis(x, a, 0))
    return np.expand_dims(x, axes) if keepdims else x


def running(function: Callable[..., Any], x: Any, axis: int | None = None) -> Any:
    """Apply a function of two arrays to each entry and what came of those before it: right at zeros and ties too."""
    if axis is None:
        x, axis = np.ravel(x), 0
    if np.shape(x)[axis] == 0:
        return x
    return np.stack(list(accumulate(np.moveaxis(x, axis, 0), function)), axis=axis)


def _from_the_start(name: str, sums: Callable[..., Any], start: float) -> None:
    """Enter `cumulative_sum` or `cumulative_prod`."""

    def running_from(x: Any, /, *, axis: int | None = None, dtype: Any = None, include_initial: bool = False) -> Any:
        if axis is None:
            if np.ndim(x) > 1:
                raise ValueError("For arrays which have more than one dimension ``axis`` argument is required.")
            axis = 0
        value = sums(x, axis=axis, dtype=dtype)
        if not include_initial:
            return value
        shape = [1 if a == axis % np.ndim(x) else n for a, n in enumerate(np.shape(x))]
        return np.concatenate([np.full(shape, start, value.dtype), value], axis=axis)

    composite(*if_there(name))(running_from)


_from_the_start("cumulative_sum", np.cumsum, 0)
_from_the_start("cumulative_prod", np.cumprod, 1)


def _slice(x: Any, axis: int, start: int | None, stop: int | None, step: int | None = None) -> Any:
    return x[(slice(None),) * (axis % np.ndim(x)) + (slice(start, stop, step),)]


@composite(np.diff)
def diff(x: Any, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None) -> Any:
    def edge(values: Any) -> Any:
        shape = [1 if a == axis % np.ndim(x) else m for a, m in enumerate(np.shape(x))]
        return np.broadcast_to(values, shape) if np.ndim(values) == 0 else values

    parts = [*([] if prepend is None else [edge(prepend)]), x, *([] if append is None else [edge(append)])]
    if len(parts) > 1:
        x = np.concatenate(parts, axis=axis)
    for _ in range(n):
        x = _slice(x, axis, 1, None) - _slice(x, axis, None, -1)
    return x


@composite(np.ediff1d)
def ediff1d(x: Any, to_end: Any = None, to_begin: Any = None) -> Any:
    middle = diff(np.ravel(x))
    ends = [
        None if end is None else np.ravel(np.asarray(end, x.dtype) if np.isscalar(end) else end)
        for end in (to_begin, to_end)
    ]
    return np.concatenate([part for part in (ends[0], middle, ends[1]) if part is not None])


@composite(np.gradient)
def gradient(f: Any, *spacing: Any, axis: Any = None, edge_order: int = 1) -> Any:
    """Differences to the neighbours on both sides, divided by how far they lie apart; one-sided at the ends."""
    axes = normalized_axes(axis, np.ndim(f))
    distances = spacing * len(axes) if len(spacing) == 1 else spacing or (1.0,) * len(axes)
    if len(distances) != len(axes):
        raise TypeError("invalid number of arguments")
    found = tuple(_slopes(f, distance, a, edge_order) for distance, a in zip(distances, axes, strict=True))
    return found[0] if len(axes) == 1 else found


def _slopes(f: Any, distance: Any, axis: int, edge_order: int) -> Any:
    f = np.moveaxis(f, axis, -1)
    n = np.shape(f)[-1]
    if n < edge_order + 1:
        raise ValueError("Shape of array too small to calculate a numerical gradient")
    steps = distance * np.ones(n - 1, f.dtype) if np.ndim(distance) == 0 else distance[1:] - distance[:-1]
    before, after = steps[:-1], steps[1:]
    slopes = (f[..., 1:] - f[..., :-1]) / steps
    inner = (slopes[..., :-1] * after + slopes[..., 1:] * before) / (before + after)
    first, last = slopes[..., :1], slopes[..., -1:]
    if edge_order == 2:  # a parabola through the three outermost points
        first = first + (first - slopes[..., 1:2]) * steps[0] / (steps[0] + steps[1])
        last = last + (last - slopes[..., -2:-1]) * steps[-1] / (steps[-1] + steps[-2])
    return np.moveaxis(np.concatenate([first, inner, last], axis=-1), -1, axis)


@composite(*if_there("trapezoid"))
def trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: int = -1) -> Any:
    """The area under straight lines from point to point."""
    y = np.moveaxis(y, axis, -1)
    if x is not None:
        dx = np.diff(x) if np.ndim(x) == 1 else np.diff(np.moveaxis(x, axis, -1), axis=-1)
    return np.sum((y[..., 1:] + y[..., :-1]) * dx / 2, axis=-1)


@composite(np.unwrap)
def unwrap(p: Any, discont: Any = None, axis: int = -1, *, period: float = 2 * np.pi) -> Any:
    """Add multiples of the period, which are constant between their jumps."""
    plain = as_constant(p)
    return p + (np.unwrap(plain, discont, axis, period=period) - plain)


@composite(np.linspace)
def linspace(
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: Any = None,
    axis: int = 0,
) -> Any:
    parts = num - 1 if endpoint else num
    precision = np.result_type(start, stop, float(num))
    start, stop = np.broadcast_arrays(start, stop)
    shares = np.reshape(np.arange(num) / max(parts, 1), (num,) + (1,) * np.ndim(start)).astype(precision)
    values = np.moveaxis(start * (1 - shares) + stop * shares, 0, axis)
    values = values if dtype is None else values.astype(dtype)
    return (values, (stop - start) / parts if parts else np.nan) if retstep else values


@composite(np.logspace)
def logspace(
    start: Any, stop: Any, num: int = 50, endpoint: bool = True, base: Any = 10.0, dtype: Any = None, axis: int = 0
) -> Any:
    values = base ** linspace(start, stop, num, endpoint, axis=axis)
    return values if dtype is None else values.astype(dtype)


@composite(np.geomspace)
def geomspace(start: Any, stop: Any, num: int = 50, endpoint: bool = True, dtype: Any = None, axis: int = 0) -> Any:
    sign = np.sign(start)
    if not np.all(sign * np.sign(stop) > 0):
        raise TypeError("start and stop on different sides of 0, or 0 itself")
    ends = [np.log(np.abs(np.add(end, np.float64(0)))) for end in (start, stop)]
    values = np.exp(linspace(*ends, num, endpoint, axis=0)) * sign
    values = np.moveaxis(values, 0, axis)
    return values if dtype is None else values.astype(dtype)
