"""What is on a builtin's page, in plain data: the site, the terminal and the files for machines all show this."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from opbook.examples.example import KINDS, Frame
from opbook.figures import Figure

if TYPE_CHECKING:
    from opbook.exercises import Proof


@dataclass(frozen=True)
class ShownField:
    """One array or value inside a record or tuple."""

    path: str  # how to reach it from the argument, such as heads[i].wq
    shape: str


@dataclass(frozen=True)
class Input:
    """One parameter of a call shape."""

    name: str
    brief: str  # its shape or kind in the fewest words, such as (..., D)
    shape: str  # the same in a few words, such as (..., D) array
    optional: bool = False
    default: str = ""
    description: str = ""
    fields: tuple[ShownField, ...] = ()


@dataclass(frozen=True)
class Output:
    """What a call returns; it has no name where that is nothing."""

    name: str
    brief: str
    shape: str
    description: str = ""
    fields: tuple[ShownField, ...] = ()


@dataclass(frozen=True)
class ShownCall:
    """One call shape, such as `result = f(q, k, v, [mask=])`."""

    text: str
    inputs: tuple[Input, ...]
    output: Output
    shapes: str  # of what it needs and of what it returns, such as x (..., D) → (..., D)


@dataclass(frozen=True)
class Guide:
    """A Markdown page whose examples are shown on the pages of the builtins that it teaches."""

    path: Path
    uri: str  # its address from the root of the docs, such as learn/tape.md
    title: str

    def teaches(self, name: str) -> bool:
        """Whether it is there to teach, or its title names a builtin; others merely call it."""
        return "learn" in self.folders or "guides" in self.folders or name in re.findall(r"\w+", self.title)

    @property
    def folders(self) -> tuple[str, ...]:
        """The folders that it is in, from the root of the docs on."""
        return PurePosixPath(self.uri).parts[:-1]


@dataclass(frozen=True)
class Drawing:
    """What goes behind an example of a guide or family: what it drew, or which packages it needs."""

    line: int  # the last one of the example, or of its output
    figures: tuple[Figure, ...]
    needs: tuple[str, ...]  # the packages that the example can only be run with
    frames: tuple[Frame, ...] = ()  # for each value that a reader may try


@dataclass(frozen=True)
class ShownExample:
    """An example as a page shows it, with what it continues."""

    code: str
    language: str
    output: str
    place: str  # file and line
    heading: str = ""
    guide: Guide | None = None
    skipped: str = ""  # the reason
    needs: tuple[str, ...] = ()  # the packages that it can only be run with
    figures: tuple[Figure, ...] = ()
    frames: tuple[Frame, ...] = ()  # for each value that a reader may try


@dataclass(frozen=True)
class ExamplePart:
    """One example, or the same one in two languages, with the paragraphs above it."""

    text: str
    examples: tuple[ShownExample, ...]


@dataclass(frozen=True)
class ExampleGroup:
    """The examples under one heading of their page."""

    heading: str
    anchor: str
    parts: tuple[ExamplePart, ...]
    kind: str = ""  # what it shows, such as edge, where its author says so
    guide: Guide | None = None
    is_aside: bool = False  # of a guide that does not speak of the builtin

    @property
    def draws(self) -> bool:
        """Whether there is a picture."""
        return any(example.figures for part in self.parts for example in part.examples)

    @property
    def is_live(self) -> bool:
        """Whether a reader can change what is shown without changing the code."""
        examples = [example for part in self.parts for example in part.examples]
        return any(one.frames or any("choices" in figure.cells for figure in one.figures) for one in examples)


@dataclass(frozen=True)
class Helper:
    """A function that a definition or a rule calls, of a package with builtins."""

    name: str
    brief: str  # the first line of its docstring
    code: str


@dataclass(frozen=True)
class Origin:
    """Where a builtin comes from."""

    plugin: str
    distribution: str  # "" for a plugin of a single file
    version: str
    licence: str
    module: str
    file: str  # as seen from the folder of its package: the same on every machine
    path: Path
    line: int
    code: str  # the definition, without its decorators, annotations and docstring
    rule: str
    helpers: tuple[Helper, ...] = ()  # what the definition calls
    rule_helpers: tuple[Helper, ...] = ()  # what the rule calls beside these
    summary: str = ""
    replaces: tuple[str, ...] = ()
    is_ours: bool = False

    @property
    def group(self) -> str:
        """What added the builtin: the distribution, or the plugin of a single file."""
        return self.distribution or self.plugin

    @property
    def mark(self) -> str:
        """What tells it from the builtins of this project, or ""."""
        if not self.distribution:
            return "single file"
        return "" if self.is_ours else "third party"


@dataclass(frozen=True)
class Gradient:
    """How a builtin is differentiated."""

    call: str  # the lines that take the gradient; "" where there is none
    words: str
    note: str  # what the builtin's note says of it


@dataclass(frozen=True)
class ShownTape:
    """The tape of a small example."""

    picture: str  # SVG
    listing: str  # the same as a list in HTML, for narrow screens
    data: str  # the same as JSON, for the script that steps through it and computes it again, or ""
    length: int  # how many expressions there are where every builtin in the definition is written out
    has_builtins: bool
    is_whole: bool


@dataclass(frozen=True)
class OtherRule:
    """A rule that another plugin has for a builtin."""

    name: str
    plugin: str
    distribution: str
    version: str
    priority: float
    asked: bool  # whether the builtin asks it before its own rule
    code: str = ""

    @property
    def origin(self) -> str:
        """Where it comes from, in a few words."""
        return f"{self.distribution} {self.version}" if self.distribution else f"plugin {self.plugin}, one file"


@dataclass(frozen=True)
class Refusal:
    """A call that a builtin refuses, with the error that it gave a moment ago."""

    label: str
    error: str
    message: str


@dataclass(frozen=True)
class EdgeCase:
    """An input at an edge, with what the build has just computed from it."""

    label: str
    call: str  # the call as code, where it is short; otherwise ""
    result: str
    pytorch: str = ""  # what PyTorch returns, where that is recorded


@dataclass(frozen=True)
class EdgeCases:
    """Inputs at the edges of what a builtin takes."""

    answered: tuple[EdgeCase, ...] = ()
    refused: tuple[Refusal, ...] = ()
    raises: tuple[tuple[str, str], ...] = ()  # the errors that the docstring names, each with the reason


@dataclass(frozen=True)
class AddedSection:
    """A section that a plugin adds to a builtin's page."""

    title: str
    anchor: str
    text: str
    plugin: str
    distribution: str

    @property
    def origin(self) -> str:
        """What added it."""
        return self.distribution or f"plugin {self.plugin}, one file"


@dataclass(frozen=True)
class VerifiedCheck:
    """What one check said of a builtin."""

    name: str
    sentence: str
    status: str  # passed, failed, not applicable, or left out where it takes too long for a build
    inputs: int
    message: str


@dataclass(frozen=True)
class Verification:
    """What the build's checks said of a builtin, and sentences on how close its numbers came."""

    checks: tuple[VerifiedCheck, ...]
    sentences: tuple[str, ...]

    def of(self, status: str) -> list[VerifiedCheck]:
        """The checks of one status."""
        return [check for check in self.checks if check.status == status]

    @property
    def inputs(self) -> int:
        """How many inputs the check with the most of them looked at."""
        return max((check.inputs for check in self.checks), default=0)


@dataclass(frozen=True)
class FamilyPage:
    """What a plugin says of a category, in a Markdown file."""

    path: Path
    text: str
    drawings: tuple[Drawing, ...]


@dataclass(frozen=True)
class BuiltinPage:
    """The page of one builtin."""

    name: str
    category: str
    aliases: tuple[str, ...]
    summary: str
    description: str
    sections: Mapping[str, str]  # the docstring's other sections by title, as written
    calls: tuple[ShownCall, ...]
    groups: tuple[ExampleGroup, ...]
    elsewhere: tuple[Guide, ...]  # guides that call it too
    note: str  # how it works: the comment above the definition, up to what it says of the gradient
    origin: Origin
    gradient: Gradient
    edges: EdgeCases
    uses: tuple[str, ...] = ()
    used_by: tuple[str, ...] = ()
    properties: tuple[str, ...] = ()
    rules: tuple[OtherRule, ...] = ()
    added_sections: tuple[AddedSection, ...] = ()
    tape: ShownTape | None = None
    verification: Verification | None = None

    @property
    def masks(self) -> list[str]:
        """The arguments that are masks."""
        names = (one.name for call in self.calls for one in call.inputs)
        return [name for name in dict.fromkeys(names) if name == "mask" or name.endswith("_mask")]

    @property
    def examples(self) -> tuple[ShownExample, ...]:
        """Its examples, in the order of the page."""
        return tuple(example for group in self.groups for part in group.parts for example in part.examples)

    @property
    def more(self) -> dict[str, list[ExampleGroup]]:
        """The examples but for the first group, by what they show: "basic" ones first, and those of a "guide" last."""
        found: dict[str, list[ExampleGroup]] = {kind: [] for kind in ("basic", *KINDS, "guide")}
        for group in self.groups[1:]:
            found["guide" if group.guide else group.kind or "basic"].append(group)
        return {kind: groups for kind, groups in found.items() if groups}

    @property
    def verified(self) -> str:
        """In a word or two, what its checks said."""
        if self.verification is None:
            return "not run"
        failed = len(self.verification.of("failed"))
        return f"{failed} failed" if failed else "yes"

    @property
    def overloads(self) -> str:
        """A sentence that says how many call shapes there are."""
        if len(self.calls) == 1:
            return "One call shape; not overloaded."
        return f"There are {len(self.calls)} ways to call it; the first whose arguments fit is taken."


@dataclass(frozen=True)
class Book:
    """The pages of a catalogue.

    Attributes:
        pages: The pages by name, in alphabetical order.
        failures: What stands in the way of publishing them: messages with file, line and what to do.
        drawings: What goes behind examples of guides, by the guide's address.
        families: What plugins say of categories, by category.
        exercises: The exercises of the guides, by the guide's address, each with what its own fences say of it.
    """

    pages: Mapping[str, BuiltinPage]
    failures: tuple[str, ...] = ()
    drawings: Mapping[str, list[Drawing]] = field(default_factory=dict)
    families: Mapping[str, FamilyPage] = field(default_factory=dict)
    exercises: Mapping[str, "list[Proof]"] = field(default_factory=dict)

    def categories(self) -> dict[str, list[BuiltinPage]]:
        """The pages of each category, both in alphabetical order."""
        return self._grouped(lambda page: page.category)

    def groups(self) -> dict[str, list[BuiltinPage]]:
        """The pages of each distribution, or plugin of a single file, both in alphabetical order."""
        return self._grouped(lambda page: page.origin.group)

    def _grouped(self, key: Callable[[BuiltinPage], str]) -> dict[str, list[BuiltinPage]]:
        grouped: dict[str, list[BuiltinPage]] = {}
        for page in self.pages.values():
            grouped.setdefault(key(page), []).append(page)
        return dict(sorted(grouped.items()))
