"""What a program may use: steps, calls, time, text and memory."""

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from opbook.notation.source import Mistake


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds on one run of a program. Each is generous for an example and small for a computer.

    Attributes:
        steps: Expressions evaluated.
        calls: User functions that are open at once, one inside the other.
        seconds: Time, that of reading the program included.
        characters: The length of the program, and of any text that it makes.
        total_characters: The length of all texts that the run makes or passes to a builtin, for example to print them.
        elements: Numbers in one array, and a quarter of those that one call of a builtin may take. What a builtin makes
            on its way to its result is not counted; `opbook.notation.guard` bounds the memory of a process.
        total_elements: Numbers in all arrays that the run makes, kept or not.
        entries: Values inside one tuple or record, at all depths.
        depth: Tuples and records inside each other.
    """

    steps: int = 1_000_000
    calls: int = 1_000
    seconds: float = 10.0
    characters: int = 200_000
    total_characters: int = 20_000_000
    elements: int = 4_000_000
    total_elements: int = 400_000_000
    entries: int = 100_000
    depth: int = 100


def out_of_time(limits: Limits, at: int) -> Mistake:
    """What is said when the time is over."""
    return Mistake(at, f"the program was stopped here, after {limits.seconds:g} seconds")


class Budget:
    """What one run has used so far."""

    __slots__ = ("_characters", "_deadline", "_elements", "_steps", "calls", "limits", "reentries")

    REENTRIES = 8
    """How often a builtin may call a user function that calls one again: each takes some of Python's stack, and a
    gradient takes several times the steps of the function, so one of one of one takes many."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.calls = 0
        self.reentries = 0
        self._steps = 0
        self._elements = 0
        self._characters = 0
        self._deadline = time.monotonic() + limits.seconds

    def step(self, at: int, count: int = 1) -> None:
        """Count a step, and look at the clock.

        Raises:
            Mistake: The program has run for too long.
        """
        self._steps += count
        if self._steps > self.limits.steps:
            raise Mistake(at, f"the program was stopped here, after {self.limits.steps:,} steps")
        if time.monotonic() > self._deadline:
            raise out_of_time(self.limits, at)

    def array(self, shape: tuple[int, ...], at: int) -> None:
        """Ask for an array before it is made.

        Raises:
            Mistake: It would be too large.
        """
        self.fits(shape, at)
        self._elements += math.prod(shape)
        if self._elements > self.limits.total_elements:
            raise Mistake(at, f"the program was stopped here, after making {self.limits.total_elements:,} numbers")

    def fits(self, shape: tuple[int, ...], at: int) -> None:
        """Ask whether an array may be that large, without making it.

        Raises:
            Mistake: It would be too large.
        """
        size = math.prod(shape)
        if size > self.limits.elements:
            sizes = " by ".join(f"{n:,}" for n in shape)
            what = f"{sizes} numbers" if len(shape) < 2 else f"{sizes} = {size:,} numbers"
            raise Mistake(at, f"the result would have {what}; the limit is {self.limits.elements:,}")

    def text(self, length: int, at: int) -> None:
        """Ask for a text before it is made.

        Raises:
            Mistake: It would be too long.
        """
        if length > self.limits.characters:
            raise Mistake(at, f"the text would have {length:,} characters; the limit is {self.limits.characters:,}")

    def write(self, length: int, at: int) -> None:
        """Count the characters of a text that is made, or handed to a builtin.

        Raises:
            Mistake: The run has made too many.
        """
        self._characters += length
        if self._characters > self.limits.total_characters:
            limit = self.limits.total_characters
            raise Mistake(at, f"the program was stopped here, after {limit:,} characters of text")

    def structure(self, value: Any, at: int) -> None:
        """Measure a tuple or record; a value that it holds twice counts twice, as it would when printed.

        Raises:
            Mistake: It holds too much, or is nested too deeply.
        """
        count, pending = 0, [(value, 1)]
        while pending:
            inner, depth = pending.pop()
            if depth > self.limits.depth:
                raise Mistake(at, f"tuples and records are nested more than {self.limits.depth} deep here")
            entries = tuple(inner.values()) if isinstance(inner, Mapping) else inner
            count += len(entries)
            if count > self.limits.entries:
                raise Mistake(at, f"a tuple or record may hold {self.limits.entries:,} values in all; this holds more")
            pending.extend((entry, depth + 1) for entry in entries if isinstance(entry, tuple | list | Mapping))
        self.step(at, count)
