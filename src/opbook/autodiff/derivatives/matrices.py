"""What is computed from a matrix: inverses, determinants and decompositions.

Where a decomposition is not unique, as the eigenvectors of equal eigenvalues, it has no derivative. The way back says
so with the numbers, unless what was computed from it does not depend on the choice.
"""

from typing import Any

import numpy as np

from opbook.autodiff.derivatives.elementwise import Parts
from opbook.autodiff.derivatives.table import as_constant, composite, dispatching, if_there, primitive, unbroadcast
from opbook.errors import InputError


def _t(x: Any) -> Any:
    return np.swapaxes(x, -1, -2)


def _diagonal_matrix(entries: Any) -> Any:
    return np.expand_dims(entries, -1) * np.eye(np.shape(entries)[-1])


def _as_read(symmetric: Any) -> Any:
    """Put a symmetric gradient onto the lower triangle, as NumPy reads nothing else of a symmetric matrix."""
    n = np.shape(symmetric)[-1]
    return symmetric * (np.tri(n, k=-1) * 2 + np.eye(n)).astype(symmetric.dtype)


@primitive(np.linalg.inv)
def inv(x: Any) -> Parts:
    value = np.linalg.inv(x)
    return value, (lambda g: -_t(value) @ g @ _t(value),)


@primitive(np.linalg.solve)
def solve(a: Any, b: Any) -> Parts:
    if np.ndim(b) == 1:
        value, (of_a, of_b) = solve(a, np.expand_dims(b, -1))
        return value[..., 0], (
            lambda g: of_a(np.expand_dims(g, -1)),
            lambda g: unbroadcast(of_b(np.expand_dims(g, -1))[..., 0], np.shape(b)),
        )
    value = np.linalg.solve(a, b)

    def back(g: Any) -> Any:
        return np.linalg.solve(_t(a), g)

    return value, (
        lambda g: unbroadcast(-back(g) @ _t(value), np.shape(a)),
        lambda g: unbroadcast(back(g), np.shape(b)),
    )


def _cofactors(x: Any) -> Any:
    """The slope of the determinant, also where there is no inverse."""
    u, s, vh = np.linalg.svd(as_constant(x))
    if np.all(s[..., -1:] > 1e-12 * s[..., :1]):
        return np.expand_dims(np.linalg.det(x), (-2, -1)) * _t(np.linalg.inv(x))
    n = s.shape[-1]
    if type(x) is np.ndarray:
        others = np.prod(np.where(np.eye(n, dtype=bool), 1, s[..., None, :]), axis=-1)
        sign = np.linalg.det(u) * np.linalg.det(vh)
        return sign[..., None, None] * (u * others[..., None, :]) @ vh
    # to be differentiated again, which the singular values can't be: the determinants without one row and column
    rest = np.array([[j for j in range(n) if j != i] for i in range(n)], int).reshape(n, n - 1)
    minors = x[..., rest[:, None, :, None], rest[None, :, None, :]]
    return np.linalg.det(minors) * (1 - 2 * (np.indices((n, n)).sum(axis=0) % 2)).astype(x.dtype)


@primitive(np.linalg.det)
def det(x: Any) -> Parts:
    return np.linalg.det(x), (lambda g: np.expand_dims(g, (-2, -1)) * _cofactors(x),)


@primitive(np.linalg.slogdet)
def slogdet(x: Any) -> Parts:
    return np.linalg.slogdet(x), (lambda g: np.expand_dims(g.logabsdet, (-2, -1)) * _t(np.linalg.inv(x)),)


@primitive(np.linalg.cholesky)
def cholesky(x: Any, /, *, upper: bool = False) -> Parts:
    if upper:
        raise TypeError("upper=True (transpose the lower factor)")
    factor = np.linalg.cholesky(x)

    def vjp(g: Any) -> Any:
        n = np.shape(factor)[-1]
        halved = (np.tri(n) - np.eye(n) / 2).astype(g.dtype)
        inner = (_t(factor) @ g) * halved
        both = np.linalg.solve(_t(factor), inner) @ np.linalg.inv(factor)
        return _as_read((both + _t(both)) / 2)

    return factor, (vjp,)


def _inverse_gaps(values: Any, used: Any, what: str) -> Any:
    """1 / (v[j] - v[i]) for each pair, and 0 where they are equal, which is right if nothing depends on that pair.

    Args:
        values: Eigenvalues, or squares of singular values.
        used: How much what comes back depends on how vectors i and j are mixed, antisymmetric.
        what: What the values are, for the message.
    """
    plain, weight = as_constant(values), np.abs(as_constant(used))
    gaps = plain[..., None, :] - plain[..., :, None]
    n = plain.shape[-1]
    scale = np.max(np.abs(plain), axis=-1, initial=0)[..., None, None]
    smallest = 100 * n * np.finfo(plain.dtype).eps * scale
    equal = np.logical_and(np.abs(gaps) <= smallest, ~np.eye(n, dtype=bool))
    noise = 1e4 * np.finfo(plain.dtype).eps * np.max(weight, axis=(-2, -1), initial=0, keepdims=True)
    if np.any(bad := np.logical_and(equal, weight > noise)):
        *batch, i, j = np.argwhere(bad)[0]
        first, second = plain[(*batch, i)], plain[(*batch, j)]
        raise InputError(
            f"the vectors that belong to equal {what} have no gradient: numbers {i} and {j} are {first:.6g} and "
            f"{second:.6g}, {abs(first - second):.2g} apart; the gradient of the values themselves is defined"
        )
    alike = np.logical_or(equal, np.eye(n, dtype=bool))
    difference = np.expand_dims(values, -2) - np.expand_dims(values, -1)
    return np.where(alike, 0, 1 / np.where(alike, 1, difference))


@primitive(np.linalg.eigh)
def eigh(x: Any, UPLO: Any = "L") -> Parts:
    values, vectors = found = np.linalg.eigh(x, UPLO)

    def vjp(g: Any) -> Any:
        mixed = _t(vectors) @ g.eigenvectors
        mixed = (mixed - _t(mixed)) / 2
        inner = _diagonal_matrix(g.eigenvalues) + mixed * _inverse_gaps(values, mixed, "eigenvalues")
        symmetric = vectors @ inner @ _t(vectors)
        symmetric = (symmetric + _t(symmetric)) / 2
        lower = _as_read(symmetric)
        return (lower if UPLO == "L" else _t(lower)).astype(g.eigenvalues.dtype)

    return found, (vjp,)


@composite(np.linalg.eigvalsh)
def eigvalsh(x: Any, UPLO: Any = "L") -> Any:
    return np.linalg.eigh(x, UPLO)[0]


@composite(np.linalg.svd)
def svd(x: Any, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False) -> Any:
    if hermitian:
        raise TypeError("hermitian=True (leave it out, or take np.linalg.eigh)")
    if compute_uv and full_matrices and np.shape(x)[-1] != np.shape(x)[-2]:
        raise TypeError("full_matrices=True, whose last vectors are not unique (write full_matrices=False)")
    found = thin_svd(x)
    return found if compute_uv else found[1]


@dispatching
def thin_svd(x: Any) -> Any:
    """The singular value decomposition with as many vectors as the shorter axis has."""
    return np.linalg.svd(x, full_matrices=False)


@primitive(thin_svd)
def _thin_svd(x: Any) -> Parts:
    u, s, vh = found = thin_svd(x)
    v = _t(vh)

    def vjp(g: Any) -> Any:
        of_u, of_v = _t(u) @ g.U, _t(v) @ _t(g.Vh)
        of_u, of_v = of_u - _t(of_u), of_v - _t(of_v)
        by_gap = _inverse_gaps(s * s, np.abs(of_u) + np.abs(of_v), "singular values")
        row, column = np.expand_dims(s, -2), np.expand_dims(s, -1)
        inner = _diagonal_matrix(g.S) + (of_u * by_gap) * row + column * (of_v * by_gap)
        result = u @ inner @ vh
        rows, columns = np.shape(x)[-2:]
        if rows > columns:
            result = result + (g.U - u @ (_t(u) @ g.U)) / row @ vh
        if columns > rows:
            result = result + (u / row) @ (g.Vh - (g.Vh @ v) @ vh)
        return result.astype(x.dtype)

    return found, (vjp,)


@composite(*if_there("linalg.svdvals"))
def svdvals(x: Any, /) -> Any:
    return thin_svd(x)[1]


@composite(np.linalg.cond)
def cond(x: Any, p: Any = None) -> Any:
    if p in (None, 2, -2):
        s = thin_svd(x)[1]
        return s[..., -1] / s[..., 0] if p == -2 else s[..., 0] / s[..., -1]
    return np.linalg.norm(x, p, axis=(-2, -1)) * np.linalg.norm(np.linalg.inv(x), p, axis=(-2, -1))


@composite(np.linalg.qr)
def qr(x: Any, mode: str = "reduced") -> Any:
    rows, columns = np.shape(x)[-2:]
    if mode not in ("reduced", "r"):
        raise TypeError(f"mode={mode!r} (those known are 'reduced' and 'r')")
    found = tall_qr(x[..., :rows] if columns > rows else x)
    if columns > rows:
        wide = np.concatenate([found[1], _t(found[0]) @ x[..., rows:]], axis=-1)
        found = (found[0], wide)
    return found[1] if mode == "r" else found


@dispatching
def tall_qr(x: Any) -> Any:
    """The QR decomposition of a matrix with at least as many rows as columns."""
    return np.linalg.qr(x)


@primitive(tall_qr)
def _tall_qr(x: Any) -> Parts:
    q, r = found = tall_qr(x)

    def vjp(g: Any) -> Any:
        mixed = r @ _t(g.R) - _t(g.Q) @ q
        n = np.shape(r)[-1]
        lower = mixed * np.tri(n)
        symmetric = lower + _t(mixed * np.tri(n, k=-1))
        return _t(np.linalg.solve(r, _t(g.Q + q @ symmetric))).astype(x.dtype)

    return found, (vjp,)


@primitive(np.linalg.pinv, unpack=lambda x, rcond=None, **options: ((x,), {"rcond": rcond, **options}))
def pinv(x: Any, *, rcond: Any = None, rtol: Any = None) -> Parts:
    """Right as long as the rank stays what it is."""
    cutoff = {"rcond": rcond} if rtol is None else {"rtol": rtol}
    p = np.linalg.pinv(x, **cutoff)

    def vjp(g: Any) -> Any:
        rows, columns = np.shape(x)[-2:]
        pt, gt = _t(p), _t(g)
        left, right = np.eye(rows, dtype=g.dtype) - x @ p, np.eye(columns, dtype=g.dtype) - p @ x
        return -pt @ g @ pt + left @ gt @ p @ pt + pt @ p @ gt @ right

    return p, (vjp,)


@composite(np.linalg.lstsq)
def lstsq(a: Any, b: Any, rcond: Any = None) -> Any:
    rows, columns = np.shape(a)
    cutoff = max(rows, columns) * np.finfo(a.dtype).eps if rcond is None else rcond
    solution = np.linalg.pinv(a, cutoff) @ b
    s = np.linalg.svd(a, compute_uv=False)
    rank = int(np.sum(as_constant(s) > cutoff * np.max(as_constant(s))))
    rest = a @ solution - b
    squares = np.reshape(np.sum(rest * rest, axis=0), (-1,)) if rows > columns == rank else np.zeros(0)
    return solution, squares, rank, s


@composite(np.linalg.tensorinv)
def tensorinv(x: Any, ind: int = 2) -> Any:
    shape = np.shape(x)
    rows = int(np.prod(shape[:ind]))
    return np.reshape(np.linalg.inv(np.reshape(x, (rows, -1))), shape[ind:] + shape[:ind])


@composite(np.linalg.tensorsolve)
def tensorsolve(a: Any, b: Any, axes: Any = None) -> Any:
    if axes is not None:
        others = [k for k in range(np.ndim(a)) if k not in axes]
        a = np.transpose(a, (*others, *axes))
    shape = np.shape(a)[np.ndim(b) :]
    size = int(np.prod(shape))
    return np.reshape(np.linalg.solve(np.reshape(a, (-1, size)), np.ravel(b)), shape)
