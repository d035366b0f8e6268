"""What the pullback of a rule is held to: one gradient for each positional parameter, built as the argument is."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from opbook.autodiff import tree
from opbook.autodiff.differentiate import fit_cotangent, match_structure
from opbook.autodiff.tape import FLOATS, newest_tape
from opbook.builtins.signature import CallShape, Param
from opbook.errors import RuleError, TapeError


@dataclass(slots=True)  # not frozen, which makes it three times as slow to make one
class _Like:
    """What the gradient of one leaf looks like."""

    shape: tuple[int, ...]
    dtype: Any


def checked_pullback(
    shape: CallShape, positional: list[Any], value: Any, pullback: Callable[[Any], Any]
) -> Callable[[Any], list[Any]]:
    """Make a pullback that checks what it is given, and what the rule's own makes of it.

    Returns:
        A function from a cotangent to one gradient for each positional parameter, in memory of their own.
    """
    structure = tree.map(lambda _: None, value)
    metas = [(np.shape(leaf), np.asarray(leaf).dtype) for leaf in tree.leaves(value)]
    likes = [tree.map(_like, argument) for argument in positional]

    def checked(cotangent: Any) -> list[Any]:
        leaves = match_structure(cotangent, structure)
        if newest_tape(leaves) is not None:
            raise TapeError(
                f"{shape.name}: the pullback of its rule can't be differentiated again; take grad(grad(f)), "
                "or vjp of a function that calls grad, which goes through the definition"
            )
        # what is not of floats has no cotangent, and None stands for zeros: the rule gets zeros for both
        leaves = [
            fit_cotangent(g, shape, dtype)
            if dtype in FLOATS and (g is not None or cotangent is None)
            else np.zeros(shape, dtype)
            for g, (shape, dtype) in zip(leaves, metas, strict=True)
        ]
        taken = {id(owner(g)) for g in leaves}
        return _check(shape, pullback(tree.unflatten(structure, leaves)), likes, taken)

    return checked


def _like(leaf: Any) -> _Like | None:
    """Numbers get a float64; whole numbers and Booleans in arrays have no gradient, and None stands in its place."""
    if isinstance(leaf, np.ndarray):
        return _Like(leaf.shape, leaf.dtype) if leaf.dtype in FLOATS else None
    return _Like((), np.dtype(np.float64)) if isinstance(leaf, int | float | np.generic) else None


def _check(shape: CallShape, gradients: Any, likes: list[Any], taken: set[int]) -> list[Any]:
    params = shape.positional
    if not isinstance(gradients, tuple) or len(gradients) != len(params):
        count = len(gradients) if isinstance(gradients, tuple) else None
        got = kind_of(gradients) if count is None else f"{count} gradient{'s' if count != 1 else ''}"
        raise RuleError(
            f"{shape.name}: the pullback must return a tuple of {len(params)} gradients "
            f"({', '.join(p.name for p in params)}), but returned {got}"
        )
    return [
        _check_one(f"{shape.name}: gradient of argument {i} ({param.name})", param, gradient, like, taken)
        for i, (param, gradient, like) in enumerate(zip(params, gradients, likes, strict=True), 1)
    ]


def _check_one(what: str, param: Param, gradient: Any, like: Any, taken: set[int]) -> Any:
    expected = tree.leaves(like)
    if not param.spec.differentiable or (gradient is None and param.spec.may_be_constant):
        return tree.unflatten(like, [np.zeros(one.shape, one.dtype)[()] if one else None for one in expected])
    if not tree.same_structure(like, gradient):
        built, got = (", ".join(tree.paths(t, param.name)) for t in (like, gradient))
        raise RuleError(f"{what} must be built as the argument is ({built}), but has {got}")
    found: list[Any] = []
    for i, (g, one) in enumerate(zip(tree.leaves_like(like, gradient), expected, strict=True)):
        if one is None:
            found.append(None)
            continue
        if g is None or np.shape(g) != one.shape:
            got = "is None" if g is None else f"has shape {np.shape(g)}"
            raise RuleError(f"{what}, at {tree.paths(like, param.name)[i]}, must have shape {one.shape}, but {got}")
        found.append(_own(g, one.dtype, what, taken))
    return tree.unflatten(like, found)


def _own(gradient: Any, dtype: Any, what: str, taken: set[int]) -> Any:
    """A gradient in a dtype, in memory that neither the cotangent nor another gradient has a part in."""
    g = np.asarray(gradient)
    if g.dtype != dtype:
        if g.dtype.kind not in "fiub":
            raise RuleError(f"{what} must be real, but has dtype {g.dtype}")
        with np.errstate(over="ignore"):
            g = g.astype(dtype)
    elif id(owner(g)) in taken or not g.flags.writeable:
        g = g.copy()
    taken.add(id(owner(g)))
    return g[()] if g.ndim == 0 else g


def owner(array: Any) -> Any:
    """The array whose memory another one shows."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


def kind_of(result: Any) -> str:
    """Say in a few words what a rule returned that is not what it should be."""
    kind = f"tuple of {len(result)}" if isinstance(result, tuple) else type(result).__name__
    return f"an {kind}" if kind.startswith(("a", "e", "i", "o", "ndarray")) else f"a {kind}"
