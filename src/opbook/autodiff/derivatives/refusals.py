"""What the tape refuses, and what to write instead; and the list of NumPy's functions with what becomes of each."""

import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from opbook.autodiff.derivatives.table import COMPOSITES, CONSTANTS, PRIMITIVES, full_name

REASONS: dict[str, tuple[str, ...]] = {
    "writes into its argument: build the new array with np.where, np.concatenate or np.stack": (
        *("np.copyto", "np.fill_diagonal", "np.place", "np.put", "np.put_along_axis", "np.putmask"),
    ),
    "has jumps in its result, and numbers that do not move with it: pass opbook.stop_gradient(x)": (
        *("np.histogram", "np.histogram2d", "np.histogramdd", "np.histogram_bin_edges"),
    ),
    "gives an array whose length depends on which entries are equal: pass opbook.stop_gradient(x), or use np.sort": (
        *("np.unique", "np.unique_all", "np.unique_counts", "np.unique_inverse", "np.unique_values", "np.union1d"),
        *("np.intersect1d", "np.setdiff1d", "np.setxor1d"),
    ),
    "gives complex numbers: for a symmetric matrix take np.linalg.eigh": ("np.linalg.eig", "np.linalg.eigvals"),
    "gives complex numbers: the coefficients of a polynomial with given zeros are np.poly": ("np.roots",),
    "gives complex numbers": ("np.sort_complex",),
    "gives the quotient of polynomials, whose length can change: write it with np.polymul and np.linalg.lstsq": (
        "np.polydiv",
    ),
    "reads memory that may not be its own: take np.lib.stride_tricks.sliding_window_view": (
        "np.lib.stride_tricks.as_strided",
    ),
    "is an old name of np.vstack": ("np.row_stack",),
    "is an old name of np.isin": ("np.in1d",),
    "gives neighbours in floating point, which have no slope": ("np.nextafter", "np.spacing"),
    "takes integers: they stay plain arrays as arguments of vjp and grad": (
        *("np.bitwise_and", "np.bitwise_or", "np.bitwise_xor", "np.bitwise_not", "np.invert", "np.bitwise_invert"),
        *("np.left_shift", "np.right_shift", "np.bitwise_left_shift", "np.bitwise_right_shift", "np.bitwise_count"),
        *("np.gcd", "np.lcm", "np.packbits", "np.unpackbits", "np.base_repr", "np.binary_repr"),
        *("np.ravel_multi_index", "np.unravel_index", "np.ix_"),
    ),
    "works with dates": (
        *("np.busday_count", "np.busday_offset", "np.is_busday", "np.isnat", "np.datetime_as_string"),
        "np.datetime_data",
    ),
    "writes to a file, where a gradient would be lost: save opbook.stop_gradient(x)": (
        *("np.save", "np.savetxt", "np.savez", "np.savez_compressed"),
    ),
    "makes a plain array, in which a gradient would be lost: leave values as they are, or join them with np.stack": (
        *("np.array", "np.asarray", "np.asanyarray", "np.asarray_chkfinite", "np.ascontiguousarray"),
        *("np.asfortranarray", "np.asmatrix", "np.bmat", "np.require", "np.from_dlpack", "np.frombuffer"),
        *("np.fromiter", "np.frompyfunc", "np.nested_iters"),
    ),
    "calls a function with one entry at a time: call it with the array, or write np.stack([f(v) for v in x])": (
        "np.vectorize",
    ),
}
"""Why functions are refused, and what to write."""

REFUSED = {name: reason for reason, names in REASONS.items() for name in names}
"""The reason for each of them."""

MODULES = (np, np.linalg, np.fft)
"""Whose public functions the list is about."""


def why_not(function: Callable[..., Any]) -> str:
    """Say what to do about a function that the tape does not know."""
    name = full_name(function)
    if name in REFUSED:
        return f"{name} {REFUSED[name]}"
    return (
        f"{name} is not known to the tape. Write it with functions that are (the list is in the "
        "documentation under Reference, Differentiable NumPy). If it is the faster way, it can stand in a builtin's "
        "rule (defvjp), beside a definition that does without it"
    )


def surface() -> list[tuple[str, str, str]]:
    """List NumPy's public functions with what becomes of them on a tape.

    Returns:
        `(name, what, why)` in alphabetical order: what is `"differentiated"`, `"constant"`, `"refused"` or, of those
        that nothing on a tape could be given to, `"no arrays"`; why says more of those that are refused.
    """
    rows = {}
    for name, function in _public():
        if function in PRIMITIVES or function in COMPOSITES:
            rows[name] = ("differentiated", "")
        elif function in CONSTANTS:
            rows[name] = ("constant", "")
        else:
            rows[name] = ("refused", REFUSED[name]) if name in REFUSED else ("no arrays", "")
    return [(name, *rows[name]) for name in sorted(rows, key=lambda name: (name.count("."), name.lower()))]


def _public() -> Iterator[tuple[str, Callable[..., Any]]]:
    for name in ("sliding_window_view", "as_strided"):
        yield f"np.lib.stride_tricks.{name}", getattr(np.lib.stride_tricks, name)
    for module in MODULES:
        prefix = module.__name__.replace("numpy", "np", 1)
        for name in module.__all__:
            thing = getattr(module, name)
            if (callable(thing) and not isinstance(thing, types.ModuleType | type)) or name == "vectorize":
                yield f"{prefix}.{name}", thing
