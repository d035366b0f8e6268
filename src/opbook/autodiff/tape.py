"""The tape: what reverse-mode differentiation of plain NumPy code records.

A [`Tape`][opbook.autodiff.tape.Tape] is a list of steps. Values made while `f` runs are
[`TapeValue`][opbook.autodiff.tape.TapeValue]s: each carries its array, its tape and its place on it, so there is no
global state and nothing to switch on. The order in which steps were recorded is a topological order, so the backward
pass is one loop over the list in reverse.

For the gradient of a gradient, an inner tape's values simply hold an outer tape's values where plain ones hold arrays.
"""

import copy
import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from opbook.autodiff import tree
from opbook.autodiff.derivatives import COMPOSITES, CONSTANTS, PRIMITIVES, UFUNC_REDUCTIONS, cast
from opbook.autodiff.derivatives.shaping import take_items
from opbook.autodiff.derivatives.table import full_name
from opbook.errors import DTypeError, TapeError, nearest

FLOATS = (np.dtype(np.float16), np.dtype(np.float32), np.dtype(np.float64))
"""The dtypes that opbook computes with."""

Pull = Callable[[Any], Sequence[Any]]
"""Takes the cotangent of a step's value, returns one gradient for each parent."""

_births = itertools.count()  # only orders tapes by age: an inner tape is always younger than the one around it


class Tape:
    """The steps of one `vjp` call, in the order in which they ran."""

    __slots__ = ("_steps", "age")

    def __init__(self) -> None:
        self.age = next(_births)
        self._steps: list[tuple[Sequence[int], Pull | None, Any]] = []

    def watch(self, array: Any) -> "TapeValue":
        """Enter an input.

        Args:
            array: The input.

        Returns:
            The value that stands for it on this tape.
        """
        return self.record(array, (), None)

    def record(self, value: Any, parents: Sequence[int], pull: Pull | None, function: Any = None) -> "TapeValue":
        """Enter a step.

        Args:
            value: What the step computed.
            parents: Places of the steps that it computed it from.
            pull: Its pullback, which must not change its argument.
            function: What computed it, by which the step can be named: a NumPy function or a builtin's call shape.

        Returns:
            The value, with its place on this tape.
        """
        if value.dtype not in FLOATS:
            raise DTypeError(
                f"the tape computes with float16, float32 and float64, but a step gave dtype {value.dtype}"
            )
        self._steps.append((parents, pull, function))
        return TapeValue(value, self, len(self._steps) - 1)

    def pull_back(self, cotangents: dict[int, Any], inputs: Sequence[int]) -> list[Any]:
        """Run the tape in reverse. Nothing is changed in place, so it can be run again.

        Args:
            cotangents: Cotangents of values, by place.
            inputs: Places of the inputs whose gradients are asked for.

        Returns:
            One gradient for each of `inputs`; None where the values do not depend on it.
        """
        wanted = set(inputs)
        pending = dict(cotangents)
        for place in range(max(pending, default=-1), -1, -1):
            parents, pull, _ = self._steps[place]
            if pull is None or place not in pending:
                continue
            g = pending[place] if place in wanted else pending.pop(place)
            for parent, gradient in zip(parents, pull(g), strict=True):
                pending[parent] = pending[parent] + gradient if parent in pending else gradient
        return [pending.get(place) for place in inputs]


class TapeValue(NDArrayOperatorsMixin):
    """An array on a tape. It takes NumPy's functions, operators and methods, as an array does.

    Comparisons give plain Boolean arrays, and `bool(x < 0)` works, so ordinary `if` statements do. What would silently
    lose the gradient is refused with an error that says what to write instead.
    """

    __slots__ = ("_place", "_tape", "value")

    __hash__ = object.__hash__

    def __init__(self, value: Any, tape: Tape, place: int) -> None:
        self.value = value
        self._tape = tape
        self._place = place

    # What an array tells about itself

    @property
    def shape(self) -> tuple[int, ...]:
        """The array's shape."""
        shape: tuple[int, ...] = self.value.shape
        return shape

    @property
    def ndim(self) -> int:
        """How many axes the array has."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """How many entries the array has."""
        return int(np.prod(self.shape))

    @property
    def dtype(self) -> Any:
        """The array's dtype."""
        return self.value.dtype

    @property
    def T(self) -> Any:
        """The transpose."""
        return np.transpose(self)

    @property
    def mT(self) -> Any:
        """The transpose of the last two axes."""
        return np.swapaxes(self, -1, -2)

    def __len__(self) -> int:
        return len(self.value)

    def __repr__(self) -> str:
        return f"TapeValue({stop_gradient(self)!r})"

    def __format__(self, spec: str) -> str:
        return format(stop_gradient(self), spec)

    def __bool__(self) -> bool:
        return bool(stop_gradient(self))

    def __iter__(self) -> Any:
        return (self[i] for i in range(len(self)))

    def __getitem__(self, index: Any) -> Any:
        kept = tuple(_kept_index(i) for i in index) if isinstance(index, tuple) else _kept_index(index)
        return _apply(take_items, (self, kept), {})

    # What would lose the gradient without a word

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        raise TapeError(
            "a value on a tape can't become a plain array, as its gradient would be lost: build arrays of such values "
            "with np.stack or np.concatenate, or take opbook.stop_gradient(x) where no gradient is meant"
        )

    def __float__(self) -> float:
        raise TapeError(
            "float() of a value on a tape would lose its gradient, also that of y[0] = x: leave it an array (NumPy's "
            "functions take it), build arrays of such values with np.stack or np.concatenate, or "
            "take float(opbook.stop_gradient(x)) where no gradient is meant"
        )

    __int__ = __index__ = __complex__ = __float__

    def __setitem__(self, index: Any, value: Any) -> None:
        raise TapeError("a value on a tape can't be written into: build the new array with np.where or np.concatenate")

    # NumPy's dispatch protocols

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        if kwargs.get("out") is not None:
            raise TapeError(
                f"{full_name(ufunc)} can't write into an array (out=, += and the like) while it is being "
                "differentiated: write x = x + y instead of x += y"
            )
        kwargs.pop("out", None)
        if method == "reduce" and ufunc in UFUNC_REDUCTIONS:
            kwargs.setdefault("axis", 0)
            return _apply(UFUNC_REDUCTIONS[ufunc], inputs, kwargs)
        if method != "__call__":
            raise TapeError(f"{full_name(ufunc)}.{method} is not known to the tape: use NumPy functions such as np.sum")
        return _apply(ufunc, inputs, kwargs)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        return _apply(function, args, kwargs)

    # The methods of an array

    def astype(self, dtype: Any, **_: Any) -> Any:
        """Convert to another dtype; the gradient is converted back. Whole numbers and Booleans have no gradient.

        Args:
            dtype: The dtype.
            **_: What NumPy takes as well, without effect here.

        Returns:
            The converted value, on the same tape; a plain array of whole numbers or Booleans.
        """
        kind = np.dtype(dtype).kind
        return stop_gradient(self).astype(dtype) if kind in "iub" else cast(self, np.dtype(dtype))

    def reshape(self, *shape: Any) -> Any:
        """`np.reshape`, also with the lengths as separate arguments."""
        return np.reshape(self, shape[0] if len(shape) == 1 else shape)

    def transpose(self, *axes: Any) -> Any:
        """`np.transpose`, also with the axes as separate arguments."""
        return np.transpose(self, (axes[0] if len(axes) == 1 else axes) or None)

    def flatten(self) -> Any:
        """`np.ravel`."""
        return np.ravel(self)


def _method(function: Callable[..., Any]) -> Callable[..., Any]:
    def method(self: TapeValue, *args: Any, **kwargs: Any) -> Any:
        return function(self, *args, **kwargs)

    method.__doc__ = f"`np.{function.__name__}`."
    method.__name__ = function.__name__
    return method


for _function in (
    *(np.sum, np.mean, np.var, np.std, np.max, np.min, np.prod, np.cumsum, np.trace, np.diagonal),
    *(np.ravel, np.squeeze, np.swapaxes, np.repeat, np.take, np.copy, np.clip, np.dot, np.round),
    *(np.argmax, np.argmin, np.argsort, np.all, np.any),
):
    setattr(TapeValue, _function.__name__, _method(_function))


def stop_gradient(x: Any) -> Any:
    """Take a value off every tape.

    Args:
        x: A value on a tape, or anything else.

    Returns:
        The plain array that `x` stands for, read-only; `x` itself if it is on no tape. What is computed from it has no
        gradient.
    """
    if not isinstance(x, TapeValue):
        return x
    while isinstance(x, TapeValue):
        x = x.value
    if isinstance(x, np.ndarray):  # the tape keeps this array, so nobody may write into it
        x = x.view()
        x.flags.writeable = False
    return x


def newest_tape(values: Sequence[Any]) -> Tape | None:
    """Find the innermost tape among values.

    Args:
        values: Values on tapes, and others.

    Returns:
        The youngest tape, or None if no value is on a tape.
    """
    newest: Tape | None = None
    for value in values:
        if isinstance(value, TapeValue) and (newest is None or value._tape.age > newest.age):
            newest = value._tape
    return newest


def off_tape(values: Sequence[Any], tape: Tape) -> tuple[list[Any], list[int], list[int]]:
    """Unwrap the values that are on one tape.

    Args:
        values: Values on that tape, on older ones, and others.
        tape: The tape.

    Returns:
        The values as `tape` sees them, the positions of those on it, and their places on it.
    """
    plain, positions, places = list(values), [], []
    for i, value in enumerate(values):
        if isinstance(value, TapeValue) and value._tape is tape:
            plain[i] = value.value
            positions.append(i)
            places.append(value._place)
    return plain, positions, places


def _kept_index(index: Any) -> Any:
    """Copy an index array, so that changing it later changes no gradient; other sequences of indices become arrays."""
    return np.array(stop_gradient(index)) if isinstance(index, np.ndarray | list | tuple | range | TapeValue) else index


def _kept(constant: Any) -> Any:
    """Copy what the caller may change."""
    if isinstance(constant, np.ndarray):
        return np.array(constant)
    return copy.deepcopy(constant) if isinstance(constant, list) else constant


def _apply(function: Any, args: Any, kwargs: Any) -> Any:
    """Run a NumPy function on values of which at least one is on a tape, and record it."""
    if function in CONSTANTS:
        return function(*tree.map_leaves(stop_gradient, tuple(args)), **tree.map_leaves(stop_gradient, kwargs))
    try:
        if function in COMPOSITES:
            return COMPOSITES[function](*args, **kwargs)
        known = PRIMITIVES.get(function)
        if known is None:
            raise _unknown(function)
        if known.unpack is not None:
            args, kwargs = known.unpack(*args, **kwargs)
        tape = newest_tape(args)
        if tape is None:
            raise TapeError(f"{full_name(function)} takes values on a tape only as positional arguments")
        plain, positions, places = off_tape(args, tape)
        # Arrays that are not on the tape belong to the caller, who may change them before the pullback runs.
        plain = [x if i in positions else _kept(x) for i, x in enumerate(plain)]
        value, vjps = known.rule(*plain, **kwargs)
    except TapeError:
        raise
    except TypeError as error:
        raise TapeError(f"the tape does not take {full_name(function)} with these arguments: {error}") from None
    for i in positions:
        if vjps[i] is None:
            raise TapeError(
                f"argument {i + 1} of {full_name(function)} has no gradient; take opbook.stop_gradient of it"
            )
    chosen: list[Any] = [vjps[i] for i in positions]
    return tape.record(value, places, lambda g: [vjp(g) for vjp in chosen], function)


def _unknown(function: Any) -> TapeError:
    name = full_name(function)
    known = {full_name(f).removeprefix("np."): f for f in (*PRIMITIVES, *COMPOSITES)}
    hint = nearest(name.removeprefix("np."), known)
    return TapeError(
        f"{name} is not known to the tape.{hint} Write it with functions that are (the list is in the "
        "documentation under Reference, Differentiable NumPy). If it is the faster way, it can stand in a builtin's "
        "rule (defvjp), beside a definition that does without it"
    )
