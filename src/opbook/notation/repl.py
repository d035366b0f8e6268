"""The interactive session: `opbook repl`."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext

from opbook.builtins.formatting import format_value
from opbook.errors import OpbookError
from opbook.notation.parser import is_unfinished
from opbook.notation.session import Session
from opbook.notation.source import Source, normalized

PROMPT = "qu> "
CONTINUATION = "... "

HELP = """\
Type an expression to see its value, or name = expression to keep it.
A line with an open bracket goes on in the next one. Ctrl-C drops it, Ctrl-D or quit leaves.
Names: {names}"""


def run_repl(
    session: Session, *, read: Callable[[str], str] | None = None, write: Callable[[str], object] = print
) -> None:
    """Read, evaluate and print until the input ends.

    Args:
        session: Where the definitions are kept.
        read: Shows a prompt and returns a line; raises EOFError at the end. The default is Python's `input`, with
            readline where there is one: names are completed by Tab, and no history is written to disk.
        write: Shows a text.
    """
    with _completion(session) if read is None else nullcontext():
        while True:
            try:
                text = _read_whole(read or input)
            except EOFError:
                write("")
                return
            except KeyboardInterrupt:
                write("")
                continue
            command = text.strip()
            if command == "quit" and command not in session.names:
                return
            if command == "help" and command not in session.names:
                write(HELP.format(names=", ".join(session.names)))
            else:
                _answer(session, text, write)


def _read_whole(read: Callable[[str], str]) -> str:
    """Read lines until no bracket is open."""
    lines = [read(PROMPT)]
    brackets = _Brackets()
    while brackets.are_open_after(lines[-1]) or is_unfinished(Source(normalized("\n".join(lines)), "<input>")):
        try:
            lines.append(read(CONTINUATION))
        except EOFError:
            break
    return "\n".join(lines)


class _Brackets:
    """Counts brackets line by line, as reading a long matrix anew at every line would take ever longer.

    Texts and comments may hold brackets that are none; where there are some, all lines are parsed.
    """

    def __init__(self) -> None:
        self._open = 0
        self._plain = True

    def are_open_after(self, line: str) -> bool:
        """Take a line; tell whether one is open for certain."""
        self._plain = self._plain and '"' not in line and "#" not in line
        self._open += sum(line.count(bracket) for bracket in "([{") - sum(line.count(bracket) for bracket in ")]}")
        return self._plain and self._open > 0


def _answer(session: Session, text: str, write: Callable[[str], object]) -> None:
    try:
        value = session.run(text)
        if value is not None:
            write(format_value(value))
    except OpbookError as error:
        write(str(error))
    except KeyboardInterrupt:
        write("interrupted")


@contextmanager
def _completion(session: Session) -> Iterator[None]:
    """Complete names by Tab while the session runs, where there is a readline."""
    try:
        import readline
    except ImportError:
        yield
        return
    completer, delimiters = readline.get_completer(), readline.get_completer_delims()
    readline.set_completer(lambda text, state: complete(session, text, state))
    readline.set_completer_delims(" \t\n()[]{},;=+-*/@^'\"<>!.#")
    readline.parse_and_bind("bind ^I rl_complete" if "libedit" in (readline.__doc__ or "") else "tab: complete")
    try:
        yield
    finally:
        readline.set_completer(completer)
        readline.set_completer_delims(delimiters)


def complete(session: Session, text: str, state: int) -> str | None:
    """Find the `state`-th name that begins with a text, as readline asks for it.

    Args:
        session: Whose names.
        text: What has been typed.
        state: 0 for the first, 1 for the second and so on.

    Returns:
        The name, or None if there are no more.
    """
    names = [name for name in session.names if name.startswith(text)]
    return names[state] if state < len(names) else None
