"""Runs the definition of a builtin on a tape that keeps what it computed, and pulls a cotangent back through it."""

import contextlib
import io
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
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

MOST_STEPS = 25
"""A picture of more steps than this would not be read."""

_OWN_NAMES = {"take_items": "x[…]", "cast": "astype"}
"""Steps that no function of NumPy's stands for, as one would write them."""


@dataclass(frozen=True)
class Step:
    """A step of a tape, or one of its inputs.

    Attributes:
        name: The function, such as `np.exp`, or the input, such as `heads[0].wq`.
        parents: Where in the trace the values stand that it was computed from; none for an input.
        value: What it computed.
        cotangent: What reached it on the way back.
        is_builtin: Whether its function is a builtin, with whose rule it went back.
        is_result: Whether its value is what the builtin returns.
    """

    name: str
    parents: tuple[int, ...]
    value: Any
    cotangent: Any
    is_builtin: bool = False
    is_result: bool = False

    @property
    def is_input(self) -> bool:
        """Whether it is an input."""
        return not self.parents


@dataclass(frozen=True)
class Trace:
    """What happened on a tape, as far as the result depends on it.

    Attributes:
        steps: Inputs and steps, each behind all that it was computed from.
        length: How many steps the definition takes where every builtin in it is written out.
        is_rule: Whether they are too many, so that the builtin's own rule stands for all of them.
    """

    steps: tuple[Step, ...]
    length: int
    is_rule: bool = False

    @property
    def computed(self) -> int:
        """How many steps there are beside the inputs."""
        return sum(not step.is_input for step in self.steps)

    @property
    def has_builtins(self) -> bool:
        """Whether builtins in it are single steps."""
        return any(step.is_builtin for step in self.steps)


class _Recorder(Tape):
    """A tape that keeps every value."""

    def __init__(self) -> None:
        super().__init__()
        self.entries: list[tuple[Any, Sequence[int], Any]] = []

    def record(self, value: Any, parents: Sequence[int], pull: Pull | None, function: Any = None) -> Any:
        self.entries.append((tree.map(stop_gradient, value), parents, function))
        return super().record(value, parents, pull, function)


def trace(op: Builtin) -> Trace | None:
    """Follow a small example of a builtin forwards and back.

    The builtins that the definition calls are written out as well, unless that makes more than `MOST_STEPS` steps. If
    they are still too many, the builtin itself is one step.

    Returns:
        The trace; None if there is nothing to differentiate, or no such example.
    """
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what a definition does on the way is for the checks to judge
        try:
            sample = small_sample(op)
        except Exception:  # `samples` may raise anything; the checks report it
            return None
        if sample is None:
            return None
        try:
            call = op.bind(sample.args, sample.kwargs)
            written_out = _run(call, expand=True)
            if written_out is None or written_out.computed <= MOST_STEPS:
                return written_out
            short = _run(call, expand=False)
            if short is None or short.computed <= MOST_STEPS:
                return short and Trace(short.steps, written_out.computed)
            whole = _run(call, expand=False, whole=True)
            return whole and Trace(whole.steps, written_out.computed, is_rule=True)
        except OpbookError:  # what the tape does not take, `verify` reports
            return None


def _run(call: Call, *, expand: bool, whole: bool = False) -> Trace | None:
    # Where values are on an outer tape too, builtins go through their definitions: what they do is then seen.
    around = Tape() if expand else None
    tape = _Recorder()
    names: list[str] = []
    params = [p for p in call.shape.params if not p.keyword_only]

    def watch(leaf: Any, name: str) -> Any:
        if not isinstance(leaf, float | np.ndarray) or (isinstance(leaf, np.ndarray) and leaf.dtype not in FLOATS):
            return leaf
        names.append(name)
        return tape.watch(around.watch(np.asarray(leaf)) if around else np.asarray(leaf))

    positional = []
    for param, argument in zip(params, call.positional, strict=True):
        if has_gradient(param.spec):
            paths = tree.paths(argument, param.name)
            watched = [watch(leaf, path) for leaf, path in zip(tree.leaves(argument), paths, strict=True)]
            argument = tree.unflatten(argument, watched)
        positional.append(argument)
    if whole:
        floats = [leaf for leaf in tree.leaves(positional) if isinstance(leaf, TapeValue)]
        result = Call(call.shape, positional, call.keywords, floats).apply()
    else:
        result = call.shape.definition(*positional, **call.keywords)
    places = [leaf._place for leaf in tree.leaves(result) if isinstance(leaf, TapeValue) and leaf._tape is tape]
    if not places:
        return None
    draw = Draw(f"the cotangent of {call.shape.name}", decimals=1)
    seeds = {place: _seed(tape.entries[place][0], draw, around) for place in places}
    everywhere = range(len(tape.entries))
    cotangents = pull_back(tape, seeds, everywhere)
    return _trace([*map(stop_gradient, cotangents)], tape, names, set(places))


def _seed(value: Any, draw: Draw, around: Tape | None) -> Any:
    """A cotangent of a result: 1 for a number, and numbers of either sign for an array."""
    g = np.asarray(draw.normal(*np.shape(value)) if np.shape(value) else 1.0)
    return around.watch(g) if around else g


def _trace(cotangents: list[Any], tape: _Recorder, names: list[str], results: set[int]) -> Trace | None:
    # a step of several arrays stands as its items, as far as anything depends on them
    kept = [place for place, cotangent in enumerate(cotangents) if not isinstance(cotangent, Items | None)]
    where = {place: i for i, place in enumerate(kept)}
    steps = []
    for place in kept:
        value = tape.entries[place][0]
        parents, function, item = _origin(tape.entries, place)
        is_builtin = isinstance(function, CallShape)
        steps.append(
            Step(
                name=names[place] if function is None else _name(function) + item,
                parents=tuple(where[parent] for parent in parents),
                value=np.asarray(value),
                cotangent=np.asarray(cotangents[place]),
                is_builtin=is_builtin,
                is_result=place in results,
            )
        )
    found = Trace(tuple(steps), 0)
    return Trace(found.steps, found.computed) if found.computed else None


def _origin(entries: list[tuple[Any, Sequence[int], Any]], place: int) -> tuple[Sequence[int], Any, str]:
    """Where a value comes from: parents, function, and which of the function's arrays it is, such as `[0]`."""
    _, parents, function = entries[place]
    if not parents or isinstance(entries[parents[0]][0], np.ndarray | np.generic):
        return parents, function, ""
    (whole,) = parents
    arrays, parents, function = entries[whole]
    floats = [
        path
        for leaf, path in zip(tree.leaves(arrays), tree.paths(arrays), strict=True)
        if getattr(leaf, "dtype", None) in FLOATS
    ]
    return parents, function, floats[place - whole - 1]


def _name(function: Any) -> str:
    if isinstance(function, CallShape):
        return function.name
    return _OWN_NAMES.get(function.__name__) or full_name(function)
