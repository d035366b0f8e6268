"""Whether a builtin refused an input on purpose, and which line of whose code an error comes from."""

import io
import warnings
from collections.abc import Iterable
from contextlib import redirect_stdout
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np

import opbook
from opbook.builtins.builtin import Builtin
from opbook.errors import OpbookError, TapeError

CORE = Path(opbook.__file__).parent
NUMPY = Path(np.__file__).parent


def refusal(op: Builtin, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    """Call a builtin to see whether it refuses an input.

    Returns:
        The message with which it refuses the input; "" if it takes it, or fails in a way that nobody meant. Of that a
        check will say more.
    """
    try:
        with warnings.catch_warnings(), redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")  # there is a check for those
            op(*args, **kwargs)
    except OpbookError as error:
        return str(error) if is_meant(error, op, [*args, *kwargs.values()]) else ""
    except (Exception, SystemExit):
        return ""
    return ""


def is_meant(error: OpbookError, op: Builtin, given: Iterable[Any]) -> bool:
    """Tell whether an error is a refusal by the builtin itself.

    Returns:
        True if its annotations refuse the arguments, or code of a plugin raises the error, or NumPy says that there is
            no axis of the number given; False for another error of NumPy, and for one of another builtin that the
            definition or rule calls with arguments that do not fit.
    """
    root = _root(error)
    if isinstance(root, np.exceptions.AxisError):
        return any(type(value) is int and value == root.axis for value in given)
    if not isinstance(root, OpbookError) or isinstance(root, TapeError):
        return False
    frames = _files(root.__traceback__)
    inside = any(file == Path(op.source_file) for file in frames)
    return not inside or not frames[-1].is_relative_to(CORE)


def _root(error: BaseException) -> BaseException:
    """What an error was before it was given the builtin's name."""
    while (before := error.__cause__ or error.__context__) is not None:
        error = before
    return error


def _files(trace: TracebackType | None) -> list[Path]:
    found = []
    while trace is not None:
        found.append(Path(trace.tb_frame.f_code.co_filename))
        trace = trace.tb_next
    return found


def place_of(error: BaseException) -> str:
    """Tell where an error comes from.

    Returns:
        The file's name and the line of the last call in it, such as `my_ops.py:12`, in code that is neither opbook's
            nor NumPy's; "" if there is none.
    """
    trace, found = _root(error).__traceback__, ""
    while trace is not None:
        file = Path(trace.tb_frame.f_code.co_filename)
        if not file.is_relative_to(CORE) and not file.is_relative_to(NUMPY):
            found = f"{file.name}:{trace.tb_lineno}"
        trace = trace.tb_next
    return found
