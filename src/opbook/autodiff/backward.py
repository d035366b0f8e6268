"""The way back through a tape, on which 0 times anything is 0."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from opbook.autodiff import tree
from opbook.autodiff.derivatives import PRIMITIVES
from opbook.autodiff.derivatives.strong_zeros import STRONG
from opbook.autodiff.tape import Items, Pull, Tape, TapeValue, stop_gradient


def pull_back(tape: Tape, cotangents: dict[int, Any], inputs: Sequence[int]) -> list[Any]:
    """Run a tape in reverse. Nothing is changed in place, so it can be run again.

    A cotangent that is exactly 0 stays 0, whatever it meets on the way. To look for NaN after every step would cost too
    much; but 0 times infinity is NaN, and a NaN stays one. So it is enough to look at the gradients, and where they are
    not finite to go back once more, with products in which a cotangent of 0 counts for nothing.

    Returns:
        One gradient for each of `inputs`; None where the values do not depend on it.
    """
    with np.errstate(all="ignore"):
        gradients = _backward(tape, cotangents, inputs)
        if all(is_finite(g) for g in gradients):
            return gradients
        zeros = _StrongZeros()
        watched = {place: zeros.watch(g) for place, g in cotangents.items()}
        return [zeros.off(g) for g in _backward(tape, watched, inputs, zeros.pull)]


def _backward(
    tape: Tape, cotangents: dict[int, Any], inputs: Sequence[int], pulled: Callable[..., Any] | None = None
) -> list[Any]:
    wanted = set(inputs)
    pending = dict(cotangents)
    for place in range(max(pending, default=-1), -1, -1):
        parents, pull, function = tape.steps[place]
        if pull is None or place not in pending:
            continue
        g = pending[place] if place in wanted else pending.pop(place)
        gradients = pull(g) if pulled is None else pulled(pull, g, function)
        for parent, gradient in zip(parents, gradients, strict=True):
            pending[parent] = pending[parent] + gradient if parent in pending else gradient
    return [pending.get(place) for place in inputs]


def is_finite(g: Any) -> bool:
    """Tell whether all numbers of a gradient are finite.

    Args:
        g: A gradient; None is one that is 0.
    """
    if type(g) is np.ndarray:
        return bool(np.isfinite(g).all())
    if isinstance(g, Items):
        return all(is_finite(part) for part in g.values())
    return g is None or bool(np.isfinite(stop_gradient(g)).all())


class _StrongZeros(Tape):
    """A tape for the cotangents of one backward pass, on which 0 times anything is 0.

    It records nothing. The rules are written with NumPy's functions, so a tape can give them other products.
    """

    def record(self, value: Any, parents: Sequence[int], pull: Pull | None, function: Any = None) -> Any:
        return TapeValue(value, self, 0)

    def compute(self, function: Any, rule: Any, args: Any, kwargs: Any, positions: Any, places: Any) -> Any:
        if function in STRONG:
            return self.watch(STRONG[function](args, positions[0], **kwargs))
        return tree.map(self.watch, rule(*args, **kwargs)[0])

    def pull(self, pull: Pull, g: Any, function: Any) -> Sequence[Any]:
        """Pull a cotangent back through a step. A builtin sees to its own zeros, as its rule may be compiled code."""
        if function in PRIMITIVES:
            return pull(g)
        return [x if x is None else self.watch(x) for x in pull(self.off(g))]

    def off(self, x: Any) -> Any:
        """What stands on this tape: a plain array, or a value on a tape around it."""
        if isinstance(x, Items):
            return Items({i: self.off(part) for i, part in x.items()})
        return x.value if isinstance(x, TapeValue) and x._tape is self else x
