"""BLAS at one thread for a while: the library that multiplies matrices for NumPy, and shares that work among threads.

Two kinds of threads are in each other's way: an accelerator shares its work among threads of its own, and if BLAS does
so as well, both wait for the same cores. And a product has other bits for another number of threads: 148 of 400
products in float32, of 8 to 4,096 rows and columns, differed between one thread and two, three or four. So whatever
multiplies in an accelerator holds BLAS at one thread, and gives it back what it had.

The number belongs to the whole process. It is set by OpenBLAS's own function, as threadpoolctl 3.8 lets only the first
thread that asked set it and does nothing, in silence, for all others. A library whose number belongs to each thread
(OpenBLAS built with OpenMP) is left alone, and then nothing is shared here.
"""

import ctypes
import os
import threading
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import threadpoolctl


class Library:
    """A BLAS library of this process.

    Args:
        controller: What threadpoolctl knows of it.
    """

    def __init__(self, controller: Any) -> None:
        self._controller = controller
        self.set_threads: Callable[[int], object] = controller.set_num_threads
        for name in controller.check_symbols:
            setter = name.replace("get_num_threads", "set_num_threads")
            if controller.internal_api == "openblas" and hasattr(controller.dynlib, setter):
                self.set_threads = getattr(controller.dynlib, setter)
                self.set_threads.argtypes = [ctypes.c_int]  # type: ignore[attr-defined]

    @property
    def threads(self) -> int:
        """How many threads it has."""
        return int(self._controller.num_threads)


@cache
def libraries() -> Sequence[Library]:
    """Find the BLAS libraries that this process has loaded.

    Returns:
        All of them; none if the number of threads of one can't be set for the whole process.
    """
    found = threadpoolctl.ThreadpoolController().select(user_api="blas").lib_controllers
    if any(getattr(controller, "threading_layer", "") == "openmp" for controller in found):
        return ()
    return tuple(map(Library, found))


class Hold:
    """A context manager: BLAS has one thread while anybody is in it, and then what it had before.

    Many threads may be in it at once, and one thread several times. Products of other code that run meanwhile have one
    thread as well.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._holders = 0
        self._before: list[int] = []

    def __enter__(self) -> None:
        with self._lock:
            if self._holders == 0:
                self._before = [library.threads for library in libraries()]
                for library in libraries():
                    library.set_threads(1)
            self._holders += 1

    def __exit__(self, *error: object) -> None:
        with self._lock:
            if self._holders == 1:
                self._restore()
            self._holders = max(0, self._holders - 1)  # 0 in a process that was forked meanwhile

    def _restore(self) -> None:
        for library, number in zip(libraries(), self._before, strict=True):
            if library.threads == 1:  # otherwise somebody has asked for another number meanwhile
                library.set_threads(number)

    def threads(self) -> int:
        """Tell how many threads BLAS has when nobody holds it.

        Returns:
            The number; 1 if there is no library to hold.
        """
        with self._lock:
            numbers = self._before if self._holders else [library.threads for library in libraries()]
        return max(numbers, default=1)

    def after_fork(self) -> None:
        """Begin anew: a forked process has none of its parent's threads, so nobody in it would let go."""
        self._lock = threading.Lock()
        if self._holders:
            self._restore()
        self._holders = 0


one_thread = Hold()

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=one_thread.after_fork)


def held(rule: Callable[..., Any]) -> Callable[..., Any]:
    """Make of a rule one that holds BLAS, so that its bits are the same whether or not another thread does so too.

    Args:
        rule: Takes a definition's arguments and returns `(value, pullback)`.

    Returns:
        Such a rule.
    """

    def with_one_thread(*args: Any, **kwargs: Any) -> Any:
        with one_thread:
            value, pull = rule(*args, **kwargs)

        def pullback(g: Any) -> Any:
            with one_thread:
                return pull(g)

        return value, pullback

    return with_one_thread
