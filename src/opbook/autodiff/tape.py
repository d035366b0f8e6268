"""The tape: what reverse-mode differentiation of plain NumPy code records.

A [`Tape`][opbook.autodiff.tape.Tape] is a list of steps. Values made while `f` runs are
[`TapeValue`][opbook.autodiff.tape.TapeValue]s: each carries its array, its tape and its place on it, so there is no
global state and nothing to switch on. The order in which steps were recorded is a topological order, so the backward
pass is one loop over the list in reverse.

For the gradient of a gradient, an inner tape's values simply hold an outer tape's values where plain ones hold arrays.
"""

import inspect
import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from opbook.autodiff import tree
from opbook.autodiff.constants import Complex, kept, kept_index
from opbook.autodiff.derivatives import COMPOSITES, CONSTANTS, PRIMITIVES, cast, why_not
from opbook.autodiff.derivatives.complex_pairs import ComplexPair
from opbook.autodiff.derivatives.cumulative import by_method
from opbook.autodiff.derivatives.indexing import take_items
from opbook.autodiff.derivatives.table import full_name
from opbook.autodiff.methods import ArrayMethods
from opbook.errors import DTypeError, OpbookError, TapeError

FLOATS = (np.dtype(np.float16), np.dtype(np.float32), np.dtype(np.float64))
"""The dtypes that opbook computes with."""

Pull = Callable[[Any], Sequence[Any]]
"""Takes the cotangent of a step's value, returns one gradient for each parent."""

_births = itertools.count()  # only orders tapes by age: an inner tape is always younger than the one around it


class Tape:
    """The steps of one `vjp` call, in the order in which they ran."""

    __slots__ = ("_age", "_closed", "_of", "_whole", "steps")

    def __init__(self, of: Callable[..., Any] | None = None) -> None:
        """Begin an empty tape.

        Args:
            of: What is differentiated. Only its name is kept: a function may hold values, and those hold the tape.
        """
        self._age = next(_births)
        self._of = (getattr(of, "__qualname__", "a function"), getattr(of, "__code__", None))
        self._closed = False
        self._whole: set[int] = set()
        self.steps: list[tuple[Sequence[int], Pull | None, Any]] = []

    def watch(self, array: Any, *, whole: bool = False) -> "TapeValue":
        """Enter an input.

        Args:
            array: The input.
            whole: Whether it was given as an integer of Python's, which may be an index or a count as well.
        """
        value: TapeValue = self.record(array, (), None)
        if whole:
            self._whole.add(value._place)
        return value

    def record(self, value: Any, parents: Sequence[int], pull: Pull | None, function: Any = None) -> Any:
        """Enter a step.

        Args:
            value: What the step computed: an array, or a record, tuple or list of them.
            parents: Places of the steps that it computed it from.
            pull: Its pullback, which must not change its argument. A step of several arrays gets a structure like
                `value`, with zeros for those that nothing depends on.
            function: What computed it, by which the step can be named: a NumPy function or a builtin's call shape.

        Returns:
            The value, with its place on this tape; of several, those that are not of floats stay plain.
        """
        try:
            known = value.dtype in FLOATS
        except AttributeError:
            return self._record_several(value, parents, pull, function)
        if not known:
            raise DTypeError(
                f"the tape computes with float16, float32 and float64, but a step gave dtype {value.dtype}"
            )
        if self._closed:
            self.check_open(parents)
        self.steps.append((parents, pull, function))
        return TapeValue(value, self, len(self.steps) - 1)

    def compute(self, function: Any, rule: Any, args: Any, kwargs: Any, positions: Any, places: Any) -> Any:
        """Run the rule of a NumPy function, and enter the step."""
        value, vjps = rule(*args, **kwargs)
        for i in positions:
            if vjps[i] is None:
                raise TapeError(
                    f"argument {i + 1} of {full_name(function)} has no gradient; take opbook.stop_gradient of it"
                )
        chosen = [vjps[i] for i in positions]
        return self.record(value, places, lambda g: [vjp(g) for vjp in chosen], function)

    def _record_several(self, value: Any, parents: Sequence[int], pull: Pull | None, function: Any) -> Any:
        """Enter one step of several arrays, and each array as an item of it."""
        if pull is None or tree.leaves(value) == [value]:
            raise TapeError(f"a step on a tape must compute arrays, but gave a {type(value).__name__}")
        items, structure = tree.flatten(value)
        metas = [(np.shape(item), getattr(item, "dtype", None)) for item in items]

        def pull_all(cotangents: Items) -> Sequence[Any]:
            filled = [
                cotangents[i] if i in cotangents else None if dtype is None else np.zeros(shape, dtype)
                for i, (shape, dtype) in enumerate(metas)
            ]
            return pull(tree.unflatten(structure, filled))

        self.steps.append((parents, pull_all, function))
        whole = len(self.steps) - 1
        entered = [
            self.record(item, (whole,), _pull_of_item(i), take_items) if dtype in FLOATS else item
            for i, (item, (_, dtype)) in enumerate(zip(items, metas, strict=True))
        ]
        return tree.unflatten(structure, entered)

    def close(self) -> None:
        """End the recording. A value of this tape that is computed with afterwards was kept, and is refused by name."""
        self._closed = True

    def check_open(self, places: Sequence[int]) -> None:
        """Refuse values of this tape if its recording has ended.

        Raises:
            TapeError: They were kept.
        """
        if not self._closed:
            return
        function = self.steps[places[0]][2] if places else None
        what = "an input" if function is None else f"what {_described(function)} computed"
        name, code = self._of
        place = f" ({code.co_filename}:{code.co_firstlineno})" if code else ""
        raise TapeError(
            f"{what} while {name}{place} was differentiated was kept, and is used again after that has ended: keep "
            "opbook.stop_gradient(x) of it, as of a running average, or return it from the function"
        )


class Items(dict[int, Any]):
    """The cotangent of several arrays, as far as anything depends on them, by their number."""

    def __add__(self, other: "Items") -> "Items":
        both = {i: self[i] + g if i in self else g for i, g in other.items()}
        return Items({**self, **both})


def _pull_of_item(i: int) -> Pull:
    return lambda g: (Items({i: g}),)


ON_TAPE: set[type] = set()
"""The classes of values on tapes: `type(x) in ON_TAPE` asks about them faster than `isinstance`."""


class TapeValue(ArrayMethods):
    """An array on a tape. It takes NumPy's functions, operators and methods, as an array does.

    Comparisons give plain Boolean arrays, and `bool(x < 0)` works, so ordinary `if` statements do; `isinstance` answers
    as for the array. What would silently lose the gradient is refused with an error that says what to write instead.
    """

    __slots__ = ("_place", "_tape", "value")

    __hash__ = object.__hash__

    def __init_subclass__(cls) -> None:
        ON_TAPE.add(cls)

    def __init__(self, value: Any, tape: Tape, place: int) -> None:
        self.value = value
        self._tape = tape
        self._place = place

    @property  # type: ignore[misc]
    def __class__(self) -> Any:  # a function that asks what it was given goes the way that it goes without a tape
        value = self.value
        while type(value) is TapeValue:
            value = value.value
        return type(value)

    def __repr__(self) -> str:
        return f"TapeValue({stop_gradient(self)!r})"

    def __format__(self, spec: str) -> str:
        return format(stop_gradient(self), spec)

    def __bool__(self) -> bool:
        return bool(stop_gradient(self))

    def __index__(self) -> int:
        if self._place in self._tape._whole:
            return int(stop_gradient(self))
        raise TapeError(
            "a value on a tape can't be an index or a count: arrays of integers stay plain, so that they can; or take "
            "int(opbook.stop_gradient(x))"
        )

    def __getitem__(self, index: Any) -> Any:
        kept = tuple(kept_index(i) for i in index) if isinstance(index, tuple) else kept_index(index)
        return _apply(take_items, (self, kept), {})

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        out = kwargs.pop("out", None)
        if out is not None and not (type(out[0]) is TapeValue and issubclass(out[0].__class__, np.generic)):
            # x += y makes a new number of a number, but writes into an array, which others may hold as well
            raise TapeError(
                f"{full_name(ufunc)} can't write into an array (out=, += and the like) while it is being "
                "differentiated: write x = x + y instead of x += y, and np.where instead of out= with where="
            )
        if method == "__call__":
            return _apply(ufunc, inputs, kwargs)
        return by_method(ufunc, method, inputs, kwargs)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        return _apply(function, args, kwargs)

    def astype(self, dtype: Any, **_: Any) -> Any:
        """Convert to another dtype; the gradient is converted back. Whole numbers and Booleans have no gradient.

        Returns:
            The converted value, on the same tape; a plain array of whole numbers or Booleans.
        """
        kind = np.dtype(dtype).kind
        return stop_gradient(self).astype(dtype) if kind in "iub" else cast(self, np.dtype(dtype))


ON_TAPE.add(TapeValue)


def stop_gradient(x: Any) -> Any:
    """Take a value off every tape.

    Args:
        x: A value on a tape, or anything else.

    Returns:
        The plain array that `x` stands for, read-only; `x` itself if it is on no tape. What is computed from it has no
        gradient.
    """
    if not isinstance(x, TapeValue):
        return stop_gradient(x.real) + 1j * stop_gradient(x.imag) if isinstance(x, ComplexPair) else x
    while isinstance(x, TapeValue):
        x = x.value
    if isinstance(x, np.ndarray):  # the tape keeps this array, so nobody may write into it
        x = x.view()
        x.flags.writeable = False
    return x


def newest_tape(values: Sequence[Any]) -> Tape | None:
    """Find the innermost tape among values.

    Returns:
        The youngest tape, or None if no value is on a tape.
    """
    newest: Tape | None = None
    for value in values:
        if isinstance(value, TapeValue) and (newest is None or value._tape._age > newest._age):
            newest = value._tape
    return newest


def off_tape(values: Sequence[Any], tape: Tape) -> tuple[list[Any], list[int], list[int]]:
    """Unwrap the values that are on one tape.

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


def _described(function: Any) -> str:
    return "x[...]" if function is take_items else function.name if hasattr(function, "name") else full_name(function)


def _apply(function: Any, args: Any, kwargs: Any) -> Any:
    """Run a NumPy function on values of which at least one is on a tape, and record it."""
    if function in CONSTANTS:
        return function(*tree.map(stop_gradient, tuple(args)), **tree.map(stop_gradient, kwargs))
    try:
        if not args:
            args, kwargs = _by_position(function, kwargs)
        if function in COMPOSITES:
            return COMPOSITES[function](*args, **kwargs)
        known = PRIMITIVES.get(function)
        if known is None:
            raise TapeError(why_not(function))
        if known.unpack is not None:
            args, kwargs = known.unpack(*args, **kwargs)
        tape = newest_tape(args)
        if tape is None or (kwargs and not ON_TAPE.isdisjoint(map(type, kwargs.values()))):
            raise TapeError(f"{full_name(function)} takes values on a tape only by position, and not for each option")
        plain, positions, places = off_tape(args, tape)
        # Arrays that are not on the tape belong to the caller, who may change them before the pullback runs.
        plain = [x if i in positions else kept(x) for i, x in enumerate(plain)]
        return tape.compute(function, known.rule, plain, kwargs, positions, places)
    except Complex:
        return NotImplemented
    except OpbookError:
        raise
    except TypeError as error:
        raise TapeError(f"the tape does not take {full_name(function)} with these arguments: {error}") from None


def _by_position(function: Any, kwargs: Any) -> tuple[Any, Any]:
    """The same call with its first arguments by position, which `np.sum(a=x)` has by name."""
    kwargs = dict(kwargs)
    names = itertools.takewhile(kwargs.__contains__, inspect.signature(function).parameters)
    return [kwargs.pop(name) for name in list(names)], kwargs
