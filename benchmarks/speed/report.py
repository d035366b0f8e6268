"""The table of ratios, for a terminal and for RESULTS.md."""

import statistics
from typing import Any, TypedDict

from speed.cases import Case

OTHERS = ("torch", "torch.nn", "jax", "autograd", "mygrad", "limit", "torch's limit")


class Row(TypedDict):
    """One line of the table.

    Attributes:
        op: The builtin.
        size: The size, with the variant.
        dtype: The precision.
        what: "forward" or "forward+VJP".
        rounds: How often everybody was timed.
        milliseconds: For each contender, the lower quartile, the median and the upper quartile.
        ratios: For each other contender, opbook's time divided by its own: quartiles and median of the rounds.
    """

    op: str
    size: str
    dtype: str
    what: str
    rounds: int
    milliseconds: dict[str, list[float]]
    ratios: dict[str, list[float]]


def row(case: Case, what: str, times: dict[str, list[float]]) -> Row:
    """Sum up what was timed.

    Args:
        case: The case.
        what: "forward" or "forward+VJP".
        times: Seconds of each round, by contender.

    Returns:
        The row.
    """
    mine = times["opbook"]
    return {
        "op": case.op,
        "size": case.size + ("" if case.variant == "plain" else f" {case.variant}"),
        "dtype": case.dtype,
        "what": what,
        "rounds": len(mine),
        "milliseconds": {name: quartiles([1e3 * t for t in taken]) for name, taken in times.items()},
        "ratios": {
            name: quartiles([a / b for a, b in zip(mine, taken, strict=True)])
            for name, taken in times.items()
            if name != "opbook"
        },
    }


def quartiles(numbers: list[float]) -> list[float]:
    """Sum numbers up.

    Args:
        numbers: At least two.

    Returns:
        The lower quartile, the median and the upper quartile, to four digits.
    """
    return [float(f"{q:.4g}") for q in statistics.quantiles(numbers, n=4, method="inclusive")]


def as_text(results: dict[str, Any]) -> str:
    """Lay results out for a terminal.

    Args:
        results: What was measured.

    Returns:
        The tables.
    """
    return "\n\n".join(
        "\n".join("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) for line in table)
        for table in _tables(results)
        for widths in [[max(map(len, column)) for column in zip(*table, strict=True)]]
    )


def _tables(results: dict[str, Any]) -> list[list[list[str]]]:
    tables = []
    if results["rows"]:
        tables.append([_HEADER, *map(_cells, results["rows"])])
    if results["training"]:
        header = [
            "model",
            "",
            "opbook ms",
            "torch on 1",
            "torch on 2",
            "/ the better",
            "gradients differ",
            "MiB",
            "torch's",
        ]
        tables.append([header, *map(_training_cells, results["training"])])
    if results["families"]:
        header = ["op", "opbook ms", "torch on 1", "torch on 2", "/ the better"]
        tables.append([header, *([row["op"], *_rival_cells(row)] for row in results["families"])])
    if results["steps"]:
        tables.append([["case", "step", "ms", "/ torch"], *map(_step_cells, results["steps"])])
    if results["costs"]:
        tables.append([["cost", "measured"], *([name, text] for name, text in results["costs"].items())])
    if results["goals"]:
        tables.append([["goal", "measured", "at most", "", "why"], *map(_goal_cells, results["goals"])])
    return tables


_HEADER = ["op", "size", "dtype", "", "opbook ms", *(f"/ {name}" for name in OTHERS)]


def _cells(row: Row) -> list[str]:
    ratios = [_with_spread(row["ratios"][name]) if name in row["ratios"] else "–" for name in OTHERS]
    what = {"forward": "fwd", "forward+VJP": "fwd+VJP"}[row["what"]]
    return [row["op"], row["size"], row["dtype"], what, _with_spread(row["milliseconds"]["opbook"]), *ratios]


def _step_cells(step: dict[str, Any]) -> list[str]:
    of_torch = _with_spread(step["of_torch"]) if step["of_torch"] else "–"
    return [step["case"], step["step"], _with_spread(step["milliseconds"]), of_torch]


def _training_cells(row: dict[str, Any]) -> list[str]:
    memory = [f"{row['mebibytes'][name]:g}" for name in ("opbook", "torch")]
    return [row["model"], row["what"], *_rival_cells(row), f"{row['difference']:g}", *memory]


def _rival_cells(row: dict[str, Any]) -> list[str]:
    return [*map(_with_spread, row["milliseconds"].values()), _with_spread(row["ratio"])]


def _goal_cells(goal: dict[str, Any]) -> list[str]:
    is_met = goal["measured"] <= goal["bound"]
    judgement = ["met", ""] if is_met else ["missed", goal["reason"]]
    return [goal["what"], f"{goal['measured']:.3g}", f"{goal['bound']:g}", *judgement]


def _with_spread(quartiles: list[float]) -> str:
    low, middle, high = (f"{q:.3g}" if q < 100 else f"{q:.0f}" for q in quartiles)
    return f"{middle} [{low}–{high}]"


def as_markdown(results: dict[str, Any]) -> str:
    """Lay results out as RESULTS.md.

    Args:
        results: What was measured.

    Returns:
        The page.
    """
    facts = {**results["machine"], **results["versions"]}
    tables = ["\n".join(_markdown_rows(table)) for table in _tables(results)]
    return "\n\n".join([_INTRODUCTION, "\n".join(f"- {name}: {fact}" for name, fact in facts.items()), *tables]) + "\n"


def _markdown_rows(table: list[list[str]]) -> list[str]:
    head, *body = table
    return [f"| {' | '.join(line)} |" for line in (head, ["---"] * len(head), *body)]


_INTRODUCTION = """# Results

Written by `python benchmarks/run.py --publish` from one run. Columns that begin with / are opbook's time divided by
another's: below 1, opbook is faster. Each is the median over rounds in which everybody was timed in turn, with the
quartiles in brackets; from 0.85 to 1.15 is a tie. "torch" is the op put together from PyTorch's fused functions, with
the weights of all heads in one array; "torch.nn" is PyTorch's own module. The limit is a copy of the data (layer norm)
or the op's bare matrix products by NumPy, "torch's limit" the same products by PyTorch; causal ops can beat both, as
they skip what is blocked. Trainings and the ops of families are in float32, forward and VJP, beside the better of
PyTorch on one and on two threads; a whole step has AdamW in it. Milliseconds hold for this machine only."""
