"""The training loop of chapters 7 and 8."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from opbook_optimization import adamw_step, clip_by_global_norm, cosine_schedule

from opbook import value_and_grad


class Step(NamedTuple):
    """Where a training is.

    Attributes:
        number: How many steps were taken.
        loss: That of the last batch, before the step.
        weights: Those after the step.
    """

    number: int
    loss: float
    weights: Any


def train(
    weights: Any,
    loss: Callable[[Any, np.ndarray], Any],
    batch: Callable[[], np.ndarray],
    *,
    steps: int,
    lr: float,
    warmup: int,
    max_norm: float = 1.0,
    weight_decay: float = 0.01,
    beta2: float = 0.99,
) -> Iterator[Step]:
    """Train, one step at a time.

    Args:
        weights: What to start from.
        loss: A function of the weights and a batch.
        batch: Draws the next batch.
        steps: How many steps the whole training has.
        lr: The learning rate at its peak, from which it falls to a tenth.
        warmup: After how many steps the peak is reached.
        max_norm: How long a gradient may be.
        weight_decay: As for `adamw_step`.
        beta2: As for `adamw_step`.

    Yields:
        Each step that was taken.
    """
    slope, state = value_and_grad(loss), None
    for number in range(steps):
        value, grads = slope(weights, batch())
        grads = clip_by_global_norm(grads, max_norm)["grads"]
        rate = float(cosine_schedule(number, steps=steps, warmup=warmup, lr=lr, floor=lr / 10))
        moved = adamw_step(weights, grads, state, lr=rate, beta2=beta2, weight_decay=weight_decay)
        weights, state = moved["params"], moved["state"]
        yield Step(number + 1, float(value), weights)


def held_out(loss: Callable[[Any, np.ndarray], Any], weights: Any, rows: np.ndarray, size: int = 64) -> float:
    """Take the mean loss over rows that were not trained on, some at a time.

    Args:
        loss: A function of the weights and a batch.
        weights: What to measure.
        rows: All rows, of one length.
        size: How many rows to take at a time.

    Returns:
        The mean over all rows.
    """
    parts = [rows[i : i + size] for i in range(0, len(rows), size)]
    return float(np.average([loss(weights, part) for part in parts], weights=[len(part) for part in parts]))
