"""The base of all specs, and the words for what came instead."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from opbook.autodiff.methods import is_on_tape
from opbook.autodiff.tape import stop_gradient
from opbook.builtins.specs.binding import Binding


class Spec:
    """What an argument must be. Subclasses check and convert."""

    differentiable = False
    """Whether it has a gradient. What has none, such as a mask or a count, gets zeros."""

    may_be_constant = False
    """Whether a rule may return None for its gradient, as nobody can tell from the annotation that there is one."""

    @property
    def parts(self) -> tuple["Spec", ...]:
        """The specs of what it holds, or of what it may be."""
        return ()

    def convert(self, value: Any, path: str, binding: Binding) -> Any:
        """Check a value and convert it.

        Args:
            value: What the caller passed.
            path: How an error names it, such as `heads[0].wq`.
            binding: What the arguments before it have fixed; what this one fixes is entered.

        Raises:
            OpbookError: The value does not fit.
        """
        raise NotImplementedError

    def words(self) -> str:
        """Say in a few words what the argument is."""
        raise NotImplementedError


def is_plain_array(leaf: Any) -> bool:
    """Whether something is an array that is on no tape."""
    return type(leaf) is np.ndarray or (isinstance(leaf, np.ndarray) and not is_on_tape(leaf))


def contiguous(leaf: Any) -> Any:
    """An array row by row in memory, so that the same numbers give the same bits; anything else as it is."""
    return leaf.copy() if is_plain_array(leaf) and not leaf.flags.c_contiguous else leaf


def with_article(words: str) -> str:
    """Put "a" or "an" before words that take one."""
    return words if words.startswith(("text", "true", "any")) else f"a{'n' if words[0] in 'aeiou' else ''} {words}"


def what_came(value: Any) -> str:
    """Say in a few words what a value is that does not fit."""
    value = stop_gradient(value)
    if isinstance(value, np.ndarray):
        return f"an array of shape {value.shape}"
    if isinstance(value, Mapping):
        return "a record with the fields " + ", ".join(map(str, value)) if value else "an empty record"
    if isinstance(value, int) and value.bit_length() > 64:  # Python writes out no more than 4300 digits
        return f"an integer of {value.bit_length()} bits"
    if isinstance(value, tuple | list) and 0 < len(value) <= 4 and all(map(_is_short_number, value)):
        return repr(value)
    if isinstance(value, tuple | list):
        return f"a {type(value).__name__} of {len(value)}"
    if isinstance(value, int | float | str | bool | np.generic) or value is None:
        return repr(value.item() if isinstance(value, np.generic) else value)
    return with_article(type(value).__name__)


def is_too_wide(value: Any) -> bool:
    """Tell whether something is a whole number that has no place in an array of 64-bit integers."""
    return isinstance(value, int | np.integer) and not -(2**63) <= int(value) < 2**63


def too_wide(value: Any) -> str:
    """Say behind a name that its value is a whole number beyond 64 bits."""
    return f"is {what_came(value)}, but whole numbers must be from -2**63 to 2**63 - 1"


def _is_short_number(value: Any) -> bool:
    return type(value) is float or (type(value) is int and value.bit_length() <= 64)
