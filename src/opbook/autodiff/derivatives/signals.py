"""Functions of sampled signals and of polynomials."""

from typing import Any

import numpy as np

from opbook.autodiff.derivatives.elementwise import Parts
from opbook.autodiff.derivatives.table import as_constant, composite, dispatching, primitive


@dispatching
def full_convolution(x: Any, y: Any) -> Any:
    """Every sum of products of two rows that overlap somewhere."""
    return np.convolve(x, y)


@primitive(full_convolution)
def _full_convolution(x: Any, y: Any) -> Parts:
    def overlap(g: Any, other: Any) -> Any:
        n = np.shape(other)[0]
        return _convolved(g, np.flip(other))[n - 1 : np.shape(g)[0]]

    return _convolved(x, y), (lambda g: overlap(g, y), lambda g: overlap(g, x))


def _convolved(x: Any, y: Any) -> Any:
    """The full convolution, of which the second may be what is on a tape."""
    return full_convolution(x, y) if type(y) is np.ndarray else full_convolution(y, x)


@composite(np.convolve)
def convolve(a: Any, v: Any, mode: str = "full") -> Any:
    a, v = np.atleast_1d(a), np.atleast_1d(v)
    return _part(_convolved(a, v), np.shape(a)[0], np.shape(v)[0], mode)


@composite(np.correlate)
def correlate(a: Any, v: Any, mode: str = "valid") -> Any:
    """The convolution with the second row turned round; of rows of which it is longer, NumPy turns the result."""
    a, v = np.atleast_1d(a), np.atleast_1d(v)
    n, m = np.shape(a)[0], np.shape(v)[0]
    if m > n:
        return np.flip(correlate(v, a, mode))
    return _part(_convolved(a, np.flip(v)), n, m, mode)


def _part(full: Any, n: int, m: int, mode: str) -> Any:
    long, short = max(n, m), min(n, m)
    if mode == "full":
        return full
    if mode == "same":
        return full[(short - 1) // 2 : (short - 1) // 2 + long]
    if mode == "valid":
        return full[short - 1 : long]
    raise TypeError(f"mode={mode!r} (the modes are 'full', 'same' and 'valid')")


@composite(np.interp)
def interp(x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: Any = None) -> Any:
    """Straight lines between points, and a constant on either side."""
    if period is not None:
        period = abs(period)
        x, xp = np.remainder(x, period), np.remainder(xp, period)
        order = np.argsort(xp)
        xp, fp = np.asarray(xp)[order] if isinstance(xp, list) else xp[order], _entries(fp)[order]
        xp = np.concatenate([xp[-1:] - period, xp, xp[:1] + period])
        fp = np.concatenate([fp[-1:], fp, fp[:1]])
        left = right = None
    xp, fp = _entries(xp), _entries(fp)
    x = np.add(x, np.float64(0))  # as NumPy does, whatever the precision is
    if np.shape(xp)[0] == 1:
        inner = fp[0] + 0 * x
    else:
        segment = np.clip(np.searchsorted(as_constant(xp), as_constant(x), "right") - 1, 0, np.shape(xp)[0] - 2)
        x0, x1, f0, f1 = xp[segment], xp[segment + 1], fp[segment], fp[segment + 1]
        inner = f0 + (f1 - f0) * ((x - x0) / (x1 - x0))
    below, above = np.less(x, xp[0]), np.greater(x, xp[-1])
    inner = np.where(below, fp[0] if left is None else left, inner)
    result = np.where(above, fp[-1] if right is None else right, inner)
    return result if np.ndim(result) else result[()]


def _entries(x: Any) -> Any:
    return np.stack([np.add(entry, np.float64(0)) for entry in x]) if isinstance(x, list | tuple) else x


@composite(np.polyval)
def polyval(p: Any, x: Any) -> Any:
    """Horner's scheme: the first coefficient belongs to the highest power."""
    value = np.zeros_like(x)
    for coefficient in p:
        value = value * x + coefficient
    return value


def _aligned(a: Any, b: Any) -> tuple[Any, Any]:
    a, b = np.atleast_1d(a), np.atleast_1d(b)
    n = max(np.shape(a)[0], np.shape(b)[0])
    return tuple(np.concatenate([np.zeros(n - np.shape(p)[0], p.dtype), p]) for p in (a, b))  # type: ignore[return-value]


@composite(np.polyadd)
def polyadd(a: Any, b: Any) -> Any:
    a, b = _aligned(a, b)
    return a + b


@composite(np.polysub)
def polysub(a: Any, b: Any) -> Any:
    a, b = _aligned(a, b)
    return a - b


@composite(np.polymul)
def polymul(a: Any, b: Any) -> Any:
    return convolve(a, b)


@composite(np.polyder)
def polyder(p: Any, m: int = 1) -> Any:
    for _ in range(m):
        p = p[:-1] * np.arange(np.shape(p)[0] - 1, 0, -1)
    return p


@composite(np.polyint)
def polyint(p: Any, m: int = 1, k: Any = None) -> Any:
    constants = [0.0] * m if k is None else [k] * m if np.ndim(k) == 0 else k
    for constant in constants[:m]:
        p = np.concatenate([p / np.arange(np.shape(p)[0], 0, -1), np.reshape(constant, (1,))])
    return p


@composite(np.poly)
def poly(zeros: Any) -> Any:
    """The polynomial with these zeros."""
    if np.ndim(zeros) != 1:
        raise TypeError("a matrix (its eigenvalues may be complex; write np.poly of np.linalg.eigvalsh)")
    coefficients = np.ones(1, zeros.dtype)
    for zero in zeros:
        coefficients = np.convolve(coefficients, np.stack([np.ones_like(zero), -zero]))
    return coefficients


@composite(np.vander)
def vander(x: Any, N: int | None = None, increasing: bool = False) -> Any:
    n = np.shape(x)[0] if N is None else N
    x = x.astype(np.promote_types(x.dtype, int))
    powers = [x**i for i in range(n)]
    return np.stack(powers if increasing else powers[::-1], axis=1)


@composite(np.polyfit)
def polyfit(x: Any, y: Any, deg: int, rcond: Any = None, *, w: Any = None) -> Any:
    """The coefficients of least squares, of columns that are scaled as NumPy scales them."""
    columns, values = vander(np.add(x, 0.0), deg + 1), np.add(y, np.float64(0))
    if w is not None:
        columns = columns * w[:, None]
        values = values * (w[:, None] if np.ndim(y) == 2 else w)
    scale = np.sqrt(np.sum(columns * columns, axis=0))
    cutoff = np.shape(x)[0] * np.finfo(np.float64).eps if rcond is None else rcond
    solution = np.linalg.lstsq(columns / scale, values, cutoff)[0]
    return np.transpose(np.transpose(solution) / scale)
