"""Functions of arrays alone, of no structure: the form in which other frameworks differentiate.

Any function of nested arguments becomes one, and so does its pullback, which is thus differentiated in its turn.
"""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from opbook.autodiff import tree
from opbook.autodiff.differentiate import vjp

Arrays = tuple[Any, ...]
FlatFunction = Callable[..., Arrays]


class Flat:
    """A call of a function, as a function of some of the leaves of its arguments.

    Attributes:
        structure: How the value is built, once it has been called; its own leaves don't matter.

    Args:
        function: The function.
        args: The positional arguments of the call.
        kwargs: The keyword arguments.
        places: Which of all the leaves, from left to right, it is a function of; the others stay what they are.
    """

    def __init__(
        self, function: Callable[..., Any], args: Arrays, kwargs: dict[str, Any], places: Iterable[int]
    ) -> None:
        self._function = function
        self._arguments = (args, kwargs)
        self._places = list(places)
        self.structure: Any = None

    def __call__(self, *arrays: Any) -> Arrays:
        """Evaluate the function, and return the leaves of its value."""
        leaves = tree.leaves(self._arguments)
        for i, array in zip(self._places, arrays, strict=True):
            leaves[i] = array
        args, kwargs = tree.unflatten(self._arguments, leaves)
        value = self._function(*args, **kwargs)
        self.structure = tree.map(lambda _: None, value)
        return tuple(tree.leaves(value))


def through_flat(
    function: Callable[..., Any],
    name: str,
    is_array: Callable[[Any], bool],
    apply: Callable[[FlatFunction, list[Any]], Arrays],
) -> Callable[..., Any]:
    """Make of a function one that another framework evaluates.

    Args:
        function: The function; the new one has its documentation.
        name: The name of the new one.
        is_array: Tells which leaves of the arguments are arrays of the framework.
        apply: Evaluates a flat function of such arrays, and returns others.

    Returns:
        A function of the same arguments, with arrays of the framework in them and in its value.
    """

    def call(*args: Any, **kwargs: Any) -> Any:
        leaves = tree.leaves((args, kwargs))
        places = [i for i, leaf in enumerate(leaves) if is_array(leaf)]
        flat = Flat(function, args, kwargs, places)
        results = apply(flat, [leaves[i] for i in places])
        return tree.unflatten(flat.structure, results)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = function.__doc__
    return call


def flat_vjp(function: FlatFunction, places: Iterable[int], arrays: Arrays) -> tuple[Arrays, FlatFunction]:
    """Evaluate a flat function and get its pullback.

    Args:
        function: The function.
        places: Which of the arrays are differentiated.
        arrays: What it takes.

    Returns:
        The values, and a function from their cotangents to one gradient for each of `places`. What is not of floats
        has no cotangent, whatever is given.
    """
    places = list(places)

    def of_places(*chosen: Any) -> Arrays:
        given = dict(enumerate(arrays)) | dict(zip(places, chosen, strict=True))
        return function(*given.values())

    values, pullback = vjp(of_places, *(arrays[i] for i in places))
    has_cotangent = [is_float(value) for value in values]

    def gradients(*cotangents: Any) -> Arrays:
        kept = (g if wanted else None for g, wanted in zip(cotangents, has_cotangent, strict=True))
        return pullback(tuple(kept))  # type: ignore[no-any-return]

    return values, gradients


def flat_pullback(function: FlatFunction, places: Iterable[int], count: int) -> FlatFunction:
    """Make a flat function of the pullback of another one.

    Args:
        function: The other one.
        places: Which of the arrays that it takes are differentiated.
        count: How many it takes.

    Returns:
        A function of these arrays, followed by the cotangents, that returns one gradient for each of `places`.
    """
    places = list(places)
    return lambda *arrays: flat_vjp(function, places, arrays[:count])[1](*arrays[count:])


def is_float(leaf: Any) -> bool:
    """Tell whether something is differentiated: an array, or a NumPy scalar, of floats."""
    return np.issubdtype(getattr(leaf, "dtype", np.bool_), np.floating)
