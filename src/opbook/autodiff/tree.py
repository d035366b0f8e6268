"""Nested structures of arrays: records (any Mapping), tuples and lists, with leaves at the ends.

The weights of a model, their gradients and an optimizer's state are such trees. `opbook.tree` is this module:

    new = tree.map(lambda weight, slope: weight - 0.1 * slope, weights, gradients)
"""

import builtins
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from opbook.errors import ArgumentError

RECORD, SEQUENCE, LEAF = "record", "sequence", "leaf"


class _Kinds(dict[type, str]):
    """What values of a class are; remembered, as asking whether an array is a Mapping takes longer than adding two."""

    def __missing__(self, cls: type) -> str:
        self[cls] = RECORD if issubclass(cls, Mapping) else SEQUENCE if issubclass(cls, tuple | list) else LEAF
        return self[cls]


_KINDS = _Kinds()


def leaves(tree: Any) -> list[Any]:
    """List the leaves of a nested structure, in order.

    Args:
        tree: A Mapping, tuple or list of any depth, or a single leaf.

    Returns:
        The leaves from left to right; a record's in the order of its keys.
    """
    if _KINDS[type(tree)] is LEAF:
        return [tree]
    found: list[Any] = []
    _collect(tree, found)
    return found


def _collect(tree: Any, found: list[Any]) -> None:
    # leaves are told apart here, and below, before the functions call themselves: most of what they meet are leaves
    for value in tree.values() if _KINDS[type(tree)] is RECORD else tree:
        if _KINDS[type(value)] is LEAF:
            found.append(value)
        else:
            _collect(value, found)


def map(function: Callable[..., Any], tree: Any, *others: Any) -> Any:
    """Apply a function to every leaf, or to the leaves that stand in the same place of several structures.

    Args:
        function: Takes one leaf of each structure.
        tree: The structure to follow.
        *others: More structures, built as `tree` is.

    Returns:
        The structure of `tree` with the results as its leaves; dicts where it has Mappings.

    Raises:
        ArgumentError: The structures are built differently.

    Examples:
        >>> map(lambda x, y: x + y, {"a": 1, "b": [2]}, {"a": 10, "b": [20]})
        {'a': 11, 'b': [22]}
    """
    if others:
        return unflatten(tree, [function(*together) for together in zip(tree, *others)])
    kind = _KINDS[type(tree)]
    if kind is LEAF:
        return function(tree)
    if kind is RECORD:
        return {
            key: function(value) if _KINDS[type(value)] is LEAF else map(function, value) for key, value in tree.items()
        }
    values = [function(value) if _KINDS[type(value)] is LEAF else map(function, value) for value in tree]
    if isinstance(tree, list):
        return values
    return type(tree)(*values) if hasattr(tree, "_fields") else tuple(values)  # a namedtuple takes them one by one


def zip(*trees: Any) -> Iterator[tuple[Any, ...]]:
    """Go through the leaves of several structures side by side.

    Args:
        *trees: Structures that are built alike.

    Returns:
        One tuple for each place, with the leaf of every structure.

    Raises:
        ArgumentError: The structures are built differently.

    Examples:
        >>> list(zip({"a": 1, "b": 2}, {"b": 20, "a": 10}))
        [(1, 10), (2, 20)]
    """
    first, *others = trees
    for i, other in enumerate(others, 2):
        if not same_structure(first, other):
            expected, got = (", ".join(paths(tree, "tree")) for tree in (first, other))
            raise ArgumentError(f"the trees must be built alike, but the first has {expected}, and tree {i} has {got}")
    return builtins.zip(*(leaves_like(first, tree) for tree in trees), strict=True)


def leaves_like(structure: Any, tree: Any) -> list[Any]:
    """List the leaves of a tree in the order in which another has them: records may have their keys in other orders.

    Args:
        structure: The structure to follow.
        tree: A tree of the same structure.

    Returns:
        The leaves of `tree`.
    """
    kind = _KINDS[type(structure)]
    if kind is LEAF:
        return [tree]
    keys = structure if kind is RECORD else range(len(structure))
    return [leaf for key in keys for leaf in leaves_like(structure[key], tree[key])]


def flatten(tree: Any) -> tuple[list[Any], Any]:
    """Take a structure apart.

    Args:
        tree: A nested structure.

    Returns:
        Its leaves, and the same structure with None in their places, from which
        [`unflatten`][opbook.autodiff.tree.unflatten] builds it again.
    """
    return leaves(tree), map(lambda _: None, tree)


def unflatten(structure: Any, new_leaves: Iterable[Any]) -> Any:
    """Build a structure with given leaves.

    Args:
        structure: The structure to follow; what its own leaves are does not matter.
        new_leaves: As many leaves as it has, in the order of [`leaves`][opbook.autodiff.tree.leaves].

    Returns:
        Dicts where `structure` has Mappings, and tuples and lists where it has those.

    Examples:
        >>> unflatten({"a": None, "b": (None,)}, [1, 2])
        {'a': 1, 'b': (2,)}
    """
    supply = iter(new_leaves)
    return map(lambda _: next(supply), structure)


def sum_of_squares(tree: Any) -> Any:
    """Add up the squares of all entries of all leaves; the root of it is the length of a gradient, as for clipping.

    Args:
        tree: A nested structure of arrays and numbers, also of values on a tape.

    Returns:
        The sum, 0.0 of nothing.

    Examples:
        >>> float(sum_of_squares({"w": [3.0], "b": 4.0}))
        25.0
    """
    return sum((np.sum(leaf * leaf) for leaf in leaves(tree)), start=0.0)


def same_structure(a: Any, b: Any) -> bool:
    """Tell whether two structures have their leaves in the same places.

    Args:
        a: A nested structure.
        b: Another.

    Returns:
        True if they differ in nothing but their leaves; a dict and another Mapping count as alike.
    """
    kind = _KINDS[type(a)]
    if kind is not _KINDS[type(b)]:
        return False
    if kind is LEAF:
        return True
    if kind is RECORD:
        if a.keys() != b.keys():
            return False
        pairs = [(a[key], b[key]) for key in a]
    else:
        if isinstance(a, list) is not isinstance(b, list) or len(a) != len(b):
            return False
        pairs = list(builtins.zip(a, b, strict=True))
    for x, y in pairs:
        if _KINDS[type(x)] is LEAF is _KINDS[type(y)]:
            continue
        if not same_structure(x, y):
            return False
    return True


def paths(tree: Any, root: str = "") -> list[str]:
    """Name every leaf the way one would write it.

    Args:
        tree: A nested structure.
        root: What the structure itself is called.

    Returns:
        Names such as `weights.heads[0].wq`, in the order of [`leaves`][opbook.autodiff.tree.leaves].
    """
    if hasattr(tree, "_fields"):  # a namedtuple
        tree = tree._asdict()
    if isinstance(tree, Mapping):
        return [path for key, value in tree.items() for path in paths(value, f"{root}.{key}" if root else str(key))]
    if isinstance(tree, tuple | list):
        return [path for i, value in enumerate(tree) for path in paths(value, f"{root}[{i}]")]
    return [root]
