"""What is measured for the growth of costs: curves, each of an amount that doubles, and one point of a curve."""

import os
import resource
import subprocess
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypedDict

import site_project

from opbook import ops, value_and_grad, vjp
from speed.cases import block_inputs, head_weights, normal

ENOUGH, LONG = 0.4, 5.0
"""Seconds of work after which a point is not measured again, the least of its times counts; and of work that is done
only once."""


@dataclass(frozen=True)
class Curve:
    """Costs against an amount.

    Attributes:
        name: The amount.
        what: What is done, in words.
        sizes: The amounts.
        work: Makes, of an amount, what is timed here; or None for what runs commands, and `command` is one.
        command: Arguments of opbook, run in a project of so many builtins.
    """

    name: str
    what: str
    sizes: tuple[int, ...]
    work: Callable[[int], Callable[[], object]] | None = None
    command: tuple[str, ...] = ()


class Point(TypedDict):
    """What one amount costs.

    Attributes:
        size: The amount.
        seconds: How long processors worked.
        mebibytes: The peak of what NumPy and Python hold beside the inputs; of commands, of the largest process.
        process: The peak of the process that measured it, in MiB, Python and libraries included.
    """

    size: int
    seconds: float
    mebibytes: float
    process: float


def _attention(rows: int) -> Callable[[], object]:
    q, k, v, g = (normal(rows, 64, dtype="float32", seed=i) for i in range(4))

    def work() -> object:
        value, pullback = vjp(ops.scaled_dot_product_attention, q, k, v, causal=True)
        return value, pullback(g)

    return work


def _multi_head(n_heads: int) -> Callable[[], object]:
    x, heads = normal(256, 512, dtype="float32"), head_weights(512, n_heads, "float32")

    def work() -> object:
        value, pullback = vjp(ops.multi_head_attention, x, heads, n_heads)
        return value, pullback(x)

    return work


def _layers(count: int) -> Callable[[], object]:
    x, weights = block_inputs(64, 64, 4)("float32")

    def loss(layers: Any) -> Any:
        rows = x
        for layer in layers:
            rows = ops.transformer_block(rows, layer, causal=True)
        return (rows * rows).sum()

    return lambda: value_and_grad(loss)([weights] * count)


def _batch(count: int) -> Callable[[], object]:
    _, weights = block_inputs(64, 64, 4)("float32")
    x = normal(count, 64, 64, dtype="float32")

    def work() -> object:
        value, pullback = vjp(ops.transformer_block, x, weights, causal=True)
        return value, pullback(x)

    return work


BUILTINS = (10, 30, 100, 300)

CURVES = (
    Curve("rows", "causal attention of 64 columns, with its gradients", tuple(2**i for i in range(8, 17)), _attention),
    Curve("heads", "multi-head attention of 256 × 512, with its gradients", (1, 2, 4, 8, 16, 32), _multi_head),
    Curve("layers", "a loss through blocks of 64 × 64, and its gradient", (1, 2, 4, 8, 16, 32), _layers),
    Curve("batch", "a block on a batch of 64 × 64, with its gradients", (1, 2, 4, 8, 16, 32, 64), _batch),
    Curve("builtins: catalogue", "`opbook list`", BUILTINS, command=("list",)),
    Curve("builtins: verify", "`opbook verify`", BUILTINS, command=("verify",)),
    Curve("builtins: site", "`opbook site build`, nothing cached", BUILTINS, command=("site", "build", "--strict")),
)


def measured(name: str, size: int) -> Point:
    """Measure one point, in a process that does nothing else.

    Args:
        name: The curve.
        size: The amount.

    Returns:
        What it costs.
    """
    curve = next(curve for curve in CURVES if curve.name == name)
    seconds, mebibytes = _of_work(curve.work(size)) if curve.work else _of_command(curve.command, size)
    process = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024 if curve.work else mebibytes
    seconds = float(f"{seconds:.4g}")
    return {"size": size, "seconds": seconds, "mebibytes": round(mebibytes, 2), "process": round(process)}


def _of_work(work: Callable[[], object]) -> tuple[float, float]:
    first = _seconds(work)  # loads and compiles what is needed, which counts only where it is little beside the rest
    times = [first] if first > LONG else [_seconds(work) for _ in range(3)]
    while sum(times) < ENOUGH:
        times.append(_seconds(work))
    tracemalloc.start()
    work()
    return min(times), tracemalloc.get_traced_memory()[1] / 2**20


def _seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def _of_command(command: tuple[str, ...], builtins: int) -> tuple[float, float]:
    """A command in a project of so many builtins, which has those of the book beside them."""
    with tempfile.TemporaryDirectory(prefix="opbook-growth-") as folder:
        environment = os.environ | site_project.write(Path(folder), builtins)
        names = map(site_project.name_of, range(builtins)) if command == ("verify",) else ()
        run = [sys.executable, "-m", "opbook", *command, *names]
        with subprocess.Popen(run, cwd=folder, env=environment, stdout=subprocess.DEVNULL) as process:
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"opbook {' '.join(command)} ended with {process.returncode}")
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024
