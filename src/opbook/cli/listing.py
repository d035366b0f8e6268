"""`opbook list` and `opbook plugins`."""

from typing import Any

import click

from opbook.builtin import Builtin
from opbook.catalogue import Catalogue
from opbook.cli.errors import Mistake
from opbook.cli.options import add_plugins, json_option, load_catalogue, plugin_option, with_catalogue
from opbook.cli.output import print_columns, print_json, print_line
from opbook.errors import nearest
from opbook.plugins import PluginInfo

_STYLES = {"loaded": "bold", "failed": "bold red", "disabled": "dim"}


@click.command("list")
@click.option("--category", metavar="CATEGORY", help="Only the builtins of this category, in any case of letters.")
@json_option
@with_catalogue
def list_builtins(catalogue: Catalogue, category: str | None, as_json: bool) -> None:
    """List the builtins by category, each with what it is.

    \b
    Examples:
        opbook list
        opbook list --category "Statistics & ML"
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
        print_columns((op.name, op.summary) for op in ops)


def _find_category(category: str, names: list[str]) -> str:
    for name in names:
        if name.casefold() == category.casefold():
            return name
    hint = nearest(category, names)
    raise Mistake(f"opbook: there is no category {category}.{hint} The categories are {', '.join(names)}")


def _builtin_entry(catalogue: Catalogue, op: Builtin) -> dict[str, Any]:
    return {
        "name": op.name,
        "category": op.category,
        "summary": op.summary,
        "call_shapes": [str(shape) for shape in op.call_shapes],
        "aliases": list(op.aliases),
        "plugin": catalogue.plugin_of(op.name).source.name,
    }


@click.command()
@plugin_option
@json_option
def plugins(plugin_files: tuple[str, ...], as_json: bool) -> None:
    """List the plugins: where each comes from, what it adds, and why it failed if it did.

    \b
    Examples:
        opbook plugins
        opbook plugins --plugin my_ops.py
        OPBOOK_DISABLE=layer_norm opbook plugins
    """
    add_plugins(plugin_files)
    catalogue = load_catalogue()
    if as_json:
        print_json([_plugin_entry(info) for info in catalogue.plugins])
        return
    for info in catalogue.plugins:
        _print_plugin(info, [_rule_text(catalogue, info, rule) for rule in info.rules])
    for conflict in catalogue.conflicts():
        print_line(conflict, "bold red")
    states = [info.state for info in catalogue.plugins]
    counts = ", ".join(f"{states.count(state)} {state}" for state in _STYLES if state in states)
    print_line(f"{counts or 'No plugins'}.")


def _rule_text(catalogue: Catalogue, info: PluginInfo, label: str) -> str:
    """A rule with whether it is asked, such as `layer_norm [numba] (asked first)`."""
    name, rule = label.rstrip("]").split(" [")
    if name not in catalogue:
        return label
    asked = catalogue[name].asked
    when = "not asked" if rule not in asked else "asked first" if rule == asked[0] else "asked next"
    return f"{label} ({when})"


def _print_plugin(info: PluginInfo, rules: list[str]) -> None:
    source = info.source
    print_line(f"{source.name}: {info.state}", _STYLES[info.state])
    origin = "one file" if source.is_file else f"{source.distribution} {source.version}, module {source.module}"
    rows = [("from", origin), ("path", info.path or (source.module if source.is_file else ""))]
    rows += [("adds", ", ".join(info.builtins)), ("rules", ", ".join(rules)), ("error", " ".join(info.error.split()))]
    print_columns(row for row in rows if row[1])
    print_line()


def _plugin_entry(info: PluginInfo) -> dict[str, Any]:
    source = info.source
    return {
        "name": source.name,
        "distribution": source.distribution,
        "version": source.version,
        "licence": source.licence,
        "module": source.module,
        "path": info.path,
        "state": info.state,
        "error": info.error,
        "builtins": info.builtins,
        "rules": info.rules,
    }
