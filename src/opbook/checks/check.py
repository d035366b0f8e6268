"""What a check is, and what it returns."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from opbook.builtins.rule import OWN
from opbook.checks.subject import Subject


class Refuted(Exception):
    """A check found a fault. The message says what was expected and what came, and on which input."""


class NotApplicable(Exception):
    """A check has nothing to prove about this builtin; the message says why."""


@dataclass
class Evidence:
    """What a check that passed has seen.

    Attributes:
        inputs: How many inputs it looked at.
        refused: How many generated inputs the builtin refused, so that it did not look at them.
        worst: The largest error it met, relative to the size of the numbers; None where nothing was measured.
        note: What else should be known, such as that second derivatives are refused.
    """

    inputs: int = 0
    refused: int = 0
    worst: float | None = None
    note: str = ""

    def measured(self, error: float) -> None:
        """Enter an error."""
        self.worst = error if self.worst is None else max(self.worst, error)


@dataclass(frozen=True)
class Check:
    """One thing that is proved of a builtin.

    Attributes:
        name: What it is called on the command line and in reports.
        sentence: What it proves, as a sentence.
        run: Takes the subject; returns the evidence, or raises `Refuted` or `NotApplicable`.
        involves_rule: Whether a rule has a part in it. If not, it is not repeated for another plugin's rule.
        is_slow: Whether it takes so long that building a site leaves it to `opbook verify`.
        needs_examples: Whether it looks at what became of the examples that call the builtin.
        measures: How the sentence about its error begins on a builtin's page; "" if the page has none.
    """

    name: str
    sentence: str
    run: Callable[[Subject], Evidence]
    involves_rule: bool = True
    is_slow: bool = False
    needs_examples: bool = False
    measures: str = ""


def check(name: str, sentence: str, **facts: Any) -> Callable[[Callable[[Subject], Evidence]], Check]:
    """Make a check of a function.

    Args:
        name: Its name.
        sentence: What it proves.
        **facts: What else is to be known of it: the other attributes of `Check`.
    """
    return lambda run: Check(name, sentence, run, **facts)


@dataclass(frozen=True)
class Outcome:
    """What one check said of one builtin.

    Attributes:
        builtin: The builtin's name.
        check: The check's name.
        status: `"passed"`, `"failed"` or `"not applicable"`.
        message: Why it failed or does not apply; a note if it passed.
        inputs: How many inputs it looked at.
        worst: The largest relative error it met, or None.
        seconds: How long it took.
        rule: The rule that was checked: `own`, or the name of another plugin's.
        sentence: What the check proves.
        refused: How many generated inputs the builtin refused, so that no check looked at them.
        cause: The line that raised what nobody expected, if that is why it failed.
    """

    builtin: str
    check: str
    status: str
    message: str
    inputs: int
    worst: float | None
    seconds: float
    rule: str = OWN
    sentence: str = "There are inputs to check it with."
    refused: int = 0
    cause: str = ""

    @property
    def label(self) -> str:
        """The builtin's name, with that of the rule behind it if it is another plugin's."""
        return self.builtin if self.rule == OWN else f"{self.builtin} [{self.rule}]"

    def as_dict(self) -> dict[str, Any]:
        """The outcome as plain values, for JSON."""
        return dict(vars(self))
