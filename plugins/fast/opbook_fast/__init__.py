"""Compiled rules for ops that are bound by memory, as an opbook plugin: an accelerator.

NumPy goes over an array once for every operation. Memory is slow and arithmetic is not, so most of the time goes there.
A compiled loop does all there is to do to a number while it is at hand.

The loops are Numba's. They run without Python's lock, on as many threads as `opbook.workers` shares work among, and are
compiled when they are first used: a few seconds, once, as the result is kept in a cache on disk. Small arrays are left
to the ops' own rules, and so is everything where Numba can't be used, after one warning.
"""

import importlib
import warnings
from functools import cache
from math import prod

import numpy as np
from opbook_layer_norm import check_columns, check_eps

from opbook import hookimpl, workers
from opbook.builtins.rule import Rule

TAKEN_FROM = 2**15
"""Arrays of fewer entries are left to the ops' own rules: those take about as long, and need no compiled code."""

SHARED_FROM = 2**17
"""Arrays of so many entries are shared among threads; for less, waking a thread takes longer than it saves."""


@cache
def compiled():
    """Import the compiled loops, and with them Numba.

    Returns:
        The module; None, with one warning, if that fails.
    """
    try:
        return importlib.import_module("opbook_fast.loops")
    except Exception as error:  # a Numba that does not fit NumPy or Python raises anything
        warnings.warn(
            f"opbook-fast is not used, as Numba can't be imported ({type(error).__name__}: {error}); the ops' own "
            "rules take its place. Mend it with: python -m pip install --upgrade numba",
            RuntimeWarning,
            stacklevel=2,
        )
        return None


def _layer_norm(x, gamma, beta, *, eps=1e-5):
    if x.size < TAKEN_FROM or compiled() is None:
        return NotImplemented
    check_columns(x)
    rows, gamma = np.ascontiguousarray(x.reshape(-1, x.shape[-1])), gamma.copy()
    beta = np.ascontiguousarray(beta)
    value, normed = np.empty_like(rows), np.empty_like(rows)
    reciprocal, variance = np.empty(len(rows), x.dtype), np.empty(len(rows))

    def normalize(cut):
        compiled().normalize(
            rows[cut], gamma, beta, float(eps), value[cut], normed[cut], reciprocal[cut], variance[cut]
        )

    cuts = _cuts(len(rows), rows.size)
    workers.share(normalize, cuts)
    check_eps(eps, variance)

    def pullback(g):
        g = np.ascontiguousarray(g.reshape(rows.shape))
        dx, sums = np.empty_like(g), np.zeros((len(cuts), 2, g.shape[1]))

        def pull(i):
            cut = cuts[i]
            compiled().pull_norm_back(g[cut], gamma, normed[cut], reciprocal[cut], dx[cut], *sums[i])

        workers.share(pull, range(len(cuts)))
        d_gamma, d_beta = sums.sum(axis=0).astype(g.dtype)
        return dx.reshape(x.shape), d_gamma, d_beta

    return value.reshape(x.shape), pullback


def _gelu(x, approximate="none"):
    if approximate != "none" or x.size < TAKEN_FROM or compiled() is None:
        return NotImplemented
    flat = np.ascontiguousarray(x).reshape(prod(x.shape))
    value, slope = np.empty_like(flat), np.empty_like(flat)
    workers.share(lambda cut: compiled().gelu(flat[cut], value[cut], slope[cut]), _cuts(flat.size, flat.size))
    slope = slope.reshape(x.shape)
    return value.reshape(x.shape), lambda g: (g * slope, None)


def _cuts(length, size):
    return workers.cuts(length, workers.count() if size >= SHARED_FROM else 1)


@hookimpl
def opbook_rules():
    """Add compiled rules for layer_norm and gelu."""
    return [Rule("layer_norm", "numba", _layer_norm), Rule("gelu", "numba", _gelu)]
