"""Work shared among a few threads, for rules that spend their time in NumPy, which lets go of Python's lock there.

How work is cut follows from its size alone; how many threads there are decides only who does what. So the same numbers
come out, to the last bit, however busy the machine is and from whatever thread one calls.
"""

import contextvars
import os
import queue
import threading
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, TypeVar

import numpy as np

from opbook_fast import blas

Item = TypeVar("Item")
Result = TypeVar("Result")

PARTS = 8
"""Into how many parts work is cut at most, and so how many threads are of use."""

PRODUCT_OF_A_PART = 2**21
"""Multiplications that a part has at least: they take 0.1 ms, and to wake a thread takes 0.05 to 0.2 ms."""


_this_thread = threading.local()


class _Job:
    """Work that several threads do together. It is emptied at the end, as one may still look at it a little later."""

    def __init__(self, function: Callable[[Any], Any], items: Sequence[Any]) -> None:
        self.function: Callable[[Any], Any] | None = function
        self.waiting = deque(enumerate(items))
        self.results: list[Any] = [None] * len(items)
        self.errors: dict[int, BaseException] = {}
        self.helpers = 0
        self.changed = threading.Condition()
        self.is_open = True

    def work(self) -> None:
        """Do what is still waiting, until there is nothing left or something failed."""
        _this_thread.shares = True
        try:
            self._work()
        finally:
            _this_thread.shares = False

    def _work(self) -> None:
        while self.waiting and not self.errors:
            try:
                i, item = self.waiting.popleft()
            except IndexError:  # another thread took the last one
                return
            try:
                self.results[i] = self.function(item)  # type: ignore[misc]
            except BaseException as error:
                self.errors[i] = error

    def help(self) -> None:
        """Work in another thread than the one that waits for the results, unless it has them all already."""
        with self.changed:
            if not self.is_open:
                return
            self.helpers += 1
        try:
            self.work()
        finally:
            with self.changed:
                self.helpers -= 1
                self.changed.notify()

    def finish(self) -> list[Any]:
        """Work, wait until nobody does any more, and let go of everything.

        Returns:
            The results.

        Raises:
            BaseException: What went wrong in the first item that failed: those before it were begun before it.
        """
        self.work()
        with self.changed:
            self.is_open = False
            self.changed.wait_for(lambda: self.helpers == 0)
        results, errors = self.results, self.errors
        self.results, self.errors, self.function = [], {}, None
        self.waiting.clear()
        try:
            if errors:
                raise errors[min(errors)]
        finally:
            del errors  # whose tracebacks lead to this frame
        return results


class _Helpers:
    """Threads that wait for jobs. They are daemons, which end with the process.

    An executor of the standard library would not do: its module can't be imported while the interpreter shuts down.
    """

    def __init__(self) -> None:
        self._asked: queue.SimpleQueue[Callable[[], object]] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._started = 0

    def ask(self, number: int, job: _Job) -> None:
        """Ask some of them to help with a job, in the caller's context."""
        self._start(number)
        for _ in range(min(number, self._started)):
            self._asked.put(partial(contextvars.copy_context().run, job.help))

    def _start(self, number: int) -> None:
        with self._lock, suppress(RuntimeError):  # while the interpreter shuts down no thread can be started
            while self._started < number:
                threading.Thread(target=self._wait, name="opbook", daemon=True).start()
                self._started += 1

    def _wait(self) -> None:
        while True:
            self._asked.get()()


_helpers = _Helpers()


def _forget_helpers() -> None:
    """A forked process has none of its parent's threads."""
    global _helpers
    _helpers = _Helpers()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_helpers)


def share(function: Callable[[Item], Result], items: Sequence[Item]) -> list[Result]:
    """Apply a function to every item, on as many threads as BLAS may use.

    If it fails, the error is raised once no thread works on any item any more. Work that is part of shared work is not
    shared again: all threads have something to do already.

    Args:
        function: Takes an item. It runs in any thread, with the caller's context variables.
        items: The items, best the longest work first.

    Returns:
        The results, in the order of the items.
    """
    if len(items) < 2 or getattr(_this_thread, "shares", False):
        return [function(item) for item in items]
    helpers = min(len(items), blas.one_thread.threads()) - 1
    if helpers < 1:
        return [function(item) for item in items]
    job = _Job(function, items)
    _helpers.ask(helpers, job)
    return job.finish()


def product(a: Any, b: Any) -> Any:
    """Multiply two matrices, in parts if that is much work.

    Args:
        a: (M, K) array.
        b: (K, N) array.

    Returns:
        (M, N) array.
    """
    (m, k), n = a.shape, b.shape[1]
    if m * k * n < 2 * PRODUCT_OF_A_PART:
        with blas.one_thread:
            return np.matmul(a, b)
    out = np.empty((m, n), np.result_type(a, b))

    def multiply(cut: slice) -> None:
        if m >= n:
            np.matmul(a[cut], b, out=out[cut])
        else:
            np.matmul(a, b[:, cut], out=out[:, cut])

    with blas.one_thread:
        share(multiply, cuts(max(m, n), m * k * n // PRODUCT_OF_A_PART))
    return out


def cuts(length: int, parts: int) -> list[slice]:
    """Cut an axis into parts of about one length.

    Args:
        length: How long the axis is.
        parts: How many parts the work is worth; there are at most `PARTS`.

    Returns:
        Slices that cover it, none of them empty.
    """
    step = -(-length // max(1, min(parts, PARTS))) or 1
    return [slice(start, min(start + step, length)) for start in range(0, length, step)]
