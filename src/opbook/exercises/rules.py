"""A rule that somebody wrote, taken apart into a function and its gradient."""

import functools
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from opbook.checks.comparison.kernel import Arguments, Kernel
from opbook.checks.literals import python_call

Rule = Callable[..., Any]


class Pullback(Kernel):
    """The gradient that a rule returns, written as a reader would ask for it: `rule(x)[1](g)`."""

    def written(self, arguments: Arguments) -> str:
        """Write a call, to paste into a test."""
        (_, g), *others = arguments.positional
        return f"{super().written(replace(arguments, positional=tuple(others)))}{python_call('[1]', (g,), {})}"


def value_of(rule: Rule) -> Callable[..., Any]:
    """The function that a rule computes."""

    @functools.wraps(rule)  # with its signature, by which arguments are placed
    def value(*args: Any, **kwargs: Any) -> Any:
        return _pair(rule, rule(*args, **kwargs))[0]

    return value


def gradient_of(rule: Rule) -> Callable[..., Any]:
    """A function that takes a cotangent and then the arguments, and returns a gradient for each that has one."""

    @functools.wraps(rule)
    def gradient(g: Any, /, *args: Any, **kwargs: Any) -> Any:
        pullback = _pair(rule, rule(*args, **kwargs))[1]
        found = pullback(g)
        if not isinstance(found, tuple):
            raise TypeError(
                f"the pullback must return a tuple with one gradient for each argument, such as (dx,), but returned "
                f"{_kind(found)}"
            )
        return tuple(one for one in found if one is not None)

    return gradient


def _pair(rule: Rule, made: Any) -> Any:
    name = getattr(rule, "__name__", "the rule")
    if not isinstance(made, tuple) or len(made) != 2:
        raise TypeError(f"{name} must return (value, pullback), but returned {_kind(made)}")
    if not callable(made[1]):
        raise TypeError(f"the pullback that {name} returns must be a function of g, but is {_kind(made[1])}")
    return made


def _kind(thing: Any) -> str:
    if thing is None:
        return "None"
    if isinstance(thing, np.ndarray):
        return "an array"
    return f"a tuple of {len(thing)}" if isinstance(thing, tuple) else f"a {type(thing).__name__}"
