"""The gated recurrent unit: gru_forward."""

from typing import Literal, NotRequired, TypedDict

import numpy as np
from opbook_math import sigmoid

from opbook import Array, builtin, unbroadcast
from opbook_recurrence.rows import over_biases, over_rows, state_before


class GruWeights(TypedDict):
    """What a GRU learns. D is the width of x, H that of the state; r is the reset gate, z the update gate."""

    wr: Array["D H"]
    wz: Array["D H"]
    wn: Array["D H"]
    ur: Array["H H"]
    uz: Array["H H"]
    un: Array["H H"]
    br: NotRequired[Array["H"]]
    bz: NotRequired[Array["H"]]
    bn: NotRequired[Array["H"]]
    cn: NotRequired[Array["H"]]


# A recurrence reads a sequence row by row, and keeps a *state* h: its memory of the rows so far. Each row and the old
# state make a new state.
#
# In a GRU two gates, numbers between 0 and 1 for each entry of the state, control this. Each row proposes a candidate
# n. The *update gate* z says how much of the old state is kept: where it is 1, the candidate is ignored, and the entry
# stays the same, for any number of rows. The *reset gate* r says how much of the old state the candidate sees.
#
# GRUs differ silently from library to library, in three ways.
#
# - Where r is applied. With `reset="after"` to the product h Uₙ + cₙ, as in PyTorch and cuDNN, and by default in Keras.
#   With `reset="before"` to h, before the product, as in the original and by default in ONNX. Only "after" has a use
#   for two biases: "before" just adds cₙ to bₙ.
# - What z keeps. Here and in all of these libraries it keeps the old state. In the paper by Chung et al. it keeps the
#   candidate: their z is 1 − z here.
# - The order of the gates where their matrices are packed into one: r, z, n in PyTorch, and z, r, n in Keras and ONNX.
#   Here each has its name. PyTorch also has two biases for each gate, of which br and bz are the sums.
#
# **The gradient.** It goes backwards through time: of each step one knows the cotangent dh of its new state, which is
# g, what comes from outside, plus what the step after it sends back. Let h be the old state, a_r, a_z and a_n what goes
# into the two sigmoids and into tanh, and c the product with Uₙ. From h' = (1 − z) ∘ n + z ∘ h,
#
# $$\mathrm da_z = \mathrm dh \circ (h - n) \circ z \circ (1 - z), \qquad
# \mathrm da_n = \mathrm dh \circ (1 - z) \circ (1 - n^2).$$
#
# If the reset comes after, n = tanh(… + r ∘ c) with c = h Uₙ + cₙ, and
#
# $$\mathrm dc = \mathrm da_n \circ r, \qquad \mathrm dr = \mathrm da_n \circ c, \qquad
# \mathrm dh_{old} = \mathrm dc\,U_n^\top + \dots$$
#
# If it comes before, n = tanh(… + c) with c = (r ∘ h) Uₙ + cₙ. With ds = dc Uₙᵀ for the cotangent of r ∘ h,
#
# $$\mathrm dc = \mathrm da_n, \qquad \mathrm dr = \mathrm ds \circ h, \qquad
# \mathrm dh_{old} = \mathrm ds \circ r + \dots$$
#
# The dots are what is left in both: dh ∘ z, which passes an open gate unchanged, and the parts through the gates,
# da_r U_rᵀ + da_z U_zᵀ, with da_r = dr ∘ r ∘ (1 − r).
#
# Only this must go step by step. The gradients of the weights are sums over all steps, as for `linear`, and are taken
# once, at the end: dW_r = Σ xᵀ da_r, dU_r = Σ hᵀ da_r, db_r = Σ da_r, and so on. That of Uₙ is Σ sᵀ dc, where s is h or
# r ∘ h, and dcₙ = Σ dc.
@builtin(
    category="Recurrence",
    aliases=("GRU", "gated recurrent unit", "GRUCell", "gru_cell", "linear_before_reset", "reset_after", "RNN"),
)
def gru_forward(
    x: Array["... N D"],
    weights: GruWeights,
    h0: Array["... H"] | None = None,
    *,
    reset: Literal["after", "before"] = "after",
) -> Array["... N H"]:
    r"""Reads a sequence row by row with a gated recurrent unit, and returns the state after each row.

    It was the usual network for text and speech before attention, and is still one where rows come in one at a time: a
    step costs the same however long the sequence has been.

    Args:
        x: The rows of a sequence, or of several.
        weights: The matrices of the reset gate r, the update gate z and the candidate n: w for the row, u for the
            state. The biases b and cn may be left out.
        h0: The state before the first row; zeros if it is left out.
        reset: Whether the reset gate is applied to the state after its product with un, or before.

    Returns:
        The states, one for each row; the last of them is h0 for rows that follow.

    Raises:
        ArgumentError: weights lacks a field or has one too many.
        ShapeError: A parameter that does not fit x, or the others.

    Formula:
        $$\begin{aligned}
        r &= \sigma(x_t W_r + h_{t-1} U_r + b_r), \\
        z &= \sigma(x_t W_z + h_{t-1} U_z + b_z), \\
        n &= \tanh\bigl(x_t W_n + b_n + r \circ (h_{t-1} U_n + c_n)\bigr), \\
        h_t &= (1 - z) \circ n + z \circ h_{t-1}
        \end{aligned}$$

        where ∘ multiplies entry by entry. If the reset comes before,

        $$n = \tanh\bigl(x_t W_n + b_n + (r \circ h_{t-1})\,U_n + c_n\bigr).$$

    Source:
        Cho et al., *Learning Phrase Representations using RNN Encoder-Decoder* (2014), section 2.3, for "before"; the
        form "after" is that of NVIDIA's cuDNN. Operator `GRU` of ONNX opset 14 has both.
    """
    br, bz, bn, cn = (weights.get(name, 0.0) for name in ("br", "bz", "bn", "cn"))
    states = [state_before(x, h0, len(weights["ur"]))]
    for t in range(x.shape[-2]):
        row, h = x[..., t, :], states[-1]
        r = sigmoid(row @ weights["wr"] + h @ weights["ur"] + br)
        z = sigmoid(row @ weights["wz"] + h @ weights["uz"] + bz)
        if reset == "after":
            n = np.tanh(row @ weights["wn"] + bn + r * (h @ weights["un"] + cn))
        else:
            n = np.tanh(row @ weights["wn"] + bn + (r * h) @ weights["un"] + cn)
        states.append((1 - z) * n + z * h)
    return np.stack(states, axis=-2)[..., 1:, :]


@gru_forward.defvjp
def _(x, weights, h0=None, *, reset="after"):
    inputs = [x @ weights[f"w{gate}"] + weights.get(f"b{gate}", 0.0) for gate in "rzn"]
    states, steps = [state_before(x, h0, len(weights["ur"]))], []
    for t in range(x.shape[-2]):
        h, step_back = one_step([a[..., t, :] for a in inputs], states[-1], weights, reset)
        states.append(h)
        steps.append(step_back)
    H = np.stack(states, axis=-2)

    def pullback(g):
        dh, d = np.zeros_like(states[0]), np.zeros((5, *g.shape), g.dtype)
        for t in reversed(range(len(steps))):
            dh, d[..., t, :] = steps[t](g[..., t, :] + dh)
        dx, dw = of_weights(x, weights, H[..., :-1, :], *d)
        return dx, dw, None if h0 is None else unbroadcast(dh, h0.shape)

    return H[..., 1:, :], pullback


def one_step(inputs, h, weights, reset):
    """The new state, and a pullback to the gradient of h and to da_r, da_z, da_n, dc and s, of the note."""
    Ur, Uz, Un = (weights[name] for name in ("ur", "uz", "un"))
    r, z = sigmoid(inputs[0] + h @ Ur), sigmoid(inputs[1] + h @ Uz)
    is_after = reset == "after"
    s = h if is_after else r * h
    c = s @ Un + weights.get("cn", 0.0)
    n = np.tanh(inputs[2] + (r * c if is_after else c))

    def pullback(dh):
        daz = dh * (h - n) * z * (1 - z)
        dan = dh * (1 - z) * (1 - n**2)
        dc = dan * r if is_after else dan
        ds = dc @ Un.T
        dr = dan * c if is_after else ds * h
        dar = dr * r * (1 - r)
        dh_old = dh * z + dar @ Ur.T + daz @ Uz.T + (ds if is_after else ds * r)
        return dh_old, (dar, daz, dan, dc, s)

    return (1 - z) * n + z * h, pullback


def of_weights(x, weights, old, dar, daz, dan, dc, s):
    """The gradients of x and of the weights, from those of what went into the gates at every step."""
    dw = {"wr": over_rows(x, dar), "wz": over_rows(x, daz), "wn": over_rows(x, dan)}
    dw |= {"ur": over_rows(old, dar), "uz": over_rows(old, daz), "un": over_rows(s, dc)}
    dw |= {"br": over_biases(dar), "bz": over_biases(daz), "bn": over_biases(dan), "cn": over_biases(dc)}
    dx = dar @ weights["wr"].T + daz @ weights["wz"].T + dan @ weights["wn"].T
    return unbroadcast(dx, x.shape), {name: dw[name] for name in weights}
