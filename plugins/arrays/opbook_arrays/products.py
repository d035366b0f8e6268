"""Products of any number of arrays, written with a letter for each axis: einsum."""

from typing import Any

import numpy as np

from opbook import Array, builtin
from opbook.autodiff.dtypes import as_float_array
from opbook.errors import InputError, ShapeError


# Every axis gets a letter. An axis with the same letter in several arrays is one and the same: their entries are
# multiplied where these numbers agree. A letter that is missing on the right of the arrow is summed over. So
# `"ij,jk->ik"` is the product of two matrices, `"ij->ji"` the transpose, `"ij->i"` the sums of the rows, and
# `"bij,bjk->bik"` a product for each matrix of a batch.
#
# A letter that stands twice in one array takes its diagonal: `"ii->"` is the trace of a matrix. `...` stands for any
# axes in front, which broadcast. Without an arrow, the result has the letters that stand once, in the order of the
# alphabet.
#
# **The gradient.** The result is a sum of products, in each of which an array's entry is one factor. So the gradient of
# one array is the product of the cotangent g with the other arrays, and it is an einsum itself: the letters of the
# result and of this array exchange their places. For y = einsum("ij,jk->ik", (a, b)),
#
# $$\mathrm da = \operatorname{einsum}(\text{"ik,jk->ij"}, (g, b)), \qquad
# \mathrm db = \operatorname{einsum}(\text{"ij,ik->jk"}, (a, g)).$$
#
# A letter that no other array has, and the result neither, was summed over: along it, every entry gets the same
# gradient. Of an array with a letter that stands twice, only the diagonal was used, so only the diagonal gets some.
@builtin(
    category="Arrays",
    aliases=("Einstein summation", "Einsum", "tensor contraction", "tensordot", "trace", "EinsumDense"),
)
def einsum(spec: str, arrays: tuple[Any, ...]) -> Array["..."]:
    r"""Multiplies arrays and sums over axes, as the letters of spec say.

    Matrix products, transposes, traces and the scores of all heads at once are one call, and the letters say which axis
    is which: `"ij,jk->ik"` is the matrix product. A letter that is missing on the right of the arrow is summed over,
    and `...` stands for batch axes. The arrays come as one tuple, in the order of their letters.

    Args:
        spec: Letters for the axes of each array, with commas between the arrays, and behind "->" those of the result.
        arrays: A tuple of arrays, one for each group of letters.

    Returns:
        An array with the axes of the letters on the right.

    Raises:
        ShapeError: There are more or fewer arrays than groups of letters, an array has another number of axes than
            letters, or axes of one letter differ in length.
        InputError: Something else than letters stands in spec, or the result has a letter twice, or one that no array
            has.

    Formula:
        $$y_{ik} = \sum_j a_{ij}\,b_{jk}$$

        for `"ij,jk->ik"`, and for other letters accordingly.

    Source:
        Einstein, *The Foundation of the General Theory of Relativity* (1916), section 5; NumPy's `np.einsum`; operator
        `Einsum` of ONNX opset 12.
    """
    parts = [as_float_array(array, f"einsum: arrays[{i}]") for i, array in enumerate(arrays)]
    _check(spec, [np.shape(part) for part in parts])
    return np.einsum(spec, *parts)


def _check(spec, shapes):
    """Refuse letters that do not fit the arrays, with the numbers of both."""
    left, _, right = spec.replace(" ", "").partition("->")
    terms = left.split(",")
    for group in (*terms, right):
        if group.replace("...", "", 1) and not group.replace("...", "", 1).isalpha():
            raise InputError(f'einsum: "{group}" must be letters, one for each axis, with ... at most once')
    if any(letter not in left or right.count(letter) > 1 for letter in right.replace("...", "")):
        raise InputError(f'einsum: "{right}", the result, must have each of its letters once, from those of the arrays')
    if len(terms) != len(shapes):
        raise ShapeError(f'einsum: "{left}" has letters for {len(terms)} arrays, but got {len(shapes)}')
    lengths = {}
    for i, (term, shape) in enumerate(zip(terms, shapes, strict=True)):
        for letter, length in _named(term, shape, i):
            known, where = lengths.setdefault(letter, (length, i))
            if known != length:
                raise ShapeError(
                    f"einsum: axis {letter} has the length {length} in arrays[{i}] but {known} in arrays[{where}]"
                )


def _named(term, shape, i):
    """Each letter of an array with the length of its axis."""
    before, dots, behind = term.partition("...")
    letters = before + behind
    if len(shape) < len(letters) or (len(shape) > len(letters) and not dots):
        raise ShapeError(
            f'einsum: arrays[{i}] has {len(shape)} axes, of lengths {shape}, but "{term}" names {len(letters)}; '
            "write a letter for each axis"
        )
    return zip(letters, (*shape[: len(before)], *shape[len(shape) - len(behind) :]), strict=True)
