"""What the ops that make and rearrange arrays are verified on, and what is true of them."""

import numpy as np

from opbook import Property, hookimpl
from opbook_arrays import arange, concatenate, cumsum, einsum, eye, linspace, ones, reshape, sort, take, where, zeros
from opbook_arrays.making import LARGEST


@zeros.samples
def _size_samples(draw, value=0.0):
    for sizes in ((4,), (1,), (0,), (2, 3), (3, 0)):
        yield draw.known(f"sizes {sizes}", np.full(sizes, value), *sizes)
    for shape in ((2, 3, 4), (5,), (0, 2), ()):
        yield draw.known(f"shape {shape}", np.full(shape, value), shape)
    for sizes in ((-1,), (2, -1), ((3, -2),)):
        yield draw.refused(f"a negative size, in {sizes}", *sizes)
    for sizes in ((LARGEST + 1,), (LARGEST, 2), ((LARGEST, 1, 2),)):
        yield draw.refused(f"too many entries, in {sizes}", *sizes)


@ones.samples
def _(draw):
    return _size_samples(draw, 1.0)


@eye.samples
def _(draw):
    yield from (3, 1, 0)
    yield draw.known("two rows", np.array([[1.0, 0.0], [0.0, 1.0]]), 2)
    yield draw.refused("a negative size", -1)
    yield draw.refused("too many entries", 10_001)


@arange.samples
def _(draw):
    for args in ((5,), (1,), (0,), (-2,), (2, 6), (-3, 8, 2), (0, 7, 3), (5, 0, -2), (2, 1)):
        yield draw.known(f"range{args}", np.array([float(i) for i in range(*args)]), *args)
    yield draw.refused("a step of 0", 0, 5, 0)
    yield draw.refused("too many entries", LARGEST + 1)


@linspace.samples
def _(draw):
    yield from ((-1.5, 2.5, 5), (2.0, 0.5, 4), (0.3, 7.0, 1), (1.0, 2.0, 0))
    yield draw.known("five", np.array([-1.5, -0.5, 0.5, 1.5, 2.5]), -1.5, 2.5, 5)
    yield draw.known("two", np.array([2.0, 0.5]), 2.0, 0.5, 2)
    yield draw.refused("a negative count", 0.0, 1.0, -1)
    yield draw.refused("too many entries", 0.0, 1.0, LARGEST + 1)


@reshape.samples
def _(draw):
    yield draw.normal(3, 4), (2, -1)
    yield draw.normal(2, 3, 4), (4, 6)
    yield draw.normal(6), (3, 1, 2)
    yield np.asarray(draw.normal()), (1, 1)
    yield draw.normal(1, 1), ()
    yield draw.normal(0, 3), (3, 0)
    yield draw.refused("another number of entries", draw.normal(2, 3), (2, 2))
    yield draw.refused("a number of entries that is no multiple", draw.normal(2, 3), (4, -1))
    yield draw.refused("a length below -1", draw.normal(2, 3), (-2, 3))
    yield draw.refused("a length below -1 beside one of -1", draw.normal(4), (-2, -1))
    yield draw.refused("two lengths below -1, with a right product", draw.normal(4), (-2, -2))
    yield draw.refused("two lengths of -1", draw.normal(2, 3), (-1, -1))
    yield draw.refused("-1 beside a length of 0", draw.normal(0, 3), (0, -1))


@concatenate.samples
def _(draw):
    yield ((draw.normal(3, 3), draw.normal(3, 3)),)
    yield (draw.normal(2, 3), draw.normal(1, 3)), 0
    yield (draw.normal(2, 3, 1), draw.normal(2, 1, 1), draw.normal(2, 2, 1)), 1
    yield (draw.normal(2, 3), draw.normal(2, 1)), -1
    yield ((draw.normal(0, 2), draw.normal(3, 2)),)
    yield ((draw.normal(1),),)
    yield draw.refused("no arrays", ())
    yield draw.refused("a single number", (1.0,))
    yield draw.refused("several single numbers", (1.0, 2.0))
    yield draw.refused("a matrix and a vector", (draw.normal(2, 3), draw.normal(3)))
    yield draw.refused("lengths that differ", (draw.normal(2, 3), draw.normal(2, 2)), 0)
    yield draw.refused("lengths that differ along the first axis", (draw.normal(2, 3), draw.normal(3, 2)), 1)
    yield draw.refused("lengths that differ, the axis counted from the end", (draw.normal(2, 3), draw.normal(2, 2)), -2)
    yield draw.refused("no such axis", (draw.normal(2), draw.normal(2)), 1)


@where.samples
def _(draw):
    yield draw.mask(3, 4), draw.normal(3, 4), draw.normal(3, 4)
    yield np.array([[True], [False], [True]]), draw.normal(4), draw.normal(2, 1, 4)
    yield draw.mask(2, 3, 5, 7), draw.normal(2, 3, 5, 7), draw.normal(5, 7)
    yield np.array([2, 0, -1]), draw.normal(2, 3), np.asarray(draw.normal())
    yield False, draw.normal(2), draw.normal(2)
    condition, x, y = np.array([True, False]), np.array([1.5, np.nan]), np.array([np.inf, -2.0])
    yield draw.known("what is not taken is not finite", np.array([1.5, -2.0]), condition, x, y)
    yield draw.mask(0, 3), draw.normal(3), draw.normal(0, 3)
    yield draw.refused("a condition that does not broadcast", draw.mask(2), draw.normal(3), draw.normal(3))
    yield draw.refused("x and y that do not broadcast", True, draw.normal(3), draw.normal(2))


@take.samples
def _(draw):
    yield draw.normal(4, 3), np.array([2, 0, 2])
    yield draw.normal(2, 3, 4), -1, 1
    yield draw.normal(2, 3, 4), np.array([[1, 1], [0, -2]]), 2
    yield draw.normal(2, 3, 4), np.array([[1], [-1], [1]]), -2
    yield draw.normal(5), 3
    yield draw.normal(1), [0, -1]
    yield draw.normal(3, 2), np.array([], np.int64)
    yield draw.edge("whole numbers given as floats", draw.normal(4, 3), np.array([2.0, 0.0, 2.0]))
    for indices in (3, -4, [0, 3]):
        yield draw.refused(f"an index out of range, in {indices}", draw.normal(3, 5), indices)
    yield draw.refused("an index that is not a whole number", draw.normal(3), [0, 0.5])
    yield draw.refused("true and false", draw.normal(2), [True, False])
    yield draw.refused("no such axis", draw.normal(3), 0, 1)


@einsum.samples
def _(draw):
    a, b = np.array([[1.0, -2.0, 0.5], [0.0, 3.0, 1.5]]), np.array([[2.0, 1.0], [0.5, -1.0], [4.0, 0.25]])
    product = np.array([[3.0, 3.125], [7.5, -2.625]])
    yield draw.known("a product of matrices, PyTorch's einsum", product, "ij,jk->ik", (a, b))
    yield draw.known("the same without an arrow", product, "ij, jk", (a, b))
    yield draw.known("a trace of a product, PyTorch's einsum", 0.375, "ij,ji->", (a, b))
    yield draw.known("a trace", 1.0, "ii->", (b[:2],))
    yield draw.known("a diagonal", np.array([2.0, -1.0]), "ii->i", (b[:2],))
    yield draw.known("a single number", 6.0, ",->", (2.0, 3.0))
    yield "ij,jk->ik", (draw.normal(3, 4), draw.normal(4, 5))
    yield "...ij,...jk->...ik", (draw.normal(2, 1, 3, 4), draw.normal(5, 4, 3))
    yield "bnhd,bmhd->bhnm", (draw.normal(2, 3, 4, 5), draw.normal(2, 6, 4, 5))
    yield "iij,jk,k->i", (draw.normal(3, 3, 4), draw.normal(4, 5), draw.normal(5))
    yield "i,j->ij", (draw.normal(3), draw.normal(4))
    yield "ij->", (draw.normal(3, 4),)
    yield "ij,jk->ik", (draw.normal(3, 0), draw.normal(0, 5))
    yield draw.refused("lengths that differ", "ij,jk", (a, a)).saying("axis j has the length 2 in arrays[1] but 3 in")
    yield draw.refused("fewer letters than axes", "i,jk", (a, b)).saying('of lengths (2, 3), but "i" names 1')
    yield draw.refused("fewer arrays than groups of letters", "ij,jk", (a,)).saying("letters for 2 arrays, but got 1")
    yield draw.refused("a letter of the result that no array has", "ij->ik", (a,)).saying('"ik"')
    yield draw.refused("a letter twice in the result", "ij->ii", (a,)).saying('"ii"')
    yield draw.refused("a digit for a letter", "i1", (a,)).saying("must be letters")


@sort.samples
def _(draw):
    yield draw.normal(2, 3, 4), 1
    yield draw.normal(5, 1), 0
    yield draw.known("by hand", np.array([-2.0, 0.5, 3.0]), np.array([3.0, -2.0, 0.5]))
    yield draw.known("columns", np.array([[0.0, 1.0], [2.0, 5.0]]), np.array([[2.0, 1.0], [0.0, 5.0]]), 0)
    yield draw.edge("equal entries", np.array([[2.0, 1.0, 2.0], [0.0, 0.0, 0.0]]))
    yield draw.edge("many equal entries", np.arange(40.0) % 3)
    yield draw.edge("a NaN and infinities", np.array([np.nan, np.inf, 0.5, -np.inf]))
    yield draw.refused("no such axis", draw.normal(3), 1).saying("axis 1 is out of range")
    yield draw.refused("a single number", np.asarray(0.5)).saying("0 axes")


@cumsum.samples
def _(draw):
    for exclusive in (False, True):
        for reverse in (False, True):
            yield draw.call(draw.normal(2, 3, 4), 1, exclusive=exclusive, reverse=reverse)
    x = np.array([1.0, 2.0, 3.0, 4.0])
    yield draw.known("by hand", np.array([1.0, 3.0, 6.0, 10.0]), x)
    yield draw.known("ONNX, exclusive", np.array([0.0, 1.0, 3.0, 6.0]), x, exclusive=True)
    yield draw.known("ONNX, reverse", np.array([10.0, 9.0, 7.0, 4.0]), x, reverse=True)
    yield draw.known("ONNX, both", np.array([9.0, 7.0, 4.0, 0.0]), x, exclusive=True, reverse=True)
    yield draw.known("rows", np.array([[1.0, 2.0], [4.0, 6.0]]), np.array([[1.0, 2.0], [3.0, 4.0]]), 0)
    yield draw.known("infinity as the last", np.array([0.0, 1.0]), np.array([1.0, np.inf]), exclusive=True)
    yield draw.normal(2, 0), 1
    yield draw.refused("no such axis", draw.normal(3), 1).saying("axis 1 is out of range")


@hookimpl
def opbook_properties():
    """State what sorting and adding up leave as it is."""

    def turned_over(op, spec, arrays):
        left, arrow, right = spec.partition("->")
        if not arrow or len(arrays) != 2 or "..." in spec:
            return None
        first, second = left.split(",")
        return op(f"{second},{first}->{right}", arrays[::-1]), op(spec, arrays)

    def sorted_twice(op, x, axis=-1):
        return op(op(x, axis), axis), op(x, axis)

    def turned_round(op, x, axis=-1):
        return op(np.flip(x, axis), axis), op(x, axis)

    def without_itself(op, x, axis=-1, *, exclusive=False, reverse=False):
        if not np.isfinite(x).all():
            return None
        return op(x, axis, exclusive=True, reverse=reverse) + x, op(x, axis, reverse=reverse)

    def both_ends(op, x, axis=-1, *, exclusive=False, reverse=False):
        if not np.isfinite(x).all():
            return None
        sums = op(x, axis) + op(x, axis, reverse=True) - x
        return sums, np.broadcast_to(np.sum(x, axis=axis, keepdims=True), x.shape)

    return [
        Property(
            "einsum", "turned over", "The order of two arrays changes nothing if their letters go along.", turned_over
        ),
        Property("sort", "sorted twice", "Sorting what is sorted changes nothing.", sorted_twice),
        Property("sort", "turned round", "The order that the entries came in changes no value.", turned_round),
        Property("cumsum", "exclusive", "An exclusive sum lacks the entry itself.", without_itself),
        Property("cumsum", "both ends", "The sums from both ends add up to the sum of all, and the entry.", both_ends),
    ]
