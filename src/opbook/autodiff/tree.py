"""Nested structures: records (any Mapping), tuples and lists, with leaves at the ends."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

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


def rebuild(tree: Any, new_leaves: Iterable[Any]) -> Any:
    """Make a structure like `tree` with other leaves.

    Args:
        tree: The structure to follow.
        new_leaves: As many leaves as `tree` has, in the order of [`leaves`][opbook.autodiff.tree.leaves].

    Returns:
        Dicts where `tree` has Mappings, and tuples and lists where it has those.
    """
    supply = iter(new_leaves)
    return map_leaves(lambda _: next(supply), tree)


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
        pairs = list(zip(a, b, strict=True))
    for x, y in pairs:
        if _KINDS[type(x)] is LEAF is _KINDS[type(y)]:
            continue
        if not same_structure(x, y):
            return False
    return True


def map_leaves(function: Callable[[Any], Any], tree: Any) -> Any:
    """Apply a function to every leaf.

    Args:
        function: Takes one leaf.
        tree: The structure to follow.

    Returns:
        The same structure with the results as its leaves.
    """
    kind = _KINDS[type(tree)]
    if kind is LEAF:
        return function(tree)
    if kind is RECORD:
        return {
            key: function(value) if _KINDS[type(value)] is LEAF else map_leaves(function, value)
            for key, value in tree.items()
        }
    values = [function(value) if _KINDS[type(value)] is LEAF else map_leaves(function, value) for value in tree]
    if isinstance(tree, list):
        return values
    return type(tree)(*values) if hasattr(tree, "_fields") else tuple(values)  # a namedtuple takes them one by one


def paths(tree: Any, root: str = "") -> list[str]:
    """Name every leaf the way one would write it.

    Args:
        tree: A nested structure.
        root: What the structure itself is called.

    Returns:
        Names such as `weights.heads[0].wq`, in the order of [`leaves`][opbook.autodiff.tree.leaves].
    """
    if isinstance(tree, Mapping):
        return [path for key, value in tree.items() for path in paths(value, f"{root}.{key}" if root else str(key))]
    if isinstance(tree, tuple | list):
        return [path for i, value in enumerate(tree) for path in paths(value, f"{root}[{i}]")]
    return [root]
