"""Makes wrong versions of every op, and reports how many of them the checks catch.

    python tests/mutation/mutate.py                     all plugins that are installed
    python tests/mutation/mutate.py layer_norm          one of them
    python tests/mutation/mutate.py my_ops.py           one file

`survivors.toml` lists the mutants that no check can catch, each with the reason: nearly always, that the mutant does
the same. The exit code is 1 if one survives without a reason, or a reason is not needed any more.
"""

import argparse
import json
import os
import resource
import sys
import tomllib
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from mutations import Mutant
from trial import Plugin, Survey, find_plugins, survey, try_all

ACCEPTED = Path(__file__).parent / "survivors.toml"

Reasons = dict[tuple[str, str, str], str]


def read_reasons(path: Path = ACCEPTED) -> Reasons:
    """Read why mutants may survive.

    Args:
        path: A TOML file of tables [[survivors]] with module, function, mutants (a list) and reason.

    Returns:
        The reason for each mutant's key.

    Raises:
        ValueError: An entry without a reason, or a mutant that has two.
    """
    found: Reasons = {}
    for entry in tomllib.loads(path.read_text(encoding="utf-8")).get("survivors", []):
        if not entry["reason"].strip():
            raise ValueError(f"{path}: {entry['function']} has survivors without a reason")
        for mutant in entry["mutants"]:
            key = (entry["module"], entry["function"], mutant)
            if key in found:
                raise ValueError(f"{path}: {key} is there twice")
            found[key] = entry["reason"]
    return found


def row_of(mutant: Mutant, found: Survey) -> str:
    """Which row of the table a mutant belongs to: an op, or the helpers of a module."""
    return mutant.op if mutant.op in found.reached else f"helpers in {mutant.module}"


def table(rows: Iterable[tuple[str, str, bool]]) -> str:
    """Count verdicts.

    Args:
        rows: For each mutant the row, the verdict and whether its survival is accepted.

    Returns:
        A table in Markdown, and a line on what caught how many.
    """
    total: Counter[str] = Counter()
    caught: Counter[str] = Counter()
    accepted: Counter[str] = Counter()
    by: Counter[str] = Counter()
    for row, verdict, is_accepted in rows:
        for name in (row, "**all**"):
            total[name] += 1
            caught[name] += bool(verdict)
            accepted[name] += not verdict and is_accepted
        by[verdict] += bool(verdict)
    lines = ["| op | mutants | caught | the same op | survivors |", "| --- | ---: | ---: | ---: | ---: |"]
    for name in sorted(total, key=lambda name: (name.startswith("**"), name.startswith("helpers"), name)):
        rest = total[name] - caught[name] - accepted[name]
        lines.append(f"| {name} | {total[name]} | {caught[name]} | {accepted[name]} | {rest} |")
    first = ", ".join(f"{check} {count}" for check, count in by.most_common() if count)
    return "\n".join([*lines, "", f"Caught first by: {first}"])


def report(mutant: Mutant) -> str:
    """A survivor in three lines, and what names it in the file of survivors."""
    return (
        f"{mutant.path}:{mutant.line}: {mutant.function}: {mutant.mutation}\n"
        f"    - {mutant.before}\n    + {mutant.after}\n    {json.dumps(mutant.key[2], ensure_ascii=False)}"
    )


def main(arguments: list[str]) -> int:
    """Run the script.

    Args:
        arguments: Those of the command line.

    Returns:
        The exit code.
    """
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("plugins", nargs="*", metavar="PLUGIN", help="name of an entry point or module, or a .py file")
    parser.add_argument("--json", type=Path, help="write what became of each mutant to this file")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="how many to try at once")
    parser.add_argument("--survivors", type=Path, default=ACCEPTED, help="the accepted survivors")
    options = parser.parse_args(arguments)
    reasons = read_reasons(options.survivors)
    plugins = find_plugins(options.plugins)
    files = [str(path) for plugin in plugins for path in plugin.modules.values() if len(plugin.modules) == 1]
    os.environ["OPBOOK_PLUGINS"] = os.pathsep.join(f for f in files if f in map(os.path.abspath, options.plugins))
    found = survey(plugins)
    if found.failures:
        print("Mend these first; what fails already catches everything:", *found.failures, sep="\n", file=sys.stderr)
        return 2
    return judge(plugins, found, reasons, options.jobs, options.json)


def judge(plugins: list[Plugin], found: Survey, reasons: Reasons, jobs: int, output: Path | None) -> int:
    """Try all mutants and say what became of them.

    Args:
        plugins: The plugins.
        found: What they do as they are.
        reasons: Why some mutants may survive.
        jobs: How many to try at once.
        output: Where to write JSON.

    Returns:
        The exit code.
    """
    mutants = [mutant for plugin in plugins for mutant in plugin.mutants()]

    def progress(done: int) -> None:
        if sys.stderr.isatty() or done % 200 == 0 or done == len(mutants):
            print(f"{done} of {len(mutants)} mutants", end="\r" if sys.stderr.isatty() else "\n", file=sys.stderr)

    verdicts = try_all(mutants, found, jobs, progress)
    tried = list(zip(mutants, verdicts, strict=True))
    print(table((row_of(mutant, found), verdict, mutant.key in reasons) for mutant, verdict in tried))
    print(f"CPU time: {resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime:.0f} s")
    survivors = [mutant for mutant, verdict in tried if not verdict and mutant.key not in reasons]
    modules = {module for plugin in plugins for module in plugin.modules}
    needed = {mutant.key for mutant, verdict in tried if not verdict}
    stale = [key for key in reasons if key[0] in modules and key not in needed]
    for mutant in survivors:
        print(f"\nSurvived: {report(mutant)}")
    for key in stale:
        print(f"\nNot needed any more: {' / '.join(key)}")
    if output:
        shown = ("module", "function", "line", "mutation", "before", "after")
        entries = [
            {**{k: getattr(m, k) for k in shown}, "caught_by": v or None, "reason": reasons.get(m.key)}
            for m, v in tried
        ]
        output.write_text(json.dumps(entries, indent=1, ensure_ascii=False), encoding="utf-8")
    return 1 if survivors or stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
