"""The functions that differentiate: `vjp`, `grad` and `value_and_grad`."""

import operator
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np

from opbook.autodiff import tree
from opbook.autodiff.backward import pull_back
from opbook.autodiff.derivatives.complex_pairs import ComplexPair
from opbook.autodiff.dtypes import as_float_array
from opbook.autodiff.tape import FLOATS, Tape, TapeValue, newest_tape, off_tape
from opbook.errors import ArgumentError, DTypeError, ShapeError, TapeError

_ARRAYS = (np.ndarray, np.generic)


def _is_constant(leaf: Any) -> bool:
    return leaf is None or isinstance(leaf, str | bytes | bool) or callable(leaf) or _is_discrete(leaf)


def _is_discrete(leaf: Any) -> bool:
    """Whether it is an array, or a NumPy scalar, of integers or Booleans."""
    return isinstance(leaf, _ARRAYS) and leaf.dtype.kind in "iub"


def vjp(f: Callable[..., Any], *args: Any, **kwargs: Any) -> tuple[Any, Callable[[Any], Any]]:
    """Evaluate a function and get its pullback (vector-Jacobian product).

    Args:
        f: A function of arrays, records, tuples and lists, written with NumPy and builtins.
        *args: Its positional arguments, which are differentiated. Arrays of integers and Booleans stay as they are,
            so that they can index and choose; like None, text, True and False, and functions they have no gradient,
            and None stands in its place. A plain number such as 3 is taken as 3.0.
        **kwargs: Its keyword arguments, which are constants.

    Returns:
        `(value, pullback)`. `pullback(cotangent)` takes a cotangent of the value's structure and shapes, where None
        among several stands for zeros, and returns a tuple with one gradient per positional argument, each with its
        argument's structure, shapes and dtypes. It can be called many times.

    Raises:
        TapeError: `f` does something that the tape cannot differentiate.
        DTypeError: An argument that is not of real numbers.

    Examples:
        >>> value, pullback = vjp(lambda x: x * x, 3.0)
        >>> pullback(1.0)
        (np.float64(6.0),)
    """
    if not callable(f):
        raise ArgumentError(f"vjp and grad take a function first, but got a {type(f).__name__}")
    inputs = tree.leaves(args)
    if (
        hasattr(f, "value_and_pullback") and newest_tape([*inputs, *tree.leaves(kwargs)]) is None
    ):  # a builtin: its rule needs no tape
        return f.value_and_pullback(*args, **kwargs)  # type: ignore[no-any-return]
    tape = Tape(getattr(f, "differentiated", f))
    names = cache(lambda: [f"argument {path[1:].replace(']', '', 1)}" for path in tree.paths(args)])
    watched = [
        leaf if _is_constant(leaf) else tape.watch(_own(leaf, i, names), whole=isinstance(leaf, int))
        for i, leaf in enumerate(inputs)
    ]
    try:
        result = f(*tree.unflatten(args, watched), **kwargs)
        outputs = [_open(leaf) for leaf in tree.leaves(result)]
    except ValueError as error:
        if isinstance(error.__cause__, TapeError):  # said while NumPy tried to put a number into an array
            raise error.__cause__ from None
        raise
    finally:
        tape.close()

    plain, _, _ = off_tape(outputs, tape)
    value = tree.unflatten(result, [_own_value(leaf) for leaf in plain])
    places = [leaf._place if isinstance(leaf, TapeValue) and leaf._tape is tape else None for leaf in outputs]
    metas = [(leaf.shape, leaf.dtype) if place is not None else None for leaf, place in zip(plain, places, strict=True)]
    wanted = [(leaf._place, leaf.shape, leaf.dtype) if isinstance(leaf, TapeValue) else None for leaf in watched]
    structure, arguments = tree.map(lambda _: None, result), tree.map(lambda _: None, args)

    def pullback(cotangent: Any) -> Any:
        pending: dict[int, Any] = {}
        for place, meta, g in zip(places, metas, match_structure(cotangent, structure), strict=True):
            if place is not None and meta is not None and (g is not None or cotangent is None):
                g = fit_cotangent(g, *meta)
                pending[place] = pending[place] + g if place in pending else g
        found = iter(pull_back(tape, pending, [w[0] for w in wanted if w]))
        gradients = [None if w is None else _finished(next(found), w[1], w[2]) for w in wanted]
        return tree.unflatten(arguments, gradients)

    return value, pullback


def _own(leaf: Any, i: int, names: Callable[[], list[str]]) -> Any:
    """Copy an input, so that the caller may change it afterwards without changing a gradient; a number is no array."""
    if type(leaf) is np.ndarray and leaf.dtype in FLOATS:
        return np.array(leaf)  # without its name: to make the names of many takes longer than to copy them
    array = as_float_array(leaf, names()[i])
    if isinstance(array, TapeValue):
        return array
    return np.array(array) if isinstance(leaf, np.ndarray) else np.array(array)[()]


def _own_value(leaf: Any) -> Any:
    """Copy a result, for the same reason; scalars become NumPy scalars."""
    if isinstance(leaf, TapeValue):
        return leaf
    return np.array(leaf)[()] if isinstance(leaf, np.ndarray | np.generic) else leaf


def _open(leaf: Any) -> Any:
    """Refuse a result that was kept from an earlier call, and a complex one."""
    if isinstance(leaf, ComplexPair):
        raise DTypeError("the result is complex, and has no gradient: return its .real, its .imag or np.abs of it")
    if isinstance(leaf, TapeValue):
        leaf._tape.check_open([leaf._place])
    return leaf


def match_structure(cotangent: Any, structure: Any) -> list[Any]:
    """List a cotangent's leaves, after checking that it is built like the value.

    Raises:
        ArgumentError: The two are built differently.
    """
    if not isinstance(structure, tuple | list | dict):
        return [cotangent]
    if not tree.same_structure(structure, cotangent):
        expected, got = (", ".join(tree.paths(built, "value")) for built in (structure, cotangent))
        raise ArgumentError(f"the cotangent must be built like the value ({expected}), but has {got}")
    return tree.leaves_like(structure, cotangent)


def fit_cotangent(g: Any, shape: tuple[int, ...], dtype: Any) -> Any:
    """Check a cotangent against the value that it belongs to.

    Raises:
        ShapeError: Another shape; a cotangent is never broadcast.
    """
    g = as_float_array(g, "the cotangent")
    if g.shape != shape:
        raise ShapeError(f"the cotangent must have the value's shape {shape}, but has {g.shape}")
    return g if g.dtype == dtype else g.astype(dtype)


def _finished(gradient: Any, shape: tuple[int, ...], dtype: Any) -> Any:
    """Give a gradient its argument's shape and dtype, in memory of its own."""
    if gradient is None:
        return np.zeros(shape, dtype)[()]
    if isinstance(gradient, TapeValue):
        return gradient if gradient.dtype == dtype else gradient.astype(dtype)
    if gradient.dtype == dtype:
        return np.array(gradient)[()]
    with np.errstate(over="ignore"):  # beyond the range of a narrower dtype the honest answer is inf
        return np.array(gradient, dtype)[()]


def value_and_grad(f: Callable[..., Any], argnums: int | Sequence[int] = 0) -> Callable[..., tuple[Any, Any]]:
    """Make the function that computes `f` and its gradient.

    Args:
        f: A function whose value is a scalar.
        argnums: Which positional argument to differentiate, or a sequence of several.

    Returns:
        A function of the same arguments that returns `(value, gradient)`; the gradient has the structure and shapes of
        the argument, and is a tuple if `argnums` is a sequence.

    Raises:
        ShapeError: The value is not a scalar.
    """

    def differentiated(*args: Any, **kwargs: Any) -> tuple[Any, Any]:
        count = len(args)
        wanted = _positions(argnums)
        places = [i % count for i in wanted if -count <= i < count]
        if len(set(places)) < len(wanted):
            raise ArgumentError(
                f"argnums={argnums} must name different ones of the {count} arguments that were given by position"
            )

        def of_wanted(*chosen: Any) -> Any:
            complete = list(args)
            for place, value in zip(places, chosen, strict=True):
                complete[place] = value
            return f(*complete, **kwargs)

        for place in places:
            _refuse_discrete(place, args[place])
        of_wanted.differentiated = f  # type: ignore[attr-defined]
        value, pullback = vjp(of_wanted, *(args[i] for i in places))
        if not isinstance(value, TapeValue | np.floating | float | int) or isinstance(value, bool) or np.shape(value):
            shape = getattr(value, "shape", None)
            kind = (
                f"of dtype {value.dtype}"
                if shape == ()
                else f"of shape {shape}"
                if shape
                else f"a {type(value).__name__}"
            )
            raise ShapeError(f"grad needs a scalar value, but it is {kind}: sum it first, or use vjp with a cotangent")
        gradients = pullback(1.0)
        return value, gradients if isinstance(argnums, Sequence) else gradients[0]

    return differentiated


def _refuse_discrete(place: int, argument: Any) -> None:
    leaves = [leaf for leaf in tree.leaves(argument) if leaf is not None]
    if leaves and all(_is_discrete(leaf) for leaf in leaves):
        raise ArgumentError(
            f"argument {place} is of dtype {leaves[0].dtype}: arrays of integers and Booleans stay as they are, so "
            "that they can index, and have no gradient; pass x.astype(float) if it is to be differentiated"
        )


def _positions(argnums: Any) -> tuple[int, ...]:
    try:
        return tuple(map(operator.index, argnums if isinstance(argnums, Sequence) else (argnums,)))
    except TypeError:
        raise ArgumentError(f"argnums must be an integer or several, but is {argnums!r}") from None


def grad(f: Callable[..., Any], argnums: int | Sequence[int] = 0) -> Callable[..., Any]:
    """Make the gradient of a function.

    Args:
        f: A function whose value is a scalar.
        argnums: Which positional argument to differentiate, or a sequence of several.

    Returns:
        A function of the same arguments that returns the gradient, with the structure and shapes of the argument; a
        tuple of them if `argnums` is a sequence.

    Raises:
        ShapeError: The value is not a scalar.

    Examples:
        >>> grad(lambda x: x**3)(2.0)
        np.float64(12.0)
    """
    both = value_and_grad(f, argnums)

    def gradient(*args: Any, **kwargs: Any) -> Any:
        return both(*args, **kwargs)[1]

    return gradient
