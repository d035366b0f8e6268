"""A line scanner for Markdown: fences, comments and text, exact about indentation and quote marks.

It is stricter than any renderer. Where Material and GitHub would disagree about what is code, or where a fence could
be shown and yet escape the tests, it refuses with file and line instead of choosing. Containers (lists, tabs,
admonitions) need no parsing for that: a fence is a line that begins with three backticks or tildes after any
indentation and quote marks, and every line of it must begin with the same indentation and quote marks.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from opbook.examples.example import PageError
from opbook.examples.languages import is_info
from opbook.examples.lines import columns, split_prefix, strip_prefix

_FENCE = re.compile(r"(?P<marker>`{3,}|~{3,})(?P<info>.*)", re.DOTALL)
_CODE_SPAN = re.compile(r"(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)")
_TILDES_BEHIND_MARKUP = re.compile(r"(?:[^\w`~]|\d+[.)]|\[\^[^\]]*\]:)+~{3,}")

_COMMENT_OPEN = re.compile(r"<!--")
_COMMENT_CLOSE = re.compile(r"--\s*!?>")  # The earliest of what parsers of different ages take for the end.
_PRE_OPEN = re.compile(r"<pre(?=[\s>]|$)", re.IGNORECASE)
_PRE_CLOSE = re.compile(r"</pre\s*>", re.IGNORECASE)
_ONE_LINE_COMMENT = re.compile(r"<!--(?P<text>(?:(?!--\s*!?>).)*)--\s*!?>\s*")


@dataclass(frozen=True)
class Fence:
    """A fenced block: `line` and `end` are its opening and closing line, `prefix` is what stands before both."""

    line: int
    end: int
    prefix: str
    marker: str
    info: str
    body: tuple[str, ...]


@dataclass(frozen=True)
class Comment:
    """A comment of one line that has this line to itself."""

    line: int
    text: str


@dataclass(frozen=True)
class Text:
    """Any other line that is not blank; of what is hidden in a longer comment or `<pre>`, the first line only."""

    line: int
    text: str


Block = Fence | Comment | Text


def scan(path: Path, lines: Sequence[str]) -> Iterator[Block]:
    """Go through a page.

    Raises:
        PageError: A fence that is not closed, or of which it is not certain whether readers see it as code.
    """
    scanner = _Scanner(path, lines)
    position = 0
    while position < len(lines):
        block, position = scanner.block(position)
        if block is not None:
            yield block


def open_fence(rest: str) -> tuple[str, str] | None:
    """Recognize the opening line of a fence.

    Returns:
        The backticks or tildes, and what stands behind them; None where it is no fence.
    """
    match = _FENCE.fullmatch(rest)
    if match is None:
        return None
    marker, info = match["marker"], match["info"]
    if "`" in info and marker[0] == "`" and not is_info(info) and _CODE_SPAN.match(rest):
        return None  # Inline code that begins its line.
    return marker, info


class _Scanner:
    def __init__(self, path: Path, lines: Sequence[str]) -> None:
        self.path = path
        self.lines = lines

    def block(self, position: int) -> tuple[Block | None, int]:
        """Read the block that begins at a line, and tell where the next one begins."""
        prefix, rest = split_prefix(self.lines[position])
        if not rest.strip():
            return None, position + 1
        comment = _ONE_LINE_COMMENT.fullmatch(rest)
        if comment:
            return Comment(position + 1, comment["text"].strip()), position + 1
        # A comment or <pre> hides fences for certain only where it is a block: not quoted, indented by less than four.
        if len(columns(prefix)) < 4 and ">" not in prefix:
            for opening, closing, name in (
                (_COMMENT_OPEN, _COMMENT_CLOSE, "comment"),
                (_PRE_OPEN, _PRE_CLOSE, "<pre>"),
            ):
                if opening.match(rest):
                    return Text(position + 1, rest), self._hidden(position, closing, name)
        opened = open_fence(rest)
        if opened:
            fence = self._fence(position, prefix, *opened)
            return fence, fence.end
        self._check_text(position, rest)
        return Text(position + 1, rest), position + 1

    def _error(self, position: int, problem: str) -> PageError:
        return PageError(self.path, position + 1, problem)

    def _hidden(self, position: int, closing: re.Pattern[str], name: str) -> int:
        found = self._find(closing, position, skip=len(split_prefix(self.lines[position])[0]) + 2)
        if found is None:
            raise self._error(position, f"this {name} is never closed, so what follows it may or may not be shown.")
        end, column = found
        stray = self._unclosed_fence(position + 1, end)
        if stray is not None:
            raise self._error(stray, f"a fence opens inside the {name} of line {position + 1} and is not closed there.")
        self._check_text(end, self.lines[end][column:])
        return end + 1

    def _find(self, pattern: re.Pattern[str], position: int, skip: int = 0) -> tuple[int, int] | None:
        """Find the first match from a line on: its line, and the column behind it."""
        for number in range(position, len(self.lines)):
            match = pattern.search(self.lines[number], skip if number == position else 0)
            if match:
                return number, match.end()
        return None

    def _unclosed_fence(self, start: int, end: int) -> int | None:
        """Find a fence that opens in lines `start` to `end` and is not closed before `end`."""
        opened: tuple[int, str] | None = None
        for number in range(start, end + 1):
            rest = split_prefix(self.lines[number])[1]
            if opened is None:
                fence = open_fence(rest)
                opened = (number, fence[0]) if fence else None
            elif rest.rstrip() == opened[1]:
                opened = None
        return None if opened is None else opened[0]

    def _fence(self, position: int, prefix: str, marker: str, info: str) -> Fence:
        body: list[str] = []
        for number in range(position + 1, len(self.lines)):
            content = strip_prefix(self.lines[number], prefix)
            if content is None:
                why = "leaves its quote" if ">" in prefix else "is indented less than it"
                raise self._error(position, f"this fence is not closed before line {number + 1}, which {why}.")
            if content.rstrip(" \t") == marker:
                return Fence(position + 1, number + 1, prefix, marker, info, tuple(body))
            if self._like_a_fence(content, marker):
                raise self._error(
                    position,
                    f"this fence is not closed before the fence on line {number + 1}. Close it with {marker}, exactly "
                    "as long and as far indented as it opens. To show a fence inside it, open and close it with "
                    f"{marker}{marker[0]}.",
                )
            body.append(content)
        raise self._error(position, f"this fence is never closed: put {marker} on a line of its own behind it.")

    @staticmethod
    def _like_a_fence(content: str, marker: str) -> bool:
        indent = len(content) - len(content.lstrip(" "))
        return indent < 4 and content.lstrip(" ").startswith(marker)

    def _check_text(self, position: int, text: str) -> None:
        visible = _CODE_SPAN.sub("", text)
        if "```" in visible or _TILDES_BEHIND_MARKUP.match(text):
            raise self._error(
                position,
                "a fence must have its line to itself: below a list mark, put it on a line of its own, indented.",
            )
        opening = visible.rfind("<!--")
        if opening >= 0 and not _COMMENT_CLOSE.search(visible, opening + 2):
            self._check_uncertain_comment(position)

    def _check_uncertain_comment(self, position: int) -> None:
        found = self._find(_COMMENT_CLOSE, position + 1)
        for number in range(position + 1, found[0] + 1 if found else position):
            if open_fence(split_prefix(self.lines[number])[1]):
                raise self._error(
                    number,
                    f"whether this fence is shown depends on the renderer: the comment on line {position + 1} does not "
                    "begin its line, or is indented or quoted. Begin it at the left margin.",
                )
