"""The annotations of a builtin's signature: what its arguments are, how they are checked and what errors say.

`Array["... N D"]` is `Annotated[np.ndarray, ...]` with the dimension syntax of jaxtyping: names that must agree within
one call, numbers, arithmetic such as `2*D`, `#N` for an axis that may also be 1, and in front `...` for any batch axes,
or `*B` for batch axes that arguments share. `Int` has whole numbers, `Bool` Booleans, and `Mask` is a 0/1 array that
broadcasts against its dimensions. A record is a `TypedDict`, several are `tuple[Head, ...]`, and `Tree` is any
structure of arrays; anything else is a plain Python value.
"""

import types
import typing
from collections import abc
from collections.abc import Callable
from typing import Annotated, Any, Literal, NotRequired, Required

import numpy as np

from opbook.builtins.specs import (
    ArraySpec,
    BoolSpec,
    DictSpec,
    IntSpec,
    MaskSpec,
    OptionalSpec,
    RecordSpec,
    SequenceSpec,
    Spec,
    TreeSpec,
    UnionSpec,
    ValueSpec,
)
from opbook.errors import DeclarationError


class Array:
    """An array of real numbers, as in `Array["... N D"]`."""

    def __class_getitem__(cls, dims: str) -> Any:
        return Annotated[np.ndarray, ArraySpec.parse(dims)]


class Int:
    """An array of whole numbers, as in `Int["... N"]`, or in a range, `Int["... N", "0:V"]`: at least 0 and below V."""

    def __class_getitem__(cls, dims: str | tuple[str, str]) -> Any:
        if isinstance(dims, tuple) and len(dims) == 2:
            return Annotated[np.ndarray, IntSpec.parse(dims[0]).between(dims[1])]
        return Annotated[np.ndarray, IntSpec.parse(str(dims))]


class Bool:
    """An array of Booleans, as in `Bool["... N"]`."""

    def __class_getitem__(cls, dims: str) -> Any:
        return Annotated[np.ndarray, BoolSpec.parse(dims)]


class Mask:
    """A Boolean or 0/1 array that broadcasts against the dimensions given, as in `Mask["... Nq Nk"]`."""

    def __class_getitem__(cls, dims: str) -> Any:
        return Annotated[np.ndarray, MaskSpec.parse(dims)]


class Tree:
    """Arrays in records, tuples and lists of any depth. Trees of one name, `Tree["P"]`, have the same shapes."""

    def __class_getitem__(cls, name: str) -> Any:
        if not isinstance(name, str) or not name.isidentifier():
            raise DeclarationError(f'Tree[{name!r}]: the name of a tree is a word, as in Tree["P"]')
        return Annotated[Any, TreeSpec(name)]


_ADVICE = (
    'use Array["... N D"], Int["..."], Bool["..."], Mask["..."], Tree, a TypedDict or NamedTuple, tuple[X, ...], '
    "dict[str, X], int, float, bool, str, Literal[...], Any, or several of these with |"
)


def spec_of(hint: Any) -> Spec:
    """Read an annotation.

    Raises:
        DeclarationError: An annotation that a builtin can't have.
    """
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if origin is Annotated:
        own = [extra for extra in args[1:] if isinstance(extra, Spec)]
        return own[0] if own else spec_of(args[0])
    if origin in (typing.Union, types.UnionType):
        return _union(args)
    if origin is Literal:
        return ValueSpec((), args)
    if typing.is_typeddict(hint):
        return _record(hint)
    if isinstance(hint, type) and issubclass(hint, tuple) and hasattr(hint, "_fields"):
        hints = typing.get_type_hints(hint, include_extras=True)
        return SequenceSpec(tuple(_held(hint, name, hints.get(name, Any)) for name in hint._fields), False, hint)
    if origin in (tuple, list):
        return _sequence(hint, origin, args)
    if origin in (dict, abc.Mapping):
        if args[0] is not str:
            raise DeclarationError(f"{hint!r}: the keys of a dictionary must be texts; write dict[str, ...]")
        return DictSpec(spec_of(args[1]))
    if hint is Tree:
        return TreeSpec()
    if hint in (Array, Int, Bool, Mask):
        raise DeclarationError(f'{hint.__name__} needs its dimensions: write for example {hint.__name__}["... N"]')
    if hint in (Any, object):
        return ValueSpec(())
    if hint is None or hint is type(None):
        return ValueSpec((type(None),))
    if origin is abc.Callable or hint in (Callable, typing.Callable):
        return ValueSpec((Callable,))
    if hint in (int, float, bool, str, tuple, list, dict):
        return ValueSpec((hint,))
    raise DeclarationError(f"{hint!r} is no annotation that a builtin understands: {_ADVICE}")


def _record(hint: Any) -> RecordSpec:
    hints = typing.get_type_hints(hint, include_extras=True)
    optional = {
        name
        for name, inner in hints.items()
        if typing.get_origin(inner) is NotRequired
        or (name in hint.__optional_keys__ and typing.get_origin(inner) is not Required)
    }
    plain = {
        name: typing.get_args(inner)[0] if typing.get_origin(inner) in (Required, NotRequired) else inner
        for name, inner in hints.items()
    }
    fields = {name: _held(hint, name, inner) for name, inner in plain.items()}
    return RecordSpec(hint.__name__, fields, frozenset(optional))


def _held(owner: Any, name: str, hint: Any) -> Spec:
    """What a field of a record or a NamedTuple is."""
    try:
        return spec_of(hint)
    except DeclarationError as error:
        raise DeclarationError(f"{owner.__name__}.{name}: {error}") from None


def _sequence(hint: Any, origin: Any, args: tuple[Any, ...]) -> SequenceSpec:
    any_length = origin is list or (len(args) == 2 and args[1] is Ellipsis)
    items = tuple(spec_of(arg) for arg in args if arg is not Ellipsis)
    if not items or (Ellipsis in args and not any_length):
        raise DeclarationError(f"{hint!r}: write tuple[X, ...] for any number of X, or tuple[X, Y] for two things")
    return SequenceSpec(items, any_length)


def _union(args: tuple[Any, ...]) -> Spec:
    parts = tuple(spec_of(arg) for arg in args if arg is not type(None))
    spec: Spec
    if all(isinstance(part, ValueSpec) and not part.choices and part.types for part in parts):
        spec = ValueSpec(tuple(kind for part in parts for kind in typing.cast(ValueSpec, part).types))
    else:
        spec = parts[0] if len(parts) == 1 else UnionSpec(parts)
    return OptionalSpec(spec) if type(None) in args else spec
