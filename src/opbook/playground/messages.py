"""The format of what a page and an engine say to each other, and how much of it there may be."""

from typing import Any

Answer = dict[str, Any]
"""What goes back to a page, in values that JSON has as well."""

VERSION = 1
"""The version of the format. It grows when an older page could be misled."""

CHARACTERS = 100_000
"""How much printed text, and how much of a value, an answer has at most."""

PICTURES = 2_000_000
"""How many characters the pictures of an answer have at most, all together."""

READY = b"ready\n"
"""The line that a worker writes before each answer, when it is ready for the message."""


def empty() -> Answer:
    """An answer with nothing in it."""
    return {"version": VERSION, "printed": "", "value": None, "figures": [], "error": None, "seconds": 0.0}


def failure(message: str, line: int | None = None, column: int | None = None) -> Answer:
    """Write an answer that is an error.

    Args:
        message: What is wrong.
        line: The line of the code that is to blame, from 1.
        column: The column, likewise.
    """
    return {"error": {"message": message, "line": line, "column": column}}
