#!/usr/bin/env python3
"""How time and memory grow: with rows, heads, layers, batch, and with the number of builtins.

    python benchmarks/growth.py                   measures and prints, in about ten minutes
    python benchmarks/growth.py --only rows       some of the curves, by a regular expression
    python benchmarks/growth.py --publish         also writes growth.json, GROWTH.md and the picture of the docs
    python benchmarks/growth.py --draw            writes GROWTH.md and the picture anew from growth.json

Each point is measured in a process of its own, with one thread, in seconds that the processor worked.
"""

import argparse
import json
import os
import re
import subprocess
import sys
from pathlib import Path

for _library in ("OMP", "OPENBLAS", "MKL", "NUMBA"):  # read when the libraries are imported, below
    os.environ[f"{_library}_NUM_THREADS"] = "1"

from speed import growth, growth_report, machine  # noqa: E402

from opbook.examples.files import replacing  # noqa: E402

HERE = Path(__file__).resolve().parent
NUMBERS, PAGE, PICTURE = HERE / "growth.json", HERE / "GROWTH.md", HERE.parent / "docs/assets/growth.svg"


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", metavar="PATTERN", default="", help="curves whose name matches")
    parser.add_argument("--publish", action="store_true", help="write growth.json, GROWTH.md and the picture")
    parser.add_argument("--draw", action="store_true", help="measure nothing; write page and picture from growth.json")
    parser.add_argument("--point", nargs=2, metavar=("CURVE", "SIZE"), help="measure one point, and print it as JSON")
    arguments = parser.parse_args()
    if arguments.publish and arguments.only:
        parser.error("--publish needs a whole run: leave out --only")
    if arguments.point:
        name, size = arguments.point
        print(json.dumps(growth.measured(name, int(size))))
        return
    if arguments.draw:
        results = json.loads(NUMBERS.read_text("utf-8"))
    else:
        curves = [curve for curve in growth.CURVES if re.search(arguments.only, curve.name)]
        points = {curve.name: [_in_a_process(curve.name, size) for size in curve.sizes] for curve in curves}
        facts = {**machine.description(1), "Python": machine.versions()["Python"], "numpy": machine.versions()["numpy"]}
        results = {"machine": facts, "curves": points}
    print(growth_report.as_markdown(results))
    if arguments.publish:
        _write(NUMBERS, json.dumps(results, indent=1) + "\n")
    if arguments.publish or arguments.draw:
        _write(PAGE, growth_report.as_markdown(results))
        _write(PICTURE, growth_report.picture(results))


def _in_a_process(name: str, size: int) -> growth.Point:
    print(f"{name} {size} ...", file=sys.stderr, flush=True)
    command = [sys.executable, __file__, "--point", name, str(size)]
    found: growth.Point = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    return found


def _write(path: Path, text: str) -> None:
    with replacing(path) as draft:
        draft.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
