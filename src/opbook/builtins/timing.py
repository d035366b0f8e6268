"""Which rule a call uses, and how long each rule takes for it."""

import time
from collections.abc import Callable
from statistics import median
from typing import Any

from opbook.builtins.builtin import Builtin
from opbook.builtins.rule import OWN

ROUNDS, ENOUGH = 30, 0.5
"""How often a call is repeated at most, and for how many seconds."""


def times_of_rules(op: Builtin, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, float | None]:
    """Time a call with each rule that is tried for it: value and gradients.

    Args:
        op: The builtin.
        args: The positional arguments of the call.
        kwargs: The keyword arguments.

    Returns:
        The seconds by the name of the rule, each the median of some calls, in the order in which they are tried; None
        for a rule that does not take the call. The first that takes it is the one that is used.
    """
    found: dict[str, float | None] = {}
    for name in op.asked:
        alone = op.with_rule(name)
        takes_it = name == OWN or alone.bind(args, kwargs).run_rule() is not None
        found[name] = _seconds(lambda op=alone: _pull_once(op, args, kwargs)) if takes_it else None  # type: ignore[misc]
    return found


def _pull_once(op: Builtin, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    value, pullback = op.value_and_pullback(*args, **kwargs)
    pullback(value)


def _seconds(work: Callable[[], None]) -> float:
    """The median of some rounds, after one that may compile and import."""
    work()
    spent: list[float] = []
    while len(spent) < ROUNDS and sum(spent) < ENOUGH:
        start = time.perf_counter()
        work()
        spent.append(time.perf_counter() - start)
    return median(spent)
