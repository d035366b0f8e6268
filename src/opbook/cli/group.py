"""The group of commands: opbook's own and those of plugins. No traceback reaches a user."""

import os
import sys
import traceback
from typing import Any, NoReturn

import click

from opbook.cli.errors import INTERNAL_ERROR, INTERRUPTED, UserError
from opbook.cli.options import add_plugins, load_catalogue
from opbook.cli.plugin_commands import added_commands
from opbook.errors import ExampleError, NotationError, OpbookError


class Root(click.Group):
    """A group of commands whose failures become one message on standard error and an exit code."""

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Find a command: one of opbook's own, or else one that a plugin adds."""
        return super().get_command(ctx, cmd_name) or self._added(ctx).get(cmd_name)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """List the names of all commands, for the help."""
        return sorted({*super().list_commands(ctx), *self._added(ctx)})

    def _added(self, ctx: click.Context) -> dict[str, click.Command]:
        """The commands that plugins add; what is wrong with others is said once."""
        if ctx.obj is None:
            try:
                add_plugins(ctx.params.get("plugin_files", ()))
                ctx.obj, problems = added_commands(load_catalogue(), self.commands)
            except OpbookError as error:  # settings that are not understood: help must be had all the same
                ctx.obj, problems = {}, [f"opbook: {error}"]
            for problem in problems:
                click.echo(problem, err=True)
        found: dict[str, click.Command] = ctx.obj
        return found

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command."""
        try:
            result = super().invoke(ctx)
            sys.stdout.flush()  # here, so that a reader who has left is noticed while click can still be quiet about it
        except (click.ClickException, click.exceptions.Exit, click.Abort, BrokenPipeError):
            raise
        except KeyboardInterrupt as stopped:
            click.echo("\n".join(["", *getattr(stopped, "__notes__", ())]), err=True)
            ctx.exit(INTERRUPTED)
        except Exception as error:
            _stop(ctx, error)
        return result


def _stop(ctx: click.Context, error: Exception) -> NoReturn:
    if os.environ.get("OPBOOK_DEBUG") == "1":
        click.echo("".join(traceback.format_exception(error)), err=True)
    if isinstance(error, NotationError | ExampleError):
        raise UserError(str(error))  # begins with file and line, as editors and other tools expect it
    if isinstance(error, OpbookError | OSError):
        raise UserError(f"opbook: {error}")
    click.echo(
        f"opbook: {type(error).__name__}: {error}\n"
        "This is an error in opbook or in a plugin; with OPBOOK_DEBUG=1 the traceback is shown.",
        err=True,
    )
    ctx.exit(INTERNAL_ERROR)
