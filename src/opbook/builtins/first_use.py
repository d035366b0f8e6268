"""What is done before a builtin is first used: whoever knows of rules for it is asked."""

from collections.abc import Callable

_waiting: list[Callable[[], bool]] = []


def before_first_use(prepare: Callable[[], bool]) -> None:
    """Have something done before a builtin is first used in this process.

    Args:
        prepare: Does it, and returns True; or False if it can't yet, and then it is called at the next use again.
    """
    _waiting.append(prepare)


def prepare() -> None:
    """Do what is waiting."""
    if _waiting:
        _waiting[:] = [function for function in _waiting if not function()]
