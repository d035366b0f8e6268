"""`opbook time`: which rule a call uses, and how long each takes."""

from typing import Any

import click
import numpy as np

from opbook.autodiff import tree
from opbook.builtins.rule import OWN, Rule
from opbook.builtins.timing import Use, times_of_rules, watched
from opbook.cli.errors import UserError
from opbook.cli.options import with_catalogue
from opbook.cli.output import print_columns, print_line
from opbook.plugins.catalogue import Catalogue


@click.command("time", context_settings={"ignore_unknown_options": True})  # a text may begin with a minus
@click.argument("text")
@with_catalogue
def time_rules(catalogue: Catalogue, text: str) -> None:
    """Run TEXT, a program of the qu notation, and tell which plugin's rule its calls use.

    For each builtin that has rules of several plugins, the last call is timed with each of them, value and gradients.

    \b
    Examples:
        opbook time "x = reshape(sin(arange(393216)), (512, 768)); layer_norm(x, ones(768), zeros(768))"
    """
    from opbook.notation import Session

    calls: dict[str, Use] = {}
    several = {name: op for name, op in catalogue.items() if len(op.asked) > 1}
    noted = {name: watched(op, lambda use, name=name: calls.update({name: use})) for name, op in several.items()}  # type: ignore[misc]
    Session({**catalogue, **noted}).run(text, "<text>")
    if not calls:
        raise UserError("opbook: nothing to time: no builtin that the program calls has a rule of another plugin")
    for name, use in calls.items():
        print_line(f"{name}  {_shapes(use.args)}", "bold")
        times = times_of_rules(catalogue[name], use.args, use.kwargs)
        plugins = {one.thing.name: one.plugin for one in catalogue.contributions(Rule, name)}
        plugins[OWN] = catalogue.plugin_of(name)
        print_columns(
            (f"{rule} of {plugins[rule].handle}", _said(seconds, rule == use.rule)) for rule, seconds in times.items()
        )


def _shapes(args: tuple[Any, ...]) -> str:
    arrays = [leaf for leaf in tree.leaves(args) if isinstance(leaf, np.ndarray)]
    return ", ".join(f"{array.dtype} {array.shape}" for array in arrays[:4]) + (", ..." if len(arrays) > 4 else "")


def _said(seconds: float | None, is_used: bool) -> str:
    if seconds is None:
        return "does not take this call"
    return f"{1000 * seconds:9.3f} ms{'  used' if is_used else ''}"
