"""What a check is, what it works on and what it returns."""

import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from opbook.builtins.builtin import Builtin
from opbook.builtins.call import Call
from opbook.builtins.rule import OWN
from opbook.checks.sampling import Sample
from opbook.examples import Result


class Refuted(Exception):
    """A check found a fault. The message says what was expected and what came, and on which input."""


class NotApplicable(Exception):
    """A check has nothing to prove about this builtin; the message says why."""


@dataclass(frozen=True)
class Subject:
    """A builtin under test.

    Many checks look at the same evaluation of the same sample. It is made once, and what it gave is kept for as long as
    the subject is: that of a sample, and of what a sample is when it is rounded to a dtype, never that of a copy.

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
    _own: dict[int, Sample] = field(default_factory=dict, repr=False)
    _kept: dict[tuple[int, str], tuple[Any, list[Warning | str]]] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        for sample in self.samples:
            self.own(sample)

    def own(self, sample: Sample) -> Sample:
        """Keep what is evaluated on a sample from now on.

        Args:
            sample: The sample.

        Returns:
            The same one.
        """
        self._own[id(sample)] = sample  # which holds it, so that no other one gets its identity
        return sample

    def once(self, what: str, sample: Sample, make: Callable[[], Any]) -> Any:
        """Evaluate something unless it has been evaluated, and note the warnings.

        Args:
            what: What it is called.
            sample: What it is evaluated on. If it is none of the subject's own, nothing is kept.
            make: Evaluates it. If that raises, nothing is kept.

        Returns:
            What it gave.
        """
        if id(sample) not in self._own:
            return make()
        key = id(sample), what
        if key not in self._kept:
            with warnings.catch_warnings(record=True) as heard:
                warnings.simplefilter("always")
                made = make()
            self._kept[key] = made, [warning.message for warning in heard]
        return self._kept[key][0]

    def warned(self, sample: Sample, *whats: str) -> list[Warning | str]:
        """List the warnings of evaluations.

        Args:
            sample: The sample.
            *whats: What the evaluations are called; of those that were not made there is nothing to tell.

        Returns:
            The warnings, in the order in which they came.
        """
        return [warning for what in whats for warning in self._kept.get((id(sample), what), (None, []))[1]]

    def call(self, sample: Sample) -> Call:
        """Check the arguments of a sample.

        Args:
            sample: The sample.

        Returns:
            The call.
        """
        made: Call = self.once("call", sample, lambda: self.op.bind(sample.args, sample.kwargs))
        return made

    def calls(self) -> Iterator[tuple[Sample, Call]]:
        """Every sample with its checked arguments."""
        for sample in self.samples:
            yield sample, self.call(sample)


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
        sentence: What the check proves.
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

    @property
    def label(self) -> str:
        """The builtin's name, with that of the rule behind it if it is another plugin's."""
        return self.builtin if self.rule == OWN else f"{self.builtin} [{self.rule}]"

    def as_dict(self) -> dict[str, Any]:
        """The outcome as plain values, for JSON."""
        return dict(vars(self))
