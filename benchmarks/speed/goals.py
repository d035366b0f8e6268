"""What issue 17 set as goals, and whether one run met them.

A goal that is missed has a reason, which was measured too: it is kept here, and shown while the goal is missed.
"""

from collections.abc import Iterator
from typing import Any, TypedDict

from speed.training import STEP

GRADIENTS_WITHIN, MEMORY_WITHIN = 1e-5, 1.2

REASONS = {
    "conv2d": "the products of the gradient are as many as PyTorch's, which has Winograd's way of multiplying less",
    "lstm_forward": "no accelerator: 100 steps in NumPy, each of a dozen calls",
}
"""Why a goal is missed, by the first word of what it is for."""


class Goal(TypedDict):
    """A goal.

    Attributes:
        what: What it is for.
        measured: What was measured.
        bound: What it may be at most.
        reason: Why it is missed, as far as that was measured.
    """

    what: str
    measured: float
    bound: float
    reason: str


def judged(results: dict[str, Any]) -> list[Goal]:
    """Hold a run to the goals.

    Args:
        results: What was measured.

    Returns:
        A row for each goal whose case was in the run.
    """
    found = [*_of_training(results["training"]), *_of_families(results["families"])]
    return [
        {"what": what, "measured": measured, "bound": bound, "reason": REASONS.get(what.split()[0], "")}
        for what, measured, bound in found
    ]


def _of_training(rows: list[Any]) -> Iterator[tuple[str, float, float]]:
    for row in rows:
        yield f"{row['what']}, {row['model']}: time / torch", row["ratio"][1], 1.0
        if row["what"] == STEP:
            yield f"gradients, {row['model']}: difference from torch's", row["difference"], GRADIENTS_WITHIN
            mine, theirs = row["mebibytes"]["opbook"], row["mebibytes"]["torch"]
            if theirs:
                yield f"memory of a step, {row['model']}: opbook / torch", round(mine / theirs, 2), MEMORY_WITHIN


def _of_families(rows: list[Any]) -> Iterator[tuple[str, float, float]]:
    for row in rows:
        yield f"{row['op']}: time / torch", row["ratio"][1], row["goal"]
