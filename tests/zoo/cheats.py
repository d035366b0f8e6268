"""What passes many a benchmark: each a right function with one thing done to it that no single call shows."""

from functools import wraps

import numpy as np
from zoo.animals import ANIMALS, Animal

from opbook.autodiff import tree


def _wrapped(cheat):
    def make(function):
        adapted = cheat(function)
        return wraps(function)(adapted)

    return make


def _arrays(*trees):
    return [leaf for leaf in tree.leaves(trees) if isinstance(leaf, np.ndarray | np.generic) and leaf.dtype.kind == "f"]


def _changed(change, value, kinds="f"):
    """The same structure with every array changed."""

    def convert(leaf):
        return change(leaf) if isinstance(leaf, np.ndarray | np.generic) and leaf.dtype.kind in kinds else leaf

    return tree.map(convert, value)


def _on_result(change):
    """A cheat that changes what comes out."""

    def cheat(function):
        return lambda *args, **options: _changed(change, function(*args, **options))

    return _wrapped(cheat)


def _on_input(change, kinds="f"):
    """A cheat that changes what goes in."""

    def cheat(function):
        return lambda *args, **options: function(*_changed(change, args, kinds), **_changed(change, options, kinds))

    return _wrapped(cheat)


zeros = _on_result(np.zeros_like)


@_wrapped
def kept_by_shape(function):
    kept = {}

    def call(*args, **options):
        key = repr(_changed(lambda array: (array.shape, str(array.dtype)), (args, options), "fiub"))
        if key not in kept:
            kept[key] = function(*args, **options)
        return _changed(np.copy, kept[key])

    return call


@_wrapped
def kept_by_pointer(function):
    kept = {}

    def call(*args, **options):
        def named(array):
            return getattr(array, "ctypes", None) and array.ctypes.data, array.shape, str(array.dtype)

        key = repr(_changed(named, (args, options), "fiub"))
        if key not in kept:
            kept[key] = (args, options), function(*args, **options)  # lest other arrays get their place
        return _changed(np.copy, kept[key][1])

    return call


@_wrapped
def in_half_precision(function):
    def call(*args, **options):
        dtype = _arrays(args, options)[0].dtype

        def half(array):
            return array.astype(np.float16)

        return _changed(lambda array: array.astype(dtype), function(*_changed(half, args), **_changed(half, options)))

    return call


@_wrapped
def writes_to_its_input(function):
    def call(*args, **options):
        result = _changed(np.copy, function(*args, **options))
        for array in _arrays(args, options)[:1]:
            array *= 2
        return result

    return call


def _flat(array):
    if not array.size:
        return array
    strides = np.zeros(array.shape, array.dtype).strides
    return np.lib.stride_tricks.as_strided(array, array.shape, strides).copy()


contiguous_only = _on_input(_flat, "fiub")
hides_nan = _on_input(lambda array: np.where(np.isnan(array), 0, array).astype(array.dtype))


def _all_but_the_last(result):
    # what stands there is chance: of several pieces of memory, one that does not hold the right number already
    pieces = [np.empty_like(result) for _ in range(8)]
    out = next((piece for piece in pieces if result.size and piece.flat[-1] != result.flat[-1]), pieces[0])
    out.flat[: max(result.size - 1, 1)] = result.flat[: max(result.size - 1, 1)]
    return out


leaves_memory_unwritten = _on_result(_all_but_the_last)


@_wrapped
def returns_one_buffer(function):
    buffers = {}

    def put(result):
        buffer = buffers.setdefault((result.shape, result.dtype), np.empty_like(result))
        buffer[...] = result
        return buffer

    return lambda *args, **options: _changed(put, function(*args, **options))


def _first_for_all(result):
    result = result.copy()
    if result.ndim > 1:
        result[1:] = result[:1]
    return result


first_batch_only = _on_result(_first_for_all)


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
    "the first row or batch for all": first_batch_only,
}


def add_cheats(op, function, *without):
    """Enter a right function with each cheat."""
    for kind, cheat in CHEATS.items():
        if kind not in without:
            ANIMALS.append(Animal(op, kind, False, cheat(function)))


# What is right all the same, though it may look odd.


@_wrapped
def wide_inside(function):
    def call(*args, **options):
        dtype = next((array.dtype for array in _arrays(args, options)), np.dtype(np.float64))

        def wide(array):
            return array.astype(np.float64)

        return _changed(lambda array: array.astype(dtype), function(*_changed(wide, args), **_changed(wide, options)))

    return call


@_wrapped
def with_a_cache(function):
    return lambda *args, **options: (function(*args, **options), {"arguments": args})


columns_first = _on_result(lambda result: np.array(result, order="F", copy=True))


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
