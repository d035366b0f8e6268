"""Ops of the field: those that are declared beside this, and more that the checks must make inputs for."""

import numpy as np
from checks.declared_ops import append_to_cache, argmax, cross_entropy, embedding, gru_cell, is_close, sgd_step

from opbook import Array, builtin


def summed(g, like):
    """Undo broadcasting."""
    g = g.sum(axis=tuple(range(g.ndim - like.ndim)))
    axes = tuple(i for i in range(g.ndim) if like.shape[i] == 1 < g.shape[i])
    return g.sum(axis=axes, keepdims=True) if axes else g


@builtin(category="Arrays")
def total(arrays: tuple[Array["... D"], ...], start: Array["D"]) -> Array["... D"]:
    """Adds arrays up."""
    return sum(arrays, start)


@total.defvjp
def _(arrays, start):
    return sum(arrays, start), lambda g: (tuple(summed(g, a) for a in arrays), summed(g, start))


@builtin(category="Convolution & pooling")
def correlate(x: Array["L"], w: Array["K"]) -> Array["L-K+1"]:
    """Slides w over x, and takes the sum of products at each place."""
    return np.stack([(x[i : i + len(w)] * w).sum() for i in range(len(x) - len(w) + 1)])


@builtin(category="Arrays")
def shifted(x: Array["... D"], by: Array["D"] | float) -> Array["... D"]:
    """Adds a number, or one for each column."""
    return x + by


OPS = [embedding, cross_entropy, gru_cell, append_to_cache, is_close, argmax, sgd_step, total, correlate, shifted]
