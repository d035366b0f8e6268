"""Long short-term memory: lstm_forward."""

from typing import NotRequired, TypedDict

import numpy as np
from opbook_math import sigmoid

from opbook import Array, builtin, unbroadcast
from opbook_recurrence.rows import over_biases, over_rows, state_before


class LstmWeights(TypedDict):
    """What an LSTM learns: of the input gate i, the forget gate f, the candidate g and the output gate o."""

    wi: Array["D H"]
    wf: Array["D H"]
    wg: Array["D H"]
    wo: Array["D H"]
    ui: Array["H H"]
    uf: Array["H H"]
    ug: Array["H H"]
    uo: Array["H H"]
    bi: NotRequired[Array["H"]]
    bf: NotRequired[Array["H"]]
    bg: NotRequired[Array["H"]]
    bo: NotRequired[Array["H"]]


class LstmStates(TypedDict):
    """After each row, what the LSTM shows, h, and what it keeps to itself, c."""

    h: Array["... N H"]
    c: Array["... N H"]


# An LSTM keeps two states. The *cell* c is its memory, and h is its output. Each row proposes a candidate g, and three
# gates, numbers between 0 and 1 for each entry, say what happens: the *forget gate* f how much of the old cell stays,
# the *input gate* i how much of the candidate is added, and the *output gate* o how much of the cell goes into h.
#
# The cell is why it was invented: it is only multiplied by f and added to. Where f is close to 1, an entry is
# remembered for hundreds of rows, and so is its gradient. Many start training with bf = 1 for that reason.
#
# Packed into one matrix, the gates stand as i, f, g, o in PyTorch, as i, f, c, o in Keras, where c is the candidate,
# and as i, o, f, c in ONNX. Exchanged gates fit just as well, and nothing fails. Here each has its name. PyTorch and
# ONNX have two biases for each gate, of which the one here is the sum.
#
# **The gradient.** It goes backwards through time, as in [`gru_forward`](gru_forward.md), with two cotangents: dh and
# dc are those of the new states, what comes from outside plus what the step after sends back. Let c be the old cell and
# c' the new one, and τ = tanh(c'). From h' = o ∘ τ,
#
# $$\mathrm do = \mathrm dh \circ \tau, \qquad \mathrm dc' = \mathrm dc + \mathrm dh \circ o \circ (1 - \tau^2),$$
#
# and from c' = f ∘ c + i ∘ g,
#
# $$\mathrm df = \mathrm dc' \circ c, \qquad \mathrm di = \mathrm dc' \circ g, \qquad \mathrm dg = \mathrm dc' \circ i,
# \qquad \mathrm dc_{old} = \mathrm dc' \circ f.$$
#
# The last is the path that makes memory last: no matrix stands in it. What went into the gates has da_i = di ∘ i ∘
# (1 − i), the same for f and o, and da_g = dg ∘ (1 − g²). Then dh_old = Σ da Uᵀ over the four, and the gradients of the
# weights are sums over all steps, as for `linear`.
@builtin(
    category="Recurrence",
    aliases=("LSTM", "long short-term memory", "LSTMCell", "lstm_cell", "forget gate", "OptimizedLSTMCell"),
)
def lstm_forward(
    x: Array["... N D"],
    weights: LstmWeights,
    h0: Array["... H"] | None = None,
    c0: Array["... H"] | None = None,
) -> LstmStates:
    r"""Reads a sequence row by row with long short-term memory, and returns both states after each row.

    For twenty years it was what text, speech and handwriting were read with. x has N rows of one sequence, with batch
    axes in front. For each row there are two states of width H: h is the output, and the cell c is the memory. Gates
    decide what the cell forgets and adds, so gradients reach much further back than in [`rnn_forward`](rnn_forward.md).

    Args:
        x: The rows of a sequence, or of several.
        weights: For each gate the matrices w for the row and u for the state, and a bias b that may be left out.
        h0: What is shown before the first row; zeros if it is left out.
        c0: The cell before the first row; zeros if it is left out.

    Returns:
        A record of h and c, each with a state for each row; the last ones are h0 and c0 for rows that follow.

    Raises:
        ArgumentError: weights lacks a field or has one too many.
        ShapeError: A parameter that does not fit x, or the others.

    Formula:
        $$\begin{aligned}
        i, f, o &= \sigma(x_t W_{i,f,o} + h_{t-1} U_{i,f,o} + b_{i,f,o}), \\
        g &= \tanh(x_t W_g + h_{t-1} U_g + b_g), \\
        c_t &= f \circ c_{t-1} + i \circ g, \\
        h_t &= o \circ \tanh(c_t)
        \end{aligned}$$

        where ∘ multiplies entry by entry.

    Source:
        Hochreiter and Schmidhuber, *Long Short-Term Memory* (1997); the forget gate is by Gers, Schmidhuber and
        Cummins, *Learning to Forget* (2000). Operator `LSTM` of ONNX opset 14.
    """
    h, c = np.broadcast_arrays(*(state_before(x, state, len(weights["ui"])) for state in (h0, c0)))
    hs, cs = [h], [c]
    for t in range(x.shape[-2]):
        row, h, c = x[..., t, :], hs[-1], cs[-1]
        i, f, o = (sigmoid(row @ weights[f"w{k}"] + h @ weights[f"u{k}"] + weights.get(f"b{k}", 0.0)) for k in "ifo")
        g = np.tanh(row @ weights["wg"] + h @ weights["ug"] + weights.get("bg", 0.0))
        cs.append(f * c + i * g)
        hs.append(o * np.tanh(cs[-1]))
    return {"h": np.stack(hs, axis=-2)[..., 1:, :], "c": np.stack(cs, axis=-2)[..., 1:, :]}


@lstm_forward.defvjp
def _(x, weights, h0=None, c0=None):
    inputs = [x @ weights[f"w{gate}"] + weights.get(f"b{gate}", 0.0) for gate in "ifgo"]
    h, c = np.broadcast_arrays(*(state_before(x, state, len(weights["ui"])) for state in (h0, c0)))
    hs, cs, steps = [h], [c], []
    for t in range(x.shape[-2]):
        h, c, step_back = one_step([a[..., t, :] for a in inputs], hs[-1], cs[-1], weights)
        hs.append(h)
        cs.append(c)
        steps.append(step_back)
    H, C = np.stack(hs, axis=-2), np.stack(cs, axis=-2)

    def pullback(g):
        dh, dc, d = np.zeros_like(h), np.zeros_like(c), np.zeros((4, *H[..., 1:, :].shape), H.dtype)
        for t in reversed(range(len(steps))):
            dh, dc, d[..., t, :] = steps[t](g["h"][..., t, :] + dh, g["c"][..., t, :] + dc)
        dx, dw = of_weights(x, weights, H[..., :-1, :], dict(zip("ifgo", d, strict=True)))
        dh0, dc0 = (None if s is None else unbroadcast(ds, s.shape) for s, ds in ((h0, dh), (c0, dc)))
        return dx, dw, dh0, dc0

    return {"h": H[..., 1:, :], "c": C[..., 1:, :]}, pullback


def one_step(inputs, h, c, weights):
    """Both new states, and a pullback to the gradients of the old ones and to da_i, da_f, da_g, da_o of the note."""
    matrices = [weights[f"u{gate}"] for gate in "ifgo"]
    ai, af, ag, ao = (a + h @ U for a, U in zip(inputs, matrices, strict=True))
    i, f, g, o = sigmoid(ai), sigmoid(af), np.tanh(ag), sigmoid(ao)
    new = f * c + i * g
    tau = np.tanh(new)

    def pullback(dh, dc):
        dc = dc + dh * o * (1 - tau**2)
        da = dc * g * i * (1 - i), dc * c * f * (1 - f), dc * i * (1 - g**2), dh * tau * o * (1 - o)
        return sum(d @ U.T for d, U in zip(da, matrices, strict=True)), dc * f, da

    return o * tau, new, pullback


def of_weights(x, weights, old, da):
    """The gradients of x and of the weights, from those of what went into the gates at every step."""
    dw = {f"w{gate}": over_rows(x, d) for gate, d in da.items()}
    dw |= {f"u{gate}": over_rows(old, d) for gate, d in da.items()}
    dw |= {f"b{gate}": over_biases(d) for gate, d in da.items()}
    dx = sum(d @ weights[f"w{gate}"].T for gate, d in da.items())
    return unbroadcast(dx, x.shape), {name: dw[name] for name in weights}
