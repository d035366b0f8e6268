"""What stands in the source of a definition where a step is recorded: its expression, its line, and names of values."""

import itertools
import linecache
from collections.abc import Iterator
from dataclasses import dataclass
from types import CodeType, FrameType
from typing import Any

from opbook.builtins.call import Call
from opbook.pages.source import segment

_NOT_WRITTEN = ("opbook", "numpy")
"""The packages whose own code is no part of a definition."""


@dataclass(frozen=True)
class Written:
    """An expression of a definition, or of a function that it calls.

    Attributes:
        code: The expression, in one line; "" where the source is not there.
        frames: The functions that were running, from the one that it stands in to the definition.
        call: What the expression called. To who reads the definition, all steps of one call are one.
        line: The line of the definition that was running, in its file.
        builtin: The name of the builtin that was called there, if those are to be one step each.
    """

    code: str
    frames: tuple[FrameType, ...]
    call: FrameType | None
    line: int
    builtin: str

    @property
    def function(self) -> str:
        """The function that the expression stands in, or the one around it if that has no name."""
        names = (frame.f_code.co_name for frame in self.frames)
        return next((name for name in names if not name.startswith("<")), "")

    def names(self) -> Iterator[tuple[str, Any, FrameType]]:
        """List the variables and their values, and the items of lists, from the inside out, each with its function."""
        for frame in self.frames:
            for name, value in frame.f_locals.items():
                if name.startswith((".", "_")):
                    continue
                yield name, value, frame
                for i, item in enumerate(value) if type(value) in (list, tuple) else ():
                    yield f"{name}[{i}]", item, frame


def written(definition: CodeType, frame: FrameType | None, is_closed: bool) -> Written | None:
    """Find out what is written where a step is recorded.

    Args:
        definition: The code of the builtin's definition.
        frame: What records the step.
        is_closed: Whether a call of another builtin is one expression, whatever its definition does.

    Returns:
        The innermost expression that is not the core's or NumPy's; None if the definition is not running.
    """
    frames: list[FrameType] = []
    call = None
    builtin = ""
    while frame is not None:
        is_definition = frame.f_code is definition
        if is_definition or frame.f_globals.get("__name__", "").partition(".")[0] not in _NOT_WRITTEN:
            frames.append(frame)
        if is_definition:
            return Written(_expression(frames[0]), tuple(frames), call, frame.f_lineno, builtin)
        if is_closed and frame.f_code is Call.apply.__code__:
            frames, builtin = [], frame.f_locals["self"].shape.name
        if not frames:
            call = frame
        frame = frame.f_back
    return None


def is_parameter(name: str, frame: FrameType) -> bool:
    """Whether a name, or that of an item, is a parameter's."""
    code = frame.f_code
    count = code.co_argcount + code.co_kwonlyargcount + bool(code.co_flags & 4) + bool(code.co_flags & 8)
    return name.partition("[")[0] in code.co_varnames[:count]


def _expression(frame: FrameType) -> str:
    """The source of what a function is computing."""
    positions = next(itertools.islice(frame.f_code.co_positions(), frame.f_lasti // 2, None))
    return segment(linecache.getlines(frame.f_code.co_filename), *positions)
