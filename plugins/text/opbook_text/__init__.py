"""Printing, as an opbook plugin."""

import builtins
from typing import Any

from opbook import builtin, hookimpl
from opbook.builtins.formatting import format_value


# A value prints so that it can be read back: `[1, 2; 3, 4]` is what one would type to get that matrix. Numbers have at
# most six decimals, with zeros at the end dropped, because examples are there to be read. What is not shown is still
# there; nothing is rounded but the text.
#
# There is one argument only. To print several things, put them in a text: `print("x = {x}, y = {y}")` says which is
# which.
#
# Inside a function that is being differentiated it prints the value, and does not disturb the gradient.
@builtin(category="Text", aliases=("show", "display", "write"))
def print(value: Any) -> None:
    """Prints a value on a line of its own.

    Args:
        value: Anything: a number, a text, an array, a tuple, a record, a function.

    Returns:
        Nothing; the line goes to standard output.

    Raises:
        InputError: The text would be too long to be read.

    Source:
        Python's `print`, for one value, which it writes as the notation reads it.
    """
    builtins.print(format_value(value))


@hookimpl
def opbook_builtins():
    """Add print."""
    return [print]
