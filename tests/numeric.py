"""Independent opinions on gradients, for the tests: central differences in float64."""

from collections.abc import Callable
from typing import Any

import numpy as np

from opbook.autodiff import tree


def uneven(shape: tuple[int, ...], seed: int = 0) -> Any:
    """Numbers without a pattern that a wrong gradient could hide behind, none of them near 0."""
    rng = np.random.default_rng(seed)
    return rng.uniform(0.3, 1.7, shape) * rng.choice([-1.0, 1.0], shape)


def central_differences(f: Callable[..., Any], args: Any, cotangent: Any, step: float = 1e-5) -> list[Any]:
    """The gradient of <cotangent, f(*args)> for each leaf of args, one entry after the other."""
    leaves = [np.array(leaf, np.float64) for leaf in tree.leaves(args)]

    def value() -> float:
        return float(np.sum(np.asarray(f(*tree.unflatten(args, leaves))) * cotangent))

    gradients = []
    for leaf in leaves:
        gradient = np.zeros_like(leaf)
        for index in np.ndindex(leaf.shape):
            old = leaf[index]
            leaf[index] = old + step
            above = value()
            leaf[index] = old - step
            gradient[index] = (above - value()) / (2 * step)
            leaf[index] = old
        gradients.append(gradient)
    return gradients
