"""Takes the arrays of one layer out of a state dict, and refuses those that are missing or of another shape."""

import numpy as np

from opbook.errors import ArgumentError, InputError, ShapeError


def read(caller, state, prefix, required, optional):
    """The arrays whose names begin with the prefix, by what comes behind it.

    Biases come all or none: where one of `optional` is there, the others are required.
    """
    found = {name.removeprefix(prefix): array for name, array in state.items() if name.startswith(prefix)}
    due = [*required, *(optional if any(name in found for name in optional) else ())]
    missing = [name for name in due if name not in found]
    if missing:
        name = prefix + missing[0]
        more = f", nor {len(missing) - 1} more that belong to it" if len(missing) > 1 else ""
        raise ArgumentError(f"{caller}: the state dict has no {name}{more}.{_what_it_has(missing[0], prefix, state)}")
    unknown = [name for name in found if name not in due]
    if unknown:
        raise ArgumentError(
            f"{caller}: there is no place for {prefix}{unknown[0]} among the builtin's weights; it reads "
            f"{', '.join(due)}. Where the state dict holds more than this layer, name the layer with prefix="
        )
    return {name: _array(caller, prefix + name, array) for name, array in found.items()}


def _what_it_has(name, prefix, state):
    """The name behind another prefix, or the names that are there."""
    inside = next((key for key in state if key.endswith(name)), None)
    if inside is not None:
        return f" It has {inside}: write prefix={inside.removesuffix(name)!r}"
    names = [key for key in state if key.startswith(prefix)]
    return f" It has {', '.join(names[:3])}{', ...' * (len(names) > 3)}" if names else " It has nothing of that layer"


def _array(caller, name, array):
    if hasattr(array, "__array_function__"):  # of NumPy, or on a tape
        return array
    try:
        return np.asarray(array)
    except (TypeError, RuntimeError) as error:
        raise InputError(
            f"{caller}: NumPy can't read {name}: {error}. Write state = {{name: tensor.detach().float() for name, "
            "tensor in state.items()}} first"
        ) from None


def refuse_other_shapes(caller, arrays, shapes):
    """Refuse an array whose shape is not the one that the other arrays ask for."""
    for name, array in arrays.items():
        if array.shape != shapes[name]:
            raise ShapeError(f"{caller}: {name} must have the shape {shapes[name]} here, but has {array.shape}")


def refuse_uneven(name, shape, axis, n_heads):
    """Refuse a projection that can't be cut into equal heads."""
    if n_heads < 1 or shape[axis] % n_heads:
        raise ShapeError(
            f"split_heads: {name} has the shape {shape}, and {shape[axis]} can't be cut into {n_heads} equal heads"
        )
