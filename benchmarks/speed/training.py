"""Training steps of the GPT of the course's chapters 7 and 8, beside the same model in PyTorch."""

import importlib.util
import platform
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypedDict

import numpy as np
from opbook_course.gpt import loss_of, started

from opbook import ops, tree, value_and_grad
from speed.rivals import beside_pytorch
from speed.timing import Work

GRADIENTS, STEP = "loss and gradients", "whole step"
RATE = {"lr": 1e-3, "weight_decay": 0.01}


@dataclass(frozen=True)
class Model:
    """A model and the batches that it is trained on.

    Attributes:
        name: What it is called.
        sizes: The sizes of the model, as the course's `started` takes them.
        batch: How many texts a batch has.
    """

    name: str
    sizes: dict[str, int]
    batch: int

    @property
    def size(self) -> str:
        """The sizes, in words."""
        s = self.sizes
        return f"D {s['width']}, {s['layers']} layers, T {s['length']}, B {self.batch}"

    def start(self) -> tuple[Any, Any]:
        """Draw what a training starts with.

        Returns:
            The weights, in float32, and a batch of characters, with one more than the model sees.
        """
        rng = np.random.default_rng(7)
        weights = started(rng, **self.sizes, dtype=np.float32)
        return weights, rng.integers(self.sizes["symbols"], size=(self.batch, self.sizes["length"] + 1))


MODELS = (
    Model("names", {"symbols": 27, "length": 12, "width": 32, "heads": 4, "layers": 2}, 64),
    Model("text", {"symbols": 96, "length": 64, "width": 64, "heads": 4, "layers": 4}, 16),
    Model("wide", {"symbols": 96, "length": 128, "width": 128, "heads": 4, "layers": 4}, 8),
)


class Training(TypedDict):
    """What was measured of a model.

    Attributes:
        model: Its name and sizes.
        what: What was timed: loss and gradients, or the optimizer's step as well.
        milliseconds: As for a `Rivalry`.
        ratio: Likewise.
        difference: How far a gradient is from PyTorch's at most, beside the largest one of its array.
        mebibytes: The memory that a step takes beside the weights, in opbook and in PyTorch.
    """

    model: str
    what: str
    milliseconds: dict[str, list[float]]
    ratio: list[float]
    difference: float
    mebibytes: dict[str, float]


def measured(quick: bool) -> list[Training]:
    """Measure all models.

    Args:
        quick: Whether few rounds are enough.

    Returns:
        Two rows for each model; none without PyTorch.
    """
    if not importlib.util.find_spec("torch"):
        return []
    return [row for model in MODELS for row in _of(model, quick)]


def _of(model: Model, quick: bool) -> list[Training]:
    print(f"training of {model.name} ...", file=sys.stderr, flush=True)
    from speed.pytorch_gpt import Trainer

    mine = opbook_trainer(model)
    difference = furthest(mine.gradients()[1], Trainer(model).gradients_as_in_opbook())
    mebibytes = {library: memory_of_a_step(model, library) for library in ("opbook", "torch")}
    found = beside_pytorch(
        works_of(mine),
        lambda: works_of(Trainer(model)),
        seconds=0 if quick else 12,
        rounds=5 if quick else 9,
    )
    return [
        {"model": f"{model.name}: {model.size}", "what": what, **came, "difference": difference, "mebibytes": mebibytes}
        for what, came in found.items()
    ]


def works_of(trainer: Any) -> dict[str, Work]:
    """What a trainer of either library does, by what it is."""
    return {GRADIENTS: trainer.gradients, STEP: trainer.step}


@dataclass
class OpbookTrainer:
    """What opbook does.

    Attributes:
        gradients: Computes the loss and the gradients.
        step: Takes a step with AdamW as well.
    """

    gradients: Callable[[], Any]
    step: Callable[[], Any]


def opbook_trainer(model: Model, batch: int | None = None) -> OpbookTrainer:
    """Prepare the training of a model, as the course does it.

    Args:
        model: The model.
        batch: How many texts to take of a batch; all if it is left out.

    Returns:
        What to time.
    """
    weights, rows = model.start()
    rows, slope, now = rows[:batch], value_and_grad(loss_of), {"params": weights, "state": None}

    def step() -> Any:
        value, grads = slope(now["params"], rows)
        now.update(ops.adamw_step(now["params"], grads, now["state"], **RATE))
        return value

    return OpbookTrainer(lambda: slope(weights, rows), step)


def furthest(mine: Any, theirs: Any) -> float:
    """Compare gradients.

    Args:
        mine: A tree of arrays.
        theirs: A tree that is built alike.

    Returns:
        The largest difference in an array, divided by the largest entry of that array, of the array where that is most.
    """
    worst = max(np.max(np.abs(a - b)) / np.max(np.abs(b)) for a, b in tree.zip(mine, theirs))
    return float(f"{worst:.2g}")


_MEMORY = """
import ctypes, re, sys
from pathlib import Path

sys.path.insert(0, {folder!r})
from speed import training

def kilobytes(name):
    return int(re.search(name + r":\\s*(\\d+)", Path("/proc/self/status").read_text())[1])

model = next(m for m in training.MODELS if m.name == {model!r})
if {library!r} == "opbook":
    make = training.opbook_trainer
else:
    from speed.pytorch_gpt import Trainer as make
first = make(training.MODELS[-1], batch=1)
first.step(), first.step()  # loads code, starts threads, and compiles
trainer = make(model)
ctypes.CDLL(None).malloc_trim(0)  # what is free goes back to the system
before = kilobytes("VmRSS")
Path("/proc/self/clear_refs").write_text("5")  # forgets the peak
for _ in range(3):
    trainer.step()
print((kilobytes("VmHWM") - before) / 1024)
"""


def memory_of_a_step(model: Model, library: str) -> float:
    """Measure how far steps take the memory of a new process beyond what it has with the model at hand.

    Args:
        model: The model.
        library: "opbook" or "torch".

    Returns:
        MiB at the peak; 0 where the system does not tell.
    """
    if not Path("/proc/self/clear_refs").exists() or platform.libc_ver()[0] != "glibc":
        return 0.0
    code = _MEMORY.format(folder=str(Path(__file__).parents[1]), model=model.name, library=library)
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return round(float(run.stdout), 1)
