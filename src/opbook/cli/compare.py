"""`opbook compare`: hold a function of one's own to a builtin."""

import importlib
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from opbook.cli.errors import CHECK_FAILED, Mistake
from opbook.cli.options import BuiltinName, json_option, with_samples
from opbook.cli.output import console, print_json, print_line
from opbook.plugins.catalogue import Catalogue

if TYPE_CHECKING:
    from opbook.checks import Comparison

_STYLES = {"failed": "red"}


@click.command()
@click.argument("target", metavar="MODULE:FUNCTION")
@click.option("--against", required=True, type=BuiltinName(), metavar="NAME", help="The builtin to hold it to.")
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
@with_samples
@click.pass_context
def compare(
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
        opbook compare kernels.py:my_layer_norm --against layer_norm
        opbook compare torch.nn.functional:softmax --against softmax --dtype float32
        opbook compare kernels.py:attend --gradient kernels.py:attend_grad --against scaled_dot_product_attention
    """
    from opbook.checks.comparison import compare as compared

    function = load_function(target)
    pull = load_function(gradient) if gradient else None
    chosen = dtypes or ("float16", "float32", "float64")
    with console(stderr=True).status(f"{target} against {against}"):
        found = compared(function, catalogue[against], gradient=pull, dtypes=chosen, tolerance=tolerance)
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
            print_line(
                f"  {worst:8} {case:52} {'  '.join(map(_precision, precisions))}", _STYLES.get(worst.lower(), "")
            )
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
