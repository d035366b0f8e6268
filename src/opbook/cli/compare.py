"""`opbook compare`: compare a function of one's own with a builtin."""

import ast
import contextlib
import importlib
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from opbook.cli.errors import CHECK_FAILED, UserError
from opbook.cli.options import BuiltinName, json_option, with_samples
from opbook.cli.output import console, print_json, print_line
from opbook.plugins.catalogue import Catalogue
from opbook.plugins.guard import no_exit

if TYPE_CHECKING:
    from opbook.checks import Case, Comparison

DTYPES = click.Choice(["float16", "float32", "float64"])
COULD_NOT_RUN = 3
_STYLES = {"FAILED": "red", "differs": "yellow", "refused": "dim"}


@click.command()
@click.argument("target", metavar="MODULE:FUNCTION")
@click.option("--against", required=True, type=BuiltinName(), metavar="NAME", help="The builtin to compare it with.")
@click.option(
    "--gradient",
    metavar="MODULE:FUNCTION",
    help="Its gradient: takes a cotangent, then the arguments; returns one gradient for each array argument.",
)
@click.option("--torch", "arrays", flag_value="torch", help="Pass it PyTorch tensors, whatever its code looks like.")
@click.option("--numpy", "arrays", flag_value="numpy", help="Pass it NumPy arrays.")
@click.option("--jax", "arrays", flag_value="jax", help="Pass it JAX arrays.")
@click.option("--dtype", "dtypes", multiple=True, type=DTYPES, help="The precision to try. May be given several times.")
@click.option("--only", metavar="TEXT", default="", help="Only inputs whose name has this text in it.")
@click.option("--option", "options", multiple=True, metavar="NAME=VALUE", help="Only with this value of an option.")
@click.option("--tolerance", type=click.FloatRange(min=0), help="The relative error allowed, whatever the dtype.")
@click.option(
    "--no-worse-than", type=DTYPES, help="Allow twice the error of the definition computed in this precision."
)
@click.option("--strict", is_flag=True, help="Count edges as well, where libraries differ on purpose.")
@json_option
@with_samples
@click.pass_context
def compare(
    context: click.Context,
    /,
    catalogue: Catalogue,
    target: str,
    against: str,
    gradient: str | None,
    dtypes: tuple[str, ...],
    options: tuple[str, ...],
    as_json: bool,
    **choices: Any,
) -> None:
    """Compare a function of your own with a builtin: the same inputs, value by value, and what a function must not do.

    The function is named by its module or by its file. Whether it gets NumPy arrays, PyTorch tensors or JAX arrays is
    found out from its annotations, code and imports. Edges, where libraries differ on purpose, are reported separately.
    The exit code is 0 if it agrees on ordinary inputs, 1 if it does not, 3 if it could not be run on any.

    \b
    Examples:
        opbook compare kernels.py:my_layer_norm --against layer_norm
        opbook compare torch.nn.functional:gelu --against gelu --option approximate=tanh
        opbook compare kernels.py:attend --gradient kernels.py:attend_grad --against scaled_dot_product_attention
    """
    from opbook.checks.comparison import compare as compared

    chosen = dict(map(_option, options))
    if as_json:
        _keep_standard_output()
    with console(stderr=True).status(f"{target} against {against}"), no_exit(), contextlib.redirect_stdout(sys.stderr):
        function = load_function(target)
        pull = load_function(gradient) if gradient else None
        found = compared(function, catalogue[against], gradient=pull, dtypes=dtypes or None, options=chosen, **choices)
    if as_json:
        print_json(found.as_dict())
    else:
        _print(found)
    context.exit({"agrees": 0, "is wrong": CHECK_FAILED}.get(found.verdict, COULD_NOT_RUN))


def _keep_standard_output() -> None:
    """Have what a kernel's compiled code prints go to standard error, and nothing but JSON to standard output."""
    try:
        if sys.stdout.fileno() != 1:
            return
    except OSError:  # a stand-in without a file, as in tests
        return
    sys.stdout.flush()
    kept = os.dup(1)
    os.dup2(2, 1)
    sys.stdout = os.fdopen(kept, "w", encoding="utf-8")


def _option(text: str) -> tuple[str, Any]:
    name, equals, value = text.partition("=")
    if not equals:
        raise UserError(f"opbook: --option {text} must be NAME=VALUE, such as --option approximate=tanh")
    with contextlib.suppress(ValueError, SyntaxError):
        return name, ast.literal_eval(value)
    return name, value


def load_function(target: str) -> Callable[..., Any]:
    """Find a function.

    Raises:
        UserError: There is no such module, file or function.
    """
    place, colon, name = target.rpartition(":")
    if not colon or not place or not name:
        raise UserError(
            f"opbook: {target!r} must be MODULE:FUNCTION or FILE.py:FUNCTION, such as kernels.py:my_layer_norm"
        )
    try:
        with contextlib.redirect_stdout(sys.stderr):
            if place.endswith(".py"):
                from opbook.plugins.discovery import import_file

                sys.path.insert(0, str(Path(place).resolve().parent))  # where the modules are that it imports
                module = import_file(Path(place))
            else:
                sys.path.insert(0, str(Path.cwd()))
                module = importlib.import_module(place)
    except (Exception, SystemExit) as error:  # somebody else's code may raise anything as it is imported
        raise UserError(f"opbook: {place} can't be imported: {type(error).__name__}: {error}") from None
    function = getattr(module, name, None)
    if not callable(function):
        from opbook.errors import nearest

        names = [key for key, value in vars(module).items() if callable(value) and not key.startswith("_")]
        raise UserError(f"opbook: {place} has no function {name}.{nearest(name, names)}")
    return function  # type: ignore[no-any-return]


def _print(found: "Comparison") -> None:
    print_line(f"{found.name} against {found.builtin}, with arrays of {found.library} ({found.reason})", "bold")
    compared = [case for case in found if case.status in ("passed", "failed")]
    ordinary = [case for case in compared if not case.is_edge]
    for what in ("value", "gradient", "behaviour"):
        _print_cases([case for case in ordinary if case.what == what], what)
    labels = {case.label for case in ordinary}
    edges = [case for case in compared if case.is_edge]
    _print_cases([case for case in edges if case.label not in labels], "edges, where libraries differ on purpose")
    narrow = [case for case in edges if case.label in labels]
    _print_cases(narrow, "precision, where the definition itself loses digits, or that nobody asked for")
    for line in (*_reasons(found), *found.notes.values()):
        print_line(line)
    shortest = found.shortest
    if shortest:
        print_line()
        print_line(f"The shortest input that fails ({shortest.label}, {shortest.dtype}): {shortest.message}")
        print_line(f"  {shortest.paste}")
    print_line()
    print_line(found.sentence)


def _print_cases(cases: "list[Case]", title: str) -> None:
    """A line for each input, with its errors in each precision."""
    by_label: dict[str, list[Case]] = {}
    for case in cases:
        by_label.setdefault(case.label, []).append(case)
    if by_label:
        print_line(title, "bold")
    for label, mine in by_label.items():
        failed = [case for case in mine if case.status == "failed"]
        mark = "passed" if not failed else "differs" if all(case.is_edge for case in failed) else "FAILED"
        print_line(f"  {mark:8} {label:52} {'  '.join(map(_precision, mine))}".rstrip(), _STYLES.get(mark, ""))


def _precision(case: "Case") -> str:
    """One precision of an input, such as `float32 8e-08`."""
    if case.what == "behaviour":
        return case.message
    if case.error is None:
        return f"{case.dtype} {'wrong' if case.status == 'failed' else ''}".rstrip()
    return f"{case.dtype} {case.error:.0e}"


def _reasons(found: "Comparison") -> list[str]:
    """Why inputs were not compared, each reason once."""
    lines = []
    reasons: dict[tuple[str, str], list[Case]] = {}
    for status in ("refused", "left out"):
        for case in found.of(status):
            reasons.setdefault((status, case.message), []).append(case)
    for (status, message), cases in reasons.items():
        inputs = list(dict.fromkeys(case.label for case in cases))
        count = f"{len(inputs)} input{'s' if len(inputs) != 1 else ''}"
        if status == "left out":
            lines.append(f"left out: {count} with {message}=, as {found.name} has no such option")
        else:
            lines.append(f"refused: {count}, such as {inputs[0]!r}: {message}\n  {cases[0].paste}")
    return lines
