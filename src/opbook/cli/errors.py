"""Exit codes, and mistakes of the user that are not ones of options and arguments."""

import signal
from typing import Any

import click

CHECK_FAILED = 1
USER_MISTAKE = 2
INTERNAL_ERROR = 3
INTERRUPTED = 128 + signal.SIGINT


class UserError(click.ClickException):
    """A mistake of the user."""

    exit_code = USER_MISTAKE

    def show(self, file: Any = None) -> None:
        """Print the message as it is; it may have several lines, with a caret under one."""
        click.echo(self.format_message(), file=file, err=True)
