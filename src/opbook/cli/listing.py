"""`opbook list`."""

from typing import Any

import click

from opbook.builtins.builtin import Builtin
from opbook.cli.errors import UserError
from opbook.cli.options import json_option, with_catalogue
from opbook.cli.output import print_columns, print_json, print_line
from opbook.errors import nearest
from opbook.plugins.catalogue import Catalogue


@click.command("list")
@click.option("--category", metavar="CATEGORY", help="Only the builtins of this category, in any case of letters.")
@json_option
@with_catalogue
def list_builtins(catalogue: Catalogue, category: str | None, as_json: bool) -> None:
    """List the builtins by category, each with what it is.

    \b
    Examples:
        opbook list
        opbook list --category "Elementwise & activations"
        opbook list --plugin my_ops.py --json
    """
    groups = catalogue.categories()
    if category is not None:
        found = _find_category(category, list(groups))
        groups = {found: groups[found]}
    if as_json:
        print_json([_builtin_entry(catalogue, op) for ops in groups.values() for op in ops])
        return
    if not groups:
        print_line("No builtins: no plugin is installed. Install one with pip, or pass a file with --plugin.")
    for i, (name, ops) in enumerate(groups.items()):
        if i:
            print_line()
        print_line(name, "bold")
        print_columns((op.name, _summary(catalogue, op)) for op in ops)


def _summary(catalogue: Catalogue, op: Builtin) -> str:
    others = catalogue.replaced(op.name)
    if not others:
        return op.summary
    mine, theirs = catalogue.plugin_of(op.name).handle, " and ".join(other.handle for other in others)
    return f"{op.summary} ({mine}'s, in place of {theirs}'s)"


def _find_category(category: str, names: list[str]) -> str:
    for name in names:
        if name.casefold() == category.casefold():
            return name
    hint = nearest(category, names)
    raise UserError(f"opbook: there is no category {category}.{hint} The categories are {', '.join(names)}")


def _builtin_entry(catalogue: Catalogue, op: Builtin) -> dict[str, Any]:
    return {
        "name": op.name,
        "category": op.category,
        "summary": op.summary,
        "call_shapes": [str(shape) for shape in op.call_shapes],
        "aliases": list(op.aliases),
        "plugin": catalogue.plugin_of(op.name).source.name,
        "replaces": [info.source.name for info in catalogue.replaced(op.name)],
    }
