#!/usr/bin/env python3
"""Measures the ops beside other libraries and beside what the machine allows.

    python benchmarks/run.py                  everything, in about fifteen minutes
    python benchmarks/run.py --quick          fewer rounds: a first look
    python benchmarks/run.py --only attention the cases whose name matches a regular expression
    python benchmarks/run.py --json FILE      writes the numbers to FILE, and prints the table as ever
    python benchmarks/run.py --publish        also writes RESULTS.md, results.json and the pictures of the documentation

Peers that are not installed are left out: python -m pip install torch jax autograd mygrad
"""

import argparse
import json
import os
import re
import sys
from pathlib import Path
from typing import Any

THREADS = 2
for _library in ("OMP", "OPENBLAS", "MKL", "NUMBA"):  # read when the libraries are imported, below
    os.environ[f"{_library}_NUM_THREADS"] = str(THREADS)
os.environ["JAX_ENABLE_X64"] = "1"
os.environ["XLA_FLAGS"] = f"--xla_cpu_multi_thread_eigen=true intra_op_parallelism_threads={THREADS}"

from speed import chart, contenders, costs, families, goals, machine, report, steps, training  # noqa: E402
from speed.cases import CASES, Case  # noqa: E402
from speed.timing import measure  # noqa: E402

from opbook.examples.files import replacing  # noqa: E402

HERE = Path(__file__).resolve().parent
ASSETS = HERE.parent / "docs" / "assets"


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="fewer rounds, and none of the slowest cases")
    parser.add_argument(
        "--only", metavar="PATTERN", default="", help="cases whose name matches, `training`, `steps`, `costs`"
    )
    parser.add_argument("--json", metavar="FILE", type=Path, help="write the numbers to this file")
    parser.add_argument("--publish", action="store_true", help="write RESULTS.md, results.json and the chart")
    arguments = parser.parse_args()
    if arguments.publish and (arguments.quick or arguments.only):
        parser.error("--publish needs a whole run: leave out --quick and --only")
    chosen = [case for case in CASES if re.search(arguments.only, case.name)]
    if arguments.quick:
        chosen = [case for case in chosen if not case.slow]
    chosen_families = [family for family in families.FAMILIES if re.search(arguments.only, family.name)]
    others = [part for part in ("training", "steps", "costs") if re.search(arguments.only, part)]
    if not chosen and not chosen_families and not others:
        names = [*(case.name for case in (*CASES, *families.FAMILIES)), "training", "steps", "costs"]
        parser.error(f"no case matches {arguments.only!r}; there are {', '.join(names)}")

    rows = [row for case in chosen for row in rows_of(case, arguments.quick)]
    results: dict[str, Any] = {
        "machine": machine.description(THREADS),
        "versions": machine.versions(),
        "rows": rows,
        "training": training.measured(arguments.quick) if "training" in others else [],
        "families": families.measured(chosen_families, arguments.quick),
        "steps": steps.measured(arguments.quick) if "steps" in others else [],
        "costs": costs.measured(arguments.quick) if "costs" in others else {},
    }
    results["goals"] = goals.judged(results)
    print("\n" + report.as_text(results))
    if arguments.json:
        write(arguments.json, as_json(results))
    if arguments.publish:
        write(HERE / "results.json", as_json(results))
        write(HERE / "RESULTS.md", report.as_markdown(results))
        write(ASSETS / "speed.svg", chart.peers(rows))
        write(ASSETS / "roofline.svg", chart.roofline(rows))


def rows_of(case: Case, quick: bool) -> list[report.Row]:
    """Measure one case.

    Args:
        case: The case.
        quick: Whether few rounds are enough.

    Returns:
        A row for the forward pass and one for forward and VJP together.
    """
    print(f"{case.name} ...", file=sys.stderr, flush=True)
    times = measure(contenders.ready(case), seconds=0 if quick else case.seconds, rounds=3 if quick or case.slow else 5)
    return [report.row(case, what, times[what]) for what in ("forward", "forward+VJP")]


def as_json(results: dict[str, object]) -> str:
    """Write results as JSON.

    Args:
        results: What was measured.

    Returns:
        The text.
    """
    return json.dumps(results, indent=1) + "\n"


def write(path: Path, text: str) -> None:
    """Write a file whole or not at all.

    Args:
        path: The file.
        text: What to write.
    """
    with replacing(path) as draft:
        draft.write_text(text, encoding="utf-8")
    print(f"wrote {os.path.relpath(path)}", file=sys.stderr)


if __name__ == "__main__":
    main()
