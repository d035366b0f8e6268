"""Runs the code of an answer, and says in one line what is wrong with code that fails."""

import ast
import io
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from types import ModuleType
from typing import Any

import numpy as np

MODULE = "__exercise__"
"""What an answer's module is called: what stands below `if __name__ == "__main__":` is not run."""


def new_module(filename: str) -> ModuleType:
    """Make an empty module for an answer."""
    module = ModuleType(MODULE)
    module.__file__ = filename
    return module


def run(code: str, filename: str, module: ModuleType, answer: str = "") -> str:
    """Run code in a module.

    Args:
        code: The code.
        filename: What messages call its file.
        module: Where its names go.
        answer: The file of the answer, if the code is not it but what tests it.

    Returns:
        What is wrong; "" if it ran to its end.
    """
    try:
        with quietly():
            exec(compile(code, filename, "exec", dont_inherit=True), module.__dict__)
    except KeyboardInterrupt:
        raise
    except AssertionError as error:
        return str(error) or f"this does not hold: {_asserted(code, line_of(error, filename))}"
    except BaseException as error:  # somebody else's code may raise anything
        blamed = line_of(error, answer or filename)
        if blamed:
            return f"line {blamed}: {described(error)}"
        return f"{described(error)}, in the test's line: {_line(code, line_of(error, filename))}"
    return ""


@contextmanager
def quietly() -> Iterator[None]:
    """Keep what an answer prints and warns of from getting in the way, and NumPy's state as it was."""
    with warnings.catch_warnings(), np.errstate(all="ignore"), np.printoptions(), redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        yield


def described(error: BaseException) -> str:
    """An error as the last line of a traceback has it, with the call that raised it if a note says so."""
    text = error.msg if isinstance(error, SyntaxError) else str(error)
    line = f"{type(error).__name__}: {text}" if text else type(error).__name__
    return "\n".join([line, *getattr(error, "__notes__", [])])


def line_of(error: BaseException, filename: str) -> int:
    """The innermost line of a file on the way to an error; 0 if there is none."""
    if isinstance(error, SyntaxError) and error.filename == filename:
        return error.lineno or 0
    line, trace = 0, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == filename:
            line = trace.tb_lineno
        trace = trace.tb_next
    return line


def _line(code: str, line: int) -> str:
    return code.splitlines()[line - 1].strip()


def _asserted(code: str, line: int) -> str:
    """The condition of an assertion that has no message of its own."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Assert) and node.lineno <= line <= (node.end_lineno or 0):
            return ast.unparse(node.test)
    return "an assertion"


def own_function(module: ModuleType, name: str) -> Any:
    """The function of a name; None where there is none."""
    function = getattr(module, name, None)
    return function if callable(function) else None
