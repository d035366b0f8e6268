"""Ops of the field: those of the guide "Seven ops, declared", and more that the checks must make inputs for."""

import contextlib
import io
from pathlib import Path
from typing import Any

import numpy as np

from opbook import Array, builtin
from opbook.examples import find

GUIDE = Path(__file__).parents[2] / "docs" / "howto" / "seven-ops.md"


def _ops_of(guide: Path) -> dict[str, Any]:
    """What the code of the guide makes, but for its last example, which verifies all of it."""
    made: dict[str, Any] = {"__name__": __name__}
    with contextlib.redirect_stdout(io.StringIO()):
        for example in find(guide)[:-1]:
            exec(compile(example.code, str(guide), "exec"), made)
    return made


guide = _ops_of(GUIDE)
embedding, cross_entropy, gates, gru_cell = (guide[n] for n in ("embedding", "cross_entropy", "gates", "gru_cell"))
append_to_cache, is_close, argmax, sgd_step = (guide[n] for n in ("append_to_cache", "is_close", "argmax", "sgd_step"))


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
