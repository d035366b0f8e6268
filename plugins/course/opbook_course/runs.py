"""The stored run of chapter 8: how it was made, what came of it, and how it is made again."""

import hashlib
import json
import platform
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from opbook import tree
from opbook_course.data import ids_of, language_reference
from opbook_course.gpt import Weights, loss_of, started
from opbook_course.training import held_out, train

STORED = Path(__file__).parent / "stored"
TOLERANCE = 0.05  # nats: sums that are added up in another order lead elsewhere, but to a place as good
SEED, STEPS, EVERY = 8, 2400, 50
LENGTH, BATCH = 64, 16
MODEL = {"symbols": 96, "length": LENGTH, "width": 64, "heads": 4, "layers": 4}


class Point(NamedTuple):
    """A point of the curve.

    Attributes:
        step: How many steps were taken.
        trained: The mean loss of the batches since the last point; at step 0 that of the held-out rows.
        held_out: The loss on every eighth row of the text that is held out.
    """

    step: int
    trained: float
    held_out: float


@dataclass
class Run:
    """What came of a run.

    Attributes:
        weights: Those after the last step.
        curve: A point every 50 steps.
        text: The hash of what it was trained on.
        python: The version of Python, which decides the text.
    """

    weights: Weights
    curve: list[Point]
    text: str
    python: str

    @property
    def hash(self) -> str:
        """The first 16 digits of the SHA-256 of all weights, byte by byte."""
        return hash_of(*tree.leaves(self.weights))

    def save(self, folder: Path) -> Path:
        """Write the run into two files, and return that of the weights."""
        folder.mkdir(parents=True, exist_ok=True)
        file = folder / "text.npy"
        np.save(file, np.concatenate([leaf.ravel() for leaf in tree.leaves(self.weights)]))
        about = {"text": self.text, "python": self.python, "weights": self.hash, "curve": self.curve}
        (folder / "text.json").write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")
        return file


def stored() -> Run:
    """Open the run that comes with the course."""
    about = json.loads((STORED / "text.json").read_text("utf-8"))
    flat, weights = np.load(STORED / "text.npy"), started(np.random.default_rng(0), **MODEL)
    ends = np.cumsum([leaf.size for leaf in tree.leaves(weights)])
    parts = iter(np.split(flat, ends[:-1]))
    weights = tree.map(lambda leaf: next(parts).reshape(leaf.shape), weights)
    return Run(weights, [Point(*point) for point in about["curve"]], about["text"], about["python"])


def texts() -> tuple[np.ndarray, np.ndarray]:
    """Read the text of this Python: nine tenths to train on, and the rows that are held out, of 65 characters each."""
    ids = ids_of(language_reference())
    cut = len(ids) * 9 // 10
    held = ids[cut : cut + (len(ids) - cut) // (LENGTH + 1) * (LENGTH + 1)]
    return ids[:cut], held.reshape(-1, LENGTH + 1)


def again() -> Iterator[Run]:
    """Make the run once more.

    Yields:
        What was reached: before the first step, and every 50 steps.
    """
    known, held = texts()
    text, python = hash_of(known, held), platform.python_version()
    rng = np.random.default_rng(SEED)
    weights = started(rng, **MODEL, dtype=np.float32)

    def batch() -> np.ndarray:
        starts = rng.integers(len(known) - LENGTH, size=BATCH)
        return known[starts[:, None] + np.arange(LENGTH + 1)]

    def measured(weights: Any) -> float:
        return held_out(loss_of, weights, held[::8])

    loss = measured(weights)
    curve, losses = [Point(0, loss, loss)], []
    yield Run(weights, curve, text, python)
    for step in train(weights, loss_of, batch, steps=STEPS, lr=4e-3, warmup=100):
        losses.append(step.loss)
        if step.number % EVERY == 0:
            curve = [*curve, Point(step.number, float(np.mean(losses)), measured(step.weights))]
            losses = []
            yield Run(step.weights, curve, text, python)


def hash_of(*arrays: np.ndarray) -> str:
    """The first 16 digits of the SHA-256 of arrays, byte by byte."""
    digest = hashlib.sha256()
    for array in arrays:
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()[:16]


def curves_of_names() -> dict[int, np.ndarray]:
    """Open the curves of whole runs of chapter 7's loop, by seed.

    Returns:
        For each a row for each 40 steps, with the step and the held-out loss.
    """
    kept = json.loads((STORED / "names.json").read_text("utf-8"))
    return {int(seed): np.array(curve) for seed, curve in kept["curves"].items()}
