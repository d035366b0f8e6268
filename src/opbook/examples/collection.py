"""Finding the examples of a page, and refusing every fence that would escape the tests."""

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path
from typing import cast

from opbook.errors import nearest
from opbook.examples.example import KINDS, Choice, Example, Language, PageError
from opbook.examples.exercise import Draft, Exercise, read_info, task_above
from opbook.examples.fences import Comment, Fence, Text, scan
from opbook.examples.languages import OUTPUT, RUN, language
from opbook.examples.lines import columns, split_lines

EXAMPLES_PAGE = "examples.md"
"""The name of the pages that must have an example: those that stand beside an op."""

ENDINGS = (".md", ".markdown", ".mdown", ".mkdn", ".mkd")
"""How the names of Markdown files end: what MkDocs makes pages of."""

_DIRECTIVE = re.compile(r"example\s*:(.*)", re.IGNORECASE)
_DIRECTIVES = {
    "continue": "continue",
    "skip": "skip, REASON",
    "needs": "needs, PACKAGE",
    "raises": "raises",
    "vary": "vary, NAME = VALUE, VALUE",
}
_HEADING = re.compile(r"#{1,6}[ \t]+(.*?)[ \t]*#*")
_UNDERLINE = re.compile(r"=+|-+")
_ATTRIBUTE_LIST = re.compile(r"[ \t]*\{[^}]*\}$")
_CLASS = re.compile(r"\.([\w-]+)")
_SKIPPED_FOLDERS = {"node_modules", "venv", "site", "build", "dist"}


def find(path: str | PathLike[str], text: str | None = None) -> list[Example]:
    """Find the examples of a Markdown file.

    Raises:
        PageError: The file cannot be read, a fence is not closed or not spelled right, an `output` fence or a directive
            belongs to nothing, or a page named `examples.md` has no example. It is an `ExampleError`.
    """
    return _collected(Path(path), text).examples


def find_exercises(path: str | PathLike[str], text: str | None = None) -> list[Exercise]:
    """Find the exercises of a Markdown file; what is wrong with its examples is an error here too.

    Raises:
        PageError: As for [`find`][opbook.examples.collection.find], or an exercise lacks what it takes to prove it.
    """
    return _collected(Path(path), text).exercises


def _collected(file: Path, text: str | None) -> "_Page":
    content = read(file) if text is None else text
    lines = split_lines(content.removeprefix("\ufeff"))[0]
    page = _Page(file, lines)
    for block in scan(file, lines):
        page.take(block)
    page.refuse_pending()
    page.end_exercise()
    if not page.examples and file.name == EXAMPLES_PAGE:
        raise PageError(file, 1, "this page has no example: add a ```qu or ```python fence and an ```output fence.")
    return page


def read(path: Path) -> str:
    """Read a page, without changing its line endings.

    Raises:
        PageError: There is no such file, or it is not UTF-8.
    """
    try:
        data = path.read_bytes()
        return data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise PageError(path, line, f"byte 0x{data[error.start]:02x} is not UTF-8: save the file as UTF-8.") from None
    except OSError as error:
        raise PageError(path, 1, f"cannot read the file: {error.strerror}.") from error


def pages(paths: Iterable[str | PathLike[str]]) -> Iterator[Path]:
    """List Markdown files.

    Args:
        paths: Files, and folders to search. Hidden folders, virtual environments and build results are left out.
    """
    for path in map(Path, paths):
        if not path.is_dir():
            yield path
            continue
        for page in markdown_files(path):
            folders = page.relative_to(path).parts[:-1]
            if not any(folder.startswith(".") or folder in _SKIPPED_FOLDERS for folder in folders):
                yield page


def markdown_files(folder: str | PathLike[str]) -> list[Path]:
    """List all Markdown files below a folder, also those in folders that links lead to, as site generators do.

    Args:
        folder: The folder. A link to a folder that it stands in itself is not followed.
    """
    found: list[Path] = []
    for home, folders, files in os.walk(folder, followlinks=True):
        above = {os.path.realpath(part) for part in (Path(home), *Path(home).parents)}
        folders[:] = [name for name in folders if os.path.realpath(os.path.join(home, name)) not in above]
        found += [Path(home, name) for name in files if name.endswith(ENDINGS)]
    return sorted(found)


@dataclass
class _Directives:
    """The directives above a fence, and the line of the first one."""

    line: int = 0
    values: dict[str, str] = field(default_factory=dict)


class _Page:
    """Puts the blocks of one page together."""

    def __init__(self, path: Path, lines: Sequence[str]) -> None:
        self.path = path
        self.lines = lines
        self.examples: list[Example] = []
        self.exercises: list[Exercise] = []
        self.exercise: Draft | None = None  # The last one, while a fence of it may follow.
        self.heading = self.kind = ""
        self.pending = _Directives()
        self.before: Fence | None = None  # The fence of the last example, while an output fence may follow it.
        self.text = Text(0, "")
        self.in_front_matter = False

    def take(self, block: Fence | Comment | Text) -> None:
        """Take the next block."""
        if isinstance(block, Fence):
            self._take_fence(block)
            return
        self.before = None
        self.end_exercise()
        directive = _DIRECTIVE.fullmatch(block.text) if isinstance(block, Comment) else None
        if directive:
            self._take_directive(block.line, directive[1].strip())
            return
        self.refuse_pending()
        if isinstance(block, Text):
            self._take_heading(block)

    def refuse_pending(self) -> None:
        """Refuse a directive that stands above no example."""
        if self.pending.values:
            name = next(iter(self.pending.values))
            raise self._error(self.pending.line, f"the directive {name!r} does not stand directly above an example.")

    def end_exercise(self) -> None:
        """Finish the exercise whose last fence has been read, if there is one."""
        if self.exercise is not None:
            self.exercises.append(self.exercise.finished(self.lines))
            self.exercise = None

    def _error(self, line: int, problem: str) -> PageError:
        return PageError(self.path, line, problem)

    def _take_directive(self, line: int, text: str) -> None:
        name, comma, rest = (part.strip() for part in text.partition(","))
        if name not in _DIRECTIVES:
            known = ", ".join(f"<!-- example: {form} -->" for form in _DIRECTIVES.values())
            raise self._error(
                line, f"unknown directive {name!r}.{nearest(name, _DIRECTIVES)} The directives are {known}."
            )
        if name in self.pending.values:
            raise self._error(line, f"the directive {name!r} stands there twice.")
        if name == "skip" and not rest:
            raise self._error(line, "a skip needs its reason: <!-- example: skip, REASON -->")
        if name == "needs" and not all(package.isidentifier() for package in _packages(rest)):
            raise self._error(
                line, "needs takes packages by the names that they are imported by: <!-- example: needs, PACKAGE -->"
            )
        if name not in ("skip", "needs", "vary") and comma:
            raise self._error(line, f"{name!r} takes nothing behind it; write each directive as a comment of its own.")
        self.pending.line = self.pending.line or line
        self.pending.values[name] = rest

    def _take_fence(self, fence: Fence) -> None:
        try:
            part = read_info(fence.info)
            name = "" if part else language(fence.info)
        except ValueError as problem:
            raise self._error(fence.line, str(problem)) from None
        before, self.before = self.before, None
        if part:
            self.refuse_pending()
            self._take_part(fence, *part)
            return
        self.end_exercise()
        if name in RUN:
            self._take_example(fence, cast(Language, name))
            self.before = fence
            return
        self.refuse_pending()
        if name == OUTPUT:
            self._take_output(fence, before)

    def _take_part(self, fence: Fence, part: str, options: dict[str, str]) -> None:
        if not "".join(fence.body).strip():
            raise self._error(fence.line, f"this {part} is empty.")
        if part == "exercise":
            self.end_exercise()
            task = task_above(self.lines, fence.line)
            self.exercise = Draft.begun(self.path, fence, options, self.heading, task)
            same = [one for one in self.exercises if one.name == self.exercise.name]
            if same:
                raise self._error(fence.line, f"line {same[0].stub.line} has an exercise {same[0].name} already.")
        elif self.exercise is None:
            raise self._error(
                fence.line, f"this {part} belongs to no exercise: only other fences of one may stand between the two."
            )
        else:
            self.exercise.take(part, options, fence)

    def _take_example(self, fence: Fence, language: Language) -> None:
        directives, self.pending = self.pending.values, _Directives()
        code = "\n".join(fence.body)
        if not code.strip():
            raise self._error(fence.line, "this example is empty.")
        same = [example for example in self.examples if example.language == language]
        if "continue" in directives and not same:
            raise self._error(fence.line, f"there is no {language} example above that this one could continue.")
        previous = same[-1] if "continue" in directives else None
        choice = self._choice(fence.line, directives, code) if "vary" in directives else None
        needs = _packages(directives["needs"]) if "needs" in directives else []
        example = Example(
            path=self.path,
            line=fence.line,
            language=language,
            code=code + "\n",
            heading=self.heading,
            kind=self.kind,
            end=fence.end,
            continues="continue" in directives,
            skip=directives.get("skip"),
            needs=tuple(dict.fromkeys([*(previous.needs if previous else ()), *needs])),
            raises="raises" in directives,
            choice=choice,
            previous=previous,
        )
        self.examples.append(example)

    def _choice(self, line: int, directives: Mapping[str, str], code: str) -> Choice:
        other = [name for name in ("skip", "needs", "raises") if name in directives]
        if other:
            raise self._error(line, f"an example can't both vary and be marked {other[0]!r}.")
        try:
            return Choice.read(directives["vary"], code)
        except ValueError as problem:
            raise self._error(line, str(problem)) from None

    def _take_output(self, fence: Fence, before: Fence | None) -> None:
        if before is None:
            raise self._error(fence.line, "this output follows no example: only blank lines may stand between the two.")
        if columns(fence.prefix) != columns(before.prefix):
            raise self._error(
                fence.line, f"this output must be indented or quoted as its example on line {before.line} is."
            )
        output = "".join(f"{line}\n" for line in fence.body)
        self.examples[-1] = replace(self.examples[-1], output=output, output_span=(fence.line, fence.end))

    def _take_heading(self, block: Text) -> None:
        above, self.text = self.text, block
        line = block.text.rstrip()
        if block.line == 1 and line == "---":
            self.in_front_matter = True
        elif self.in_front_matter:
            self.in_front_matter = line not in ("---", "...")
        elif match := _HEADING.fullmatch(line):
            self._begin_section(block.line, match[1])
        elif _UNDERLINE.fullmatch(line) and above.line == block.line - 1:
            self._begin_section(above.line, above.text.rstrip())

    def _begin_section(self, line: int, heading: str) -> None:
        attributes = _ATTRIBUTE_LIST.search(heading)
        self.heading = heading[: attributes.start()] if attributes else heading
        classes = _CLASS.findall(attributes[0]) if attributes else []
        self.kind = next((name for name in classes if name in KINDS), "")
        if self.path.name == EXAMPLES_PAGE and classes and not self.kind:
            raise self._error(line, f"examples are of no kind {classes[0]}; they are {', '.join(KINDS)}.")


def _packages(names: str) -> list[str]:
    return [name.strip() for name in names.split(",")]
