"""How long a site of many builtins takes to build, how much memory, and how heavy its pages are.

    python benchmarks/site.py                    10, 100 and 1,000 builtins, into benchmarks/SITE.md
    python benchmarks/site.py --counts 10 --print

Each site is built twice by `opbook site build --strict`: cold, and again with what the first build left in its cache.
"""

import argparse
import importlib.metadata
import os
import platform
import re
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import site_project

RESULTS = Path(__file__).with_name("SITE.md")
COLUMNS = ("builtins", "cold", "of it CPU", "warm", "of it CPU", "memory", "heaviest page", "search index")


def main() -> None:
    """Measure, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--counts", type=int, nargs="+", default=[10, 100, 1000], help="how many builtins")
    parser.add_argument("--print", action="store_true", help="only print the table, leave the file as it is")
    arguments = parser.parse_args()
    rows = [_measure(count) for count in arguments.counts]
    table = "\n".join("| " + " | ".join(cells) + " |" for cells in (COLUMNS, ["---"] * len(COLUMNS), *rows))
    print(table)
    if not arguments.print:
        start, rest = RESULTS.read_text("utf-8").split("<!-- table -->")
        end = rest.partition("<!-- end -->")[2]
        text = f"{start}<!-- table -->\n\n{_machine()}\n\n{table}\n\n<!-- end -->{end}"
        RESULTS.write_text(text, encoding="utf-8")


def _measure(count: int) -> list[str]:
    with tempfile.TemporaryDirectory(prefix="opbook-site-") as name:
        folder = Path(name)
        environment = os.environ | site_project.write(folder, count)
        cold, warm = _build(folder, environment), _build(folder, environment)
        pages = {path: path.stat().st_size for path in folder.glob("site/**/*.html")}
        heaviest = max(pages, key=lambda path: pages[path])
        index = (folder / "site/search/search_index.json").stat().st_size
        return [
            f"{count:,}",
            *(f"{seconds:.1f} s" for seconds in (*cold, *warm)),
            f"{resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024:.0f} MB",
            f"{pages[heaviest] / 1000:.0f} KB, {heaviest.parent.relative_to(folder / 'site')}",
            f"{index / 1000:.0f} KB",
        ]


def _build(folder: Path, environment: dict[str, str]) -> tuple[float, float]:
    """Build a site; the seconds that passed, and those that processors worked."""
    start, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "opbook", "site", "build", "--strict"]
    subprocess.run(command, cwd=folder, env=environment, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    worked = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return time.monotonic() - start, worked


def _machine() -> str:
    packages = ("mkdocs", "mkdocs-material", "numpy")
    versions = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in packages)
    load = os.getloadavg()[0]
    return (
        f"Measured on {os.cpu_count()} cores ({_model()}), Python {platform.python_version()}, {versions}; "
        f"the load of the machine at the end was {load:.1f}."
    )


def _model() -> str:
    try:
        found = re.search(r"model name\s*: (.+)", Path("/proc/cpuinfo").read_text("utf-8"))
    except OSError:
        found = None
    return found[1] if found else platform.machine()


if __name__ == "__main__":
    main()
