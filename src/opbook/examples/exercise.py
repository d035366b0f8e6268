"""Exercises of Markdown pages: a fence with a stub, and behind it the fences that say what a right answer is.

    ```python exercise="double" judged_by="double"
    def double(x):
        ...
    ```

    ```hint
    Twice as much.
    ```

    ```python reference
    def double(x):
        return 2 * x
    ```

    ```python wrong="It squares" says="expected"
    def double(x):
        return x**2
    ```

What may stand there beside these: ```` ```python test ```` with assertions, in the place of `judged_by` or with it.
"""

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from opbook.errors import nearest
from opbook.examples.example import PageError, place
from opbook.examples.fences import Fence
from opbook.examples.lines import strip_prefix

_INFO = re.compile(r"[ \t]*(?:(?P<hint>hint)|python[ \t]+(?P<part>exercise|reference|wrong|test))(?![\w-])(?P<rest>.*)")
_OPTION = re.compile(r"""[ \t]*(?P<key>\w+)=(?P<quote>["'])(?P<value>.*?)(?P=quote)(?=[ \t]|$)""")
_BORDER = re.compile(r"[> \t]*(?:#{1,6}[ \t]|`{3,}|~{3,}|<!--)")
_NEEDED = {"exercise": ("exercise",), "wrong": ("wrong", "says"), "reference": (), "test": (), "hint": ()}
_ALLOWED = _NEEDED | {"exercise": ("exercise", "judged_by")}
_VALUE_BEHIND_WORD = ("exercise", "wrong")


@dataclass(frozen=True)
class Answer:
    """A fence of an exercise: its code, and where it stands.

    Attributes:
        line: The line of the opening fence, from 1.
        end: The line of the closing fence.
        code: What stands in it.
        mistake: What is wrong in a wrong answer, in a sentence that fits whoever made the same mistake.
        says: A part of what the check must say of it.
    """

    line: int
    end: int
    code: str
    mistake: str = ""
    says: str = ""


@dataclass(frozen=True)
class Exercise:
    """An exercise of a page.

    Attributes:
        path: The file.
        name: Its name, one for the whole course; also that of the learner's file.
        heading: The heading above it.
        task: What stands between this heading, or the last fence below it, and the stub.
        stub: What the learner begins with.
        function: The function that is judged: the last one that the stub defines.
        judged_by: The builtin that it is held to, or `rule of` and its name where it returns a value and a pullback;
            "" if only the test judges.
        test: Assertions that are run behind the answer.
        hints: Texts in Markdown, each saying more than the one before.
        reference: A right answer.
        wrong: Answers that people give, each with what is wrong with it.
        prefix: The indentation and the quote marks of its fences.
        end: The line on which its last fence closes.
        source: Its fences as they stand in the page, without what stands before them. An exercise can be read from that
            alone.
    """

    path: Path
    name: str
    heading: str
    task: str
    stub: Answer
    function: str
    judged_by: str = ""
    test: Answer | None = None
    hints: tuple[str, ...] = ()
    reference: Answer | None = None
    wrong: tuple[Answer, ...] = ()
    prefix: str = ""
    end: int = 0
    source: str = ""

    @property
    def place(self) -> str:
        """File and line, as in `docs/learn/tape.md:12`."""
        return place(self.path, self.stub.line)


def read_info(info: str) -> tuple[str, dict[str, str]] | None:
    """Read the opening line of a fence.

    Returns:
        Which part of an exercise it is, and its options; None where it is none.

    Raises:
        ValueError: It is one, but not spelled right.
    """
    match = _INFO.fullmatch(info)
    if match is None:
        return None
    part = match["hint"] or match["part"]
    rest = f"{part}{match['rest']}" if part in _VALUE_BEHIND_WORD else match["rest"]
    options: dict[str, str] = {}
    position = 0
    while rest[position:].strip():
        option = _OPTION.match(rest, position)
        if option is None or option["key"] not in _ALLOWED[part]:
            word = rest[position:].split()[0].partition("=")[0]
            raise ValueError(
                f"cannot read {word!r} behind this fence.{nearest(word, _ALLOWED[part])} Write {_form(part)}"
            )
        options[option["key"]] = option["value"].strip()
        position = option.end()
    if not all(options.get(key) for key in _NEEDED[part]):
        raise ValueError(f"this fence needs {' and '.join(_NEEDED[part])}. Write {_form(part)}")
    return part, options


def _form(part: str) -> str:
    if part == "hint":
        return "```hint"
    options = [f'{key}="..."' for key in _ALLOWED[part]]
    return " ".join(["```python", *(options if part in _VALUE_BEHIND_WORD else [part])])


@dataclass
class Draft:
    """An exercise while its fences are read."""

    path: Path
    name: str
    heading: str
    task: str
    stub: Answer
    function: str
    judged_by: str
    prefix: str
    test: Answer | None = None
    hints: list[str] = field(default_factory=list)
    reference: Answer | None = None
    wrong: list[Answer] = field(default_factory=list)
    end: int = 0

    @classmethod
    def begun(cls, path: Path, fence: Fence, options: dict[str, str], heading: str, task: str) -> "Draft":
        """Begin with the fence of the stub.

        Raises:
            PageError: The name is none, or the stub is no function.
        """
        name = options["exercise"]
        if not re.fullmatch(r"[a-z]\w*", name):
            raise PageError(
                path,
                fence.line,
                f"{name!r} is no name for an exercise: write it as that of a function, in small letters.",
            )
        stub = _answer(fence, {})
        function = _last_function(path, stub)
        judged_by = options.get("judged_by", "")
        return cls(path, name, heading, task, stub, function, judged_by, fence.prefix, end=fence.end)

    def take(self, part: str, options: dict[str, str], fence: Fence) -> None:
        """Add a fence.

        Raises:
            PageError: It is there already, or is indented otherwise than the stub.
        """
        if fence.prefix != self.prefix:
            raise PageError(
                self.path,
                fence.line,
                f"this fence must be indented or quoted as its exercise on line {self.stub.line} is.",
            )
        answer = _answer(fence, options)
        self.end = fence.end
        if part == "hint":
            self.hints.append(answer.code)
        elif part == "wrong":
            self.wrong.append(answer)
        elif getattr(self, part) is not None:
            raise PageError(self.path, fence.line, f"the exercise {self.name} has a {part} already.")
        else:
            setattr(self, part, answer)

    def finished(self, lines: Sequence[str]) -> Exercise:
        """End with what has been read of a page's lines.

        Raises:
            PageError: What it takes to prove the exercise is missing.
        """
        missing = [
            *(["judged_by=, or a ```python test"] if not (self.judged_by or self.test) else []),
            *(["a ```python reference"] if self.reference is None else []),
            *(['a ```python wrong="..." says="..."'] if not self.wrong else []),
        ]
        if missing:
            raise PageError(
                self.path,
                self.stub.line,
                f"the exercise {self.name} lacks {', and '.join(missing)}. Only blank lines stand between its fences.",
            )
        source = [strip_prefix(line, self.prefix) or "" for line in lines[self.stub.line - 1 : self.end]]
        made = {"hints": tuple(self.hints), "wrong": tuple(self.wrong), "source": "\n".join(source) + "\n"}
        return Exercise(**{**vars(self), **made})


def task_above(lines: Sequence[str], line: int) -> str:
    """The paragraphs between a fence and the heading, fence or comment above it."""
    start = line - 1
    while start > 0 and not _BORDER.match(lines[start - 1]):
        start -= 1
    return "\n".join(text.strip() for text in lines[start : line - 1]).strip()


def _answer(fence: Fence, options: dict[str, str]) -> Answer:
    code = "\n".join(fence.body) + "\n"
    return Answer(fence.line, fence.end, code, options.get("wrong", ""), options.get("says", ""))


def _last_function(path: Path, stub: Answer) -> str:
    try:
        tree = ast.parse(stub.code)
    except SyntaxError as error:
        raise PageError(path, stub.line + (error.lineno or 1), f"this stub is no Python: {error.msg}") from None
    functions = [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]
    if not functions:
        raise PageError(path, stub.line, "this stub defines no function; the last one that it defines is judged.")
    return functions[-1]
