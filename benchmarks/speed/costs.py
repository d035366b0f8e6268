"""Costs that are not those of an op: starting, loading, recording, parsing, and memory."""

import importlib.util
import os
import statistics
import subprocess
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from opbook import ops, vjp
from opbook.notation import Session
from opbook.plugins.catalogue import catalogue
from speed.cases import normal
from speed.report import quartiles
from speed.textbook import attention, layer_norm

OPERATIONS = 1000
LENGTHS = (1024, 2048, 4096, 8192)
CATALOGUES = (4, 100, 1000)
SMALL = {(4, 8): 2.0, (128, 64): 1.3}
"""Sizes of layer_norm for which the checks of the arguments count, with the goal: how long a call may take at most, in
times of the bare formula."""
CALLS = 200


def measured(quick: bool) -> dict[str, str]:
    """Measure all of it.

    Args:
        quick: Whether few rounds are enough.

    Returns:
        What was measured, in words, by name.
    """
    print("costs ...", file=sys.stderr, flush=True)
    rounds = 3 if quick else 9
    return {
        **_starting(rounds),
        **_loading(3 if quick else 5),
        "notation": f"{_statements_a_second(rounds):,.0f} statements a second",
        **_recording(rounds),
        **_small_calls(rounds),
        **_memory(),
    }


def _fresh(code: str, **environment: str) -> list[float]:
    """Run code in a new process, with bytecode cached as it is after an installation; the numbers that it prints."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    with_cache = kept | {"PYTHONPYCACHEPREFIX": str(Path(tempfile.gettempdir()) / "opbook-benchmark")} | environment
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=with_cache)
    return [float(word) for word in run.stdout.split()]


_START = """
import time
start = time.perf_counter(); import numpy
numpy_there = time.perf_counter(); import opbook
opbook_there = time.perf_counter(); from opbook.ops import layer_norm
layer_norm(numpy.ones((4, 8)), numpy.ones(8), numpy.ones(8))
print(numpy_there - start, opbook_there - numpy_there, time.perf_counter() - opbook_there)
"""


def _starting(rounds: int) -> dict[str, str]:
    _fresh(_START)
    taken = [_fresh(_START) for _ in range(rounds)]
    ratios = [(first + second) / first for first, second, _ in taken]
    milliseconds = [1e3 * statistics.median(column) for column in zip(*taken, strict=True)]
    return {
        "import numpy": f"{milliseconds[0]:.0f} ms",
        "import opbook": f"{statistics.median(ratios):.2f} × import numpy [{min(ratios):.2f}–{max(ratios):.2f}]",
        "first call, which loads all plugins": f"{milliseconds[2]:.0f} ms",
    }


_LOAD = """
import pathlib, sys, time
import opbook.plugins.catalogue
files = sorted(pathlib.Path({folder!r}).glob("*.py"))
start = time.perf_counter()
found = opbook.plugins.catalogue.load(files)
print(time.perf_counter() - start, len(found))
"""

_BUILTIN = '''

@builtin(category="Made for a benchmark")
def op_{i}(x: Array["... N D"], w: Array["D M"], *, scale: float = 1.0) -> Array["... N M"]:
    """Multiplies two matrices.

    Args:
        x: The rows.
        w: The weights.
        scale: A factor.

    Returns:
        The product.
    """
    return scale * x @ w
'''


def _loading(rounds: int) -> dict[str, str]:
    """Catalogues of nothing but one-file plugins with up to ten builtins each."""
    found = {}
    disabled = ",".join(info.source.name for info in catalogue().plugins)
    for number in CATALOGUES:
        with tempfile.TemporaryDirectory() as folder:
            for first in range(0, number, 10):
                names = range(first, min(first + 10, number))
                text = "from opbook import Array, builtin, hookimpl\n" + "".join(_BUILTIN.format(i=i) for i in names)
                listed = ", ".join(f"op_{i}" for i in names)
                text += f"\n\n@hookimpl\ndef opbook_builtins():\n    return [{listed}]\n"
                Path(folder, f"plugin_{first}.py").write_text(text, encoding="utf-8")
            taken = [_fresh(_LOAD.format(folder=folder), OPBOOK_DISABLE=disabled) for _ in range(rounds + 1)][1:]
        assert all(count == number for _, count in taken)
        found[f"catalogue of {number}"] = f"{1e3 * statistics.median(seconds for seconds, _ in taken):.1f} ms"
    return found


def _statements_a_second(rounds: int) -> float:
    lines = [f"v{i} = [1.0, 2.0; 3.0, {i}.0] @ [1.0; 0.5] + {i}" for i in range(200)]
    program = "\n".join(lines)
    return len(lines) / min(_seconds(partial(Session(catalogue()).run, program)) for _ in range(rounds))


def _seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def _chain(x: Any) -> Any:
    """A thousand operations on four numbers: what takes time is not the arithmetic."""
    y = x
    for _ in range(OPERATIONS // 2):
        y = y * x + 1.0
    return y


def _recording(rounds: int) -> dict[str, str]:
    x = np.full(4, 0.5)
    works: dict[str, Callable[[], object]] = {"NumPy alone": lambda: _chain(x), "opbook": lambda: vjp(_chain, x)[1](x)}
    if importlib.util.find_spec("autograd"):
        import autograd

        works["autograd"] = lambda: autograd.make_vjp(_chain)(x)[0](x)
    if importlib.util.find_spec("mygrad"):
        import mygrad

        works["MyGrad"] = lambda: _chain(mygrad.tensor(x)).backward(x)
    taken: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(rounds):
        for name, work in works.items():
            taken[name].append(_seconds(work))
    plain = min(taken.pop("NumPy alone"))
    return {
        f"tape of {name}, per operation": f"{1e6 * (min(seconds) - plain) / OPERATIONS:.1f} µs"
        for name, seconds in taken.items()
    }


def _small_calls(rounds: int) -> dict[str, str]:
    """Whole calls beside the same formula in bare NumPy, in turns."""
    found = {}
    for (n, d), goal in SMALL.items():
        for dtype in ("float32", "float64"):
            args = normal(n, d, dtype=dtype), normal(d, dtype=dtype), normal(d, dtype=dtype, seed=1)
            ratios = []
            for _ in range(3 * rounds):
                mine, bare = (
                    _seconds(lambda: [work() for _ in range(CALLS)])  # noqa: B023
                    for work in (partial(ops.layer_norm, *args), partial(layer_norm, np, *args))
                )
                ratios.append(mine / bare)
            low, middle, high = quartiles(ratios)
            text = f"{middle:.2f} × the bare formula [{low:.2f}–{high:.2f}]; goal {goal:g}"
            found[f"call of layer_norm, {n}×{d} {dtype}"] = text
    return found


def _memory() -> dict[str, str]:
    """The peak of what NumPy allocates for attention and its gradients, beside the inputs."""
    found = {}
    for length in LENGTHS:
        q, k, v, g = (normal(length, 64, dtype="float32", seed=i) for i in range(4))

        def with_vjp(q: Any = q, k: Any = k, v: Any = v, g: Any = g) -> None:
            value, pullback = vjp(ops.scaled_dot_product_attention, q, k, v)
            value, pullback(g)

        text = f"{_peak(with_vjp):.1f} MiB"
        if importlib.util.find_spec("autograd") and length < LENGTHS[-1]:
            import autograd
            import autograd.numpy

            peer = partial(attention, autograd.numpy, bias=None)
            text += f"; autograd {_peak(lambda: autograd.make_vjp(peer)(q, k, v)[0](g)):.0f} MiB"  # noqa: B023
        found[f"memory of attention, {length}×64 float32"] = text
    return found


def _peak(work: Callable[[], object]) -> float:
    tracemalloc.start()
    work()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 2**20
