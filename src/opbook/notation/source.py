"""Programs as text: where a mistake is, and the message that shows it."""

import unicodedata
from dataclasses import dataclass

from opbook.errors import NotationError

_WIDTH = 100  # a longer source line is shown in part
_MESSAGE = 2000  # a longer message is cut


class Mistake(Exception):
    """A mistake whose place is known as an offset, before the message for the user is made.

    Args:
        at: Offset in the program's text.
        message: What is wrong.
        hint: What to do about it, or the empty text.
        unfinished: Whether more lines could still mend it (an open bracket at the end of the text).
    """

    def __init__(self, at: int, message: str, hint: str = "", *, unfinished: bool = False) -> None:
        super().__init__(message)
        self.at = at
        self.message = message
        self.hint = hint.strip()
        self.unfinished = unfinished


@dataclass(frozen=True, slots=True)
class Source:
    """A program's text and the name it goes by in messages.

    Attributes:
        text: The program; its lines end in `\\n`.
        filename: What messages call it.
    """

    text: str
    filename: str

    def line(self, at: int) -> int:
        """Number the line of an offset, from 1."""
        return self.text.count("\n", 0, at) + 1

    def column(self, at: int) -> int:
        """Number the column of an offset, from 1."""
        return at - self.text.rfind("\n", 0, at)

    def place(self, at: int) -> str:
        """Write an offset as `file:line:column`."""
        return f"{self.filename}:{self.line(at)}:{self.column(at)}"

    def error(self, mistake: Mistake, context: str = "") -> NotationError:
        """Make the error that the user sees.

        Args:
            mistake: What is wrong and where.
            context: A last line, such as the call in which it happened.

        Returns:
            The error; its message shows the place, the line with a caret, and the hint.
        """
        message = mistake.message
        if len(message) > _MESSAGE:
            message = message[:_MESSAGE] + " ..."
        parts = [f"{self.place(mistake.at)}: {message}", *self._excerpt(mistake.at), mistake.hint, context]
        return NotationError("\n".join(part for part in parts if part))

    def _excerpt(self, at: int) -> list[str]:
        """Show the line of an offset, and a caret under the offset."""
        start = self.text.rfind("\n", 0, at) + 1
        end = self.text.find("\n", at)
        line = self.text[start : end if end >= 0 else len(self.text)]
        column = at - start
        first = max(0, column - _WIDTH * 3 // 4) if len(line) > _WIDTH else 0
        shown = line[first : first + _WIDTH]
        if not shown.strip():
            return []
        before, after = ("..." if first else ""), ("..." if first + _WIDTH < len(line) else "")
        lead = "".join(_blank(character) for character in before + shown[: column - first])
        return [f"  {before}{shown.rstrip()}{after}", f"  {lead}^"]


def _blank(character: str) -> str:
    """Find the space that is as wide as a character on the screen."""
    if character == "\t":
        return "\t"
    if unicodedata.combining(character):
        return ""
    return "  " if unicodedata.east_asian_width(character) in "WF" else " "


def normalized(text: str) -> str:
    """Make every line end in `\\n`, and drop a byte order mark."""
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
