"""Guards the process while a plugin's own code runs: what it does to the process is undone, named, or told in time."""

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from opbook.errors import PluginError

ADVICE = "leave it out with OPBOOK_DISABLE={}"

PATIENCE = 10.0
"""After so many seconds it is said which plugin is being waited for."""


class StoppedByUser(KeyboardInterrupt):
    """Ctrl-C was pressed while a plugin was running; one that raises KeyboardInterrupt itself is just wrong."""


@contextmanager
def guarded(who: str, handle: str) -> Iterator[None]:
    """Run a plugin's code.

    Raises:
        KeyboardInterrupt: Ctrl-C was pressed; a note says which plugin was running.
        PluginError: The code ends the process, or raises KeyboardInterrupt itself.
    """
    advice = ADVICE.format(handle)

    def tell() -> None:
        print(f"opbook: still waiting for {who}; Ctrl-C stops it, and you can {advice}", file=sys.stderr, flush=True)

    timer = threading.Timer(PATIENCE, tell)
    timer.daemon = True
    with suppress(RuntimeError):  # Python in a web page has no threads
        timer.start()
    limit = sys.getrecursionlimit()
    try:
        with no_exit(), _interrupts_told_apart():
            yield
    except StoppedByUser as stopped:
        stopped.add_note(f"opbook was waiting for {who}; {advice}")
        raise
    except KeyboardInterrupt as error:
        if not _can_tell_apart():
            raise
        raise PluginError("it raises KeyboardInterrupt") from error
    finally:
        timer.cancel()
        sys.setrecursionlimit(limit)


@contextmanager
def no_exit() -> Iterator[None]:
    """Have `os._exit` raise, as nothing could be said afterwards; a forked child may end as it likes."""
    real, process = os._exit, os.getpid()

    def refuse(status: int) -> Any:
        if os.getpid() != process:
            real(status)
        raise PluginError(f"it calls os._exit({status!r}), which would end the process")

    os._exit = refuse
    try:
        yield
    finally:
        os._exit = real


def _can_tell_apart() -> bool:
    """Whether a KeyboardInterrupt that is no StoppedByUser is the plugin's own: signals reach the main thread only."""
    if threading.current_thread() is not threading.main_thread():
        return True
    return signal.getsignal(signal.SIGINT) in (signal.default_int_handler, signal.SIG_IGN)


@contextmanager
def _interrupts_told_apart() -> Iterator[None]:
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or before is not signal.default_int_handler:
        yield
        return

    def stop(number: int, frame: Any) -> None:
        raise StoppedByUser

    signal.signal(signal.SIGINT, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
