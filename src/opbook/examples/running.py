"""Which example is running: said once it takes long, and when somebody ends it.

An example can't be ended from within its own process, so nothing here ends one: it is named, and whoever waits for it
decides.
"""

import os
import sys
import threading
import traceback
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType

from opbook.examples.example import Example, place

PATIENCE = 20.0
"""After so many seconds an example is named, whether or not it ever ends."""

_running: list[Example] = []


@contextmanager
def noted(example: Example) -> Iterator[None]:
    """Note that an example runs, and say so on standard error where it takes long or is interrupted.

    Args:
        example: The example.
    """
    _running.append(example)
    try:
        with named_if_long(f"{example.place}: this example"):
            yield
    except KeyboardInterrupt as error:
        _say_ended(example, traceback.walk_tb(error.__traceback__))
        raise
    finally:
        _running.pop()


@contextmanager
def named_if_long(what: str) -> Iterator[None]:
    """Say on standard error what has been running for long, while it goes on."""
    timer = threading.Timer(PATIENCE, _say, [f"{what} has been running for {PATIENCE:.0f} s"])
    timer.daemon = True
    with suppress(RuntimeError):  # Python in a web page has no threads
        timer.start()
    try:
        yield
    finally:
        timer.cancel()


def say_where() -> None:
    """Say on standard error which example is running, and the line of it that is; nothing where none is."""
    for example in _running[-1:]:
        stacks = map(traceback.walk_stack, sys._current_frames().values())
        _say_ended(example, ((frame, line) for stack in stacks for frame, line in reversed(list(stack))))


def _say_ended(example: Example, steps: Iterable[tuple[FrameType, int]]) -> None:
    """Say where an example was: at the innermost line of its page; programs of the notation have none."""
    lines = [line for frame, line in steps if frame.f_code.co_filename == str(example.path)]
    _say(f"{place(example.path, [example.line, *lines][-1])}: ended while this example was running")


def _say(message: str) -> None:
    os.write(2, f"{message}\n".encode(errors="replace"))  # past what captures standard error
