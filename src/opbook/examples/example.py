"""What the parts of this package hand to each other: an example, the result of running it, an error with its place."""

import importlib.util
import os
import re
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from opbook.errors import ExampleError
from opbook.figures import Figure

Language = Literal["qu", "python"]
Status = Literal["passed", "failed", "skipped", "updated"]

KINDS = ("options", "edge", "gradient", "picture")
"""What an example shows, if the heading above it says so with an attribute list: `## A constant row { .edge }`."""


def place(path: Path, line: int) -> str:
    """Name a line of a file, as short as it can be from the working directory."""
    absolute = Path(os.path.abspath(path))
    here = Path.cwd()
    shown = absolute.relative_to(here) if absolute.is_relative_to(here) else path
    return f"{shown}:{line}"


class PageError(ExampleError):
    """An `ExampleError` that knows its file and line.

    Attributes:
        path: The Markdown file.
        line: The line that is to blame, from 1.
        problem: The message without the place.
    """

    def __init__(self, path: Path, line: int, problem: str) -> None:
        super().__init__(f"{place(path, line)}: {problem}")
        self.path = path
        self.line = line
        self.problem = problem


@dataclass(frozen=True)
class Choice:
    """A line of an example that gives a name a value, and the values that a reader may try there.

    Attributes:
        name: The name.
        values: The values as they are written, in order; that of the line is one of them.
        value: The value of the line.
    """

    name: str
    values: tuple[str, ...]
    value: str

    @classmethod
    def read(cls, text: str, code: str) -> "Choice":
        """Read `NAME = VALUE, VALUE, ...`, and find the line of the code that it is about.

        Raises:
            ValueError: It is not written so, or the code has no such line, or more than one.
        """
        name, _, listed = (part.strip() for part in text.partition("="))
        values = tuple(value.strip() for value in listed.split(","))
        if not name.isidentifier() or len(set(values)) < max(len(values), 2) or not all(values):
            raise ValueError("vary takes a name and its values, each once: <!-- example: vary, NAME = VALUE, VALUE -->")
        lines = re.findall(rf"^{name} = (.*?)[ \t]*$", code, re.MULTILINE)
        if len(lines) != 1:
            raise ValueError(f"this example needs one line that begins with {name} = , but has {len(lines)}.")
        if lines[0] not in values:
            raise ValueError(f"the line {name} = {lines[0]} has none of the values {', '.join(values)}.")
        return cls(name, values, lines[0])


@dataclass(frozen=True)
class Frame:
    """What an example gives with one of the values of its choice.

    Attributes:
        name: The name that has the value.
        value: The value.
        is_default: Whether it is the one that the page's code has.
        printed: What the example printed.
        figures: What it drew.
    """

    name: str
    value: str
    is_default: bool
    printed: str
    figures: tuple[Figure, ...]


@dataclass(frozen=True)
class Example:
    """A runnable fence of a Markdown file.

    Attributes:
        path: The file.
        line: The line of the opening fence, from 1; the code begins on the next one.
        language: `"qu"` or `"python"`.
        code: What stands in the fence, without its indentation.
        output: What stands in the `output` fence behind it; None where there is none.
        heading: The text of the nearest heading above.
        kind: What it shows, one of `KINDS`, or "" where the heading does not say it, as of a basic example.
        end: The line of the closing fence.
        output_span: The lines of the output's opening and closing fence; None where there is none.
        continues: Whether it runs in the namespace of `previous`.
        skip: Why it is never run; None where it is.
        needs: The packages that it can only be run with, those of what it continues among them.
        raises: Whether it must fail; its message is then the end of its output.
        choice: The line of it that a reader may vary; None where there is none.
        previous: The example that this one continues: the nearest one above in the same language.
    """

    path: Path
    line: int
    language: Language
    code: str
    output: str | None = None
    heading: str = ""
    kind: str = ""
    end: int = 0
    output_span: tuple[int, int] | None = None
    continues: bool = False
    skip: str | None = None
    needs: tuple[str, ...] = ()
    raises: bool = False
    choice: Choice | None = None
    previous: "Example | None" = field(default=None, repr=False, compare=False)

    @property
    def place(self) -> str:
        """File and line, as in `docs/learn/tape.md:12`."""
        return place(self.path, self.line)

    @property
    def why_not_run(self) -> str | None:
        """Why it is not run here: its `skip`, or that a package is not installed; None where it is run."""
        missing = [name for name in self.needs if importlib.util.find_spec(name) is None]
        return self.skip or (f"needs {', '.join(missing)}, not installed here" if missing else None)

    @property
    def program(self) -> str:
        """What is run in the notation: behind as many lines as stand above it, so that messages name the page's.

        Where a message is shown, it counts lines as for a reader who copies the fence.
        """
        return self.code if self.raises else "\n" * self.line + self.code

    @property
    def chain(self) -> tuple["Example", ...]:
        """The examples that share its namespace, first to last: those that it continues, then itself."""
        links = [self]
        while links[-1].previous is not None:
            links.append(links[-1].previous)
        return tuple(reversed(links))

    def varied(self, value: str) -> "Example":
        """The same example with another value in the line of its choice."""
        assert self.choice is not None
        name = self.choice.name
        code = re.sub(rf"^{name} = .*$", lambda _: f"{name} = {value}", self.code, flags=re.MULTILINE)
        return replace(self, code=code, choice=None)


@dataclass(frozen=True)
class Result:
    """What became of one example, or of a page whose examples could not be collected.

    Attributes:
        path: The file.
        line: The example's line, or the line of the fence that could not be collected.
        status: `"passed"`, `"failed"`, `"skipped"`, or `"updated"` where its output was rewritten.
        message: Why it failed or was skipped, beginning with file and line; empty where it passed.
        example: The example; None where none could be collected.
        printed: What it printed; None where it was not run to its end.
        figures: What it drew.
        frames: The same for each value of its choice, where it has one.
    """

    path: Path
    line: int
    status: Status
    message: str = ""
    example: Example | None = field(default=None, repr=False)
    printed: str | None = field(default=None, repr=False)
    figures: tuple[Figure, ...] = field(default=(), repr=False)
    frames: tuple[Frame, ...] = field(default=(), repr=False)
