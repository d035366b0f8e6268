"""Products of vectors and matrices, and what is solved with them."""

from math import prod
from typing import Any

import numpy as np

from opbook.autodiff.derivatives.elementwise import Parts
from opbook.autodiff.derivatives.table import composite, primitive, unbroadcast


def _t(x: Any) -> Any:
    return np.swapaxes(x, -1, -2)


def _rows(x: Any) -> Any:
    """All rows of a batch below one another; the count is spelled out, as -1 stands for nothing in an empty array."""
    shape = np.shape(x)
    return np.reshape(x, (prod(shape[:-1]), shape[-1]))


@primitive(np.matmul)
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
        return x * y
    return np.matmul(x, y) if np.ndim(y) <= 2 else np.tensordot(x, y, axes=((-1,), (-2,)))


@composite(np.vdot)
def vdot(x: Any, y: Any) -> Any:
    return np.matmul(np.ravel(x), np.ravel(y))


@composite(np.inner)
def inner(x: Any, y: Any) -> Any:
    if np.ndim(x) == 0 or np.ndim(y) == 0:
        return x * y
    return np.tensordot(x, y, axes=((-1,), (-1,)))


@composite(np.outer)
def outer(x: Any, y: Any) -> Any:
    return np.reshape(x, (-1, 1)) * np.reshape(y, (1, -1))


@composite(np.tensordot)
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


@primitive(np.einsum, unpack=lambda subscripts, *operands, optimize=False: (operands, {"subscripts": subscripts}))
def einsum(*operands: Any, subscripts: Any) -> Parts:
    """Any product of distinct letters: the gradient of an operand is the product of the cotangent with the others."""
    if not isinstance(subscripts, str):
        raise TypeError("sublists instead of a subscript text")
    terms, out = _letters(subscripts, [np.ndim(x) for x in operands])

    def vjp_of(i: int) -> Any:
        def vjp(g: Any) -> Any:
            others = [np.ones(np.shape(operands[i]), g.dtype) if j == i else x for j, x in enumerate(operands)]
            # the ones bring in letters that only this operand has; they are cheap beside the product
            lone = set(terms[i]) - set(out) - {c for j, t in enumerate(terms) if j != i for c in t}
            parts = [(t, x) for j, (t, x) in enumerate(zip(terms, others, strict=True)) if j != i or lone]
            return np.einsum(",".join([out, *(t for t, _ in parts)]) + "->" + terms[i], g, *(x for _, x in parts))

        return lambda g: unbroadcast(vjp(g), np.shape(operands[i]))

    value = np.einsum(",".join(terms) + "->" + out, *operands)
    return value, tuple(vjp_of(i) for i in range(len(operands)))


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
    if any(len(set(t)) < len(t) for t in terms):
        raise TypeError("a letter twice in one operand (use np.diagonal or np.trace)")
    return terms, out.replace("...", batch)


@primitive(np.linalg.inv)
def inv(x: Any) -> Parts:
    value = np.linalg.inv(x)
    return value, (lambda g: -_t(value) @ g @ _t(value),)


@primitive(np.linalg.solve)
def solve(a: Any, b: Any) -> Parts:
    if np.ndim(b) == 1:
        raise TypeError("a vector on the right (give it a second axis: b[:, None])")
    value = np.linalg.solve(a, b)

    def of_b(g: Any) -> Any:
        return np.linalg.solve(_t(a), g)

    return value, (
        lambda g: unbroadcast(-of_b(g) @ _t(value), np.shape(a)),
        lambda g: unbroadcast(of_b(g), np.shape(b)),
    )
