"""`opbook verify`: run the checks on builtins."""

import contextlib
import time
from collections import Counter
from typing import TYPE_CHECKING

import click

from opbook.builtins.rule import OWN
from opbook.cli.errors import CHECK_FAILED
from opbook.cli.options import BuiltinName, json_option, with_samples
from opbook.cli.output import console, print_columns, print_json, print_line
from opbook.plugins.catalogue import Catalogue

if TYPE_CHECKING:
    from opbook.checks import Outcome


@click.command()
@click.argument("names", nargs=-1, type=BuiltinName(), metavar="[NAME]...")
@click.option("--check", "checks", multiple=True, metavar="CHECK", help="Run only this check. May be repeated.")
@click.option("--rule", metavar="RULE", help="Check only this rule of each builtin; own is its own.")
@click.option("-x", "--exitfirst", is_flag=True, help="Stop at the first check that fails.")
@click.option("--list", "list_only", is_flag=True, help="List the checks and what each proves.")
@json_option
@with_samples
@click.pass_context
def verify(
    context: click.Context,
    catalogue: Catalogue,
    names: tuple[str, ...],
    checks: tuple[str, ...],
    rule: str | None,
    exitfirst: bool,
    list_only: bool,
    as_json: bool,
) -> None:
    """Prove that builtins do what they say: values, gradients, precision, memory, errors, examples.

    Without NAME, all of them. Rules that other plugins have for a builtin are checked against the same definition. The
    exit code is 1 if a check fails.

    \b
    Examples:
        opbook verify
        opbook verify layer_norm
        opbook verify --check "rule gradient"
        opbook verify --plugin my_ops.py swish
        opbook verify --rule numba
    """
    from opbook.checks import CHECKS

    if list_only:
        properties = [(p.name, f"{p.sentence} ({p.builtin})") for op in catalogue.values() for p in op.properties]
        print_columns([*((check.name, check.sentence) for check in CHECKS.values()), *properties])
        return
    start = time.perf_counter()
    outcomes = _verified(catalogue, names or tuple(catalogue), checks or None, rule, exitfirst)
    if as_json:
        print_json([outcome.as_dict() for outcome in outcomes])
    elif len(names) == 1:
        _print_checks(outcomes)
    else:
        _print_builtins(outcomes)
    if not as_json:
        print_line(f"{_total(outcomes)}, in {time.perf_counter() - start:.1f} s")
    if any(outcome.status == "failed" for outcome in outcomes):
        context.exit(CHECK_FAILED)


def _verified(
    catalogue: Catalogue, names: tuple[str, ...], checks: tuple[str, ...] | None, rule: str | None, exitfirst: bool
) -> "list[Outcome]":
    from opbook.checks import verify

    outcomes: list[Outcome] = []

    class Stop(Exception):
        pass

    with console(stderr=True).status("") as status:  # is silent where standard error is no terminal

        def progress(outcome: "Outcome") -> None:
            outcomes.append(outcome)
            status.update(f"{outcome.label}: {outcome.check}")
            if exitfirst and outcome.status == "failed":
                raise Stop

        with contextlib.suppress(Stop):
            verify(names, catalogue, checks=checks, rule=rule, progress=progress, in_processes=True)
    return outcomes


def _print_checks(outcomes: "list[Outcome]") -> None:
    """One builtin: a line for each check of each of its rules."""
    before = OWN
    for outcome in outcomes:
        if outcome.rule != before:
            before = outcome.rule
            print_line(outcome.label, "bold")
        print_line(f"{outcome.check:17} {_mark(outcome):14} {_measured([outcome])}".rstrip(), _style(outcome.status))
        if outcome.status != "failed" and outcome.message:
            print_line(f"  {outcome.message}", "dim")
    _print_failures(outcomes)


def _print_builtins(outcomes: "list[Outcome]") -> None:
    """Many builtins: a line for each."""
    grouped: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        grouped.setdefault(outcome.label, []).append(outcome)
    width = max(map(len, grouped), default=0)
    for name, mine in grouped.items():
        failed = [first.check for first, *_ in _grouped(mine)]
        passed = sum(outcome.status == "passed" for outcome in mine)
        verdict = f"FAILED {', '.join(failed)}" if failed else f"{passed:2} checks passed"
        print_line(f"{name:{width}}  {verdict:16}  {_measured(mine)}".rstrip(), "red" if failed else "")
    _print_failures(outcomes)


def _mark(outcome: "Outcome") -> str:
    return {"passed": "passed", "failed": "FAILED"}.get(outcome.status, "does not apply")


def _style(status: str) -> str:
    return {"failed": "red", "not applicable": "dim"}.get(status, "")


def _measured(outcomes: "list[Outcome]") -> str:
    inputs, refused = (max(getattr(outcome, name) for outcome in outcomes) for name in ("inputs", "refused"))
    errors = [outcome.worst for outcome in outcomes if outcome.worst is not None]
    worst = f"worst error {max(errors):.0e}" if errors else ""
    seconds = sum(outcome.seconds for outcome in outcomes)
    others = f" ({refused} refused)" if refused else ""
    noun = "input " if inputs == 1 else "inputs"
    return f"{inputs:3} {noun}{others:14}{worst:17}  {seconds:5.2f} s" if inputs else ""


def _grouped(outcomes: "list[Outcome]") -> "list[list[Outcome]]":
    """The failures, those with one cause together."""
    grouped: dict[tuple[str, str], list[Outcome]] = {}
    for i, outcome in enumerate(outcomes):
        if outcome.status == "failed":
            grouped.setdefault((outcome.label, outcome.cause or str(i)), []).append(outcome)
    return list(grouped.values())


def _print_failures(outcomes: "list[Outcome]") -> None:
    """Every failure; of those with one cause the first, and which others there are."""
    for first, *others in _grouped(outcomes):
        print_line()
        print_line(f"{first.label}, {first.check}: {first.message}")
        if others:
            count = "another check" if len(others) == 1 else f"{len(others)} other checks"
            print_line(f"  {count} failed for the same reason: {', '.join(outcome.check for outcome in others)}")
    print_line()


def _total(outcomes: "list[Outcome]") -> str:
    found = Counter(outcome.status for outcome in outcomes)
    builtins = len({outcome.builtin for outcome in outcomes})
    others = len({outcome.label for outcome in outcomes if outcome.rule != OWN})
    parts = [f"{found['passed']} passed", f"{found['failed']} failed"]
    if found["not applicable"]:
        parts.append(f"{found['not applicable']} {'does' if found['not applicable'] == 1 else 'do'} not apply")
    what = f"{builtins} builtin{'s' if builtins != 1 else ''}"
    if others:
        what += f", {others} rule{'s' if others != 1 else ''} of other plugins"
    return f"{what}: {', '.join(parts)}"
