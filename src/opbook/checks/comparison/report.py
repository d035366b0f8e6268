"""What a comparison found, and what follows from it."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from opbook.checks.comparison.case import Case

AGREES, IS_WRONG, COULD_NOT_RUN = "agrees", "is wrong", "could not be run"


@dataclass
class Comparison:
    """What a comparison of a function with a builtin found.

    Attributes:
        name: The function's name.
        builtin: The builtin's name.
        library: Whose arrays it got.
        reason: How it was found out that it takes those.
        strict: Whether edges count, where libraries differ on purpose.
        cases: The result for every input, ordinary ones first.
        notes: What else was seen, such as that several results came back.
    """

    name: str
    builtin: str
    library: str
    reason: str
    strict: bool = False
    cases: list[Case] = field(default_factory=list)
    notes: dict[str, str] = field(default_factory=dict)

    def __iter__(self) -> Iterator[Case]:
        """Go through the cases."""
        return iter(self.cases)

    def of(self, status: str, is_edge: bool | None = None) -> list[Case]:
        """List cases.

        Args:
            status: Their status.
            is_edge: Whether they lie at an edge; both unless given.

        Returns:
            Those cases, in order.
        """
        return [case for case in self.cases if case.status == status and is_edge in (None, case.is_edge)]

    @property
    def shortest(self) -> Case | None:
        """The failure with the shortest input, among the ordinary ones if there are any; None if nothing failed."""
        failed = self.of("failed", False) or (self.of("failed") if self.strict else [])
        return min(failed, key=lambda case: ("<" in case.paste, case.error is None, len(case.paste)), default=None)

    @property
    def verdict(self) -> str:
        """`"agrees"`, `"is wrong"` or `"could not be run"`."""
        if self.of("failed", is_edge=False) or (self.strict and self.of("failed")):
            return IS_WRONG
        return AGREES if self.of("passed", is_edge=False) else COULD_NOT_RUN

    @property
    def sentence(self) -> str:
        """The verdict, with what to do, in one sentence."""
        passed, failed = self.of("passed", is_edge=False), self.of("failed", is_edge=False)
        edges = len({case.label for case in self.of("failed", is_edge=True)})
        apart = f"; it differs at {edges} edge{'s' if edges != 1 else ''}" if edges else ""
        if self.verdict == AGREES:
            return f"{self.name} agrees with {self.builtin} on {_inputs(passed)}{apart}."
        if self.verdict == IS_WRONG and failed:
            first = f"{failed[0].label!r} is the first"
            return f"{self.name} is not {self.builtin}: it fails on {_inputs(failed)}, of which {first}{apart}."
        if self.verdict == IS_WRONG:
            return f"{self.name} agrees with {self.builtin} on ordinary inputs{apart}, which counts with --strict."
        refused, missing = self.of("refused"), self.of("left out")
        if refused:
            why = f"it raises {refused[0].message}"
        else:
            why = f"it lacks {', '.join(sorted({case.message for case in missing}))}"
        return (
            f"{self.name} could not be run on any ordinary input: {why}. It was given arrays of {self.library} "
            f"({self.reason}) and the arguments of {self.builtin}; write an adapter if it takes others, "
            "such as those of opbook.testing.adapters."
        )

    def as_dict(self) -> dict[str, Any]:
        """The comparison as plain values, for JSON."""
        return {
            "function": self.name,
            "builtin": self.builtin,
            "arrays": self.library,
            "verdict": self.verdict,
            "sentence": self.sentence,
            "notes": list(self.notes.values()),
            "cases": [case.as_dict() for case in self.cases],
        }


def _inputs(cases: list[Case]) -> str:
    count = len({case.label for case in cases if case.what != "behaviour"})
    trials = len({case.label for case in cases if case.what == "behaviour"})
    words = [f"{count} ordinary input{'s' if count != 1 else ''}"] if count else []
    words += [f"{trials} trial{'s' if trials != 1 else ''} of its behaviour"] if trials else []
    return " and ".join(words)
