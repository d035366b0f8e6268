"""What the activations are verified on, and what is true of them."""

import numpy as np

from opbook import Property, hookimpl
from opbook_activations import elu, gelu, leaky_relu, log_sigmoid, log_softmax, relu, silu, softmax

LOGITS = np.array([[0.5, -np.inf, 1.0], [-np.inf, -np.inf, -np.inf]])


@softmax.samples
def _(draw):
    yield from rows(draw)
    yield draw.edge("a row of -inf", LOGITS).in_pytorch("[[0.3775, 0, 0.6225], [nan, nan, nan]]")


@log_softmax.samples
def _(draw):
    yield from rows(draw)
    yield draw.edge("a row of -inf", LOGITS).in_pytorch("[[-0.9741, -inf, -0.4741], [nan, nan, nan]]")


def rows(draw):
    """What both forms of softmax are verified on."""
    yield draw.normal(2, 3, 4), 1
    yield draw.normal(2, 3, 4), 0
    yield 1000 + draw.normal(2, 3)
    yield np.array([0.0, -1000.0, 2.0])
    yield draw.normal(2, 0)
    yield draw.normal(0, 3), 1
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
        yield draw.edge("very large numbers", np.array([-1e200, 1e200, np.inf]), approximate)
    yield np.asarray(draw.normal())
    yield draw.large("many entries", 3 * draw.normal(200, 170))
    yield draw.large("many entries, by tanh", 3 * draw.normal(90, 99), "tanh")
    yield draw.refused('approximate = "erf"', draw.normal(3), "erf")


PLACES = np.array([-1000.0, -3.0, -0.5, -1e-9, 0.0, 0.5, 3.0, 1000.0])
"""Where PyTorch and SciPy were asked, in float64."""


@leaky_relu.samples
def _(draw):
    yield draw.call(draw.normal(2, 3, 4), slope=0.2)
    yield np.asarray(draw.normal())
    steep = np.array([-200.0, -0.6, -0.1, -2e-10, 0.0, 0.5, 3.0, 1000.0])
    yield draw.known("PyTorch's F.leaky_relu", np.array([-10.0, -0.03, -0.005, -1e-11, *steep[4:]]), PLACES)
    yield draw.known("another slope, PyTorch's F.leaky_relu", steep, PLACES, slope=0.2)
    yield draw.large("zeros", np.array([-1.0, 0.0, -0.0, 2.0]))
    yield draw.edge("a NaN and infinities", np.array([np.nan, -np.inf, np.inf]))


@elu.samples
def _(draw):
    yield draw.call(draw.normal(2, 3, 4), alpha=0.4)
    yield np.asarray(draw.normal())
    curve = np.array([-1.0, -0.950212931632136, -0.3934693402873666, -9.999999995e-10, 0.0, 0.5, 3.0, 1000.0])
    yield draw.known("PyTorch's F.elu", curve, PLACES)
    half = np.array([-0.5, -0.475106465816068, -0.1967346701436833, -4.9999999975e-10, 0.0, 0.5, 3.0, 1000.0])
    yield draw.known("another alpha, PyTorch's F.elu", half, PLACES, alpha=0.5)
    yield draw.known("close to 0, where exp(x) - 1 has no digits left", np.array([-1e-20]), np.array([-1e-20]))
    yield draw.large("zeros", np.array([-1.0, 0.0, -0.0, 2.0]))
    yield draw.edge("a NaN and infinities", np.array([np.nan, -np.inf, np.inf]))


@silu.samples
def _(draw):
    for beta in (1.0, 1.702, -0.5):
        yield draw.call(2 * draw.normal(2, 3, 4), beta=beta)
    yield np.asarray(draw.normal())
    swish = [0.0, -0.14227761953270035, -0.1887703343990727, -4.9999999975e-10, 0.0]
    swish += [0.3112296656009273, 2.8577223804672998, 1000.0]
    yield draw.known("PyTorch's F.silu", np.array(swish), PLACES)
    fast = [0.0, -0.018179404474752345, -0.14971642876301353, -4.99999999575e-10, 0.0]
    fast += [0.35028357123698645, 2.9818205955252473, 1000.0]
    yield draw.known("beta = 1.7, with SciPy's expit", np.array(fast), PLACES, beta=1.7)
    yield draw.edge("very large numbers", np.array([-1e200, -1000.0, 1000.0, 1e200]))


@log_sigmoid.samples
def _(draw):
    yield 4 * draw.normal(2, 3, 4)
    yield np.asarray(draw.normal())
    low = [-1000.0, -3.048587351573742, -0.9740769841801067, -0.6931471810599453, -0.6931471805599453]
    yield draw.known("SciPy's log_expit", np.array([*low, -0.4740769841801067, -0.04858735157374206, 0.0]), PLACES)
    yield draw.edge("very large numbers", np.array([-1e200, -800.0, 800.0, 1e200]))
    yield draw.edge("infinities", np.array([-np.inf, np.inf]))


@hookimpl
def opbook_properties():
    """State what softmax is for, and what the relatives of relu have in common with it."""

    def sums(op, x, axis=-1):
        return np.sum(op(x, axis), axis=axis), np.where(np.isneginf(x).all(axis=axis), 0.0, 1.0)

    def moved(op, x, axis=-1):
        return op(x + 8.0, axis), op(x, axis)  # a power of 2, so that little is rounded

    def without_slope(op, x, *, slope=0.01):
        return (op(x, slope=0.0), relu(x)) if np.isfinite(x).all() else None

    def with_minus(op, x, *, beta=1.0):
        return (op(x, beta=beta) - op(-x, beta=beta), x) if np.isfinite(x).all() else None

    def odd_part(op, x):
        return (op(x) - op(-x), x) if np.isfinite(x).all() else None

    def moved_up(op, x, *, alpha=1.0):
        scaled = op(x, alpha=2.0 * alpha) - op(x, alpha=alpha)
        return (scaled, op(np.minimum(x, 0), alpha=alpha)) if np.isfinite(x).all() else None

    moving = "Adding a number to all scores changes nothing."
    return [
        Property("softmax", "adds up to 1", "The weights add up to 1, or to 0 where every score is -inf.", sums),
        Property("softmax", "moved scores", moving, moved),
        Property("log_softmax", "moved scores", moving, moved),
        Property("leaky_relu", "no slope", "With slope 0 it is relu.", without_slope),
        Property("silu", "mirrored", "silu(x) - silu(-x) is x, whatever beta is.", with_minus),
        Property("log_sigmoid", "mirrored", "log_sigmoid(x) - log_sigmoid(-x) is x.", odd_part),
        Property("elu", "alpha", "Twice the alpha is twice the depth below 0, and no change above.", moved_up),
    ]
