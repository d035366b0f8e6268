"""Running examples, each in a namespace of its own, with errors and warnings that point into the Markdown file."""

import contextlib
import io
import linecache
import re
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from opbook.errors import NotationError, OpbookError
from opbook.examples.example import Example, PageError
from opbook.examples.running import noted
from opbook.examples.snippets import refuse_snippets
from opbook.figures import Figure, capture
from opbook.plugins.catalogue import scratch_session

if TYPE_CHECKING:
    from opbook.notation.limits import Limits

MODULE = "__example__"
"""The name of the module that a Python example believes to be."""

MOST = 1_000_000
"""How many characters an example may print: no page can show more, and memory ends somewhere."""

_QUIET = (DeprecationWarning, PendingDeprecationWarning, ImportWarning, ResourceWarning)


class FloodError(BaseException):
    """An example that prints without end; no `except Exception` in it may keep it going."""


class _Output(io.StringIO):
    """What an example prints, up to a limit."""

    def write(self, text: str) -> int:
        if self.tell() + len(text) > MOST:
            raise FloodError(f"it prints more than {MOST:,} characters")
        return super().write(text)


@dataclass(frozen=True)
class Produced:
    """What an example produced.

    Attributes:
        printed: What it printed, and where it is marked `raises` the error's message behind that.
        figures: What it drew, in order.
    """

    printed: str
    figures: tuple[Figure, ...] = ()


@dataclass(frozen=True)
class Attempt:
    """What became of code that was run, whether it ended well or not.

    Attributes:
        printed: What it printed until it ended.
        figures: What it drew, in order.
        value: The value of a last expression of the notation; None in Python.
        error: What it raised, or None.
        caught: The warnings that it gave.
    """

    printed: str
    figures: tuple[Figure, ...] = ()
    value: Any = None
    error: BaseException | None = None
    caught: tuple[warnings.WarningMessage, ...] = ()


@dataclass
class _Namespace:
    """What the examples of one chain share."""

    module: ModuleType
    session: Any = None


class Runner:
    """Runs examples and captures what they print and draw.

    Every run starts from an empty namespace. An example that continues another runs its predecessors first, so that it
    gives the same whether it runs alone, in page order or in any other. NumPy's print options and error state are put
    back behind each example.
    """

    def __init__(self, catalogue: Mapping[str, Callable[..., Any]], limits: "Limits | None" = None) -> None:
        """Set up a runner.

        Args:
            catalogue: The builtins that `qu` examples can call. Python examples import theirs.
            limits: What each `qu` example may use; that of any program unless given.
        """
        self.catalogue = catalogue
        self.limits = limits

    def run(self, example: Example) -> str:
        """Run an example, and before it those that it continues.

        Args:
            example: The example. Its own `skip` is not looked at; skipped predecessors are left out.

        Returns:
            What it printed, and where it is marked `raises` the error's message behind that.

        Raises:
            PageError: It failed, it gave a warning, it was to raise and did not, or a snippet's marker stands in it.
                It is an `ExampleError`.
        """
        return self.produce(example).printed

    def produce(self, example: Example) -> Produced:
        """Run an example as [`run`][opbook.examples.Runner.run] does.

        Returns:
            What it printed and drew itself, without what those did that it continues.

        Raises:
            PageError: As there.
        """
        produced = Produced("")
        for link, attempt in self.attempts(example):
            produced = _judged(link, attempt)
        return produced

    def attempts(self, example: Example) -> Iterator[tuple[Example, Attempt]]:
        """Run an example, and before it those that it continues, whatever becomes of them.

        Yields:
            Each with what became of it. Whoever stops asking leaves the rest out.
        """
        module = ModuleType(MODULE)
        module.__file__ = str(example.path)
        namespace = _Namespace(module)
        with scratch_session():
            for link in example.chain:
                if link is example or link.skip is None:
                    refuse_snippets(link)
                    yield link, self._attempt(link, namespace)

    def _attempt(self, example: Example, namespace: _Namespace) -> Attempt:
        execute = self._run_python if example.language == "python" else self._run_qu
        value, failure = None, None
        with noted(example), _surroundings(namespace.module) as (output, caught), capture() as figures:
            try:
                value = execute(example, namespace)
            except KeyboardInterrupt:
                raise
            except BaseException as error:  # SystemExit and pytest's own too: an example ends by itself.
                failure = error
        return Attempt(output.getvalue(), tuple(figures), value, failure, tuple(caught))

    def _run_python(self, example: Example, namespace: _Namespace) -> None:
        filename = str(example.path)
        _remember_source(filename, example)
        code = compile("\n" * example.line + example.code, filename, "exec", dont_inherit=True)
        exec(code, namespace.module.__dict__)

    def _run_qu(self, example: Example, namespace: _Namespace) -> Any:
        from opbook.notation import Session  # Here, so that pages without `qu` need no parser.

        if namespace.session is None:
            namespace.session = Session(self.catalogue, limits=self.limits)
        where = {} if example.raises else {"filename": str(example.path)}
        return namespace.session.run(example.program, **where)


def _judged(example: Example, attempt: Attempt) -> Produced:
    """Hold what became of an example to what its page says.

    Raises:
        PageError: It failed, it gave a warning, or it was to raise and did not.
    """
    failure = attempt.error
    if failure is not None and not _is_expected(example, failure):
        raise _failure(example, failure) from failure
    _refuse_warnings(example, attempt.caught)
    if example.raises and failure is None:
        raise PageError(example.path, example.line, "this example is marked `raises` but runs to its end.")
    printed = attempt.printed + (f"{_documented(example, failure)}\n" if failure else "")
    return Produced(printed, attempt.figures)


@contextlib.contextmanager
def _surroundings(module: ModuleType) -> Iterator[tuple[io.StringIO, list[warnings.WarningMessage]]]:
    """Capture output and warnings, make the example's module importable by name, and put everything back."""
    output = _Output()
    former = sys.modules.get(MODULE)
    sys.modules[MODULE] = module  # inspect, dataclasses and typing look the module of a class up there.
    try:
        with (
            warnings.catch_warnings(record=True) as caught,
            np.errstate(),
            np.printoptions(),
            contextlib.redirect_stdout(output),
        ):
            warnings.simplefilter("always")
            yield output, caught
    finally:
        if former is None:
            sys.modules.pop(MODULE, None)
        else:
            sys.modules[MODULE] = former


def _remember_source(filename: str, example: Example) -> None:
    """Show the code to `linecache`, so that tracebacks and `inspect.getsource` see it without its indentation.

    Lines of other examples of the page stay, because functions defined there may still be asked for their source.
    """
    entry = linecache.cache.get(filename)
    lines = list(entry[2]) if entry is not None and len(entry) == 4 and entry[1] is None else []
    code = [f"{line}\n" for line in example.code.removesuffix("\n").split("\n")]
    end = example.line + len(code)
    lines += ["\n"] * (end + 1 - len(lines))
    lines[example.line - 1 : end + 1] = ["\n", *code, "\n"]
    # Without a modification time the entry is never compared with the file.
    linecache.cache[filename] = (sum(map(len, lines)), None, lines, filename)


def _refuse_warnings(example: Example, caught: Iterable[warnings.WarningMessage]) -> None:
    """Refuse the first warning that a user would see: of a deprecation, only one in the example's own code."""
    for warning in caught:
        own = warning.filename == str(example.path)
        if own or not issubclass(warning.category, _QUIET):
            problem = f"the example gives a warning: {warning.category.__name__}: {warning.message}"
            raise PageError(example.path, warning.lineno if own else example.line, problem)


def _is_expected(example: Example, error: BaseException) -> bool:
    return example.raises and isinstance(error, OpbookError if example.language == "qu" else Exception)


def _failure(example: Example, error: BaseException) -> PageError:
    line, message = _line(example, error), _message(error)
    if isinstance(error, NotationError):
        # Its message begins with the place, which is where this one's place comes from.
        place = re.match(re.escape(str(example.path)) + r":(\d+):\d+: ", str(error))
        line, message = (int(place[1]), str(error)[place.end() :]) if place else (line, str(error))
    return PageError(example.path, line, f"the example fails: {message}")


def _message(error: BaseException) -> str:
    if isinstance(error, FloodError):
        return str(error)
    text = error.msg if isinstance(error, SyntaxError) else str(error)
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _documented(example: Example, error: BaseException) -> str:
    """Write an expected error: in Python with its type as in the last line of a traceback, in the notation as it is."""
    return str(error) if example.language == "qu" else _message(error)


def _line(example: Example, error: BaseException) -> int:
    """Find the line of the page that failed: the innermost one on the way to the error."""
    filename = str(example.path)
    line = example.line
    if isinstance(error, SyntaxError) and error.filename == filename:
        return error.lineno or line
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == filename:
            line = trace.tb_lineno
        trace = trace.tb_next
    return line
