"""Rules compiled by Numba, where it is installed, for ops that are bound by memory.

NumPy goes over an array once for every operation. Memory is slow and arithmetic is not, so most of the time goes there.
A compiled loop does all there is to do to a number while it is at hand.

The loops run without Python's lock, and are compiled when they are first used: a few seconds, once, as the result is
kept in a cache on disk.
"""

import importlib
import importlib.util
import warnings
from functools import cache
from math import prod

import numpy as np

from opbook import tree
from opbook_fast import optimization
from opbook_fast.threads import cuts, share

TAKEN_FROM = 2**13
"""Arrays of fewer entries are left to other rules: those take about as long, and need no compiled code."""

LARGEST_FACTOR = 1e30
"""What a row may be multiplied by; in float32 there is nothing beyond 3e38."""

BLOCK = 2**14
"""How many entries are worked on before the next ones, where NumPy is asked between two loops."""

PART = 2**16
"""How many entries a thread gets at least; for less, waking it takes longer than it saves."""


def is_installed():
    """Tell whether Numba is there, without importing it, which takes a second.

    Returns:
        Whether it is; it may still fail when it is imported.
    """
    return importlib.util.find_spec("numba") is not None


@cache
def loops():
    """Import the compiled loops, and with them Numba.

    Returns:
        The module; None, with one warning, if that fails.
    """
    try:
        return importlib.import_module("opbook_fast.loops")
    except Exception as error:  # a Numba that does not fit NumPy or Python raises anything
        warnings.warn(
            f"the compiled rules of opbook-fast are not used, as Numba can't be imported ({type(error).__name__}: "
            f"{error}); other rules take their place. Mend it with: python -m pip install --upgrade numba",
            RuntimeWarning,
            stacklevel=2,
        )
        return None


def layer_norm(x, gamma, beta, *, eps=1e-5):
    """The rule for layer_norm."""
    if x.size < TAKEN_FROM or not eps >= 0 or loops() is None:
        return NotImplemented
    rows = np.ascontiguousarray(x.reshape(-1, x.shape[-1]))
    gamma, beta = np.ascontiguousarray(gamma), np.ascontiguousarray(beta)
    value, (centre, reciprocal, variance) = np.empty_like(rows), np.empty((3, len(rows)))
    parts = cuts(len(rows), rows.size // PART)

    def normalize(part):
        loops().normalize(
            rows[part], gamma, beta, float(eps), value[part], centre[part], reciprocal[part], variance[part]
        )

    share(normalize, parts)
    if eps == 0 and not variance.all():
        return NotImplemented  # a constant row, which the builtin's own rule refuses

    def pullback(g):
        g = np.ascontiguousarray(g.reshape(rows.shape))
        dx, sums = np.empty_like(g), np.zeros((len(parts), 2, g.shape[1]))

        def pull(i):
            part = parts[i]
            loops().pull_norm_back(g[part], gamma, rows[part], centre[part], reciprocal[part], dx[part], *sums[i])

        share(pull, range(len(parts)))
        d_gamma, d_beta = sums.sum(axis=0).astype(g.dtype)
        return dx.reshape(x.shape), d_gamma, d_beta

    return value.reshape(x.shape), pullback


def rms_norm(x, gamma, *, eps=1e-5):
    """The rule for rms_norm."""
    if x.size < TAKEN_FROM or not eps > 0 or loops() is None:
        return NotImplemented
    rows = np.ascontiguousarray(x.reshape(-1, x.shape[-1]))
    value, reciprocal, parts = np.empty_like(rows), np.empty(len(rows)), cuts(len(rows), rows.size // PART)
    share(lambda part: loops().scale_rows(rows[part], gamma, float(eps), value[part], reciprocal[part]), parts)
    if not 0 < reciprocal.min() <= reciprocal.max() < LARGEST_FACTOR:
        return NotImplemented  # rows that are not finite, or so small that a factor would be none in float32

    def pullback(g):
        g = np.ascontiguousarray(g.reshape(rows.shape))
        dx, sums = np.empty_like(g), np.zeros((len(parts), g.shape[1]))

        def pull(i):
            part = parts[i]
            loops().pull_scale_back(g[part], gamma, rows[part], reciprocal[part], dx[part], sums[i])

        share(pull, range(len(parts)))
        return dx.reshape(x.shape), sums.sum(axis=0).astype(g.dtype)

    return value.reshape(x.shape), pullback


def gelu(x, approximate="none"):
    """The rule for gelu in either form."""
    if x.size < TAKEN_FROM or loops() is None:
        return NotImplemented
    if approximate == "tanh":
        return _gelu_by_tanh(x)
    flat = np.ascontiguousarray(x).reshape(prod(x.shape))
    value, slope = np.empty_like(flat), np.empty_like(flat)
    share(lambda part: loops().gelu(flat[part], value[part], slope[part]), cuts(flat.size, flat.size // PART))
    slope = slope.reshape(x.shape)
    return value.reshape(x.shape), lambda g: (g * slope, None)


def _gelu_by_tanh(x):
    """Loops before and after NumPy's tanh, which computes many at a time, as no compiler does."""
    flat = np.ascontiguousarray(x).reshape(prod(x.shape))
    value, slope = np.empty_like(flat), np.empty_like(flat)

    def run(part):
        for start in range(part.start, part.stop, BLOCK):
            block = slice(start, min(start + BLOCK, part.stop))
            loops().bend(flat[block], value[block])
            np.tanh(value[block], out=value[block])
            loops().gelu_of_tanh(flat[block], value[block], slope[block])

    share(run, cuts(flat.size, flat.size // PART))
    slope = slope.reshape(x.shape)
    return value.reshape(x.shape), lambda g: (g * slope, None)


def adamw(params, grads, state=None, *, lr, beta1=0.9, beta2=0.999, eps=1e-8, weight_decay=0.0):
    """The rule for adamw_step, leaf by leaf."""
    options = {"lr": lr, "beta1": beta1, "beta2": beta2, "eps": eps, "weight_decay": weight_decay}
    leaves = optimization.leaves_in_one_precision(params, grads, state, options)
    if leaves is None or sum(leaf.size for leaf in leaves[0]) < TAKEN_FROM or loops() is None:
        return NotImplemented
    step = optimization.number_of(state)
    numbers = [lr, beta1, beta2, optimization.least(eps, leaves[0][0].dtype), weight_decay, step]
    new = [[np.empty(leaf.shape, leaf.dtype) for leaf in leaves[0]] for _ in range(3)]

    def run(task):
        arrays, part = task
        return loops().adamw(*(array[part] for array in arrays), *map(float, numbers))

    together = [[array.reshape(array.size) for array in arrays] for arrays in zip(*leaves, *new, strict=True)]
    large = [arrays for arrays in together if arrays[0].size > PART]
    tasks = [(arrays, cut) for arrays in large for cut in cuts(arrays[0].size, arrays[0].size // PART)]
    are_right = share(run, tasks)
    are_right += [run((arrays, slice(None))) for arrays in together if arrays[0].size <= PART]
    if not all(are_right):
        return NotImplemented  # the builtin's own definition says what is wrong
    return optimization.answer([tree.unflatten(params, part) for part in new], step, (params, grads, state), options)
