"""The way from a definition to its rule, step by step: what each step is worth, beside PyTorch."""

import importlib.util
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any, TypedDict
from unittest.mock import patch

import opbook_layer_norm
from opbook_attention_weights import tiles

from opbook import ops, vjp, workers
from speed.cases import CASES, Case
from speed.contenders import pytorch, task_of
from speed.report import quartiles
from speed.timing import Contender, Work, measure

WAY = "forward+VJP"


class Step(TypedDict):
    """One step.

    Attributes:
        case: What was computed.
        step: What is new about it.
        milliseconds: The lower quartile, the median and the upper quartile.
        of_torch: The same of its time divided by PyTorch's, or nothing without PyTorch.
    """

    case: str
    step: str
    milliseconds: list[float]
    of_torch: list[float]


def measured(quick: bool) -> list[Step]:
    """Measure the steps.

    Args:
        quick: Whether few rounds are enough.

    Returns:
        The steps in order, those of one case after the other.
    """
    wanted = ("layer_norm 4096×1024 float32", "scaled_dot_product_attention 2048×64, causal float32")
    return [step for case in CASES if case.name in wanted for step in _of(case, 0.0 if quick else 5.0)]


def _of(case: Case, seconds: float) -> Iterator[Step]:
    print(f"steps of {case.name} ...", file=sys.stderr, flush=True)
    args = case.inputs(case.dtype)
    task = task_of(case, args)
    works = {
        name: _patched(_work(f, args, case, task.cotangent), changes)
        for name, f, changes in _steps(getattr(ops, case.op))
    }
    if importlib.util.find_spec("torch"):
        works["PyTorch"] = pytorch(task)[WAY]
    times = measure([Contender(name, {WAY: work}) for name, work in works.items()], seconds)[WAY]
    peer = times.pop("PyTorch", None)
    for name, taken in times.items():
        ratios = [a / b for a, b in zip(taken, peer, strict=True)] if peer else None
        yield {
            "case": case.name,
            "step": name,
            "milliseconds": quartiles([1e3 * t for t in taken]),
            "of_torch": quartiles(ratios) if ratios else [],
        }


Change = tuple[object, str, object]


def _steps(op: Any) -> Iterator[tuple[str, Callable[..., Any], list[Change]]]:
    """The steps of an op: a name, what is called, and what is switched off for it."""
    own, alone = op.with_rule("own"), (workers, "count", lambda: 1)
    yield "definition, on the tape", op.definition, [alone]
    if op.name == "layer_norm":
        yield "closed form in whole arrays, one thread", own, [alone, (opbook_layer_norm, "normalize", lambda *_: None)]
        yield "in blocks, one thread", own, [alone]
        yield "two threads", own, []
        if any(rule.name == "numba" for rule in op.rules):
            yield "compiled, two threads", op.with_rule("numba"), []
    else:
        yield "closed form with all scores at once, one thread", own, [alone, (tiles, "TILED_FROM", float("inf"))]
        yield "in tiles, one thread", own, [alone]
        yield "two threads", own, []


def _work(op: Callable[..., Any], args: tuple[Any, ...], case: Case, cotangent: Any) -> Work:
    options = {"causal": True} if case.variant == "causal" else {}

    def work() -> Any:
        value, pullback = vjp(op, *args, **options)
        return value, pullback(cotangent)

    return work


def _patched(work: Work, changes: list[Change]) -> Work:
    def run() -> object:
        with ExitStack() as stack:
            for where, name, value in changes:
                stack.enter_context(patch.object(where, name, value))
            return work()

    return run
