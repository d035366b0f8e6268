"""Dimensions of arrays as annotations write them: numbers, names, and arithmetic of both, such as `2*D` or `L-K+1`.

A dimension is kept as it is written, as a text, or as a number.
"""

import ast
import re
from collections.abc import Mapping
from functools import cache
from types import CodeType

from opbook.errors import DeclarationError

Dim = str | int

_OPERATIONS = (ast.Add, ast.Sub, ast.Mult, ast.FloorDiv)


def parse_dim(word: str) -> Dim:
    """Read one dimension.

    Args:
        word: Such as `3`, `N`, `#N` (N or 1), `2*D`, `N+M`, `L-K+1` or `D//2`.

    Raises:
        DeclarationError: It is something else.
    """
    if word.isdigit():
        return int(word)
    if not word.removeprefix("#").isidentifier() and not names_in(word):
        raise DeclarationError(
            f"{word!r} is no dimension: write a name, a number, or arithmetic with +, -, * and // and without spaces, "
            "such as 2*D"
        )
    return word


def is_name(dim: Dim) -> bool:
    """Whether a dimension is a name, perhaps one with `#` before it."""
    return isinstance(dim, str) and dim.removeprefix("#").isidentifier()


@cache
def names_in(dim: Dim) -> tuple[str, ...]:
    """List the names in a dimension.

    Returns:
        Each once, in order; none if it is a number, or nothing that can be computed.
    """
    if isinstance(dim, int):
        return ()
    try:
        nodes = list(ast.walk(ast.parse(dim.removeprefix("#"), mode="eval").body))
    except SyntaxError:
        return ()
    names = sorted((node for node in nodes if isinstance(node, ast.Name)), key=lambda node: node.col_offset)
    allowed = (ast.Name, ast.Load, ast.BinOp, *_OPERATIONS)
    is_sum = all(isinstance(n, allowed) or (isinstance(n, ast.Constant) and type(n.value) is int) for n in nodes)
    return tuple(dict.fromkeys(node.id for node in names)) if is_sum else ()


@cache
def _compiled(dim: str) -> CodeType:
    return compile(dim.removeprefix("#"), "<dimension>", "eval")


def size_of(dim: Dim, sizes: Mapping[str, int]) -> int | None:
    """Compute how long a dimension is.

    Returns:
        The length; None if one of its names is not among `sizes`, or something is divided by 0.
    """
    if isinstance(dim, int):
        return dim
    if any(name not in sizes for name in names_in(dim)):
        return None
    try:
        return int(eval(_compiled(dim), {"__builtins__": {}}, dict(sizes)))  # nothing but arithmetic is in it
    except ZeroDivisionError:
        return None


def solved(dim: Dim, size: int, sizes: Mapping[str, int]) -> tuple[str, int | None] | None:
    """Find the one name of a dimension that is not known yet.

    Returns:
        The name and what it stands for, or the name and None if no number does. None where more than one name is
        unknown, or the dimension does not grow evenly with it, as `D//2`.
    """
    unknown = [name for name in names_in(dim) if name not in sizes]
    if len(unknown) != 1:
        return None
    (name,) = unknown
    at = [size_of(dim, {**sizes, name: n}) for n in (0, 1, 2, 3)]
    if None in at:
        return None
    a, b, c, d = (n for n in at if n is not None)
    step = b - a
    if not step or c - b != step or d - c != step or "//" in str(dim):
        return None
    value, rest = divmod(size - a, step)
    return name, value if rest == 0 and value >= 0 else None


def in_numbers(dim: Dim, sizes: Mapping[str, int]) -> str:
    """Write a dimension with the numbers that its names stand for."""
    text = str(dim).removeprefix("#")
    return " = ".join(dict.fromkeys([text, partly_in_numbers(text, sizes), str(size_of(dim, sizes))]))


def partly_in_numbers(dim: Dim, sizes: Mapping[str, int]) -> str:
    """Write a dimension with the numbers in it that are known, and the names of the others."""
    return re.sub(r"[^\W\d]\w*", lambda match: str(sizes.get(match[0], match[0])), str(dim).removeprefix("#"))
