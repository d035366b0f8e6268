"""What several commands share: the catalogue with its `--plugin` option, and files that are read."""

import contextlib
import functools
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

from opbook.cli.errors import UserError
from opbook.plugins.catalogue import Catalogue, catalogue
from opbook.plugins.discovery import PluginInfo

plugin_option = click.option(
    "--plugin",
    "plugin_files",
    multiple=True,
    metavar="FILE.py",
    type=click.Path(exists=True, dir_okay=False),
    help="Load this one-file plugin as well. May be given several times.",
)


class BuiltinName(click.types.StringParamType):
    """The name of a builtin, which a shell can complete."""

    name = "name"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """List the builtins whose names begin with what was typed."""
        found = load_catalogue()
        return [CompletionItem(name, help=op.summary) for name, op in found.items() if name.startswith(incomplete)]


json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON instead.")


def with_catalogue(command: Callable[..., Any], *, samples: bool = False) -> Callable[..., Any]:
    """Give a command the option `--plugin`, and the catalogue as its first argument."""

    @plugin_option
    @functools.wraps(command)
    def wrapper(*args: Any, plugin_files: tuple[str, ...], **kwargs: Any) -> Any:
        add_plugins(plugin_files)
        loaded = load_catalogue(samples=samples)
        before = click.get_current_context().find_root().params.get("plugin_files", ())  # opbook --plugin FILE COMMAND
        mention_failures(loaded, (*before, *plugin_files))
        return command(loaded, *args, **kwargs)

    return wrapper


def add_plugins(files: tuple[str, ...]) -> None:
    """Add one-file plugins to `OPBOOK_PLUGINS`.

    There they are seen by all that loads a catalogue: `from opbook.ops import ...` in an example, and the processes
    that build the site.
    """
    if files:
        before = os.environ.get("OPBOOK_PLUGINS")
        paths = [*([before] if before else []), *(os.path.abspath(file) for file in files)]
        os.environ["OPBOOK_PLUGINS"] = os.pathsep.join(paths)


with_samples = functools.partial(with_catalogue, samples=True)


def load_catalogue(*, samples: bool = False) -> Catalogue:
    """Load the catalogue of this process; what plugins print on being imported goes to standard error."""
    with contextlib.redirect_stdout(sys.stderr):
        loaded = catalogue()
        if samples:
            loaded.load_samples()
        return loaded


def mention_failures(loaded: Catalogue, named: tuple[str, ...] = ()) -> None:
    """Say once on standard error what is wrong with plugins, and stop if the user named one of them in this call.

    Raises:
        UserError: One of those failed, or has a rule or a check that fits no builtin.
    """
    failed = [info for info in loaded.plugins if info.state == "failed"]
    paths = {str(Path(file).resolve()) for file in named}
    others = [info for info in failed if info.source.module not in paths]
    asked_for = [_one_line(info) for info in failed if info not in others]
    asked_for += [message for info in loaded.plugins if info.source.module in paths for message in info.unused]
    if asked_for:
        raise UserError("opbook: " + "\nopbook: ".join(asked_for))
    if others:
        noun = "plugin" if len(others) == 1 else "plugins"
        click.echo(f"{len(others)} {noun} failed to load: opbook plugins says why", err=True)
    for conflict in loaded.conflicts():
        click.echo(conflict, err=True)


def _one_line(info: PluginInfo) -> str:
    return "failed to load " + " ".join(info.error.split())


def read_text(file: str) -> str:
    """Read a program.

    Raises:
        UserError: It is not UTF-8.
    """
    data = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        name = "<stdin>" if file == "-" else file
        raise UserError(
            f"opbook: {name}:{line}: byte 0x{data[error.start]:02x} is not UTF-8; save the file as UTF-8"
        ) from None
