"""What a test of an exercise expects of an answer: messages that a learner can work with, in one line of the test."""

import inspect
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np

from opbook.autodiff import tree
from opbook.autodiff.differentiate import vjp
from opbook.checks.comparison.case import judge
from opbook.checks.comparison.kernel import Arguments
from opbook.checks.comparison.libraries import Library
from opbook.checks.literals import python_call
from opbook.checks.subject import cotangent_of
from opbook.exercises.rules import Pullback, gradient_of, value_of

TOLERANCE = 1e-9

FEW = 12
"""A result of so many numbers or fewer is shown whole."""


def expect(function: Callable[..., Any], *args: Any, gives: Any, tolerance: float = TOLERANCE) -> None:
    """Call a function, and hold what it returns to what it must return.

    Args:
        function: The learner's function.
        *args: What it is called with; arrays are copied before.
        gives: What it must return; lists stand for arrays.
        tolerance: The relative error that is allowed.

    Raises:
        AssertionError: It returns something else, or writes into an argument; the message has both results.
    """
    call = python_call(_name(function), args, {})
    given = tree.map(_copied, args)
    with _noting(call):
        got = function(*given)
    _hold(call, got, gives, tolerance)
    _refuse_writing(call, args, given)


def expect_rule(rule: Callable[..., Any], definition: Callable[..., Any], *args: Any) -> None:
    """Compare a rule with its definition: the values, and the pullback with the tape's.

    Args:
        rule: The learner's rule: takes the arguments, returns the value and a pullback.
        definition: The function, in plain NumPy.
        *args: Arrays.

    Raises:
        AssertionError: A number differs; the message has the call, both numbers, and the argument's name.
    """
    value, pullback = vjp(definition, *args)
    forward = python_call(_name(rule), args, {})
    with _noting(forward):
        got_value = value_of(rule)(*tree.map(_copied, args))
    _hold(f"the value of {forward}", got_value, value, TOLERANCE)
    g = tree.map(lambda leaf: np.asarray(np.round(leaf, 1) + 0.0), cotangent_of(value))
    names = list(inspect.signature(rule).parameters)
    gradients = pullback(g)
    given = tree.map(_copied, args)
    kernel = Pullback(gradient_of(rule), Library("numpy", ""))
    call = kernel.written(Arguments((("g", g), *zip(names, args, strict=False)), {}))
    with _noting(call):
        got = gradient_of(rule)(_copied(g), *given)
    if len(got) != len(gradients):
        raise AssertionError(
            f"{call} must be a tuple of {len(gradients)}, one gradient for each argument, but has {len(got)}"
        )
    for name, mine, right in zip(names, got, gradients, strict=False):
        _hold(f"{call}: the gradient of {name}", mine, right, TOLERANCE)
    _refuse_writing(call, args, given)


@contextmanager
def _noting(call: str) -> Iterator[None]:
    """Note on an error which call raised it."""
    try:
        yield
    except Exception as error:
        error.add_note(f"on {call}")
        raise


def _hold(what: str, got: Any, right: Any, tolerance: float) -> None:
    got = tuple(got) if isinstance(right, tuple) and isinstance(got, list) else got
    if got is not None:
        got = _arrays(_placed(what, got, right), what)
    right = _arrays(right, what)
    status, _, message = judge(got, right, tolerance)
    if status == "passed":
        return
    if _is_short(right) and tree.map(np.shape, got) == tree.map(np.shape, right):
        raise AssertionError(f"{what} {_must_be(right, got)}")
    raise AssertionError(f"{what}: {message}")


def _placed(what: str, got: Any, right: Any) -> Any:
    """What came, with the fields of records in the order of what must come."""
    if isinstance(right, Mapping) and isinstance(got, Mapping) and got.keys() == right.keys():
        return {key: _placed(what, got[key], right[key]) for key in right}
    if isinstance(right, tuple) and isinstance(got, tuple) and len(got) == len(right):
        return tuple(_placed(what, *pair) for pair in zip(got, right, strict=True))
    if isinstance(right, tuple | Mapping) or isinstance(got, tuple | Mapping):
        raise AssertionError(f"{what}: expected {_kind(right)}, got {_kind(got)}")
    return got


def _kind(value: Any) -> str:
    if isinstance(value, Mapping):
        return f"a record with the fields {', '.join(map(str, value))}"
    return f"a tuple of {len(value)}" if isinstance(value, tuple) else "an array"


def _is_short(value: Any) -> bool:
    return sum(np.size(leaf) for leaf in tree.leaves(value)) <= FEW


def _must_be(right: Any, got: Any) -> str:
    """Both results, with as many decimals as it takes to tell them apart."""
    for decimals in (6, 9, 12, 17):
        wanted, found = _written(right, decimals), _written(got, decimals)
        if wanted != found:
            break
    return f"must be {wanted}, but is {found}"


def _arrays(value: Any, what: str) -> Any:
    """The same with arrays: a list is one, a tuple and a record hold several."""
    if isinstance(value, Mapping):
        return {key: _arrays(one, what) for key, one in value.items()}
    if isinstance(value, tuple):
        return tuple(_arrays(one, what) for one in value)
    try:
        return np.asarray(value)
    except ValueError:  # NumPy's, of nested lists
        raise AssertionError(f"{what}: expected an array, got lists of different lengths") from None


def _written(value: Any, decimals: int) -> str:
    if isinstance(value, tuple):
        return f"({', '.join(_written(one, decimals) for one in value)})"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{key}: {_written(one, decimals)}' for key, one in value.items())}}}"
    if value.dtype.kind == "b":
        return str(value.astype(int).tolist())
    return str(np.round(value.astype(float), decimals).tolist() if value.dtype.kind in "fiu" else value.tolist())


def _refuse_writing(call: str, args: Any, given: Any) -> None:
    for before, after in zip(tree.leaves(args), tree.leaves(given), strict=True):
        if isinstance(before, np.ndarray) and not np.array_equal(before, after, equal_nan=True):
            raise AssertionError(f"{call} writes into its argument: the caller's array is not the same afterwards")


def _copied(leaf: Any) -> Any:
    return leaf.copy() if isinstance(leaf, np.ndarray) else leaf


def _name(function: Any) -> str:
    return getattr(function, "__name__", "the function")
