"""Work spread over processes."""

import functools
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Generator, Sequence
from typing import Any, TypeVar

from opbook.examples.running import say_where

_UNFORKABLE = {"jax", "torch"}
"""What waits for ever in a forked process once it is loaded: for threads that only the first process has."""

T = TypeVar("T")
R = TypeVar("R")

_inherited: dict[int, Callable[..., Any]] = {}
"""Work in progress. A forked process has it, and all that it refers to, which could not be sent."""


def spread(work: Callable[[T], R], parts: Sequence[T], least: int = 2, chunk: int = 1) -> list[R]:
    """Do something with each of several parts, in processes where the system can fork; see `spread_one_by_one`."""
    return list(spread_one_by_one(work, parts, least, chunk))


def spread_one_by_one(
    work: Callable[[T], R], parts: Sequence[T], least: int = 2, chunk: int = 1
) -> Generator[R, None, None]:
    """Do something with each of several parts, in processes where the system can fork.

    A forked process has all that this one has loaded; only the parts and the results are sent.

    Args:
        work: What is done with a part.
        parts: The parts.
        least: With fewer parts than this, no process is started.
        chunk: How many parts a process gets at once.

    Yields:
        The results in the order of the parts, each as soon as it and those before it are there. Whoever stops asking
        ends the processes.
    """
    processes = min(os.cpu_count() or 1, len(parts))
    can_fork = "fork" in multiprocessing.get_all_start_methods() and not _UNFORKABLE & sys.modules.keys()
    if len(parts) < max(least, 2) or processes < 2 or not can_fork:
        yield from map(work, parts)
        return
    # not above, as Python in a web page has no such module, and only one processor
    from concurrent.futures.process import BrokenProcessPool, ProcessPoolExecutor

    key = id(work)
    _inherited[key] = work
    others = set(multiprocessing.active_children())
    done = 0
    try:
        fork = multiprocessing.get_context("fork")
        with ProcessPoolExecutor(processes, fork, _begin, (os.getpid(),)) as pool:
            try:
                for result in pool.map(functools.partial(_inherit, key), parts, chunksize=chunk):
                    yield result
                    done += 1
            except BaseException:  # what still runs is not waited for
                for process in set(multiprocessing.active_children()) - others:
                    process.terminate()
                raise
    except BrokenProcessPool:  # a part ends its process: here it says so itself
        yield from map(work, parts[done:])
    finally:
        del _inherited[key]


def _begin(parent: int) -> None:
    """Let a process end with the one that started it, and say what it was at; pipes from siblings keep it from that."""
    signal.signal(signal.SIGINT, lambda *_: _end())
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: int) -> None:
    tick = threading.Event()
    while os.getppid() == parent:
        tick.wait(0.5)
    _end()


def _end() -> None:
    say_where()
    os._exit(1)


def _inherit(key: int, part: Any) -> Any:
    return _inherited[key](part)
