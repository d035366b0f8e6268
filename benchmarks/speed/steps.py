"""The way from a definition to its rule, step by step: what each step is worth, beside PyTorch."""

import importlib.util
import sys
from collections.abc import Callable, Iterator
from typing import Any, TypedDict
from unittest.mock import patch

from opbook_fast import blas

from opbook import ops, vjp
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
    works = {name: _work(f, args, case, task.cotangent) for name, f in _steps(getattr(ops, case.op))}
    works = {name: _alone(work) if "one thread" in name else work for name, work in works.items()}
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


def _steps(op: Any) -> Iterator[tuple[str, Callable[..., Any]]]:
    """The steps of an op: a name, and what is called."""
    own, in_numpy = op.with_rule("own"), op.with_rule("numpy")
    whole, cut = "in whole arrays", "in blocks"
    if op.name != "layer_norm":
        whole, cut = "with all scores at once", "in tiles"
    yield "definition, on the tape, one thread", op.definition
    yield f"closed form {whole}, one thread", own
    yield f"{cut}, one thread", in_numpy
    yield "two threads", in_numpy
    if any(rule.name == "numba" for rule in op.rules):
        yield "compiled, two threads", op.with_rule("numba")


def _work(op: Callable[..., Any], args: tuple[Any, ...], case: Case, cotangent: Any) -> Work:
    options = {"causal": True} if case.variant == "causal" else {}

    def work() -> Any:
        value, pullback = vjp(op, *args, **options)
        return value, pullback(cotangent)

    return work


def _alone(work: Work) -> Work:
    """The same work on one thread, that of BLAS included."""

    def run() -> object:
        with patch.object(blas.one_thread, "threads", lambda: 1), blas.one_thread:
            return work()

    return run
