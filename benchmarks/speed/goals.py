"""The goals of speed, and whether one run met them.

A goal that is missed has a reason, which was measured too: it is kept here, and shown while the goal is missed.
"""

from collections.abc import Iterator
from typing import Any, TypedDict

from speed.training import STEP

GRADIENTS_WITHIN, MEMORY_WITHIN = 1e-5, 1.2

MIDDLING = ("256×64", "512×64", "1024×64", "8×1024×64")
"""Sizes of attention that are held to PyTorch, which longer ones are held to only where its products are not faster."""

LIKE_TORCH, CAUSAL, TINY = 1.0, 0.75, 0.5
OF_PRODUCTS = {"scaled_dot_product_attention": 1.15, "transformer_block": 1.10}
"""Times the bare products in NumPy: the measure where PyTorch's own products are faster than NumPy's."""

_OWN_RULE = "no accelerator: the own rule takes a dozen passes in float64 over whole arrays"

REASONS = {
    "layer_norm": "the rule alone takes as long as PyTorch on one thread; the rest is what vjp copies",
    "batch_norm": _OWN_RULE,
    "group_norm": _OWN_RULE,
    "cross_entropy": "of few rows, a third of the time is what vjp checks and copies",
    "embedding": "four fifths are spent on sorting cotangents and adding them up in float64",
    "lstm_forward": "no accelerator: a hundred steps of a dozen calls of NumPy's each",
    "conv2d": "the three bare products by NumPy take 2.2 times as long as all that PyTorch does",
}
"""Why a goal is missed, by the first word of what it is for; measured on one thread of an AMD EPYC."""


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
    found = [
        *_of_training(results["training"]),
        *_of_families(results["families"]),
        *_of_rows(results.get("rows", [])),
        *_of_small_calls(results.get("costs", {})),
    ]
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


def _of_rows(rows: list[Any]) -> Iterator[tuple[str, float, float]]:
    for row in rows:
        what, ratios = f"{row['op']} {row['size']} {row['dtype']} {row['what']}", row["ratios"]
        if "torch" not in ratios or row["op"] == "layer_norm":
            continue
        size, _, variant = row["size"].partition(" ")
        to_torch, to_products = ratios["torch"][1], ratios["limit"][1]
        if row["op"] == "scaled_dot_product_attention" and size in MIDDLING:
            yield f"{what}: time / torch", to_torch, CAUSAL if variant == "causal" else LIKE_TORCH
        elif size == "8×16":
            yield f"tiny {what}: time / torch", to_torch, TINY
        elif ratios["torch's limit"][1] > to_products and row["op"] in OF_PRODUCTS:
            yield f"{what}: time / bare products", to_products, OF_PRODUCTS[row["op"]]
        else:
            yield f"{what}: time / torch", to_torch, LIKE_TORCH


def _of_small_calls(costs: dict[str, str]) -> Iterator[tuple[str, float, float]]:
    for name, text in costs.items():
        measured, _, goal = text.partition("; goal ")
        if goal:
            yield f"{name}: time / the bare formula", float(measured.split()[0]), float(goal)
