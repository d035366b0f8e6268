import itertools
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

from opbook.plugins.catalogue import Catalogue, load

_numbers = itertools.count()

OPS = '''
import builtins
from typing import Any, TypedDict

import numpy as np

from opbook import Array, Mask, builtin, hookimpl
from opbook.errors import InputError


class Head(TypedDict):
    """A head."""

    wq: Array["D K"]
    wo: Array["K D"]


# Prints it.
@builtin(category="Text")
def say(value: Any) -> None:
    """Prints a value.

    Args:
        value: Anything.
    """
    builtins.print(value)


# Twice x, because $x + x = 2x$.
#
# A second paragraph, beside [`pick`](pick.md).
#
# **The gradient.** It is twice the cotangent.
#
# As often as it was doubled.
@builtin(category="Arrays & more", aliases=("twice",))
def double(
    x: Array["... D"], times: int = 1, *, mask: Mask["... D"] | None = None, eps: float = 1e-5
) -> Array["... D"]:
    """Doubles every entry.

    As often as asked.

    Args:
        x: The entries,
            on two lines.
        times: How often.

    Returns:
        An array of
        x's shape.

    Raises:
        ShapeError: mask does not fit.

    Formula:
        $$2x$$

    Source:
        Arithmetic.
    """
    if times < 0:
        raise InputError(f"double: times must be at least 0, but is {times}")
    return x * 2.0**times


@double.defvjp
def _(x, times=1, *, mask=None, eps=1e-5):
    if times < 0:
        raise InputError(f"double: times must be at least 0, but is {times}")
    return x * 2.0**times, lambda g: (g * 2.0**times, None)


@double.samples
def _(draw):
    yield draw.normal(3)
    yield draw.edge("an infinity", np.array([np.inf]))
    yield draw.refused("a negative count", np.ones(2), -1)


# It picks the first.
@builtin(category="Arrays & more")
def pick(heads: tuple[Head, ...], head: Head, n: int | None = None) -> Array[""]:
    """Picks."""
    return np.sum(double(head["wq"])) / 2


@pick.overload
def _(n: int) -> Array[""]:
    """Picks a number."""
    return np.float64(n)


@hookimpl
def opbook_builtins():
    """Add them."""
    return [say, double, pick]
'''


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], Path]:
    """Writes a file under the working directory."""
    monkeypatch.chdir(tmp_path)

    def write(name: str, text: str) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text).lstrip("\n"), encoding="utf-8")
        return path

    return write


@pytest.fixture
def ops(write: Callable[[str, str], Path], monkeypatch: pytest.MonkeyPatch) -> Catalogue:
    """The catalogue of one file, with nothing that happens to be installed."""
    monkeypatch.setattr("opbook.plugins.discovery.installed", lambda: [])
    return load([write(f"ops_{next(_numbers)}.py", OPS)])
