"""`opbook time`: which rule a call uses, and how long each takes."""

import functools
from collections.abc import Callable
from typing import Any

import click
import numpy as np

from opbook.autodiff import tree
from opbook.autodiff.tape import newest_tape
from opbook.builtins.builtin import Builtin
from opbook.builtins.rule import Rule
from opbook.builtins.timing import times_of_rules
from opbook.cli.errors import UserError
from opbook.cli.options import with_catalogue
from opbook.cli.output import print_columns, print_line
from opbook.plugins.catalogue import Catalogue

Calls = dict[str, tuple[tuple[Any, ...], dict[str, Any]]]


@click.command("time", context_settings={"ignore_unknown_options": True})  # a text may begin with a minus
@click.argument("text")
@with_catalogue
def time_rules(catalogue: Catalogue, text: str) -> None:
    """Run TEXT, a program of the qu notation, and tell which plugin's rule its calls use.

    For each builtin that has rules of several plugins, the last call is timed with each of them, value and gradients.

    \b
    Examples:
        opbook time "x = reshape(linspace(-3, 3, 393216), (512, 768)); layer_norm(x, ones(768), zeros(768))"
    """
    from opbook.notation import Session

    calls: Calls = {}
    Session({name: _noted(op, calls) for name, op in catalogue.items()}).run(text, "<text>")
    if not calls:
        raise UserError("opbook: nothing to time: no builtin that the program calls has a rule of another plugin")
    for name, (args, kwargs) in calls.items():
        print_line(f"{name}  {_shapes(args)}", "bold")
        times = times_of_rules(catalogue[name], args, kwargs)
        first = next(rule for rule, seconds in times.items() if seconds is not None)
        print_columns(
            (f"{rule} of {_origin(catalogue, name, rule)}", _said(seconds, rule == first))
            for rule, seconds in times.items()
        )


def _noted(op: Builtin, calls: Calls) -> Callable[..., Any]:
    """The builtin, which notes its last call where plugins have rules for it; calls on a tape are for gradients."""
    if len(op.asked) == 1:
        return op

    @functools.wraps(op.definition)
    def noted(*args: Any, **kwargs: Any) -> Any:
        if newest_tape(tree.leaves((args, kwargs))) is None:
            calls[op.name] = args, kwargs
        return op(*args, **kwargs)

    return noted


def _origin(catalogue: Catalogue, name: str, rule: str) -> str:
    """The distribution that a rule comes from, with its version."""
    rules = [one.plugin.source for one in catalogue.contributions(Rule, name) if one.thing.name == rule]
    source = rules[0] if rules else catalogue.plugin_of(name).source
    return f"{source.distribution} {source.version}" if source.distribution else source.name


def _shapes(args: tuple[Any, ...]) -> str:
    arrays = [leaf for leaf in tree.leaves(args) if isinstance(leaf, np.ndarray)]
    return ", ".join(f"{array.dtype} {array.shape}" for array in arrays[:4]) + (", ..." if len(arrays) > 4 else "")


def _said(seconds: float | None, is_first: bool) -> str:
    if seconds is None:
        return "does not take this call"
    return f"{1000 * seconds:9.3f} ms{'  used' if is_first else ''}"
