"""Small ops for the checks to look at, and the rules that make them wrong."""

import numpy as np

from opbook import Array, builtin, unbroadcast
from opbook.checks import CHECKS
from opbook.checks.inputs import inputs_of
from opbook.checks.verification import run, subject_of


def outcome(op, name):
    return run(CHECKS[name], subject_of(op, inputs_of(op), {}))


def mixed(rule=None):
    """An op of two arguments of one shape, one of which is used twice: y = x · tanh(w) + x · mean(x)."""

    @builtin(category="Tests")
    def op(x: Array["... D"], w: Array["... D"]) -> Array["... D"]:
        """Mixes.

        Args:
            x: Rows.
            w: Weights.

        Returns:
            Rows.

        Source:
            None.
        """
        return x * np.tanh(w) + x * x.mean(axis=-1, keepdims=True)

    if rule is not None:
        op.defvjp(rule)
    return op


def right(x, w):
    e, d = np.tanh(w), x.shape[-1]
    mean = x.mean(axis=-1, keepdims=True)
    x = x.copy()
    shape_x, shape_w = x.shape, w.shape

    def pullback(g):
        dx = g * (e + mean) + np.sum(g * x, axis=-1, keepdims=True) / d
        return unbroadcast(dx, shape_x), unbroadcast(g * x * (1 - e * e), shape_w)

    return x * e + x * mean, pullback


def changed(change):
    """The right rule with its gradients changed."""

    def rule(x, w):
        value, pullback = right(x, w)
        return value, lambda g: change(*pullback(g), g, x)

    return rule


def doubled(samples, definition=lambda x: x * 2.0, rule=None):
    @builtin(category="Tests")
    def op(x: Array["N"]) -> Array["N"]:
        """Doubles."""
        return definition(x)

    if samples is not None:
        op.samples(samples)
    if rule is not None:
        op.defvjp(rule)
    return op
