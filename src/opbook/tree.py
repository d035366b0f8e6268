"""Nested structures: records (any Mapping), tuples and lists, with leaves at the ends."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np

_LEAVES = frozenset({np.ndarray, np.float64, np.float32, np.float16, float, int, bool, str, type(None)})
"""The types of nearly all leaves: to look a type up is much cheaper than to ask whether it is a Mapping."""


def leaves(tree: Any) -> list[Any]:
    """List the leaves of a nested structure, in order.

    Args:
        tree: A Mapping, tuple or list of any depth, or a single leaf.

    Returns:
        The leaves from left to right; a record's in the order of its keys.
    """
    if type(tree) in _LEAVES:
        return [tree]
    if isinstance(tree, Mapping):
        return [leaf for value in tree.values() for leaf in leaves(value)]
    if isinstance(tree, tuple | list):
        return [leaf for value in tree for leaf in leaves(value)]
    return [tree]


def rebuild(tree: Any, new_leaves: Iterable[Any]) -> Any:
    """Make a structure like `tree` with other leaves.

    Args:
        tree: The structure to follow.
        new_leaves: As many leaves as `tree` has, in the order of [`leaves`][opbook.tree.leaves].

    Returns:
        Dicts where `tree` has Mappings, and tuples and lists where it has those.
    """
    return _rebuild(tree, iter(new_leaves))


def _rebuild(tree: Any, supply: Iterator[Any]) -> Any:
    if type(tree) in _LEAVES:
        return next(supply)
    if isinstance(tree, Mapping):
        return {key: _rebuild(value, supply) for key, value in tree.items()}
    if isinstance(tree, tuple) and hasattr(tree, "_fields"):  # a namedtuple takes its items one by one
        return type(tree)(*(_rebuild(value, supply) for value in tree))
    if isinstance(tree, tuple | list):
        return (tuple if isinstance(tree, tuple) else list)(_rebuild(value, supply) for value in tree)
    return next(supply)


def same_structure(a: Any, b: Any) -> bool:
    """Tell whether two structures have their leaves in the same places.

    Args:
        a: A nested structure.
        b: Another.

    Returns:
        True if they differ in nothing but their leaves; a dict and another Mapping count as alike.
    """
    if isinstance(a, Mapping):
        return isinstance(b, Mapping) and a.keys() == b.keys() and all(same_structure(a[key], b[key]) for key in a)
    if isinstance(a, tuple | list):
        kind = tuple if isinstance(a, tuple) else list
        return isinstance(b, kind) and len(a) == len(b) and all(map(same_structure, a, b))
    return not isinstance(b, Mapping | tuple | list)


def map_leaves(function: Callable[[Any], Any], tree: Any) -> Any:
    """Apply a function to every leaf.

    Args:
        function: Takes one leaf.
        tree: The structure to follow.

    Returns:
        The same structure with the results as its leaves.
    """
    return rebuild(tree, (function(leaf) for leaf in leaves(tree)))


def paths(tree: Any, root: str = "") -> list[str]:
    """Name every leaf the way one would write it.

    Args:
        tree: A nested structure.
        root: What the structure itself is called.

    Returns:
        Names such as `weights.heads[0].wq`, in the order of [`leaves`][opbook.tree.leaves].
    """
    if isinstance(tree, Mapping):
        return [path for key, value in tree.items() for path in paths(value, f"{root}.{key}" if root else str(key))]
    if isinstance(tree, tuple | list):
        return [path for i, value in enumerate(tree) for path in paths(value, f"{root}[{i}]")]
    return [root]
