"""What a check is, what it works on and what it returns."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from opbook.builtin import Builtin
from opbook.call import Call
from opbook.checks.sampling import Sample
from opbook.examples import Result
from opbook.rules import OWN


class Refuted(Exception):
    """A check found a fault. The message says what was expected and what came, and on which input."""


class NotApplicable(Exception):
    """A check has nothing to prove about this builtin; the message says why."""


@dataclass(frozen=True)
class Subject:
    """A builtin under test.

    Attributes:
        op: The builtin.
        rule: The name of the rule under test; `op` is computed by no other.
        samples: The inputs; every one of them is accepted by the builtin.
        builtins: The other builtins by name, for the notation.
        examples: What became of the plugin's examples that call it; None if they were not looked for.
    """

    op: Builtin
    samples: list[Sample]
    builtins: Mapping[str, Builtin] = field(default_factory=dict)
    examples: list[Result] | None = None
    rule: str = OWN
    differentiable: dict[int, bool] = field(default_factory=dict, repr=False)
    """For samples that were asked about, by identity, whether there is something to differentiate."""

    def calls(self) -> Iterator[tuple[Sample, Call]]:
        """Every sample with its checked arguments."""
        for sample in self.samples:
            yield sample, self.op.bind(sample.args, sample.kwargs)


@dataclass
class Evidence:
    """What a check that passed has seen.

    Attributes:
        inputs: How many inputs it looked at.
        worst: The largest error it met, relative to the size of the numbers; None where nothing was measured.
        note: What else should be known, such as that second derivatives are refused.
    """

    inputs: int = 0
    worst: float | None = None
    note: str = ""

    def measured(self, error: float) -> None:
        """Enter an error.

        Args:
            error: The error, relative to the size of the numbers.
        """
        self.worst = error if self.worst is None else max(self.worst, error)


@dataclass(frozen=True)
class Check:
    """One thing that is proved of a builtin.

    Attributes:
        name: What it is called on the command line and in reports.
        sentence: What it proves, as a sentence.
        run: Takes the subject; returns the evidence, or raises `Refuted` or `NotApplicable`.
    """

    name: str
    sentence: str
    run: Callable[[Subject], Evidence]


def check(name: str, sentence: str) -> Callable[[Callable[[Subject], Evidence]], Check]:
    """Make a check of a function.

    Args:
        name: Its name.
        sentence: What it proves.

    Returns:
        A decorator for the function that runs it.
    """
    return lambda run: Check(name, sentence, run)


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
    """

    builtin: str
    check: str
    status: str
    message: str
    inputs: int
    worst: float | None
    seconds: float
    rule: str = OWN

    @property
    def label(self) -> str:
        """The builtin's name, with that of the rule behind it if it is another plugin's."""
        return self.builtin if self.rule == OWN else f"{self.builtin} [{self.rule}]"

    def as_dict(self) -> dict[str, Any]:
        """The outcome as plain values, for JSON."""
        return dict(vars(self))
