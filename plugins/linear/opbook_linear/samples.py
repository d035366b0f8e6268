"""What linear and swiglu are verified on, and what is true of them.

The known answers are PyTorch's, computed in float64.
"""

import numpy as np

from opbook import Property, hookimpl
from opbook_linear import linear, swiglu

X = np.array([[1.0, 2.0, -1.0], [0.5, 0.0, 3.0]])


@linear.samples
def _(draw):
    w, b = np.array([[1.0, 2.0], [-1.0, 0.5], [3.0, 0.25]]), np.array([0.1, -0.2])
    yield draw.known("PyTorch's F.linear, of the transpose of w", np.array([[-3.9, 2.55], [9.6, 1.55]]), X, w, b)
    yield draw.known("one row, by hand", np.array([-4.0, 2.75]), X[0], w)
    yield draw.normal(2, 3, 5), draw.normal(5, 4), draw.normal(4)
    yield draw.normal(2, 0), draw.normal(0, 3), draw.normal(3)
    yield draw.refused("the transpose of w", X, w.T).saying("2 rows but x has 3 columns")
    yield draw.refused("b as long as x's rows", X, w, draw.normal(3)).saying("3 entries but w has 2 columns")
    yield draw.refused("a vector of weights", X, draw.normal(3)).saying("(Din, Dout) matrix")


@swiglu.samples
def _(draw):
    weights = {
        "w_gate": np.array([[0.5, -1.0], [1.0, 0.25], [-0.5, 2.0]]),
        "w_up": np.array([[1.0, 0.5], [-2.0, 1.0], [0.25, -0.75]]),
        "w_down": np.array([[1.0, 0.0, -1.0], [0.5, 2.0, 1.0]]),
    }
    first = [-9.595771592855026, -1.2326954253452076, 8.67125002384612]
    second = [-5.8255832094771165, -21.910456970250287, -10.607259518210599]
    yield draw.known("PyTorch's F.silu and F.linear", np.array([first, second]), X, weights)
    yield draw.normal(2, 4, 3), dict(reversed(weights.items()))
    yield draw.edge("a gate fully closed and one fully open", 1000 * X, weights)
    narrow = {**weights, "w_up": draw.normal(3, 4)}
    yield draw.refused("w_up wider than w_gate", X, narrow).saying("must be equal")
    halves = {"w": draw.normal(3, 4), "w_down": weights["w_down"]}
    yield draw.refused("w_gate and w_up packed into one", X, halves).saying("no field w_gate")


@hookimpl
def opbook_properties():
    """State what makes linear linear, and how swiglu is gated."""

    def doubled(op, x, w, b=None):
        return op(2.0 * x, w, b) - op(x, w, b), op(x, w)

    def offset(op, x, w, b=None):
        return (op(x, w, b) - b, op(x, w)) if b is not None else None

    def doubled_half(op, x, weights, *, beta=1.0):
        return op(x, {**weights, "w_up": 2.0 * weights["w_up"]}, beta=beta), 2.0 * op(x, weights, beta=beta)

    def shut(op, x, weights, *, beta=1.0):
        return op(x, {**weights, "w_gate": 0.0 * weights["w_gate"]}, beta=beta), np.zeros(x.shape)

    def beta_inside(op, x, weights, *, beta=1.0):
        bent = {**weights, "w_gate": 2.0 * weights["w_gate"]}
        return op(x, bent, beta=beta), 2.0 * op(x, weights, beta=2.0 * beta)

    return [
        Property("linear", "doubled rows", "Rows twice as large add what they give without an offset.", doubled),
        Property("linear", "offset", "b is added, and does nothing else.", offset),
        Property("swiglu", "doubled half", "Twice w_up is twice the result: this half is not bent.", doubled_half),
        Property("swiglu", "beta", "Twice w_gate is twice beta and twice the result.", beta_inside),
        Property("swiglu", "shut gate", "Where the gate is 0, so is the result.", shut),
    ]
