"""Waits for a learner to save a file."""

import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

PAUSE = 0.3
"""How many seconds pass between two looks at the files."""


def saved(files: Iterable[Path], wait: Callable[[float], None] = time.sleep) -> Iterator[Path]:
    """Look at files from now on, and go through those that are saved, without end.

    Args:
        files: The files; one that is taken away and comes back was saved.
        wait: Waits for so many seconds.
    """
    watched = list(files)
    return _changes(watched, [_state(file) for file in watched], wait)


def _changes(
    watched: list[Path], before: list[tuple[int, int] | None], wait: Callable[[float], None]
) -> Iterator[Path]:
    while True:
        wait(PAUSE)
        for i, file in enumerate(watched):
            state = _state(file)
            if state != before[i]:
                before[i] = state
                if state is not None and state[1] > 0:  # many editors empty a file before they write it
                    yield file


def _state(file: Path) -> tuple[int, int] | None:
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size
