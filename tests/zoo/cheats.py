"""What passes many a benchmark: each a right function with one thing done to it that no single call shows."""

from functools import wraps

import numpy as np
from zoo.animals import ANIMALS, Animal


def _wrapped(cheat):
    def make(function):
        adapted = cheat(function)
        return wraps(function)(adapted)

    return make


def _arrays(values):
    return [value for value in values if isinstance(value, np.ndarray) and value.dtype.kind == "f"]


@_wrapped
def zeros(function):
    return lambda *args, **options: np.zeros_like(function(*args, **options))


@_wrapped
def kept_by_shape(function):
    kept = {}

    def call(*args, **options):
        given = (*args, *options.values())
        key = repr([(a.shape, a.dtype) if isinstance(a, np.ndarray) else a for a in given])
        if key not in kept:
            kept[key] = function(*args, **options)
        return kept[key].copy()

    return call


@_wrapped
def kept_by_pointer(function):
    kept = {}

    def call(*args, **options):
        given = (*args, *options.values())
        key = repr([(a.ctypes.data, a.shape, a.dtype) if isinstance(a, np.ndarray) else a for a in given])
        if key not in kept:
            kept[key] = given, function(*args, **options)  # the arrays are kept, lest another one gets their place
        return kept[key][1].copy()

    return call


@_wrapped
def in_half_precision(function):
    def call(*args, **options):
        def half(value):
            return value.astype(np.float16) if isinstance(value, np.ndarray) and value.dtype.kind == "f" else value

        result = function(*map(half, args), **{name: half(value) for name, value in options.items()})
        return result.astype(next(iter(_arrays((*args, *options.values())))).dtype)

    return call


@_wrapped
def writes_to_its_input(function):
    def call(*args, **options):
        result = function(*args, **options)
        for array in _arrays((*args, *options.values()))[:1]:
            array *= 2
        return result

    return call


@_wrapped
def contiguous_only(function):
    def flat(value):
        if not isinstance(value, np.ndarray) or not value.size:
            return value
        strides = np.zeros(value.shape, value.dtype).strides
        return np.lib.stride_tricks.as_strided(value, value.shape, strides).copy()

    return lambda *args, **options: function(*map(flat, args), **{name: flat(v) for name, v in options.items()})


@_wrapped
def hides_nan(function):
    def clean(value):
        return (
            np.where(np.isnan(value), 0, value) if isinstance(value, np.ndarray) and value.dtype.kind == "f" else value
        )

    return lambda *args, **options: function(*map(clean, args), **{name: clean(v) for name, v in options.items()})


@_wrapped
def leaves_memory_unwritten(function):
    def call(*args, **options):
        result = function(*args, **options)
        out = np.empty_like(result)
        out.flat[: max(result.size - 1, 1)] = result.flat[: max(result.size - 1, 1)]
        return out

    return call


@_wrapped
def returns_one_buffer(function):
    buffers = {}

    def call(*args, **options):
        result = function(*args, **options)
        buffer = buffers.setdefault((result.shape, result.dtype), np.empty_like(result))
        buffer[...] = result
        return buffer

    return call


@_wrapped
def first_batch_only(function):
    def call(*args, **options):
        result = function(*args, **options)
        if result.ndim > 2 and len(result) > 1:
            result = result.copy()
            result[1:] = result[:1]
        return result

    return call


CHEATS = {
    "zeros are returned": zeros,
    "an answer kept by shape": kept_by_shape,
    "an answer kept by pointer": kept_by_pointer,
    "half precision inside": in_half_precision,
    "writes to its input": writes_to_its_input,
    "right for contiguous input only": contiguous_only,
    "hides a NaN": hides_nan,
    "leaves memory unwritten": leaves_memory_unwritten,
    "one buffer for all results": returns_one_buffer,
    "the first batch for all batches": first_batch_only,
}


def add_cheats(op, function, *without):
    """Enter a right function with each cheat."""
    for kind, cheat in CHEATS.items():
        if kind not in without:
            ANIMALS.append(Animal(op, kind, False, cheat(function)))


# What is right all the same, though it may look odd.


@_wrapped
def wide_inside(function):
    def wide(value):
        return value.astype(np.float64) if isinstance(value, np.ndarray) and value.dtype.kind == "f" else value

    def call(*args, **options):
        dtype = next((a.dtype for a in _arrays((*args, *options.values()))), np.dtype(np.float64))
        return function(*map(wide, args), **{name: wide(value) for name, value in options.items()}).astype(dtype)

    return call


@_wrapped
def with_a_cache(function):
    return lambda *args, **options: (function(*args, **options), {"arguments": args})


@_wrapped
def columns_first(function):
    return lambda *args, **options: np.array(function(*args, **options), order="F", copy=True)


IDIOMS = {
    "float64 inside, rounded at the end": wide_inside,
    "a cache beside the value": with_a_cache,
    "a result in Fortran order": columns_first,
}


def add_idioms(op, function):
    """Enter a right function as it is, and in each idiom."""
    ANIMALS.append(Animal(op, "as in a textbook", True, function))
    for kind, idiom in IDIOMS.items():
        ANIMALS.append(Animal(op, kind, True, idiom(function)))
