"""Functions that put entries in order, and the numbers that are read off it."""

from collections.abc import Callable
from typing import Any

import numpy as np

from opbook.autodiff.derivatives.table import composite, normalized_axes


@composite(np.sort)
def sort(x: Any, axis: int | None = -1, kind: Any = None, *, stable: Any = None) -> Any:
    return np.take_along_axis(x, np.argsort(x, axis=axis, kind="stable"), axis=axis)


@composite(np.partition)
def partition(x: Any, kth: Any, axis: int | None = -1, kind: Any = "introselect") -> Any:
    return np.take_along_axis(x, np.argpartition(x, kth, axis=axis), axis=axis)


@composite(np.median)
def median(x: Any, axis: Any = None, *, overwrite_input: bool = False, keepdims: bool = False) -> Any:
    return quantile(x, 0.5, axis, keepdims=keepdims)


@composite(np.nanmedian)
def nanmedian(x: Any, axis: Any = None, *, overwrite_input: bool = False, keepdims: bool = False) -> Any:
    return nanquantile(x, 0.5, axis, keepdims=keepdims)


@composite(np.percentile)
def percentile(x: Any, q: Any, axis: Any = None, **options: Any) -> Any:
    return quantile(x, np.true_divide(q, x.dtype.type(100)), axis, **options)


@composite(np.nanpercentile)
def nanpercentile(x: Any, q: Any, axis: Any = None, **options: Any) -> Any:
    return nanquantile(x, np.true_divide(q, x.dtype.type(100)), axis, **options)


@composite(np.quantile)
def quantile(x: Any, q: Any, axis: Any = None, **options: Any) -> Any:
    return _quantiles(x, q, axis, of_nan=True, **options)


@composite(np.nanquantile)
def nanquantile(x: Any, q: Any, axis: Any = None, **options: Any) -> Any:
    return _quantiles(x, q, axis, of_nan=False, **options)


BETWEEN: dict[str, Callable[[Any], Any]] = {
    "linear": lambda place: place,
    "lower": np.floor,
    "higher": np.ceil,
    "nearest": np.rint,
    "midpoint": lambda place: (np.floor(place) + np.ceil(place)) / 2,
}
"""Where the value between two neighbours is read off, by NumPy's name of the method."""


def _quantiles(
    x: Any,
    q: Any,
    axis: Any,
    *,
    of_nan: bool,
    method: str = "linear",
    keepdims: bool = False,
    overwrite_input: bool = False,
) -> Any:
    """Quantiles, read off the entries in order; NaN comes last, and makes NaN of the result or counts for nothing."""
    if method not in BETWEEN:
        raise TypeError(f"method={method!r} (those known are {', '.join(BETWEEN)})")
    axes = normalized_axes(axis, np.ndim(x))
    kept = [a for a in range(np.ndim(x)) if a not in axes]
    shape = tuple(np.shape(x)[a] for a in kept)
    rows = np.sort(np.reshape(np.transpose(x, (*kept, *axes)), (*shape, -1)), axis=-1)
    is_number = np.logical_not(np.isnan(rows))
    count = np.sum(is_number, axis=-1)
    levels = np.asarray(q, float)
    places = BETWEEN[method](levels.reshape(levels.shape + (1,) * len(shape)) * np.maximum(count - 1, 0))
    low, high = np.floor(places).astype(int), np.ceil(places).astype(int)
    rows_for_each = np.broadcast_to(rows, (*np.shape(low), np.shape(rows)[-1]))
    below, above = (np.take_along_axis(rows_for_each, i[..., None], axis=-1)[..., 0] for i in (low, high))
    precision = np.quantile(np.ones(1, x.dtype), q).dtype
    result = below + (above - below) * (places - low).astype(precision)
    if of_nan:
        result = np.where(np.all(is_number, axis=-1), result, np.nan)
    if keepdims:
        result = np.reshape(result, levels.shape + tuple(1 if a in axes else n for a, n in enumerate(np.shape(x))))
    return result if np.ndim(result) else result[()]


@composite(np.ptp)
def ptp(x: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
    return np.max(x, axis=axis, keepdims=keepdims) - np.min(x, axis=axis, keepdims=keepdims)
