"""Gradients that are too long: clip_by_global_norm."""

from typing import TypedDict

import numpy as np

from opbook import Array, Tree, builtin, stop_gradient, tree
from opbook.errors import InputError


class Clipped(TypedDict):
    """The gradients after clipping, and how long they were before."""

    grads: Tree["P"]
    norm: Array[""]


# A single bad batch can give a gradient that is a thousand times as long as all others, and one step along it undoes
# the training of hours. So a gradient that is longer than max_norm is shortened to that length. Its direction stays the
# same, as *all* its arrays are multiplied by one number: the norm is taken over all entries of all of them, as if they
# stood in one long vector. Clipping each array, or each entry, by itself would turn it.
#
# Gradients within the limit come back as they are, bit for bit, and zeros stay zeros. In PyTorch and in Optax a little
# differs: PyTorch divides by the norm + 1e-6.
#
# Squares would overflow for large entries, and vanish for small ones, so the entries are divided by the largest of them
# before. A gradient with NaN or infinity has no length; clipping can't repair it, so it is an error that names the
# array.
#
# **The gradient.** Where nothing is clipped, it is the cotangent c of the result. Elsewhere, with n for the norm,
# u = g / n for the direction and M for max_norm, the result is M u. If g grows along u, u stays the same, so the
# cotangent loses its part along u; and what is left is scaled as g was:
#
# $$\frac{\partial L}{\partial g} = \frac{M}{n}\,\bigl(c - u\,\langle u, c\rangle\bigr) + c_n\,u,$$
#
# where ⟨u, c⟩ is the sum of the products over all entries of all arrays, and c_n the cotangent of the norm, whose
# gradient is the direction. At g = 0 the norm has a kink, and its gradient is 0. The gradient of M is ⟨u, c⟩.
@builtin(
    category="Optimization",
    aliases=(
        "clip_grad_norm_",
        "gradient clipping",
        "optax.clip_by_global_norm",
        "global norm",
        "max norm",
        "global_clipnorm",
    ),
)
def clip_by_global_norm(grads: Tree["P"], max_norm: float) -> Clipped:
    r"""Shortens gradients to a length that all their arrays have together.

    It keeps training alive where gradients are sometimes far too long, as in recurrences. All arrays are taken as one
    long vector: if its length is above max_norm, every entry is multiplied by the same factor, so the direction stays.
    Otherwise nothing changes. A NaN is an error, as it would spread to all entries.

    Args:
        grads: Gradients: an array, or records, tuples and lists of arrays.
        max_norm: The length that is allowed; above 0.

    Returns:
        A record of the grads, which are built as they came, and of the norm that they had.

    Raises:
        InputError: An entry is NaN or infinite, or max_norm is not above 0.

    Formula:
        $$\begin{gathered}
        n = \sqrt{\sum_i g_i^2}, \\
        y_i = g_i\,\min\left(1, \frac{M}{n}\right)
        \end{gathered}$$

        with max_norm as M, and the sum over all entries of all arrays.

    Source:
        Pascanu, Mikolov and Bengio, *On the difficulty of training recurrent neural networks* (2013), algorithm 1.
    """
    _check(grads, max_norm)
    largest = _largest(grads)
    if largest == 0:
        return {"grads": grads, "norm": tree.sum_of_squares(grads)}
    scaled = tree.map(lambda g: g / largest, grads)
    ratio = np.sqrt(tree.sum_of_squares(scaled))
    norm = largest * ratio
    if norm <= max_norm:
        return {"grads": grads, "norm": norm}
    return {"grads": tree.map(lambda g: g * (max_norm / ratio), scaled), "norm": norm}


@clip_by_global_norm.defvjp
def _(grads, max_norm):
    _check(grads, max_norm)
    largest = _largest(grads) or 1.0
    scaled = tree.map(lambda g: g / largest, grads)
    ratio = np.sqrt(tree.sum_of_squares(scaled))
    n, u = largest * ratio, tree.map(lambda g: g / (ratio or 1.0), scaled)
    if n <= max_norm:
        value = {"grads": grads, "norm": n}
        return value, lambda c: (tree.map(lambda c_y, u: c_y + c["norm"] * u, c["grads"], u), 0.0)

    def pullback(c):
        along = sum(np.sum(u * c_y) for u, c_y in tree.zip(u, c["grads"]))
        dg = tree.map(lambda c_y, u: max_norm / n * (c_y - along * u) + c["norm"] * u, c["grads"], u)
        return dg, along

    return {"grads": tree.map(lambda u: max_norm * u, u), "norm": n}, pullback


def _largest(grads):
    """The largest size of an entry; it only scales what is squared, so no gradient goes through it."""
    return max((float(np.max(np.abs(stop_gradient(leaf)), initial=0)) for leaf in tree.leaves(grads)), default=0.0)


def _check(grads, max_norm):
    if not max_norm > 0:
        raise InputError(f"clip_by_global_norm: max_norm must be above 0, but is {max_norm:g}")
    for path, leaf in zip(tree.paths(grads, "grads"), tree.leaves(grads), strict=True):
        if not np.all(np.isfinite(leaf)):
            bad = np.asarray(leaf)[~np.isfinite(leaf)].flat[0]
            raise InputError(
                f"clip_by_global_norm: {path} has the entry {bad:g}, so the gradients have no length; "
                "find out which step made it"
            )
