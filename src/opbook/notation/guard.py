"""Bounds that the operating system keeps, for what runs inside one builtin and can't be counted: time and memory.

Both need a Unix system. The clock needs Python's main thread and a timer that nobody else uses; elsewhere the time is
looked at between builtins only.
"""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np

MEMORY = 2 * 2**30
"""Bytes that a process may take for a program, beside those that it has already."""


class OutOfTime(Exception):
    """The time of a run is over; raised wherever Python is when the clock rings."""


@contextmanager
def alarm(seconds: float) -> Iterator[None]:
    """Raise OutOfTime after a time, wherever this thread is then.

    A product of matrices that is under way is finished first. The clock goes on ringing, for a builtin that catches it.
    """
    if not _may_use_the_clock():
        yield
        return
    before = signal.signal(signal.SIGALRM, _ring)
    signal.setitimer(signal.ITIMER_REAL, seconds, 1.0)
    try:
        try:
            yield
        finally:
            _stop_the_clock(before)
    except OutOfTime:
        _stop_the_clock(before)  # it may have rung while it was being stopped
        raise


def _stop_the_clock(before: Any) -> None:
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


def _may_use_the_clock() -> bool:
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        return False
    return signal.getitimer(signal.ITIMER_REAL)[0] == 0 and signal.getsignal(signal.SIGALRM) == signal.SIG_DFL


def _ring(number: int, frame: FrameType | None) -> None:
    raise OutOfTime


@contextmanager
def limited_memory(extra: int = MEMORY) -> Iterator[None]:
    """Have this process fail to get more memory than it has and `extra` bytes, for a while.

    It is for processes that do nothing else meanwhile. Where the system has no such limit, nothing happens.
    """
    try:
        import resource

        pages = int(Path("/proc/self/statm").read_text("ascii").split()[0])
    except (ImportError, OSError):  # Windows, macOS
        yield
        return
    np.ones((64, 64)) @ np.ones((64, 64))  # BLAS takes its memory at its first product, and ends the process without it
    allowed = pages * resource.getpagesize() + extra
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    if soft == resource.RLIM_INFINITY or soft > allowed:
        resource.setrlimit(resource.RLIMIT_AS, (allowed, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
