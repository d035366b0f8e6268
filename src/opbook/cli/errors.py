"""From exceptions to messages and exit codes: no traceback reaches a user."""

import os
import signal
import sys
import traceback
from typing import Any, NoReturn

import click

from opbook.errors import ExampleError, NotationError, OpbookError

CHECK_FAILED = 1
USER_MISTAKE = 2
INTERNAL_ERROR = 3
INTERRUPTED = 128 + signal.SIGINT


class Mistake(click.ClickException):
    """A mistake of the user that is not one of options and arguments."""

    exit_code = USER_MISTAKE

    def show(self, file: Any = None) -> None:
        """Print the message as it is; it may have several lines, with a caret under one."""
        click.echo(self.format_message(), file=file, err=True)


class Root(click.Group):
    """A group of commands whose failures become one message on standard error and an exit code."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command.

        Args:
            ctx: What click knows of the call.

        Returns:
            What the command returns.
        """
        try:
            result = super().invoke(ctx)
            sys.stdout.flush()  # here, so that a reader who has left is noticed while click can still be quiet about it
        except (click.ClickException, click.exceptions.Exit, click.Abort, BrokenPipeError):
            raise
        except KeyboardInterrupt:
            click.echo(err=True)
            ctx.exit(INTERRUPTED)
        except Exception as error:
            _stop(ctx, error)
        return result


def _stop(ctx: click.Context, error: Exception) -> NoReturn:
    if os.environ.get("OPBOOK_DEBUG") == "1":
        click.echo("".join(traceback.format_exception(error)), err=True)
    if isinstance(error, NotationError | ExampleError):
        raise Mistake(str(error))  # begins with file and line, as editors and other tools expect it
    if isinstance(error, OpbookError | OSError):
        raise Mistake(f"opbook: {error}")
    click.echo(
        f"opbook: {type(error).__name__}: {error}\n"
        "This is a mistake in opbook or in a plugin; with OPBOOK_DEBUG=1 the traceback is shown.",
        err=True,
    )
    ctx.exit(INTERNAL_ERROR)
