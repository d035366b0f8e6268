"""A tape that notes how each step was computed, conditions included, so that it can be computed with other numbers.

The tape of `vjp` has no use for what was asked of a value, as in `np.where(x <= 0, 0, x)`: a condition has no gradient,
and is a plain array. Here it is a value on the tape too, to which nothing comes back.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from opbook.autodiff import tree
from opbook.autodiff.tape import Pull, Tape, TapeValue, stop_gradient

QUESTIONS = {
    *(np.equal, np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal),
    *(np.logical_and, np.logical_or, np.logical_not, np.bitwise_and, np.bitwise_or, np.invert),
    *(np.isfinite, np.isnan, np.isinf, np.sign),
}
"""What is asked entry by entry."""


@dataclass(frozen=True)
class At:
    """An argument that is on the tape.

    Attributes:
        place: Its place there.
    """

    place: int


@dataclass(frozen=True)
class Operation:
    """How a step was computed.

    Attributes:
        function: The function of NumPy's.
        rule: What computes it and its derivatives.
        args: Its arguments: what is on the tape by its place.
        options: Its other arguments.
    """

    function: Any
    rule: Any
    args: tuple[Any, ...]
    options: Mapping[str, Any]


class FollowingTape(Tape):
    """A tape that keeps all values, and operations by the places of their steps.

    Args:
        follows: Whether conditions are on it too. Then a definition can't index with them.

    Attributes:
        is_straight: Whether it has all conditions, and no `if` or `while` asked for one of them.
    """

    def __init__(self, follows: bool) -> None:
        super().__init__()
        self.values: list[Any] = []
        self.operations: dict[int, Operation] = {}
        self.is_straight = follows
        self._follows = follows

    def record(self, value: Any, parents: Sequence[int], pull: Pull | None, function: Any = None) -> Any:
        """Enter a step, with its value."""
        self.values.append(tree.map(stop_gradient, value))
        if self._follows and getattr(getattr(value, "dtype", None), "kind", "") == "b":
            self.steps.append((parents, pull, function))
            return _Followed(value, self, len(self.steps) - 1)
        made = super().record(value, parents, pull, function)
        is_one = self._follows and isinstance(made, TapeValue)
        return _Followed(made.value, self, made._place) if is_one else made

    def compute(self, function: Any, rule: Any, args: Any, kwargs: Any, positions: Any, places: Any) -> Any:
        """Run the rule of a NumPy function, and enter the step, to which nothing comes back if it is a condition's."""
        value, vjps = rule(*args, **kwargs)
        back = {i: place for i, place in zip(positions, places, strict=True) if self._is_smooth(place)}
        if any(vjps[i] is None for i in back):
            return super().compute(function, rule, args, kwargs, positions, places)  # which refuses it
        pull = (lambda g: [vjps[i](g) for i in back]) if back else None
        made = self.record(value, list(back.values()), pull, function)
        on_tape = dict(zip(positions, places, strict=True))
        return self._noted(made, Operation(function, rule, _placed(args, on_tape), kwargs))

    def ask(self, function: Any, args: Sequence[Any]) -> Any:
        """Ask something of values, of which at least one is on the tape."""
        made = self.record(function(*map(stop_gradient, args)), (), None, function)
        on_tape = {i: x._place for i, x in enumerate(args) if isinstance(x, TapeValue)}
        return self._noted(made, Operation(function, function, _placed(args, on_tape), {}))

    def _noted(self, made: Any, operation: Operation) -> Any:
        if isinstance(made, TapeValue):  # a step of several arrays is none that can be computed again
            self.operations[made._place] = operation
        return made

    def _is_smooth(self, place: int) -> bool:
        """Whether it is an input, or changes with one."""
        parents, _, function = self.steps[place]
        return bool(parents) or function is None


class _Followed(TapeValue):
    """A value on such a tape."""

    __slots__ = ()

    def __bool__(self) -> bool:
        self._tape.is_straight = False  # type: ignore[attr-defined]
        return super().__bool__()

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        if ufunc in QUESTIONS and method == "__call__" and not kwargs:
            return self._tape.ask(ufunc, inputs)  # type: ignore[attr-defined]
        return super().__array_ufunc__(ufunc, method, *inputs, **kwargs)


def _placed(args: Sequence[Any], on_tape: Mapping[int, int]) -> tuple[Any, ...]:
    return tuple(At(on_tape[i]) if i in on_tape else x for i, x in enumerate(args))
