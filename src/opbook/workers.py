"""Work shared among a few threads, for rules that spend their time in NumPy, which lets go of Python's lock there.

A matrix product is shared among threads already, by the BLAS library that NumPy calls. What goes on between products is
not, and two kinds of threads are in each other's way. So while work is shared here, BLAS is held at one thread, which
takes `threadpoolctl`. Where that is not installed nothing is shared: BLAS goes on as it is, on all cores, and the rest
runs in the caller's thread.

What a result depends on is how the work was cut, never which thread did what: the same numbers come out, to the last
bit, however busy the machine is and from whatever thread one calls.
"""

import contextvars
import os
import threading
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, suppress
from functools import cache
from typing import Any, TypeVar

import numpy as np

Item = TypeVar("Item")
Result = TypeVar("Result")

SHARED_FROM = 2**22
"""Products of fewer multiplications are not cut up: they take 0.1 ms, and to wake a thread takes 0.05 to 0.2 ms."""


class _Hold:
    """BLAS held at one thread while anybody asks for it, and then put back to what it was."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.holders = 0
        self.before: list[int] = []

    def take(self) -> None:
        with self.lock:
            if self.holders == 0:
                self.before = [library.num_threads for library in _libraries()]
                for library in _libraries():
                    library.set_num_threads(1)
            self.holders += 1

    def release(self) -> None:
        with self.lock:
            self.holders -= 1
            if self.holders == 0:
                self.restore()

    def restore(self) -> None:
        for library, number in zip(_libraries(), self.before, strict=True):
            library.set_num_threads(number)

    def threads(self) -> int:
        """How many threads BLAS has when nobody holds it."""
        with self.lock:
            numbers = self.before if self.holders else [library.num_threads for library in _libraries()]
        return max(numbers, default=1)


@cache
def _libraries() -> Sequence[Any]:
    """The BLAS libraries in this process; none if there is nothing to control them with."""
    try:
        import threadpoolctl
    except ImportError:
        return ()
    return tuple(threadpoolctl.ThreadpoolController().select(user_api="blas").lib_controllers)


_hold = _Hold()
_pool: ThreadPoolExecutor | None = None
_pool_in_use = threading.Lock()


def _forget() -> None:
    """A forked process has none of its parent's threads, so nobody in it will give BLAS its threads back."""
    global _hold, _pool, _pool_in_use
    if _hold.holders:
        _hold.restore()
    _hold, _pool, _pool_in_use = _Hold(), None, threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)


def count() -> int:
    """Tell among how many threads work is shared.

    Returns:
        As many as BLAS may use, and 1 without `threadpoolctl`.
    """
    return _hold.threads()


class _Held:
    """A context manager of its own, as one made of a generator takes four times as long to enter and leave."""

    __slots__ = ("_hold",)

    def __init__(self, hold: _Hold) -> None:
        self._hold = hold

    def __enter__(self) -> None:
        self._hold.take()

    def __exit__(self, *error: object) -> None:
        self._hold.release()


def hold_blas() -> AbstractContextManager[None]:
    """Keep BLAS at one thread for a while, so that what is shared in between finds no BLAS thread still awake.

    It may be used by many threads at once and within itself. Products then have the same bits whether or not another
    thread holds BLAS too. Products of other code that run meanwhile have one thread as well.

    Returns:
        What to use in a `with` statement.
    """
    return _Held(_hold)  # in a process that is forked meanwhile `_hold` is another


def share(function: Callable[[Item], Result], items: Sequence[Item]) -> list[Result]:
    """Apply a function to every item, on several threads where there are any to spare.

    Args:
        function: Takes an item. It runs in any thread, with the caller's context variables.
        items: The items, best the longest work first.

    Returns:
        The results, in the order of the items.
    """
    with hold_blas():
        helpers = min(count(), len(items)) - 1
        if helpers < 1 or not _pool_in_use.acquire(blocking=False):  # in use by another thread, or by the caller itself
            return [function(item) for item in items]
        try:
            return _share(function, items, helpers)
        finally:
            _pool_in_use.release()


class _Job:
    """Work that several threads do together. It is emptied at the end, as the pool may hold it a little longer."""

    def __init__(self, function: Callable[[Any], Any], items: Sequence[Any]) -> None:
        self.function: Callable[[Any], Any] | None = function
        self.waiting = deque(enumerate(items))
        self.results: list[Any] = [None] * len(items)

    def work(self) -> None:
        """Do what is still waiting."""
        while self.waiting and self.function is not None:
            try:
                i, item = self.waiting.popleft()
            except IndexError:  # another thread took the last one
                return
            self.results[i] = self.function(item)

    def end(self) -> None:
        """Let go of everything."""
        self.waiting.clear()
        self.results, self.function = [], None


def _share(function: Callable[[Any], Any], items: Sequence[Any], helpers: int) -> list[Any]:
    global _pool
    if _pool is None:
        _pool = ThreadPoolExecutor(os.cpu_count(), "opbook")
    job = _Job(function, items)
    started = []
    with suppress(RuntimeError):  # the interpreter is shutting down, and starts no more threads
        for _ in range(helpers):
            started.append(_pool.submit(contextvars.copy_context().run, job.work))
    try:
        try:
            job.work()
        finally:
            job.waiting.clear()  # after an error
            for future in started:
                if not future.cancel():
                    future.result()
        return job.results
    finally:
        job.end()


def product(a: Any, b: Any) -> Any:
    """Multiply two matrices, cut into as many parts as there are threads.

    Args:
        a: (M, K) array.
        b: (K, N) array.

    Returns:
        (M, N) array.
    """
    (m, k), n = a.shape, b.shape[1]
    if m * k * n < SHARED_FROM or (parts := count()) == 1:
        return a @ b
    out = np.empty((m, n), np.result_type(a, b))

    def multiply(cut: slice) -> None:
        if m >= n:
            np.matmul(a[cut], b, out=out[cut])
        else:
            np.matmul(a, b[:, cut], out=out[:, cut])

    share(multiply, cuts(max(m, n), parts))
    return out


def cuts(length: int, parts: int) -> list[slice]:
    """Cut an axis into parts of about one length.

    Args:
        length: How long the axis is.
        parts: How many parts there may be at most.

    Returns:
        Slices that cover it, none of them empty.
    """
    step = -(-length // parts) or 1
    return [slice(start, min(start + step, length)) for start in range(0, length, step)]
