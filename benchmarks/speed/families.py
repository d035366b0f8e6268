"""One op or two of each family beside PyTorch, at the size of a training step of the course and at a large one."""

import importlib.util
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypedDict

import numpy as np

from opbook import ops, tree, vjp
from speed.cases import normal
from speed.rivals import beside_pytorch
from speed.timing import Work

WAY = "forward+VJP"
draw = partial(normal, dtype="float32")


@dataclass(frozen=True)
class Family:
    """An op at one size.

    Attributes:
        op: The builtin's name.
        size: The size, in words.
        args: Makes the positional arguments, in float32.
        options: The keyword arguments.
        goal: How long it may take, in times of PyTorch's better time.
    """

    op: str
    size: str
    args: Callable[[], tuple[Any, ...]] = field(repr=False)
    options: dict[str, Any] = field(default_factory=dict)
    goal: float = 1.2

    @property
    def name(self) -> str:
        """What it is called in tables and on the command line."""
        return f"{self.op} {self.size}"


class Measured(TypedDict):
    """A row: what came of a family's op, forward and VJP together.

    Attributes:
        op: The op and its size.
        milliseconds: As for a `Rivalry`.
        ratio: Likewise.
        goal: How large the ratio may be.
    """

    op: str
    milliseconds: dict[str, list[float]]
    ratio: list[float]
    goal: float


def _recurrent(gates: str, batch: int, length: int, d: int, h: int) -> tuple[Any, ...]:
    inputs = {f"w{gate}": draw(d, h, seed=i) / d**0.5 for i, gate in enumerate(gates)}
    states = {f"u{gate}": draw(h, h, seed=9 + i) / h**0.5 for i, gate in enumerate(gates)}
    return draw(batch, length, d), {**inputs, **states}


def _optimized(count: int, *shape: int) -> tuple[Any, ...]:
    params, grads = ([draw(*shape, seed=first + i) for i in range(count)] for first in (0, 100))
    return params, grads, {"m": grads, "v": [g * g for g in grads], "step": np.asarray(3)}


def _cases() -> Iterator[Family]:
    rng = np.random.default_rng(0)
    for n, d in ((1024, 128), (4096, 1024)):
        yield Family("layer_norm", f"{n}×{d}", lambda n=n, d=d: (draw(n, d), draw(d), draw(d)))
        yield Family("rms_norm", f"{n}×{d}", lambda n=n, d=d: (draw(n, d), draw(d)))
    for n, d in ((1024, 64), (16384, 128)):
        args = lambda n=n, d=d: (draw(n, d), draw(d), draw(d), np.zeros(d, "f4"), np.ones(d, "f4"))  # noqa: E731
        yield Family("batch_norm", f"{n}×{d}", args, {"training": True})
    for n, c, places in ((16, 32, 784), (32, 64, 3136)):
        args = lambda n=n, c=c, p=places: (draw(n, c, p), draw(c), draw(c), 8)  # noqa: E731
        yield Family("group_norm", f"{n}×{c}×{places}", args)
    for n, d in ((1024, 512), (4096, 2048)):
        yield Family("gelu", f"{n}×{d}", lambda n=n, d=d: (draw(n, d), "tanh"))
    for n, c in ((1024, 96), (4096, 8192)):
        args = lambda n=n, c=c: (draw(n, c), rng.integers(c, size=n))  # noqa: E731
        yield Family("cross_entropy", f"{n}×{c}", args)
    for n, v, d in ((1024, 96, 64), (8192, 32768, 256)):
        args = lambda n=n, v=v, d=d: (draw(v, d), rng.integers(v, size=n))  # noqa: E731
        yield Family("embedding", f"{n} of {v}×{d}", args)
    for batch, d, h in ((16, 32, 64), (64, 256, 256)):
        for op, gates in (("gru_forward", "rzn"), ("lstm_forward", "ifgo")):
            args = lambda g=gates, b=batch, d=d, h=h: _recurrent(g, b, 100, d, h)  # noqa: E731
            yield Family(op, f"100 steps, {batch}×{d}, {h}", args, goal=1.5)
    for n, c, side, kernels in ((16, 16, 28, 32), (8, 64, 56, 64)):
        args = lambda n=n, c=c, s=side, k=kernels: (draw(n, c, s, s), draw(k, c, 3, 3), draw(k))  # noqa: E731
        yield Family("conv2d", f"{n}×{c}×{side}×{side}, {kernels} of 3×3", args, {"padding": 1})
    for count, shape in ((100, (64, 32)), (4, (1024, 1024))):
        args = lambda c=count, s=shape: _optimized(c, *s)  # noqa: E731
        size = f"{count} of {'×'.join(map(str, shape))}"
        yield Family("adamw_step", size, args, {"lr": 1e-3, "weight_decay": 0.01})


FAMILIES = list(_cases())


def measured(chosen: list[Family], quick: bool) -> list[Measured]:
    """Measure ops of families.

    Args:
        chosen: Which ones.
        quick: Whether few rounds are enough.

    Returns:
        A row for each; none without PyTorch.
    """
    if not importlib.util.find_spec("torch"):
        return []
    return [_of(family, quick) for family in chosen]


def _of(family: Family, quick: bool) -> Measured:
    from speed.pytorch_families import work

    print(f"{family.name} ...", file=sys.stderr, flush=True)
    args = family.args()
    mine, value = opbook(family, args)
    found = beside_pytorch(
        {WAY: mine}, lambda: {WAY: work(family, args, value)}, seconds=0 if quick else 3, rounds=3 if quick else 7
    )[WAY]
    return {"op": family.name, **found, "goal": family.goal}


def opbook(family: Family, args: tuple[Any, ...]) -> tuple[Work, Any]:
    """What opbook does.

    Args:
        family: The op.
        args: Its arguments.

    Returns:
        What to time; the value, or the first array of it.
    """
    op = getattr(ops, family.op)
    if family.op == "adamw_step":
        return lambda: op(*args, **family.options), None
    value, _ = vjp(op, *args, **family.options)
    first = tree.leaves(value)[0]
    cotangent = tree.map(lambda leaf: leaf if leaf is first else None, value)  # running statistics have none

    def both() -> Any:
        value, pullback = vjp(op, *args, **family.options)
        return value, pullback(cotangent)

    return both, first
