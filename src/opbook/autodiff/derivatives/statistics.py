"""Averages with weights, covariances, and the functions that leave NaN out."""

from typing import Any

import numpy as np

from opbook.autodiff.derivatives.table import composite

Axis = int | tuple[int, ...] | None


def _without_nan(name: str, of_nan: float) -> None:
    """Enter `nansum` and its like: the function of the array in which NaN is replaced by what changes nothing."""

    def ignoring(x: Any, axis: Any = None, dtype: Any = None, **options: Any) -> Any:
        kept = {} if dtype is None else {"dtype": dtype}
        return getattr(np, name)(np.where(np.isnan(x), of_nan, x), axis=axis, **kept, **options)

    composite(getattr(np, f"nan{name}"))(ignoring)


_without_nan("sum", 0)
_without_nan("prod", 1)
_without_nan("cumsum", 0)
_without_nan("cumprod", 1)


def _without_nan_unless_all_are(name: str, of_nan: float) -> None:
    def ignoring(x: Any, axis: Any = None, *, keepdims: bool = False, **options: Any) -> Any:
        value = getattr(np, name)(np.where(np.isnan(x), of_nan, x), axis=axis, keepdims=keepdims, **options)
        return np.where(np.all(np.isnan(x), axis=axis, keepdims=keepdims), np.nan, value)

    composite(getattr(np, f"nan{name}"))(ignoring)


_without_nan_unless_all_are("max", -np.inf)
_without_nan_unless_all_are("min", np.inf)


def _where_no_nan(name: str) -> None:
    """Enter `nanmean` and its like, which count what is not NaN."""

    def ignoring(x: Any, axis: Any = None, dtype: Any = None, *, where: Any = True, **options: Any) -> Any:
        there = np.logical_and(np.logical_not(np.isnan(x)), where)
        return getattr(np, name)(np.where(there, x, 0), axis=axis, dtype=dtype, where=there, **options)

    composite(getattr(np, f"nan{name}"))(ignoring)


_where_no_nan("mean")
_where_no_nan("var")
_where_no_nan("std")


@composite(np.average)
def average(x: Any, axis: Axis = None, weights: Any = None, returned: bool = False, *, keepdims: bool = False) -> Any:
    if weights is None:
        weights = np.ones_like(x)
    elif np.shape(weights) != np.shape(x):
        if not isinstance(axis, int):
            raise TypeError("weights of another shape than the array, and no one axis (write the weighted sum)")
        weights = np.reshape(weights, [-1 if a == axis % np.ndim(x) else 1 for a in range(np.ndim(x))])
        weights = np.broadcast_to(weights, np.shape(x))
    total = np.sum(weights, axis=axis, keepdims=keepdims)
    value = np.sum(x * weights, axis=axis, keepdims=keepdims) / total
    return (value, np.broadcast_to(total, np.shape(value))) if returned else value


@composite(np.cov)
def cov(
    m: Any,
    y: Any = None,
    rowvar: bool = True,
    bias: bool = False,
    ddof: Any = None,
    fweights: Any = None,
    aweights: Any = None,
    *,
    dtype: Any = None,
) -> Any:
    if fweights is not None or aweights is not None:
        raise TypeError("weights (write the weighted sums)")

    def rows(x: Any) -> Any:
        x = np.atleast_2d(x.astype(np.float64 if dtype is None else dtype))
        return x if rowvar or np.shape(x)[0] == 1 else np.transpose(x)

    variables = rows(m) if y is None else np.concatenate([rows(m), rows(y)], axis=0)
    count = np.shape(variables)[1] - ((0 if bias else 1) if ddof is None else ddof)
    centred = variables - np.mean(variables, axis=1, keepdims=True)
    return np.squeeze(centred @ np.transpose(centred) / count)


@composite(np.corrcoef)
def corrcoef(x: Any, y: Any = None, rowvar: bool = True, *, dtype: Any = None) -> Any:
    c = cov(x, y, rowvar, dtype=dtype)
    if np.ndim(c) == 0:
        return c / c
    spread = np.sqrt(np.diagonal(c))
    return c / spread[:, None] / spread[None, :]
