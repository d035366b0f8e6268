"""Runs the definition of a builtin on a tape that keeps what it computed, and pulls a cotangent back through it."""

import contextlib
import functools
import io
import sys
import warnings
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from types import CodeType
from typing import Any

import numpy as np

from opbook.autodiff import tree
from opbook.autodiff.backward import pull_back
from opbook.autodiff.derivatives.table import full_name
from opbook.autodiff.tape import FLOATS, Items, Pull, Tape, TapeValue, stop_gradient
from opbook.builtins.builtin import Builtin
from opbook.builtins.call import Call
from opbook.builtins.signature import CallShape
from opbook.checks.inputs import small_sample
from opbook.checks.samples import Draw
from opbook.errors import OpbookError
from opbook.pages.gradients import has_gradient
from opbook.pages.source import lines_above
from opbook.pages.tape.following import FollowingTape
from opbook.pages.tape.written import Written, is_parameter, written

MOST_STEPS = 25
"""A picture of more steps than this would not be read."""

_OWN_NAMES = {"take_items": "x[…]", "cast": "astype"}
"""Steps that no function of NumPy's stands for, as one would write them."""


@dataclass(frozen=True)
class Step:
    """A step of a tape, or one of its inputs.

    Attributes:
        function: What computed it, such as `np.exp`; "" for an input.
        name: What the definition calls it, such as `variance`; the path of an input, such as `heads[0].wq`; else "".
        code: The expression that it is the value of, as it is written; "" for an input.
        within: The function that the expression stands in, if that is not the definition itself.
        line: The line of the definition, as the page shows it, that was running.
        parents: Where in the trace the values stand that it was computed from; none for an input.
        value: What it computed.
        cotangent: What reached it on the way back.
        is_builtin: Whether it stands for all steps of a builtin.
        is_result: Whether its value is what the builtin returns.
        is_inner: Whether it is only on the way to the value of its expression, as the sum within a mean is.
        place: Where it stands on the tape.
    """

    function: str
    name: str
    code: str
    within: str
    line: int | None
    parents: tuple[int, ...]
    value: Any
    cotangent: Any
    is_builtin: bool = False
    is_result: bool = False
    is_inner: bool = False
    place: int = -1

    @property
    def is_input(self) -> bool:
        """Whether it is an input."""
        return not self.parents

    @property
    def kind(self) -> str:
        """What it is for the whole: an input, a step or the result."""
        return "input" if self.is_input else "result" if self.is_result else "step"

    @property
    def title(self) -> str:
        """What it is called: its name, or else what is written there."""
        return self.name or self.code or self.function

    @property
    def note(self) -> str:
        """What is written there, if the title does not say it."""
        return (self.code or self.function) if self.name and not self.is_input else ""


@dataclass(frozen=True)
class Trace:
    """What happened on a tape, as far as the result depends on it.

    Attributes:
        steps: Inputs and steps, each behind all that it was computed from.
        length: How many expressions there are where every builtin in the definition is written out.
        is_whole: Whether these are too many to be shown, so that the results stand for all of them.
        call: What was followed.
        tape: The tape that it was followed on.
        seeds: The cotangents that its results were given, by their places on the tape.
        again: Follows another call in the same way.
    """

    steps: tuple[Step, ...]
    length: int
    call: Call
    tape: FollowingTape
    seeds: Mapping[int, Any]
    again: Callable[[Call], "Trace | None"]
    is_whole: bool = False

    def as_written(self) -> tuple[Step, ...]:
        """The inputs and one step for each expression."""
        places: list[tuple[int, ...]] = []  # for each step where it stands, or what stands for it
        kept: list[Step] = []
        for step in self.steps:
            parents = tuple(dict.fromkeys(place for parent in step.parents for place in places[parent]))
            places.append(parents if step.is_inner else (len(kept),))
            if not step.is_inner:
                kept.append(replace(step, parents=parents))
        return tuple(kept)

    @property
    def computed(self) -> int:
        """How many expressions there are."""
        return sum(not (step.is_input or step.is_inner) for step in self.steps)

    @property
    def has_builtins(self) -> bool:
        """Whether builtins in it are single steps."""
        return any(step.is_builtin for step in self.steps)


@dataclass(frozen=True)
class _Entry:
    """What is known of a step while it is recorded, beside its value."""

    parents: Sequence[int]
    function: Any
    written: Written | None


class _Recorder(FollowingTape):
    """A tape that keeps every value, where it was computed, and what the definition calls it."""

    def __init__(self, definition: CodeType, detail: "_Detail", follows: bool) -> None:
        super().__init__(follows)
        self.entries: list[_Entry] = []
        self.names: dict[int, str] = {}
        self._definition = definition
        self._detail = detail

    def enter(self, array: Any, name: str) -> TapeValue:
        """Enter an input."""
        value = self.watch(array)
        self.names[value._place] = name
        return value

    def record(self, value: Any, parents: Sequence[int], pull: Pull | None, function: Any = None) -> Any:
        is_written = function and self._detail is not _Detail.RESULTS
        here = written(self._definition, sys._getframe(1), self._detail is _Detail.CALLS) if is_written else None
        if here:
            self._name_values(here)
        self.entries.append(_Entry(parents, function, here))
        return super().record(value, parents, pull, function)

    def _name_values(self, here: Written) -> None:
        """Give values the first names that they get, other than parameters of what was called with them."""
        for name, value, frame in here.names():
            if not isinstance(value, TapeValue) or value._tape is not self or value._place in self.names:
                continue
            computed = self.entries[value._place].written
            if not is_parameter(name, frame) or (computed and frame in computed.frames):
                self.names[value._place] = name


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Leave it to the checks to judge what a definition prints or warns of on the way."""
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def trace(op: Builtin) -> Trace | None:
    """Follow a small example of a builtin forwards and back.

    The builtins that the definition calls are written out as well, unless that makes more than `MOST_STEPS` steps. If
    they are still too many, the builtin itself is one step.

    Returns:
        The trace; None if there is nothing to differentiate, or no such example.
    """
    with quiet():
        try:
            sample = small_sample(op)
        except Exception:  # `samples` may raise anything; the checks report it
            return None
        if sample is None:
            return None
        try:
            call = op.bind(sample.args, sample.kwargs)
            written_out = _run(call, _Detail.STEPS)
            if written_out is None or written_out.computed <= MOST_STEPS:
                return written_out
            length = written_out.computed
            short = _run(call, _Detail.CALLS)
            if short is None or short.computed <= MOST_STEPS:
                return short and replace(short, length=length)
            whole = _run(call, _Detail.RESULTS)
            return whole and replace(whole, length=length, is_whole=True)
        except OpbookError:  # what the tape does not take, `verify` reports
            return None


class _Detail(Enum):
    """What steps of a tape are shown."""

    STEPS = 1
    CALLS = 2  # those of builtins as one
    RESULTS = 3  # only the last ones


def _run(call: Call, detail: _Detail) -> Trace | None:
    with contextlib.suppress(Exception):  # a definition may index with a condition, or count what is true
        return _follow(call, detail, follows=True)
    return _follow(call, detail, follows=False)


def _follow(call: Call, detail: _Detail, follows: bool) -> Trace | None:
    # Where values are on an outer tape too, builtins go through their definitions: what they do is then seen.
    around = Tape()
    tape = _Recorder(call.shape.definition.__code__, detail, follows)
    params = [p for p in call.shape.params if not p.keyword_only]

    def watch(leaf: Any, name: str) -> Any:
        if not isinstance(leaf, float | np.ndarray) or (isinstance(leaf, np.ndarray) and leaf.dtype not in FLOATS):
            return leaf
        return tape.enter(around.watch(np.asarray(leaf)), name)

    positional = []
    for param, argument in zip(params, call.positional, strict=True):
        if has_gradient(param.spec):
            paths = tree.paths(argument, param.name)
            watched = [watch(leaf, path) for leaf, path in zip(tree.leaves(argument), paths, strict=True)]
            argument = tree.unflatten(argument, watched)
        positional.append(argument)
    result = call.shape.definition(*positional, **call.keywords)
    found = zip(tree.leaves(result), tree.paths(result, "result"), strict=True)
    results = {leaf._place: path for leaf, path in found if isinstance(leaf, TapeValue) and leaf._tape is tape}
    if not results:
        return None
    tape.names = results | tape.names
    draw = Draw(f"the cotangent of {call.shape.name}", decimals=1)
    seeds = {place: _seed(tape.values[place], draw) for place in results}
    everywhere = range(len(tape.entries))
    cotangents = pull_back(tape, {place: around.watch(seed) for place, seed in seeds.items()}, everywhere)
    steps = _steps([*map(stop_gradient, cotangents)], tape, call.shape, results)
    made = Trace(steps, 0, call, tape, seeds, functools.partial(_follow, detail=detail, follows=follows))
    return replace(made, length=made.computed) if made.computed else None


def _seed(value: Any, draw: Draw) -> np.ndarray:
    """A cotangent of a result: 1 for a number, and numbers of either sign for an array."""
    return np.asarray(draw.normal(*np.shape(value)) if np.shape(value) else 1.0)


def _steps(cotangents: list[Any], tape: _Recorder, shape: CallShape, results: Container[int]) -> tuple[Step, ...]:
    # a step of several arrays stands as its items, as far as anything depends on them
    kept = [place for place, cotangent in enumerate(cotangents) if not isinstance(cotangent, Items | None)]
    where = {place: i for i, place in enumerate(kept)}
    origins = {place: _origin(tape, place) for place in kept}
    uses: dict[int, set[Any]] = {}
    for entry, _ in origins.values():
        for parent in entry.parents:
            uses.setdefault(parent, set()).add(entry.written.call if entry.written else None)
    above = lines_above(shape.definition)
    steps = []
    for place, (entry, item) in origins.items():
        here = entry.written
        builtin = here.builtin if here else shape.name  # which all steps are of where no expression is looked for
        is_last = place in results
        is_step = entry.function is not None
        steps.append(
            Step(
                function=(builtin or _name(entry.function)) + item if is_step else "",
                name=tape.names.get(place, ""),
                code=here.code and here.code + item if here else "",
                within=here.function if here and here.frames[1:] else "",
                line=here.line - above if here and above is not None else None,
                parents=tuple(where[parent] for parent in entry.parents),
                value=np.asarray(tape.values[place]),
                cotangent=np.asarray(cotangents[place]),
                is_builtin=is_step and bool(builtin),
                is_result=is_last,
                is_inner=is_step and not is_last and (here is None or uses[place] == {here.call}),
                place=place,
            )
        )
    return tuple(steps)


def _origin(tape: _Recorder, place: int) -> tuple[_Entry, str]:
    """The step that computed a value, and which of its arrays the value is, such as `[0]`."""
    entry = tape.entries[place]
    if not entry.parents or isinstance(tape.values[entry.parents[0]], np.ndarray | np.generic):
        return entry, ""
    (whole,) = entry.parents
    arrays = tape.values[whole]
    items = zip(tree.leaves(arrays), tree.paths(arrays, "_"), strict=True)
    floats = [path.removeprefix("_") for leaf, path in items if getattr(leaf, "dtype", None) in FLOATS]
    return tape.entries[whole], floats[place - whole - 1]


def _name(function: Any) -> str:
    return _OWN_NAMES.get(function.__name__) or full_name(function)
