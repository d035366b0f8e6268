"""What a page needs to make the picture of a tape live: its boxes, and where it can be computed again, its program."""

import json
from typing import Any

import numpy as np

from opbook.autodiff import tree
from opbook.autodiff.tape import FLOATS
from opbook.builtins.builtin import Builtin
from opbook.checks.samples import Draw
from opbook.pages.gradients import has_gradient
from opbook.pages.tape.following import Operation
from opbook.pages.tape.program import MOST, Program, flat
from opbook.pages.tape.tracing import Step, Trace, quiet

SPREADS = 2, 3, 50
"""How far from 0 the random numbers are, of either sign, with which it is tried whether the steps are the same."""


def as_data(found: Trace, op: Builtin) -> str:
    """Write a trace as the data of a page's script.

    Returns:
        JSON. Where another input may lead to other steps, or a step is none that the script knows, it has the values
        and cotangents of this one input; otherwise a program that computes them. "" if an array is too large.
    """
    steps = found.as_written()
    if any(step.value.size > MOST for step in steps):
        return ""
    program = Program(found.tape, [step.place for step in steps if step.is_result])
    can_be_live = found.tape.is_straight and bool(program.nodes)
    is_live = can_be_live and all(_same_steps(found, op, spread) for spread in SPREADS)
    boxes = [_box(step, found) | (_live(step, program) if is_live else _recorded(step)) for step in steps]
    data = {"boxes": boxes} | ({"nodes": program.nodes} if is_live else {})
    return json.dumps(data, separators=(",", ":"), ensure_ascii=False)


def _box(step: Step, found: Trace) -> dict[str, Any]:
    said = {"name": step.name, "code": step.code or step.function, "within": step.within, "line": step.line}
    box = {"parents": step.parents, "shape": step.value.shape, **{key: value for key, value in said.items() if value}}
    if step.is_input:
        box["given"] = flat(step.value)
    if step.is_result:
        box["seed"] = flat(found.seeds[step.place])
    return box


def _live(step: Step, program: Program) -> dict[str, Any]:
    return {"node": program.where[step.place]}


def _recorded(step: Step) -> dict[str, Any]:
    return {"value": flat(step.value), "incoming": flat(step.cotangent)}


def _same_steps(found: Trace, op: Builtin, spread: float) -> bool:
    """Follow random numbers of either sign, and see whether they take the same steps."""
    draw = Draw(f"input of {op.name}, {spread} from 0")

    def other(leaf: Any) -> Any:
        is_float = isinstance(leaf, float | np.ndarray | np.floating) and np.asarray(leaf).dtype in FLOATS
        return spread * draw.normal(*np.shape(leaf)) if is_float else leaf

    params = [p for p in found.call.shape.params if not p.keyword_only]
    args = tuple(
        tree.map(other, argument) if has_gradient(param.spec) else argument
        for param, argument in zip(params, found.call.positional, strict=True)
    )
    try:
        with quiet():
            again = found.again(op.bind(args, found.call.keywords))
    except Exception:  # not every number will do, and a definition may refuse some with any error
        return False
    return again is not None and _are_same(found.tape.operations, again.tape.operations)


def _are_same(some: dict[int, Operation], others: dict[int, Operation]) -> bool:
    if [(place, one.function) for place, one in some.items()] != [
        (place, one.function) for place, one in others.items()
    ]:
        return False
    left, right = (tree.leaves([[one.args, one.options] for one in ones.values()]) for ones in (some, others))
    return len(left) == len(right) and all(map(_is_same, left, right))


def _is_same(one: Any, other: Any) -> bool:
    if isinstance(one, float | np.ndarray | np.generic):
        return bool(np.array_equal(one, other, equal_nan=np.asarray(one).dtype.kind == "f"))
    return bool(one == other)
