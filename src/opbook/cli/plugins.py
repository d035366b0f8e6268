"""`opbook plugins`: what was found and what became of it; `disable` and `enable` change the settings."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from opbook.cli.errors import UserError
from opbook.cli.options import add_plugins, json_option, load_catalogue, plugin_option
from opbook.cli.output import print_columns, print_json, print_line
from opbook.cli.plugin_commands import added_commands, own_commands
from opbook.errors import nearest
from opbook.plugins.catalogue import Catalogue
from opbook.plugins.contributions import KINDS
from opbook.plugins.discovery import PluginInfo

_STYLES = {"loaded": "bold", "failed": "bold red", "disabled": "dim"}


@click.group(invoke_without_command=True)
@click.option("--times", is_flag=True, help="Show how long each took to import, the slowest first.")
@plugin_option
@json_option
@click.pass_context
def plugins(context: click.Context, plugin_files: tuple[str, ...], as_json: bool, times: bool) -> None:
    """List the plugins: where each comes from, what it adds, and why it failed if it did.

    \b
    Examples:
        opbook plugins
        opbook plugins --times
        opbook plugins --plugin my_ops.py
        OPBOOK_DISABLE=layer_norm opbook plugins
        opbook plugins disable layer_norm
    """
    add_plugins(plugin_files)
    if context.invoked_subcommand is not None:
        return
    catalogue = load_catalogue(samples=True)
    _, problems = added_commands(catalogue, own_commands(context))
    if as_json:
        print_json([_entry(catalogue, info) for info in catalogue.plugins])
        return
    if times:
        _print_times(catalogue)
        return
    for info in catalogue.plugins:
        _print_plugin(catalogue, info)
    for problem in [*catalogue.conflicts(), *problems]:
        print_line(problem, "bold red")
    states = [info.state for info in catalogue.plugins]
    counts = ", ".join(f"{states.count(state)} {state}" for state in _STYLES if state in states)
    print_line(f"{counts or 'No plugins'}.")


def _print_times(catalogue: Catalogue) -> None:
    loaded = [info for info in catalogue.plugins if info.state != "disabled"]
    for info in sorted(loaded, key=lambda info: -info.seconds):
        print_line(f"{info.seconds:7.3f} s  {info.source.name}")
    print_line(
        f"{sum(info.seconds for info in loaded):7.3f} s  in all. What several plugins import counts for the first."
    )


def _print_plugin(catalogue: Catalogue, info: PluginInfo) -> None:
    source = info.source
    print_line(f"{source.name}: {info.state}", _STYLES[info.state])
    origin = "one file" if source.is_file else f"{source.distribution} {source.version}, module {source.module}"
    rows = [
        ("from", origin),
        ("path", info.path or (source.module if source.is_file else "")),
        *((kind.nouns, _text(catalogue, info, kind.nouns)) for kind in KINDS.values()),
        ("error", " ".join(info.error.split())),
    ]
    print_columns(row for row in rows if row[1])
    print_line()


def _text(catalogue: Catalogue, info: PluginInfo, nouns: str) -> str:
    """What a plugin contributes of a kind, on a line."""
    labels = info.contributes[nouns]
    if nouns == "builtins":
        labels = [_builtin_text(catalogue, info, name) for name in labels]
    elif nouns == "rules":
        labels = [_rule_text(catalogue, label) for label in labels]
    elif nouns in ("guides", "families"):
        labels = [Path(file).name for file in labels]
    elif nouns == "sections":
        return "; ".join(_sections_text(labels))
    return ", ".join(labels)


def _builtin_text(catalogue: Catalogue, info: PluginInfo, name: str) -> str:
    """A builtin with what it replaces, or what it is replaced by."""
    others = catalogue.replaced(name)
    if info in others:
        return f"{name} (replaced by {catalogue.plugin_of(name).handle})" if name in catalogue else name
    return f"{name} (replaces that of {' and '.join(other.handle for other in others)})" if others else name


def _rule_text(catalogue: Catalogue, label: str) -> str:
    """A rule with whether it is used, such as `layer_norm [numba] (tried first)`."""
    name, rule = label.rstrip("]").split(" [")
    if name not in catalogue:
        return label
    asked = catalogue[name].asked
    when = "not used" if rule not in asked else "tried first" if rule == asked[0] else "tried next"
    return f"{label} ({when})"


def _sections_text(labels: list[str]) -> Iterator[str]:
    """The builtins by the titles of the sections that they get, such as `In other libraries: gelu, softmax`."""
    by_title: dict[str, list[str]] = {}
    for label in labels:
        name, _, title = label.partition(": ")
        by_title.setdefault(title, []).append(name)
    return (f"{title}: {', '.join(names)}" for title, names in by_title.items())


def _entry(catalogue: Catalogue, info: PluginInfo) -> dict[str, Any]:
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
        **{kind.nouns: info.contributes[kind.nouns] for kind in KINDS.values()},
        "replaced": [name for name in info.contributes["builtins"] if info in catalogue.replaced(name)],
        "unused": info.unused,
        "seconds": round(info.seconds, 4),
    }


@plugins.command()
@click.argument("name")
def disable(name: str) -> None:
    """Leave a plugin out from now on: add it to disable under [tool.opbook] in the nearest pyproject.toml.

    NAME is its name, its distribution or its module, as opbook plugins lists them.

    \b
    Examples:
        opbook plugins disable layer_norm
    """
    from opbook.cli.settings_file import change_disabled, disabled_in, file_to_edit  # here, as only these need tomlkit

    sources = [info.source for info in load_catalogue().plugins]
    if not any(source.is_called(name) for source in sources):
        known = [known for source in sources for known in source.names]
        raise UserError(f"opbook: there is no plugin {name}.{nearest(name, known)}")
    file = file_to_edit()
    if name in disabled_in(file):
        print_line(f"{name} is disabled already, in {file}.")
        return
    change_disabled(file, lambda names: names.append(name), f'disable = ["{name}"]')
    print_line(f"Disabled {name} in {file}.")


@plugins.command()
@click.argument("name")
def enable(name: str) -> None:
    """Load a plugin again: take it out of disable under [tool.opbook] in the nearest pyproject.toml.

    \b
    Examples:
        opbook plugins enable layer_norm
    """
    from opbook.cli.settings_file import change_disabled, disabled_in, file_to_edit

    loaded = load_catalogue()
    meant = [info.source for info in loaded.plugins if info.source.is_called(name)]

    def is_meant(entry: str) -> bool:
        return entry == name or any(source.is_called(entry) for source in meant)

    file = file_to_edit()
    found = [entry for entry in disabled_in(file) if is_meant(entry)]
    if not found:
        hint = nearest(name, disabled_in(file))
        if any(map(is_meant, loaded.settings.disable_now)):
            raise UserError(
                f"opbook: {name} is disabled by OPBOOK_DISABLE={os.environ['OPBOOK_DISABLE']}, not by {file}"
            )
        raise UserError(f"opbook: {name} is not disabled in {file}.{hint}")

    def take_out(names: list[str]) -> None:
        for entry in found:
            names.remove(entry)

    change_disabled(file, take_out, f"disable, without {name}")
    print_line(f"Enabled {name} in {file}.")
    if any(map(is_meant, loaded.settings.disable_now)):
        print_line(f"It is still disabled by OPBOOK_DISABLE={os.environ['OPBOOK_DISABLE']}.")
