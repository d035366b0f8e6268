"""`opbook verify`: run the checks on builtins. `opbook check`: hold a function of one's own to a builtin."""

import contextlib
import importlib
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from opbook.builtins.rule import OWN
from opbook.cli.errors import CHECK_FAILED, Mistake
from opbook.cli.options import json_option, with_catalogue
from opbook.cli.output import console, print_columns, print_json, print_line
from opbook.plugins.catalogue import Catalogue

if TYPE_CHECKING:
    from opbook.checks import Comparison, Outcome


@click.command()
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--check", "checks", multiple=True, metavar="CHECK", help="Run only this check. May be repeated.")
@click.option("--rule", metavar="RULE", help="Check only this rule of each builtin; own is its own.")
@click.option("-x", "--exitfirst", is_flag=True, help="Stop at the first check that fails.")
@click.option("--list", "list_only", is_flag=True, help="List the checks and what each proves.")
@json_option
@with_catalogue
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

    Without NAME, all of them. Rules that other plugins have for a builtin are held to the same definition. The exit
    code is 1 if a check fails.

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
        stated = [(p.name, f"{p.sentence} ({p.builtin})") for op in catalogue.values() for p in op.properties]
        print_columns([*((check.name, check.sentence) for check in CHECKS.values()), *stated])
        return
    outcomes = _verified(catalogue, names or tuple(catalogue), checks or None, rule, exitfirst)
    if as_json:
        print_json([outcome.as_dict() for outcome in outcomes])
    elif len(names) == 1:
        _print_checks(outcomes)
    else:
        _print_builtins(outcomes)
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
            verify(names, catalogue, checks=checks, rule=rule, progress=progress)
    return outcomes


def _print_checks(outcomes: "list[Outcome]") -> None:
    """One builtin: a line for each check of each of its rules."""
    before = OWN
    for outcome in outcomes:
        if outcome.rule != before:
            before = outcome.rule
            print_line(outcome.label, "bold")
        print_line(f"{outcome.check:17} {_mark(outcome):14} {_measured([outcome])}".rstrip(), _style(outcome.status))
    _print_failures(outcomes)
    print_line(_total(outcomes))


def _print_builtins(outcomes: "list[Outcome]") -> None:
    """Many builtins: a line for each."""
    grouped: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        grouped.setdefault(outcome.label, []).append(outcome)
    width = max(map(len, grouped), default=0)
    for name, mine in grouped.items():
        failed = [outcome.check for outcome in mine if outcome.status == "failed"]
        passed = sum(outcome.status == "passed" for outcome in mine)
        verdict = f"FAILED {', '.join(failed)}" if failed else f"{passed:2} checks passed"
        print_line(f"{name:{width}}  {verdict:16}  {_measured(mine)}".rstrip(), "red" if failed else "")
    _print_failures(outcomes)
    print_line(_total(outcomes))


def _mark(outcome: "Outcome") -> str:
    return {"passed": "passed", "failed": "FAILED"}.get(outcome.status, "does not apply")


def _style(status: str) -> str:
    return {"failed": "red", "not applicable": "dim"}.get(status, "")


def _measured(outcomes: "list[Outcome]") -> str:
    inputs = max(outcome.inputs for outcome in outcomes)
    errors = [outcome.worst for outcome in outcomes if outcome.worst is not None]
    worst = f"worst error {max(errors):.0e}" if errors else ""
    seconds = sum(outcome.seconds for outcome in outcomes)
    return f"{inputs:3} inputs  {worst:17}  {seconds:5.2f} s" if inputs else ""


def _print_failures(outcomes: "list[Outcome]") -> None:
    for outcome in outcomes:
        if outcome.status == "failed":
            print_line()
            print_line(f"{outcome.label}, {outcome.check}: {outcome.message}")
    print_line()


def _total(outcomes: "list[Outcome]") -> str:
    found = Counter(outcome.status for outcome in outcomes)
    builtins = len({outcome.builtin for outcome in outcomes})
    others = len({outcome.label for outcome in outcomes if outcome.rule != OWN})
    parts = [f"{found['passed']} passed", f"{found['failed']} failed"]
    if found["not applicable"]:
        parts.append(f"{found['not applicable']} {'does' if found['not applicable'] == 1 else 'do'} not apply")
    seconds = sum(outcome.seconds for outcome in outcomes)
    what = f"{builtins} builtin{'s' if builtins != 1 else ''}"
    if others:
        what += f", {others} rule{'s' if others != 1 else ''} of other plugins"
    return f"{what}: {', '.join(parts)}, in {seconds:.1f} s"


# ------------------------------------------------------------------------------------------------- a foreign function


@click.command()
@click.argument("target", metavar="MODULE:FUNCTION")
@click.option("--against", required=True, metavar="NAME", help="The builtin to hold it to.")
@click.option(
    "--gradient",
    metavar="MODULE:FUNCTION",
    help="Its gradient: takes a cotangent, then the arguments; returns one gradient for each array argument.",
)
@click.option(
    "--dtype",
    "dtypes",
    multiple=True,
    type=click.Choice(["float16", "float32", "float64"]),
    help="The precision to try; all three unless given. May be given several times.",
)
@click.option("--tolerance", type=click.FloatRange(min=0), help="The relative error allowed, whatever the dtype.")
@json_option
@with_catalogue
@click.pass_context
def check(
    context: click.Context,
    catalogue: Catalogue,
    target: str,
    against: str,
    gradient: str | None,
    dtypes: tuple[str, ...],
    tolerance: float | None,
    as_json: bool,
) -> None:
    """Hold a function of your own to a builtin: the same inputs, edges included, value by value.

    The function is named by its module or by its file. It may take NumPy arrays or PyTorch tensors, and return anything
    that speaks DLPack or __array__. Where it raises, the case counts as refused, not as failed. The exit code is 1 if
    a case fails, or if as many are refused as pass.

    \b
    Examples:
        opbook check kernels.py:my_layer_norm --against layer_norm
        opbook check torch.nn.functional:softmax --against softmax --dtype float32
        opbook check kernels.py:attend --gradient kernels.py:attend_grad --against scaled_dot_product_attention
    """
    from opbook.checks import compare

    function = load_function(target)
    pull = load_function(gradient) if gradient else None
    chosen = dtypes or ("float16", "float32", "float64")
    with console(stderr=True).status(f"{target} against {against}"):
        found = compare(function, catalogue[against], gradient=pull, dtypes=chosen, tolerance=tolerance)
    if as_json:
        print_json([comparison.as_dict() for comparison in found])
    else:
        _print_comparisons(found, target, against)
    statuses = Counter(comparison.status for comparison in found)
    if statuses["failed"] or statuses["refused"] >= statuses["passed"]:
        context.exit(CHECK_FAILED)


def load_function(target: str) -> Callable[..., Any]:
    """Find a function.

    Args:
        target: `module:function` or `path/to/file.py:function`.

    Returns:
        The function.

    Raises:
        Mistake: There is no such module, file or function.
    """
    place, colon, name = target.rpartition(":")
    if not colon or not place or not name:
        raise Mistake(
            f"opbook: {target!r} must be MODULE:FUNCTION or FILE.py:FUNCTION, such as kernels.py:my_layer_norm"
        )
    try:
        if place.endswith(".py"):
            from opbook.plugins.discovery import import_file

            module = import_file(Path(place))
        else:
            sys.path.insert(0, str(Path.cwd()))
            module = importlib.import_module(place)
    except (Exception, SystemExit) as error:  # somebody else's code may raise anything as it is imported
        raise Mistake(f"opbook: {place} can't be imported: {type(error).__name__}: {error}") from None
    function = getattr(module, name, None)
    if not callable(function):
        from opbook.errors import nearest

        names = [key for key, value in vars(module).items() if callable(value) and not key.startswith("_")]
        raise Mistake(f"opbook: {place} has no function {name}.{nearest(name, names)}")
    return function  # type: ignore[no-any-return]


def _print_comparisons(found: "list[Comparison]", target: str, against: str) -> None:
    for what in ("value", "gradient"):
        cases: dict[str, list[Comparison]] = {}
        for comparison in found:
            if comparison.what == what:
                cases.setdefault(comparison.case.rpartition(", ")[0], []).append(comparison)
        if cases:
            print_line(f"{what}s of {target} against {against}, with the largest relative error", "bold")
        for case, precisions in cases.items():
            marks = {comparison.status for comparison in precisions}
            worst = "FAILED" if "failed" in marks else "refused" if "refused" in marks else "passed"
            print_line(f"  {worst:8} {case:52} {'  '.join(map(_precision, precisions))}", _style(worst.lower()))
    failed = [comparison for comparison in found if comparison.status == "failed"]
    if failed:
        shortest = min(failed, key=lambda comparison: ("<" in comparison.paste, len(comparison.paste)))
        print_line()
        print_line(f"The shortest input that fails ({shortest.case}, {shortest.what}): {shortest.message}")
        print_line(f"  {shortest.paste}")
    refused = [comparison for comparison in found if comparison.status == "refused"]
    if refused:
        print_line()
        print_line(f"The first input that it refused ({refused[0].case}): {refused[0].message}")
    statuses = Counter(comparison.status for comparison in found)
    print_line()
    print_line(", ".join(f"{count} {status}" for status, count in sorted(statuses.items())))


def _precision(comparison: "Comparison") -> str:
    """One precision of a case, such as `float32 8e-08`."""
    dtype = comparison.case.rpartition(", ")[2]
    if comparison.error is not None:
        return f"{dtype} {comparison.error:.0e}"
    return f"{dtype} {'refused' if comparison.status == 'refused' else 'wrong'}"
