"""Commands that plugins add to the command line."""

from collections.abc import Collection, Iterable

import click

from opbook.plugins.catalogue import Catalogue
from opbook.plugins.discovery import PluginInfo
from opbook.plugins.loading import message_of

Added = tuple[PluginInfo, click.Command]
"""A command with the plugin that adds it."""


def added_commands(catalogue: Catalogue, taken: Collection[str]) -> tuple[dict[str, Added], list[str]]:
    """Ask the plugins for commands.

    Args:
        catalogue: The catalogue.
        taken: The names of opbook's own commands.

    Returns:
        The commands by name, and a message for each that can't be had.
    """
    found: dict[str, list[Added]] = {}
    problems: list[str] = []
    for info, hook in catalogue.command_hooks:
        try:
            made = hook()
            if not isinstance(made, Iterable) or isinstance(made, str):
                raise TypeError(f"opbook_commands() must return a list of commands, but returned {type(made).__name__}")
            made = list(made)
            for command in made:
                if not isinstance(command, click.Command):
                    hint = "; decorate it with @click.command()" if callable(command) else ""
                    raise TypeError(f"opbook_commands() returned {command!r}, which is no command of click{hint}")
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # a plugin may raise anything, SystemExit included
            message = f"{type(error).__name__}: {message_of(error)}"
            problems.append(f"{info.source} adds no command: {message}. {_advice(info)}")
            continue
        for command in made:
            found.setdefault(command.name or "", []).append((info, command))
    for name, claims in sorted(found.items()):
        if name in taken:
            problems += [f"{info.source}: opbook has a command {name} already. {_advice(info)}" for info, _ in claims]
        elif len(claims) > 1:
            owners = " and ".join(str(info.source) for info, _ in claims)
            disable = " or ".join(f"OPBOOK_DISABLE={info.handle}" for info, _ in claims)
            problems.append(f"{len(claims)} plugins add a command {name}: {owners}. Leave one out with {disable}")
    commands = {name: claims[0] for name, claims in found.items() if name not in taken and len(claims) == 1}
    return commands, problems


def _advice(info: PluginInfo) -> str:
    return f"Mend it, or leave the plugin out with OPBOOK_DISABLE={info.handle}"


def own_commands(context: click.Context) -> Collection[str]:
    """List opbook's own commands.

    Args:
        context: What click knows of a call of one of them.

    Returns:
        Their names.
    """
    root = context.find_root().command
    return root.commands.keys() if isinstance(root, click.Group) else ()
