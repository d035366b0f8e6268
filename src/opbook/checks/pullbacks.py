"""The check of what a pullback promises: it is linear, and remembers nothing."""

import contextlib
from typing import Any

import numpy as np

from opbook.autodiff import tree
from opbook.checks.check import Evidence, Refuted, check
from opbook.checks.gradients import differentiable_samples
from opbook.checks.subject import Subject, cotangent_of, on
from opbook.checks.tolerance import TOLERANCE, relative_error
from opbook.errors import OpbookError


@check("pullback", "The pullback is linear, and returns the same when it is called again after another call.")
def pullback_is_linear_and_pure(subject: Subject) -> Evidence:
    """Compare the pullback of a combination with the combination of pullbacks."""
    evidence = Evidence()
    for sample, _ in differentiable_samples(subject):
        value, pullback = subject.op.value_and_pullback(*sample.args, **sample.kwargs)
        first = cotangent_of(value, 1)
        # some entries of which are 0: what nobody asks for has the gradient 0, also where a slope is infinite
        second = cotangent_of(value, 2)
        if all(np.isfinite(leaf).all() for leaf in tree.leaves(value)):
            second = tree.map(lambda g: np.where(g < -0.4, 0, g)[()], second)
        both = tree.unflatten(
            value, [2 * a - 3 * b for a, b in zip(tree.leaves(first), tree.leaves(second), strict=True)]
        )
        a, b, combined = (tree.leaves(pullback(g)) for g in (first, second, both))
        other = sample.with_arrays(lambda array: array * 1.5)
        with contextlib.suppress(OpbookError):  # a call in between, which must not be remembered
            subject.op.value_and_pullback(*other.args, **other.kwargs)
        again = tree.leaves(pullback(first))
        pairs = [_comparable(*three) for three in zip(combined, a, b, strict=True)]
        error = relative_error([pair[0] for pair in pairs], [pair[1] for pair in pairs])
        if error > TOLERANCE["float64"]:
            raise Refuted(f"the pullback of 2a - 3b is off by {error:.1e}: it is not linear{on(subject, sample)}")
        if any(
            np.asarray(x).tobytes() != np.asarray(y).tobytes() for x, y in zip(a, again, strict=True) if x is not None
        ):
            raise Refuted(f"the pullback returns something else when it is called again{on(subject, sample)}")
        evidence.measured(error)
        evidence.inputs += 1
    return evidence


def _comparable(combined: Any, a: Any, b: Any) -> tuple[Any, Any]:
    """The gradient by 2a - 3b and what it should be; 0 for both where infinities meet, of which nothing is expected."""
    if combined is None:
        return None, None
    infinite = np.isinf(a) & np.isinf(b)
    return np.where(infinite, 0, combined), np.where(infinite, 0, 2 * a - 3 * b)
