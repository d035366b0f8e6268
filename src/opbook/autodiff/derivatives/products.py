"""Products of vectors, matrices and arrays of more axes."""

from functools import reduce
from math import prod
from typing import Any

import numpy as np

from opbook.autodiff.derivatives.elementwise import Parts
from opbook.autodiff.derivatives.table import composite, if_there, primitive, unbroadcast


def _t(x: Any) -> Any:
    return np.swapaxes(x, -1, -2)


def _rows(x: Any) -> Any:
    """All rows of a batch below one another; the count is spelled out, as -1 stands for nothing in an empty array."""
    shape = np.shape(x)
    return np.reshape(x, (prod(shape[:-1]), shape[-1]))


@primitive(np.matmul, *if_there("linalg.matmul"))
def matmul(x: Any, y: Any) -> Parts:
    """Matrix products, with leading batch axes that broadcast, and vectors as NumPy takes them."""
    value = np.matmul(x, y)
    row = np.reshape(x, (1, -1)) if np.ndim(x) == 1 else x
    column = np.reshape(y, (-1, 1)) if np.ndim(y) == 1 else y

    def as_matrix(g: Any) -> Any:
        if np.ndim(y) == 1:
            g = np.expand_dims(g, -1)
        return np.expand_dims(g, -2) if np.ndim(x) == 1 else g

    def of_x(g: Any) -> Any:
        return np.reshape(unbroadcast(as_matrix(g) @ _t(column), np.shape(row)), np.shape(x))

    def of_y(g: Any) -> Any:
        g = as_matrix(g)
        if np.ndim(column) == 2 and np.ndim(row) > 2:
            # one product over all batch entries, rather than one each and a sum
            return np.reshape(_t(_rows(row)) @ _rows(g), np.shape(y))
        return np.reshape(unbroadcast(_t(row) @ g, np.shape(column)), np.shape(y))

    return value, (of_x, of_y)


@composite(np.dot)
def dot(x: Any, y: Any) -> Any:
    if np.ndim(x) == 0 or np.ndim(y) == 0:
        # as an array, a Python number counts for the precision
        return x * (np.asarray(y) if type(y) in (int, float) else y)
    return np.matmul(x, y) if np.ndim(y) <= 2 else np.tensordot(x, y, axes=((-1,), (-2,)))


@composite(np.vdot)
def vdot(x: Any, y: Any) -> Any:
    return np.matmul(np.ravel(x), np.ravel(y))


@composite(np.inner)
def inner(x: Any, y: Any) -> Any:
    if np.ndim(x) == 0 or np.ndim(y) == 0:
        return x * y
    return np.tensordot(x, y, axes=((-1,), (-1,)))


@composite(np.outer, *if_there("linalg.outer"))
def outer(x: Any, y: Any) -> Any:
    return np.reshape(x, (-1, 1)) * np.reshape(y, (1, -1))


@composite(np.tensordot, *if_there("linalg.tensordot"))
def tensordot(x: Any, y: Any, axes: Any = 2) -> Any:
    n, m = np.ndim(x), np.ndim(y)
    if isinstance(axes, int):
        axes = (range(n - axes, n), range(axes))
    xs, ys = (
        [a % d for a in ((side,) if isinstance(side, int) else side)] for side, d in zip(axes, (n, m), strict=True)
    )
    free_x = [a for a in range(n) if a not in xs]
    free_y = [a for a in range(m) if a not in ys]
    shape_x, shape_y = np.shape(x), np.shape(y)
    summed = prod(shape_x[a] for a in xs)
    left = np.reshape(np.transpose(x, (*free_x, *xs)), (prod(shape_x[a] for a in free_x), summed))
    right = np.reshape(np.transpose(y, (*ys, *free_y)), (summed, prod(shape_y[a] for a in free_y)))
    return np.reshape(left @ right, [shape_x[a] for a in free_x] + [shape_y[a] for a in free_y])


def _operands_and_letters(*args: Any, optimize: Any = False) -> tuple[list[Any], dict[str, Any]]:
    """Turn any call of einsum into one with distinct letters: of one that stands twice the diagonal is taken."""
    subscripts, *operands = args if isinstance(args[0], str) else _from_sublists(args)
    terms, out = _letters(subscripts, [np.ndim(x) for x in operands])
    for i, term in enumerate(terms):
        while len(set(term)) < len(term):
            twice = next(c for c in term if term.count(c) > 1)
            first, second = term.index(twice), term.rindex(twice)
            operands[i] = np.diagonal(operands[i], 0, first, second)
            term = "".join(c for place, c in enumerate(term) if place not in (first, second)) + twice
        terms[i] = term
    return operands, {"terms": terms, "out": out, "optimize": optimize}


def _from_sublists(args: Any) -> list[Any]:
    """Write `einsum(x, [0, 1], y, [1, 2], [0, 2])` with letters."""

    def letters(numbers: Any) -> str:
        return "".join("..." if n is Ellipsis else chr(ord("a") + n) for n in numbers)

    pairs = len(args) // 2
    inputs = ",".join(letters(args[2 * i + 1]) for i in range(pairs))
    return [inputs + ("->" + letters(args[-1]) if len(args) % 2 else ""), *args[0 : 2 * pairs : 2]]


def _letters(subscripts: str, ndims: list[int]) -> tuple[list[str], str]:
    """Spell out the implicit result and `...` of einsum's subscripts with letters."""
    left, arrow, out = subscripts.replace(" ", "").partition("->")
    terms = left.split(",")
    spare = [c for c in "ABCDEFGHIJKLMNOPQRSTUVWXYZ" if c not in subscripts]
    widths = [n - len(t.replace("...", "")) if "..." in t else 0 for t, n in zip(terms, ndims, strict=True)]
    batch = "".join(spare[: max(widths)])
    if not arrow:
        named = left.replace(",", "").replace("...", "")
        out = ("..." if batch else "") + "".join(sorted(c for c in set(named) if named.count(c) == 1))
    terms = [t.replace("...", batch[len(batch) - w :]) for t, w in zip(terms, widths, strict=True)]
    return terms, out.replace("...", batch)


@primitive(np.einsum, unpack=_operands_and_letters)
def einsum(*operands: Any, terms: list[str], out: str, optimize: Any) -> Parts:
    """Any product of distinct letters: the gradient of an operand is the product of the cotangent with the others."""

    def vjp_of(i: int) -> Any:
        def vjp(g: Any) -> Any:
            others = [np.ones(np.shape(operands[i]), g.dtype) if j == i else x for j, x in enumerate(operands)]
            # the ones bring in letters that only this operand has; they are cheap beside the product
            lone = set(terms[i]) - set(out) - {c for j, t in enumerate(terms) if j != i for c in t}
            parts = [(t, x) for j, (t, x) in enumerate(zip(terms, others, strict=True)) if j != i or lone]
            product = ",".join([out, *(t for t, _ in parts)]) + "->" + terms[i]
            return np.einsum(product, g, *(x for _, x in parts), optimize=optimize)

        return lambda g: unbroadcast(vjp(g), np.shape(operands[i]))

    value = np.einsum(",".join(terms) + "->" + out, *operands, optimize=optimize)
    return value, tuple(vjp_of(i) for i in range(len(operands)))


def _rows_times(row: Any, matrix: Any) -> Any:
    return np.matmul(np.expand_dims(row, -2), matrix)[..., 0, :]


@composite(*if_there("vecdot"))
def vecdot(x: Any, y: Any, axis: int = -1) -> Any:
    return np.sum(np.moveaxis(x, axis, -1) * np.moveaxis(y, axis, -1), axis=-1)


@composite(*if_there("linalg.vecdot"))
def linalg_vecdot(x: Any, y: Any, /, *, axis: int = -1) -> Any:
    return vecdot(x, y, axis)


@composite(*if_there("matvec"))
def matvec(x: Any, y: Any) -> Any:
    return np.matmul(x, np.expand_dims(y, -1))[..., 0]


@composite(*if_there("vecmat"))
def vecmat(x: Any, y: Any) -> Any:
    return _rows_times(x, y)


@composite(np.kron)
def kron(x: Any, y: Any) -> Any:
    n = max(np.ndim(x), np.ndim(y))
    shapes = [(1,) * (n - np.ndim(a)) + np.shape(a) for a in (x, y)]
    left = np.reshape(x, [length for a in shapes[0] for length in (a, 1)])
    right = np.reshape(y, [length for b in shapes[1] for length in (1, b)])
    return np.reshape(left * right, [a * b for a, b in zip(*shapes, strict=True)])


@composite(np.cross)
def cross(a: Any, b: Any, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: int | None = None) -> Any:
    if axis is not None:
        axisa = axisb = axisc = axis
    a, b = np.moveaxis(a, axisa, -1), np.moveaxis(b, axisb, -1)
    if np.shape(a)[-1] != 3 or np.shape(b)[-1] != 3:
        raise TypeError("vectors of other than 3 entries")
    after, before = np.array([1, 2, 0]), np.array([2, 0, 1])
    value = a[..., after] * b[..., before] - a[..., before] * b[..., after]
    return np.moveaxis(value, -1, axisc)


@composite(*if_there("linalg.cross"))
def linalg_cross(a: Any, b: Any, /, *, axis: int = -1) -> Any:
    return cross(a, b, axis=axis)


@composite(np.linalg.multi_dot)
def multi_dot(arrays: Any) -> Any:
    return reduce(np.matmul, arrays)


@composite(np.linalg.matrix_power)
def matrix_power(x: Any, n: int) -> Any:
    """Square and multiply."""
    if n < 0:
        return matrix_power(np.linalg.inv(x), -n)
    if n == 0:
        return np.broadcast_to(np.eye(np.shape(x)[-1], dtype=x.dtype), np.shape(x))
    half = matrix_power(x, n // 2) if n > 1 else None
    square = x if half is None else half @ half
    return square @ x if n > 1 and n % 2 else square
