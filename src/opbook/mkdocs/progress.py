"""What a build is doing, on the last line of a terminal, once it takes longer than a moment."""

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

PATIENCE = 2.0
"""For so many seconds nothing is shown."""

_doing = "reading the configuration"


def doing(what: str) -> None:
    """Say what is being done now."""
    global _doing
    _doing = what


@contextmanager
def shown() -> Iterator[None]:
    """Show what is being done while something runs; nothing at all where standard error is no terminal."""
    if not sys.stderr.isatty():
        yield
        return
    ended = threading.Event()
    shower = threading.Thread(target=_show, args=(ended,), daemon=True)
    shower.start()
    try:
        yield
    finally:
        ended.set()
        shower.join()


def _show(ended: threading.Event) -> None:
    start = time.monotonic()
    if ended.wait(PATIENCE):
        return
    while not ended.is_set():
        sys.stderr.write(f"\r\x1b[K{time.monotonic() - start:4.0f} s  {_doing}")
        sys.stderr.flush()
        ended.wait(0.5)
    sys.stderr.write("\r\x1b[K")
    sys.stderr.flush()
