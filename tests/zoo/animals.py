"""The zoo: implementations of builtins as people write them, right ones and wrong ones, each with its kind.

None is anybody's code: each is written here, after a kind of fault or an idiom that real projects have had.
"""

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from opbook.plugins.catalogue import catalogue

Function = Callable[..., Any]


@dataclass(frozen=True)
class Animal:
    """An implementation of a builtin.

    Attributes:
        op: The builtin's name.
        kind: The fault in it, or the idiom that it is written in.
        is_right: Whether it does what the builtin does.
        function: The function.
        gradient: Its gradient, if that is what is wrong or right with it.
    """

    op: str
    kind: str
    is_right: bool
    function: Function
    gradient: Function | None = None

    def __str__(self) -> str:
        return f"{self.op}: {self.kind}"


ANIMALS: list[Animal] = []


def right(op: str, kind: str) -> Callable[[Function], Function]:
    """Enter a right implementation."""
    return _enter(op, kind, True)


def wrong(op: str, kind: str) -> Callable[[Function], Function]:
    """Enter a wrong implementation."""
    return _enter(op, kind, False)


def _enter(op: str, kind: str, is_right: bool) -> Callable[[Function], Function]:
    def enter(function: Function) -> Function:
        ANIMALS.append(Animal(op, kind, is_right, function))
        return function

    return enter


def wrong_gradient(op: str, kind: str, function: Function) -> Callable[[Function], Function]:
    """Enter a wrong gradient of a right implementation."""

    def enter(gradient: Function) -> Function:
        ANIMALS.append(Animal(op, kind, False, function, gradient))
        return gradient

    return enter


def right_gradient(op: str, kind: str, function: Function) -> Callable[[Function], Function]:
    """Enter a right gradient of a right implementation."""

    def enter(gradient: Function) -> Function:
        ANIMALS.append(Animal(op, kind, True, function, gradient))
        return gradient

    return enter


NAN_SAYS_NOTHING = {
    *("elu", "leaky_relu", "relu", "silu", "sort"),  # some libraries let one vanish, on purpose
    *("binary_cross_entropy", "embedding", "top_k", "top_p_filter"),  # which refuse it, or need not look at it
}
"""Ops that no NaN tells anything of."""

NOT_CAUGHT = {"clip_by_global_norm": ("hides a NaN", "leaves memory unwritten")}
"""Cheats that `compare` does not see yet: this op takes and returns structures of any kind."""


def animals() -> list[Animal]:
    """Load every cage; an op that no cage has cheated with gets the cheats and the idioms of all."""
    for path in sorted(Path(__file__).parent.glob("*.py")):
        if not path.stem.startswith("test_"):
            importlib.import_module(f"zoo.{path.stem}")
    from zoo.cheats import CHEATS, add_cheats, add_idioms

    loaded = catalogue()
    for op in sorted({animal.op for animal in ANIMALS if loaded[animal.op].own_rule is not None}):
        mine = [animal for animal in ANIMALS if animal.op == op]
        plain = next(animal.function for animal in mine if animal.is_right)
        if not {animal.kind for animal in mine} & set(CHEATS):
            add_idioms(op, plain)
            without = ["hides a NaN"] if op in NAN_SAYS_NOTHING else []
            add_cheats(op, plain, *without, *NOT_CAUGHT.get(op, ()))
    return ANIMALS
