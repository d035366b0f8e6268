"""Other rules for a builtin: the same op, computed and differentiated by other code."""

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from opbook.builtins.supplement import Supplement
from opbook.errors import DeclarationError

OWN = "own"
"""The name of the rule that a builtin comes with, or of the tape through its definition if it comes with none."""

RuleFunction = Callable[..., tuple[Any, Callable[[Any], Any]]]
"""Takes a definition's arguments and returns `(value, pullback)`."""


@dataclass(frozen=True)
class Rule(Supplement):
    """Another rule for a builtin, from whatever plugin has one: an accelerator.

    A plugin returns it from the hook `opbook_rules`. It must do what the builtin's definition says, and is verified
    against it as the builtin's own rule is.

    Attributes:
        builtin: The builtin's name.
        name: What the rule is called, such as `"numba"`; users choose it by this name.
        function: The rule: takes the definition's arguments, by the same names and with the same defaults, and returns
            `(value, pullback)`, or `NotImplemented` for a call that it leaves to the next rule. Whether it does may
            depend on shapes, dtypes and options, so that one rule computes a call and its gradient.
        priority: Of several rules the one with the highest is tried first, and the builtin's own last.
    """

    builtin: str
    name: str
    function: RuleFunction
    priority: int = 10

    def __post_init__(self) -> None:
        if not (isinstance(self.builtin, str) and isinstance(self.name, str) and self.name.isidentifier()):
            raise DeclarationError(f"{self}: the names of a builtin and of a rule must be words")
        if self.name == OWN:
            raise DeclarationError(f"{self}: {OWN} is what a builtin's own rule is called; give this one another name")
        if not callable(self.function):
            raise DeclarationError(f"{self}: function must be a function, but is {self.function!r}")
        if not isinstance(self.priority, int | float):
            raise DeclarationError(f"{self}: priority must be a number, but is {self.priority!r}")

    @property
    def key(self) -> tuple[str, ...]:
        """The builtin, the name, and the parameters: one rule may have a function for each call shape."""
        return self.builtin, self.name, *inspect.signature(self.function).parameters

    def misfit(self, op: Any) -> str:
        """Say why its builtin can't take it.

        Args:
            op: The builtin.

        Returns:
            That it has the signature of none of the call shapes; "" if it has that of one.
        """
        reason = op.misfit(self)
        return f"{reason}." if reason else ""

    def __str__(self) -> str:
        return f"{self.builtin} [{self.name}]"


def first_that_takes(functions: Sequence[RuleFunction]) -> RuleFunction:
    """Make one rule of several."""

    def rule(*args: Any, **kwargs: Any) -> Any:
        for function in functions:
            if (answer := function(*args, **kwargs)) is not NotImplemented:
                return answer
        return NotImplemented

    return rule
