"""Mistakes in a reader's code, with their place and a caret below it."""

import re
import traceback
from collections.abc import Iterator

from opbook.errors import NotationError
from opbook.examples.example import Example
from opbook.examples.runner import FloodError
from opbook.playground.messages import Answer, failure


def explained(error: BaseException, example: Example) -> Answer:
    """Write an error as the notation writes its own: the place, the message, the line with a caret."""
    name = str(example.path)
    if isinstance(error, FloodError):
        return failure(str(error))
    if isinstance(error, NotationError):
        place = re.match(re.escape(name) + r":(\d+):(\d+): ", str(error))
        return failure(str(error), int(place[1]), int(place[2])) if place else failure(str(error))
    words = error.msg if isinstance(error, SyntaxError) else str(error)
    message = f"{type(error).__name__}: {words}" if words else type(error).__name__
    for line, column in _places(error, name):
        text = [*example.code.splitlines(), *[""] * line][line - 1]
        caret = f"\n  {' ' * (column - 1)}^"
        return failure(f"{name}:{line}:{column}: {message}\n  {text}{caret}", line, column)
    return failure(message)


def _places(error: BaseException, filename: str) -> Iterator[tuple[int, int]]:
    """Lines and columns of a file on the way to an error, innermost first."""
    if isinstance(error, SyntaxError) and error.filename == filename and error.lineno:
        yield error.lineno, max(error.offset or 1, 1)
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if frame.filename == filename and frame.lineno:
            yield frame.lineno, (frame.colno or 0) + 1
