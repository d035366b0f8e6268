"""A function of somebody else's: how it takes a builtin's arguments, and what it does to them."""

import inspect
import io
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import redirect_stdout
from dataclasses import dataclass
from typing import Any

import numpy as np

from opbook.autodiff import tree
from opbook.builtins.signature import CallShape
from opbook.builtins.specs import RecordSpec, SequenceSpec, Spec
from opbook.checks.comparison.libraries import Library, as_numpy, words_in
from opbook.checks.literals import python_call
from opbook.checks.samples import Sample

ALSO_CALLED = {"axis": "dim", "keepdims": "keepdim", "causal": "is_causal", "eps": "epsilon"}
"""What other libraries call an option that means the same."""


class LeftOut(Exception):
    """An input that says nothing of a function, as it lacks an option; the message is the option's name."""


class Misbehaved(Exception):
    """The function did something to its caller's arrays."""


@dataclass(frozen=True)
class Returned:
    """What a function returned.

    Attributes:
        value: Its value, with NumPy's arrays, which may share memory with the function's own.
        given: What it was given, with arrays of its own library.
    """

    value: Any
    given: "Arguments"

    def shares_memory_with(self) -> str:
        """Name an argument that the value shares memory with; "" if there is none."""
        mine = [leaf for leaf in tree.leaves(self.value) if isinstance(leaf, np.ndarray)]
        for name, leaf in self.given.leaves():
            if hasattr(leaf, "dtype") and any(np.may_share_memory(one, as_numpy(leaf)) for one in mine):
                return name
        return ""


class Kernel:
    """A function that is compared with a builtin.

    Attributes:
        function: The function.
        library: Whose arrays it takes.
        name: What it is called.
    """

    def __init__(self, function: Callable[..., Any], library: Library) -> None:
        self.function = function
        self.library = library
        self._words = words_in(function)
        self.name = getattr(function, "__name__", type(function).__name__)
        try:
            self._params: Mapping[str, inspect.Parameter] | None = inspect.signature(function).parameters
        except (TypeError, ValueError):  # compiled code may have no signature
            self._params = None

    def knows_nothing_of(self, fields: set[str]) -> bool:
        """Tell whether the function has no word for any of some fields of a record.

        Returns:
            True if there are some, and none of them is in its code.
        """
        return bool(fields) and not fields & self._words

    def takes(self, option: str) -> str:
        """Tell under which name the function takes an option.

        Returns:
            The name; "" if it lacks the option.
        """
        if self._params is None:
            return option
        for name in (option, ALSO_CALLED.get(option, option)):
            if name in self._params and self._params[name].kind is not inspect.Parameter.POSITIONAL_ONLY:
                return name
        return option if any(p.kind is inspect.Parameter.VAR_KEYWORD for p in self._params.values()) else ""

    def arguments(self, shape: CallShape, sample: Sample) -> "Arguments":
        """Place a builtin's arguments: required ones by name where the function has the same names, else by position.

        Options always go by name.

        Raises:
            LeftOut: The function lacks an option that the sample gives.
        """
        given = given_by_name(shape, sample)
        required = [p.name for p in shape.params if p.required]
        options: dict[str, Any] = {}
        for param in shape.params:
            if param.required:
                continue
            mine = self.takes(param.name)
            if param.name not in given:
                if self._leaves_open(mine):
                    options[mine] = param.default
            elif mine:
                options[mine] = given[param.name]
            elif not _is_default(given[param.name], param.default):
                raise LeftOut(param.name)
        by_name = [name for name in required if self._has(name)]
        if len(by_name) == len(required):
            return Arguments((), {**{name: given[name] for name in required}, **options})
        return Arguments(tuple((name, given[name]) for name in required), options)

    def _has(self, name: str) -> bool:
        kinds = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY
        return self._params is not None and name in self._params and self._params[name].kind in kinds

    def _leaves_open(self, name: str) -> bool:
        """Whether the function has no value of its own for an option."""
        return self._has(name) and self._params[name].default in (inspect.Parameter.empty, None)  # type: ignore[index]

    def written(self, arguments: "Arguments") -> str:
        """Write a call of the function, to paste into a test."""
        return python_call(self.name, tuple(value for _, value in arguments.positional), arguments.options)

    def call(self, arguments: "Arguments", spread: bool = False) -> Returned:
        """Call the function on copies of arrays.

        Args:
            arguments: What it is called with, with NumPy's arrays.
            spread: Whether arrays are laid out with gaps, and with their axes the other way round.

        Raises:
            Misbehaved: It wrote into an argument.
        """
        make = self.library.laid_out if spread else self.library.array
        given = arguments.mapped(lambda leaf: make(leaf) if isinstance(leaf, np.ndarray) else leaf)
        returned = self.run(given)
        for (name, before), (_, after) in zip(arguments.leaves(), given.leaves(), strict=True):
            if isinstance(before, np.ndarray) and not _same_bits(before, as_numpy(after)):
                raise Misbehaved(f"it writes into its argument {name}")
        return returned

    def run(self, given: "Arguments") -> Returned:
        """Call the function on arrays of its own library."""
        with warnings.catch_warnings(), redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            raw = self.function(*(value for _, value in given.positional), **given.options)
        return Returned(tree.map(as_numpy, raw), given)


@dataclass(frozen=True)
class Arguments:
    """What a function is called with.

    Attributes:
        positional: Names and values of positional arguments.
        options: Keyword arguments.
    """

    positional: tuple[tuple[str, Any], ...]
    options: Mapping[str, Any]

    def leaves(self) -> list[tuple[str, Any]]:
        """Every array and number, with the name of the argument that it is in."""
        return [
            named
            for name, value in (*self.positional, *self.options.items())
            for named in zip(tree.paths(value, name), tree.leaves(value), strict=True)
        ]

    def mapped(self, change: Callable[[Any], Any]) -> "Arguments":
        """The same with every array and number changed."""
        positional = tuple((name, tree.map(change, value)) for name, value in self.positional)
        return Arguments(positional, {name: tree.map(change, value) for name, value in self.options.items()})


def _same_bits(a: Any, b: Any) -> bool:
    return a.shape == b.shape and bool(np.asarray(a).tobytes() == np.asarray(b).tobytes())


def given_by_name(shape: CallShape, sample: Sample) -> dict[str, Any]:
    """Name the arguments of a sample."""
    names = [p.name for p in shape.params if not p.keyword_only]
    return {**dict(zip(names, sample.args, strict=False)), **sample.kwargs}


def optional_fields(shape: CallShape, sample: Sample) -> set[str]:
    """List the fields of a sample's records that may be left out: options that no signature shows."""
    given = given_by_name(shape, sample)
    return {name for param in shape.params if param.name in given for name in _optional(param.spec, given[param.name])}


def _optional(spec: Spec, value: Any) -> Iterator[str]:
    if isinstance(spec, RecordSpec) and isinstance(value, Mapping):
        yield from (name for name in value if name in spec.optional)
        for name, item in value.items():
            yield from _optional(spec.fields[name], item)
    elif isinstance(spec, SequenceSpec) and isinstance(value, tuple | list):
        items = spec.items * len(value) if spec.any_length else spec.items
        for inner, item in zip(items, value, strict=True):
            yield from _optional(inner, item)


def _is_default(value: Any, default: Any) -> bool:
    return type(value) is type(default) and not isinstance(value, np.ndarray) and bool(value == default)
