"""Commands that plugins add to the command line."""

from collections.abc import Collection, Iterator

import click

from opbook.plugins.catalogue import Catalogue
from opbook.plugins.contributions import CommandHook, Contribution
from opbook.plugins.discovery import PluginInfo
from opbook.plugins.guard import guarded
from opbook.plugins.loading import message_of
from opbook.plugins.resolution import grouped, not_alone


def added_commands(catalogue: Catalogue, taken: Collection[str]) -> tuple[dict[str, click.Command], list[str]]:
    """Ask the plugins for commands, and note with each plugin those that can be had.

    Returns:
        The commands by name, and a message for each that can't be had.
    """
    commands: dict[str, Contribution[click.Command]] = {}
    problems: list[str] = []
    for same in grouped(_made(catalogue, problems), lambda command: command.name):
        name = same[0].thing.name or ""
        if name in taken:
            owners = [one.plugin for one in same]
            problems += [f"{info.source}: opbook has a command {name} already. {_advice(info)}" for info in owners]
        elif len(same) > 1:
            problems.append(not_alone("commands", [Contribution(one.plugin, name) for one in same]))
        else:
            commands[name] = same[0]
    for info in catalogue.plugins:
        info.contributes["commands"] = sorted(name for name, one in commands.items() if one.plugin is info)
    return {name: one.thing for name, one in sorted(commands.items())}, problems


def _made(catalogue: Catalogue, problems: list[str]) -> Iterator[Contribution[click.Command]]:
    for one in catalogue.contributions(CommandHook):
        try:
            with guarded(str(one.plugin.source), one.plugin.handle):
                made = one.thing.commands()
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # a plugin may raise anything, SystemExit included
            message = f"{type(error).__name__}: {message_of(error)}"
            problems.append(f"{one.plugin.source} adds no command: {message}. {_advice(one.plugin)}")
        else:
            yield from (Contribution(one.plugin, command) for command in made)


def _advice(info: PluginInfo) -> str:
    return f"Mend it, or leave the plugin out with OPBOOK_DISABLE={info.handle}"


def own_commands(context: click.Context) -> Collection[str]:
    """List opbook's own commands."""
    root = context.find_root().command
    return root.commands.keys() if isinstance(root, click.Group) else ()
