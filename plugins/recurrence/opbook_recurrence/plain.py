"""The recurrence without gates: rnn_forward."""

from typing import NotRequired, TypedDict

import numpy as np

from opbook import Array, builtin, unbroadcast
from opbook_recurrence.rows import over_biases, over_rows, state_before


class RnnWeights(TypedDict):
    """What it learns. D is the width of x, H that of the state."""

    w: Array["D H"]
    u: Array["H H"]
    b: NotRequired[Array["H"]]


# Each row makes a new state of the old one: both go through a matrix, and their sum through tanh, which keeps it
# between −1 and 1. That is all; a GRU and an LSTM add gates to it.
#
# It has a short memory. What the first row left in the state is multiplied by U at every step, so after n rows it is as
# large as the nth power of U: it vanishes if U shrinks, and drives tanh towards ±1 if U stretches.
#
# PyTorch and ONNX have two biases, of which b here is the sum.
#
# **The gradient.** It goes backwards through time. Let dh be the cotangent of the new state, what comes from outside
# plus what the step after sends back. Then, with h' for the new state and h for the old,
#
# $$\mathrm da = \mathrm dh \circ (1 - h'^2), \qquad \mathrm dh_{old} = \mathrm da\,U^\top.$$
#
# So the gradient goes through Uᵀ once for each step, and vanishes or explodes as its powers do. The gradients of the
# weights are sums over all steps, taken once at the end: dW = Σ xᵀ da, dU = Σ hᵀ da and db = Σ da.
@builtin(category="Recurrence", aliases=("RNN", "SimpleRNN", "Elman network", "RNNCell", "vanilla RNN", "SimpleCell"))
def rnn_forward(x: Array["... N D"], weights: RnnWeights, h0: Array["... H"] | None = None) -> Array["... N H"]:
    r"""Reads a sequence row by row with a plain recurrence, and returns the state after each row.

    It is the simplest recurrent network: each state is computed from the row and the state before, with the same
    weights. x has N rows of one sequence, with batch axes in front, and there is a state of width H for each. Over many
    rows its gradients vanish or explode, which is what the gates of [`lstm_forward`](lstm_forward.md) and
    [`gru_forward`](gru_forward.md) were invented for.

    Args:
        x: The rows of a sequence, or of several.
        weights: The matrices w for the row and u for the state, and a bias b that may be left out.
        h0: The state before the first row; zeros if it is left out.

    Returns:
        The states, one for each row; the last of them is h0 for rows that follow.

    Raises:
        ArgumentError: weights lacks a field or has one too many.
        ShapeError: A parameter that does not fit x, or the others.

    Formula:
        $$h_t = \tanh(x_t W + h_{t-1} U + b)$$

    Source:
        Elman, *Finding Structure in Time* (1990); operator `RNN` of ONNX opset 14.
    """
    states = [state_before(x, h0, len(weights["u"]))]
    for t in range(x.shape[-2]):
        states.append(np.tanh(x[..., t, :] @ weights["w"] + states[-1] @ weights["u"] + weights.get("b", 0.0)))
    return np.stack(states, axis=-2)[..., 1:, :]


@rnn_forward.defvjp
def _(x, weights, h0=None):
    W, U = weights["w"], weights["u"]
    inputs, states = x @ W + weights.get("b", 0.0), [state_before(x, h0, len(U))]
    for t in range(x.shape[-2]):
        states.append(np.tanh(inputs[..., t, :] + states[-1] @ U))
    H = np.stack(states, axis=-2)

    def pullback(g):
        dh, da = np.zeros_like(states[0]), np.zeros_like(g)
        for t in reversed(range(g.shape[-2])):
            da[..., t, :] = (g[..., t, :] + dh) * (1 - H[..., t + 1, :] ** 2)
            dh = da[..., t, :] @ U.T
        dw = {"w": over_rows(x, da), "u": over_rows(H[..., :-1, :], da), "b": over_biases(da)}
        dx, dh0 = unbroadcast(da @ W.T, x.shape), None if h0 is None else unbroadcast(dh, h0.shape)
        return dx, {name: dw[name] for name in weights}, dh0

    return H[..., 1:, :], pullback
