"""Which rule a call uses, and how long each rule takes for it."""

import dataclasses
import functools
import time
from collections.abc import Callable
from statistics import median
from typing import Any, NamedTuple

from opbook.builtins.builtin import Builtin
from opbook.builtins.rule import OWN, RuleFunction

ROUNDS, ENOUGH = 30, 0.5
"""How often a call is repeated at most, and for how many seconds."""


class Use(NamedTuple):
    """What a rule did.

    Attributes:
        rule: Its name.
        args: The positional arguments that it got.
        kwargs: The keyword arguments.
        seconds: How long it took for the value.
    """

    rule: str
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    seconds: float


def watched(op: Builtin, note: Callable[[Use], None]) -> Builtin:
    """Make a copy of a builtin that tells which of its rules each call uses.

    Args:
        op: The builtin.
        note: Is told. Of calls that no rule takes it hears nothing.
    """
    rules = [dataclasses.replace(rule, function=_told(rule.function, rule.name, note)) for rule in op.rules]
    copy = op.with_rules(rules)
    for shape in copy.call_shapes:
        shape.own_rule = shape.own_rule and _told(shape.own_rule, OWN, note)
    copy.use_rules(rules, op.asked)
    return copy


def _told(function: RuleFunction, name: str, note: Callable[[Use], None]) -> RuleFunction:
    @functools.wraps(function)
    def rule(*args: Any, **kwargs: Any) -> Any:
        start = time.perf_counter()
        answer = function(*args, **kwargs)
        if answer is not NotImplemented:
            note(Use(name, args, kwargs, time.perf_counter() - start))
        return answer

    return rule


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
        found[name] = _seconds(functools.partial(_pull_once, alone, args, kwargs)) if takes_it else None
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
