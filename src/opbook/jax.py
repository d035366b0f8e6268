"""Builtins in JAX: forward and gradient are the book's, also in functions that JAX compiles."""

import importlib.util
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from opbook.autodiff.flat import FlatFunction, flat_pullback, is_float, through_flat
from opbook.builtins.builtin import Builtin
from opbook.errors import MissingPackageError
from opbook.plugins.catalogue import catalogue


def function(builtin: str | Builtin) -> Callable[..., Any]:
    """Make a JAX function of a builtin.

    Args:
        builtin: The builtin, or its name.

    Returns:
        A function of the builtin's arguments that takes JAX's arrays, also in records, tuples and lists, and returns
        them. It works under `jax.jit`, `jax.grad`, `jax.vjp` and `jax.vmap`, and its gradients can be differentiated
        again. JAX calls back to Python for it, and has the shapes of its results from a first call with other numbers.

    Raises:
        MissingPackageError: JAX is not installed.
        UnknownBuiltinError: No builtin has that name.
    """
    if importlib.util.find_spec("jax") is None:
        raise MissingPackageError(
            "opbook.jax needs JAX, which is not installed. Install it with python -m pip install jax, or as "
            "https://docs.jax.dev says for your machine"
        )
    import jax

    op = catalogue()[builtin] if isinstance(builtin, str) else builtin
    return through_flat(op, op.name, lambda leaf: isinstance(leaf, jax.Array | np.ndarray), _apply)


def _apply(function: FlatFunction, arrays: Sequence[Any]) -> tuple[Any, ...]:
    """Evaluate a flat function of JAX's arrays, as one step that JAX can differentiate."""
    import jax

    wanted = [i for i, array in enumerate(arrays) if is_float(array)]
    kinds = [
        jax.ShapeDtypeStruct(np.shape(value), jax.dtypes.canonicalize_dtype(value.dtype))
        for value in map(np.asarray, function(*map(_stand_in, arrays)))
    ]

    def evaluated(*given: Any) -> tuple[Any, ...]:
        values = function(*map(np.asarray, given))
        return tuple(np.asarray(value, kind.dtype) for value, kind in zip(values, kinds, strict=True))

    @jax.custom_vjp
    def step(*given: Any) -> Any:
        return jax.pure_callback(evaluated, tuple(kinds), *given, vmap_method="sequential")

    def backward(given: Any, cotangents: Any) -> tuple[Any, ...]:
        # one of whole numbers is of a type that only JAX has
        cotangents = [g if is_float(g) else np.zeros(g.shape) for g in cotangents]
        found = _apply(flat_pullback(function, wanted, len(given)), [*given, *cotangents])
        gradients = dict(zip(wanted, found, strict=True))
        return tuple(gradients.get(i) for i in range(len(given)))

    step.defvjp(lambda *given: (step(*given), given), backward)
    return step(*arrays)  # type: ignore[no-any-return]


def _stand_in(array: Any) -> Any:
    """An array of the same shape and dtype whose numbers are known: uneven ones, 0 and True."""
    if not is_float(array):
        return np.ones(array.shape, bool) if array.dtype == np.bool_ else np.zeros(array.shape, array.dtype)
    return np.linspace(0.5, 1.0, array.size).reshape(array.shape).astype(array.dtype)
