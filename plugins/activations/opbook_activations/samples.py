"""What the activations are verified on, and what is true of them."""

import numpy as np

from opbook import Property, hookimpl
from opbook_activations import gelu, log_softmax, relu, softmax


@softmax.samples
@log_softmax.samples
def _(draw):
    yield draw.normal(2, 3, 4), 1
    yield draw.normal(2, 3, 4), 0
    yield 1000 + draw.normal(2, 3)
    yield np.array([0.0, -1000.0, 2.0])
    yield draw.normal(2, 0)
    yield draw.normal(0, 3), 1
    yield draw.edge("a row of -inf", np.array([[0.5, -np.inf, 1.0], [-np.inf, -np.inf, -np.inf]]))
    yield draw.refused("an entry of inf", np.array([[0.5, np.inf], [1.0, 2.0]]))
    yield draw.refused("no such axis", draw.normal(3), 1)


@relu.samples
def _(draw):
    yield np.asarray(draw.normal())
    yield np.array([-1000.0, 0.01, 1000.0])
    yield draw.large("zeros", np.array([-1.0, 0.0, -0.0, 2.0]))
    yield draw.edge("a NaN and infinities", np.array([np.nan, -np.inf, np.inf]))


@gelu.samples
def _(draw):
    for approximate in ("none", "tanh"):
        yield 2 * draw.normal(3, 4), approximate
        yield np.array([-np.inf, -1000.0, -7.0, 7.0, 1000.0]), approximate
        yield draw.edge("saturated", np.array([-1e200, 1e200, np.inf]), approximate)
    yield np.asarray(draw.normal())
    yield draw.large("many entries", 3 * draw.normal(200, 170))
    yield draw.refused("another form", draw.normal(3), "erf")


@hookimpl
def opbook_properties():
    """State what softmax is for."""

    def sums(op, x, axis=-1):
        return np.sum(op(x, axis), axis=axis), np.where(np.isneginf(x).all(axis=axis), 0.0, 1.0)

    def moved(op, x, axis=-1):
        return op(x + 8.0, axis), op(x, axis)  # a power of 2, so that little is rounded

    moving = "Adding a number to all scores changes nothing."
    return [
        Property("softmax", "adds up to 1", "The weights add up to 1, or to 0 where every score is -inf.", sums),
        Property("softmax", "moved scores", moving, moved),
        Property("log_softmax", "moved scores", moving, moved),
    ]
