"""The annotations of a builtin's signature: what its arguments are, how they are checked and what errors say.

`Array["... N D"]` is `Annotated[np.ndarray, ...]` with the dimension syntax of jaxtyping: names that must agree within
one call, numbers, `#N` for an axis that may also be 1, and a leading `...` for any batch axes. `Mask["... Nq Nk"]` is a
0/1 array that broadcasts against those dimensions. A record is a `TypedDict`, several are `tuple[Head, ...]`; anything
else is a plain Python value.
"""

import types
import typing
from collections.abc import Callable
from typing import Annotated, Any, Literal, NotRequired, Required

import numpy as np

from opbook.builtins.specs import ArraySpec, MaskSpec, OptionalSpec, RecordSpec, SequenceSpec, Spec, ValueSpec
from opbook.errors import DeclarationError


class Array:
    """An array of real numbers, as in `Array["... N D"]`."""

    def __class_getitem__(cls, dims: str) -> Any:
        return Annotated[np.ndarray, ArraySpec.parse(dims)]


class Mask:
    """A Boolean or 0/1 array that broadcasts against the dimensions given, as in `Mask["... Nq Nk"]`."""

    def __class_getitem__(cls, dims: str) -> Any:
        return Annotated[np.ndarray, MaskSpec.parse(dims)]


def spec_of(hint: Any) -> Spec:
    """Read an annotation.

    Args:
        hint: An evaluated annotation, with its extras.

    Returns:
        What it asks for.

    Raises:
        DeclarationError: An annotation that a builtin can't have.
    """
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if origin is Annotated:
        own = [extra for extra in args[1:] if isinstance(extra, Spec)]
        return own[0] if own else spec_of(args[0])
    if origin in (Required, NotRequired):
        return spec_of(args[0])
    if origin in (typing.Union, types.UnionType):
        return _union(args)
    if origin is Literal:
        return ValueSpec((), args)
    if typing.is_typeddict(hint):
        hints = typing.get_type_hints(hint, include_extras=True)
        return RecordSpec(hint.__name__, {name: spec_of(inner) for name, inner in hints.items()})
    if origin in (tuple, list):
        any_length = origin is list or (len(args) == 2 and args[1] is Ellipsis)
        return SequenceSpec(tuple(spec_of(a) for a in args if a is not Ellipsis), any_length)
    if hint in (Any, object):
        return ValueSpec(())
    if hint is None or hint is type(None):
        return ValueSpec((type(None),))
    if (
        origin is Callable
        or origin is getattr(typing, "Callable", None)
        or str(origin) == "<class 'collections.abc.Callable'>"
    ):
        return ValueSpec((Callable,))
    if hint in (int, float, bool, str, Callable, tuple, list, dict):
        return ValueSpec((hint,))
    raise DeclarationError(
        f'{hint!r} is no annotation that a builtin understands: use Array["... N D"], Mask["..."], a TypedDict, '
        "tuple[Record, ...], int, float, bool, str, Literal[...], Any, or one of these with | None"
    )


def _union(args: tuple[Any, ...]) -> Spec:
    inner = [spec_of(a) for a in args if a is not type(None)]
    if len(inner) == 1:
        spec = inner[0]
    elif all(isinstance(one, ValueSpec) and not one.choices for one in inner):
        spec = ValueSpec(tuple(t for one in inner for t in typing.cast(ValueSpec, one).types))
    else:
        raise DeclarationError(
            "a union in a builtin's signature may join plain Python types only, or one thing with None"
        )
    return OptionalSpec(spec) if type(None) in args else spec
