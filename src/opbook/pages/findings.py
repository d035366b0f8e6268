"""What the build found out about a builtin: its gradient, its edge cases, and what its checks said."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Gradient:
    """How a builtin is differentiated.

    Attributes:
        call: The lines that take its gradient, or "" where it has none.
        words: What goes in and comes back, as Markdown.
        note: What the note says of it, as Markdown.
    """

    call: str
    words: str
    note: str


@dataclass(frozen=True)
class OtherRule:
    """A rule that another plugin has for a builtin.

    Attributes:
        name: What it is called.
        plugin: The plugin.
        distribution: Its distribution, or "" for a single file.
        version: The distribution's version.
        priority: Its priority.
        asked: Whether it is asked when the builtin is called, before the builtin's own rule.
    """

    name: str
    plugin: str
    distribution: str
    version: str
    priority: float
    asked: bool

    @property
    def origin(self) -> str:
        """Where it comes from, in a few words."""
        return f"{self.distribution} {self.version}" if self.distribution else f"plugin {self.plugin}, one file"


@dataclass(frozen=True)
class Refusal:
    """A call that a builtin refuses.

    Attributes:
        label: What is wrong about it.
        error: The class of the error, or "" if there was none.
        message: What the error said a moment ago.
    """

    label: str
    error: str
    message: str


@dataclass(frozen=True)
class EdgeCases:
    """Inputs at the edges of what a builtin takes.

    Attributes:
        answered: What is special about those that it answers and that the checks look at.
        refused: Those that it refuses.
        raises: The errors that its docstring names, each with the reason.
    """

    answered: tuple[str, ...] = ()
    refused: tuple[Refusal, ...] = ()
    raises: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class VerifiedCheck:
    """What one check said of a builtin.

    Attributes:
        name: The check.
        sentence: What it proves.
        status: `passed`, `failed`, `not applicable`, or `left out` where the build leaves it to `opbook verify`.
        inputs: How many inputs it looked at.
        message: Why it failed or does not apply; a note if it passed.
    """

    name: str
    sentence: str
    status: str
    inputs: int
    message: str


@dataclass(frozen=True)
class Verification:
    """What the build's checks said of a builtin.

    Attributes:
        checks: Every check.
        sentences: How close its numbers came, as sentences that hold from build to build.
    """

    checks: tuple[VerifiedCheck, ...]
    sentences: tuple[str, ...]

    def of(self, status: str) -> list[VerifiedCheck]:
        """The checks of one status.

        Args:
            status: The status.

        Returns:
            The checks, in the order in which they ran.
        """
        return [check for check in self.checks if check.status == status]

    @property
    def inputs(self) -> int:
        """How many inputs the check with the most of them looked at."""
        return max((check.inputs for check in self.checks), default=0)
