"""Printing, as an opbook plugin."""

import builtins
from typing import Any

from opbook import Family, builtin, hookimpl
from opbook.builtins.formatting import format_value


# A value is printed in the form in which the notation reads it: `[1, 2; 3, 4]` is what one types to get that matrix.
# Numbers have at most six decimals, without zeros at the end, so that they are easy to read. Only the text is rounded,
# and not the value.
#
# There is one argument only. To print several values, put them in a text, which can also say which is which:
# `print("x = {x}, y = {y}")`.
#
# Inside a function that is being differentiated it prints the value, and does not change the gradient.
@builtin(category="Text", aliases=("show", "display", "write"))
def print(value: Any) -> None:
    """Prints a value on a line of its own.

    A value is written as one would type it in the notation: `[1, 2; 3, 4]` is a matrix of two rows. Numbers are shown
    with at most six decimals, and the value itself is not rounded. It takes one value; to print several, put them in a
    text: `print("x = {x}, y = {y}")`.

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


@hookimpl
def opbook_families():
    """Say what the category has in common."""
    return [Family("Text", "family.md")]
