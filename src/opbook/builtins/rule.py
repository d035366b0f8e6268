"""Other rules for a builtin: the same op, computed and differentiated by other code."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

OWN = "own"
"""The name of the rule that a builtin comes with, or of the tape through its definition if it comes with none."""

RuleFunction = Callable[..., tuple[Any, Callable[[Any], Any]]]
"""Takes a definition's arguments and returns `(value, pullback)`."""


@dataclass(frozen=True)
class Rule:
    """Another rule for a builtin, from whatever plugin has one: an accelerator.

    A plugin returns it from the hook `opbook_rules`. It must do what the builtin's definition says, and is verified
    against it as the builtin's own rule is.

    Attributes:
        builtin: The builtin's name.
        name: What the rule is called, such as `"numba"`; users choose it by this name.
        function: The rule: takes the definition's arguments, by the same names and with the same defaults, and returns
            `(value, pullback)`, or `NotImplemented` for a call that the next rule should be asked about. Whether it
            does may depend on shapes, dtypes and options, so that a call and its gradient are answered by one rule.
        priority: Of several rules the one with the highest is asked first. The builtin's own is asked last.
    """

    builtin: str
    name: str
    function: RuleFunction
    priority: int = 10

    def __str__(self) -> str:
        return f"{self.builtin} [{self.name}]"


def first_that_takes(functions: Sequence[RuleFunction]) -> RuleFunction:
    """Make one rule of several.

    Args:
        functions: Rules, in the order in which they are asked.

    Returns:
        A rule that answers with the first answer that is not `NotImplemented`.
    """

    def rule(*args: Any, **kwargs: Any) -> Any:
        for function in functions:
            if (answer := function(*args, **kwargs)) is not NotImplemented:
                return answer
        return NotImplemented

    return rule
