"""What is on a builtin's page, in plain data: the site and the terminal both show this."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from opbook.figures import Figure
from opbook.pages.findings import EdgeCases, Gradient, OtherRule, Verification


@dataclass(frozen=True)
class Field:
    """One array or value inside a record or tuple.

    Attributes:
        path: How to reach it from the argument, such as `heads[i].wq`.
        shape: What it must be, such as `(D, K) matrix`.
    """

    path: str
    shape: str


@dataclass(frozen=True)
class Input:
    """One parameter of a call shape.

    Attributes:
        name: Its name.
        brief: Its shape or kind in the fewest words, such as `(..., D)`.
        shape: The same in a few words, such as `(..., D) array`.
        optional: Whether a call may leave it out.
        default: Its default as text, or "" where there is none to speak of.
        description: What the docstring says of it, as Markdown.
        fields: What is inside it, where it is a record or holds records.
    """

    name: str
    brief: str
    shape: str
    optional: bool = False
    default: str = ""
    description: str = ""
    fields: tuple[Field, ...] = ()


@dataclass(frozen=True)
class Output:
    """What a call returns.

    Attributes:
        name: `result`, or "" where a call returns nothing.
        brief: Its shape or kind in the fewest words.
        shape: The same in a few words.
        description: What the docstring's section "Returns" says, as Markdown.
    """

    name: str
    brief: str
    shape: str
    description: str = ""


@dataclass(frozen=True)
class Call:
    """One call shape.

    Attributes:
        text: How it is written, such as `result = f(q, k, v, [mask=])`.
        inputs: Its parameters in order.
        output: What it returns.
    """

    text: str
    inputs: tuple[Input, ...]
    output: Output


@dataclass(frozen=True)
class Guide:
    """A Markdown page whose examples are shown on the pages of the builtins that they call.

    Attributes:
        path: The file.
        uri: Its address from the root of the docs, such as `learn/tape.md`.
        title: Its title.
    """

    path: Path
    uri: str
    title: str


@dataclass(frozen=True)
class ShownExample:
    """An example as a page shows it.

    Attributes:
        code: What it runs, together with what it continues.
        language: `qu` or `python`.
        output: What it printed a moment ago.
        place: Its file and line.
        heading: The heading that it stands under.
        text: The paragraphs above it, as Markdown, where it comes from the op's own page.
        guide: The guide that it comes from; None where it comes from the op's own page.
        skipped: Why it was not run, or "".
        figures: What it drew a moment ago.
    """

    code: str
    language: str
    output: str
    place: str
    heading: str = ""
    text: str = ""
    guide: Guide | None = None
    skipped: str = ""
    figures: tuple[Figure, ...] = ()


@dataclass(frozen=True)
class Drawn:
    """What an example of a guide drew, to be shown in the guide.

    Attributes:
        guide: The guide.
        line: The last line of the example with its output: the figures go behind it.
        figures: The figures.
    """

    guide: Guide
    line: int
    figures: tuple[Figure, ...]


@dataclass(frozen=True)
class Origin:
    """Where a builtin comes from.

    Attributes:
        plugin: The plugin's name.
        distribution: Its distribution, or "" for a single file.
        version: The distribution's version.
        licence: The distribution's licence.
        module: The module that the definition stands in.
        file: The definition's file, as seen from where its package is.
        path: The same file on this machine.
        line: The line that the definition begins on.
        code: The definition's source.
        rule: The source of the rule, or "".
        importable: Whether a tool that only reads source finds the definition under `module` and its name.
        summary: What the distribution says of itself in one line.
        replaces: The plugins whose builtin of this name it takes the place of, each by distribution and version.
        is_ours: Whether it has the same authors as opbook itself.
    """

    plugin: str
    distribution: str
    version: str
    licence: str
    module: str
    file: str
    path: Path
    line: int
    code: str
    rule: str
    importable: bool
    summary: str = ""
    replaces: tuple[str, ...] = ()
    is_ours: bool = False

    @property
    def group(self) -> str:
        """The distribution, or the plugin where it is a single file: what the builtin was added by."""
        return self.distribution or self.plugin

    @property
    def mark(self) -> str:
        """What tells it from the builtins of this project, or ""."""
        if not self.distribution:
            return "single file"
        return "" if self.is_ours else "third party"


@dataclass(frozen=True)
class AddedSection:
    """A section that a plugin adds to a builtin's page.

    Attributes:
        title: Its heading.
        anchor: Where it can be linked to, as in `#section-in-other-libraries`; no other section of the page has it.
        text: What stands below it, as Markdown, with headings of the third level and below.
        plugin: The plugin's name.
        distribution: The plugin's distribution, or "" for a single file.
    """

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
class Tape:
    """The tape of a small example.

    Attributes:
        picture: It as SVG.
        steps: How many steps are drawn.
        length: How many there are where every builtin in the definition is written out.
        has_builtins: Whether builtins are drawn as single steps.
        is_rule: Whether the builtin itself is drawn as a single step.
    """

    picture: str
    steps: int
    length: int
    has_builtins: bool
    is_rule: bool


@dataclass(frozen=True)
class BuiltinPage:
    """The page of one builtin.

    Attributes:
        name: What it is called.
        category: Where the index shows it.
        aliases: Other words for it.
        summary: What it is, in one line.
        description: The rest of what it is, as Markdown.
        sections: The docstring's other sections by title, such as "Raises", as written.
        calls: Its call shapes.
        examples: Examples that call it, simplest first.
        elsewhere: Guides that call it too, beyond those examples.
        note: How it works: the comment above the definition, as Markdown, up to what it says of the gradient.
        origin: Where it comes from.
        gradient: How it is differentiated.
        edges: What it answers and refuses at the edges.
        uses: The builtins that it is made of.
        used_by: The builtins that are made of it.
        properties: What plugins state of it, as sentences.
        rules: Other plugins' rules for it, those that are asked first, in order.
        added_sections: The sections that plugins add to it.
        tape: The tape of a small example as SVG, and how many steps it has; None where there is nothing to show.
        verification: What its checks said; None if they were not run.
    """

    name: str
    category: str
    aliases: tuple[str, ...]
    summary: str
    description: str
    sections: Mapping[str, str]
    calls: tuple[Call, ...]
    examples: tuple[ShownExample, ...]
    elsewhere: tuple[Guide, ...]
    note: str
    origin: Origin
    gradient: Gradient
    edges: EdgeCases
    uses: tuple[str, ...] = ()
    used_by: tuple[str, ...] = ()
    properties: tuple[str, ...] = ()
    rules: tuple[OtherRule, ...] = ()
    added_sections: tuple[AddedSection, ...] = ()
    tape: Tape | None = None
    verification: Verification | None = None

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
            return "There is one way to call it: it has no overloads."
        return f"There are {len(self.calls)} ways to call it; the first whose arguments fit is taken."


@dataclass(frozen=True)
class Failure:
    """A reason not to publish.

    Attributes:
        path: The file to mend.
        line: The line in it.
        message: What is wrong, with file and line, and what to do.
    """

    path: Path
    line: int
    message: str


@dataclass(frozen=True)
class Book:
    """All pages of a catalogue.

    Attributes:
        pages: The pages by name, in alphabetical order.
        failures: What stands in the way of publishing them.
        files: The pages that examples were looked for in.
        drawn: The figures of the guides.
    """

    pages: Mapping[str, BuiltinPage]
    failures: tuple[Failure, ...] = ()
    files: tuple[Path, ...] = field(default=())
    drawn: tuple[Drawn, ...] = ()

    def categories(self) -> dict[str, list[BuiltinPage]]:
        """Group the pages.

        Returns:
            The pages of each category, both in alphabetical order.
        """
        grouped: dict[str, list[BuiltinPage]] = {}
        for page in self.pages.values():
            grouped.setdefault(page.category, []).append(page)
        return dict(sorted(grouped.items()))

    def groups(self) -> dict[str, list[BuiltinPage]]:
        """Group the pages by what added the builtins.

        Returns:
            The pages of each distribution, or plugin of a single file, both in alphabetical order.
        """
        grouped: dict[str, list[BuiltinPage]] = {}
        for page in self.pages.values():
            grouped.setdefault(page.origin.group, []).append(page)
        return dict(sorted(grouped.items()))
