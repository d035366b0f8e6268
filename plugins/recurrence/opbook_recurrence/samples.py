"""What the recurrences are verified on, and what is true of them.

The known answers are PyTorch's, computed in float64; where it has no such form, those of ONNX's reference evaluator.
"""

import numpy as np

from opbook import Property, hookimpl
from opbook_recurrence import gru_forward, lstm_forward, rnn_forward

X = np.array([[1.0, -2.0], [0.5, 3.0], [-1.0, 0.25]])
H0 = np.array([0.5, -1.5])

GRU = {
    "wr": np.array([[0.5, -1.0], [0.25, 0.75]]),
    "wz": np.array([[-0.5, 0.3], [1.0, -0.2]]),
    "wn": np.array([[0.8, -0.6], [0.1, 0.9]]),
    "ur": np.array([[0.2, 0.7], [-0.4, 0.1]]),
    "uz": np.array([[0.6, -0.3], [0.5, 0.9]]),
    "un": np.array([[1.1, -0.7], [0.3, -0.8]]),
    "br": np.array([0.1, -0.2]),
    "bz": np.array([0.3, 0.05]),
    "bn": np.array([-0.15, 0.25]),
    "cn": np.array([0.4, -0.35]),
}


@gru_forward.samples
def _(draw):
    after = [
        [0.5206663920659709, -0.3125973540527335],
        [0.5333678372745596, 0.5880948675638917],
        [0.37783718286843837, 0.3588378453801295],
    ]
    yield draw.known("PyTorch's torch.nn.GRU", np.array(after), X, GRU)
    after = [
        [0.6505859456857893, -1.1408140159187452],
        [0.660451139602973, 0.6399996438252382],
        [0.5066576501727337, 0.3274334684967307],
    ]
    yield draw.known("PyTorch's torch.nn.GRU with a first state", np.array(after), X, GRU, H0)
    before = [
        [0.8103071141828355, -1.1536701487599959],
        [0.8140221066849627, 0.6533815867532582],
        [0.7035562855396441, 0.36544726512993664],
    ]
    yield draw.known("ONNX, linear_before_reset=0", np.array(before), X, GRU, H0, reset="before")
    yield draw.normal(2, 3, 5, 2), GRU, draw.normal(3, 2)
    yield draw.call(draw.normal(4, 2), GRU, draw.normal(3, 2), reset="before")
    without = {name: matrix for name, matrix in GRU.items() if len(name) == 2 and name[0] in "wu"}
    for reset in ("after", "before"):
        yield draw.call(draw.normal(3, 4, 2), dict(reversed(without.items())), reset=reset)
    yield draw.normal(3, 0, 2), GRU
    yield draw.large("many steps", draw.normal(2, 60, 2), GRU)
    yield draw.edge("gates fully closed and fully open", 1000 * X, GRU, H0)
    wide = {**GRU, "un": draw.normal(3, 3)}
    yield draw.refused("matrices for states of different widths", X, wide).saying("must be equal")
    yield draw.refused(
        "the gates' matrices packed into one", X, {"w": draw.normal(2, 6), "u": draw.normal(2, 6)}
    ).saying("no field wr")
    yield draw.refused("a second bias for a gate", X, {**GRU, "cr": H0}).saying("cr")
    yield draw.refused("h0 of another width", X, GRU, draw.normal(3)).saying("3")
    yield draw.refused('reset = "between"', X, GRU, reset="between").saying('must be "after" or "before"')


LSTM = {
    **{"wi": GRU["wr"], "wf": GRU["wz"], "wg": GRU["wn"], "ui": GRU["ur"], "uf": GRU["uz"], "ug": GRU["un"]},
    "wo": np.array([[-0.9, 0.2], [0.35, 1.2]]),
    "uo": np.array([[0.15, -0.45], [0.65, 0.85]]),
    "bi": np.array([0.1, -0.2]),
    "bf": np.array([1.0, 0.5]),
    "bg": np.array([-0.15, 0.25]),
    "bo": np.array([0.4, -0.35]),
}


@lstm_forward.samples
def _(draw):
    h = [
        [0.05044679059324311, -0.0044332757516348555],
        [0.4048778988097775, 0.635511432939656],
        [0.37307093162661464, 0.32785526573614493],
    ]
    c = [
        [0.22148819697432226, -0.06128731777126191],
        [0.6228768980666555, 0.7899946321602226],
        [0.4612121049612994, 0.7285056032580978],
    ]
    yield draw.known("PyTorch's torch.nn.LSTM", {"h": np.array(h), "c": np.array(c)}, X, LSTM)
    h = [
        [0.0331938277803657, 0.011233237840288587],
        [0.4455464944070671, 0.8117145032982828],
        [0.45892641320467065, 0.4061629737688461],
    ]
    c = [
        [0.31420783346301157, 0.7857462158290185],
        [0.704875454792065, 1.2223528998176627],
        [0.5793142339304711, 0.9198664121848091],
    ]
    c0 = np.array([-0.25, 2.0])
    yield draw.known("PyTorch's with first states", {"h": np.array(h), "c": np.array(c)}, X, LSTM, H0, c0)
    yield draw.normal(2, 3, 5, 2), LSTM, draw.normal(3, 2), draw.normal(2, 1, 2)
    yield draw.call(draw.normal(4, 2), LSTM, None, draw.normal(3, 2))
    without = {name: matrix for name, matrix in LSTM.items() if name[0] in "wu"}
    yield draw.normal(3, 4, 2), dict(reversed(without.items()))
    yield draw.normal(3, 0, 2), LSTM
    yield draw.large("many steps", draw.normal(2, 60, 2), LSTM)
    yield draw.edge("gates fully closed and fully open", 1000 * X, LSTM, H0, c0)
    yield draw.refused("matrices for states of different widths", X, {**LSTM, "ug": draw.normal(3, 3)}).saying(
        "must be equal"
    )
    yield draw.refused(
        "the gates' matrices packed into one", X, {"w": draw.normal(2, 8), "u": draw.normal(2, 8)}
    ).saying("no field wi")
    yield draw.refused("c0 of another width", X, LSTM, None, draw.normal(3)).saying("c0 has 3 entries")


@rnn_forward.samples
def _(draw):
    weights = {"w": GRU["wn"], "u": GRU["un"], "b": GRU["bn"]}
    states = [
        [0.421899005250008, -0.9732261643446705],
        [0.6182214149875969, 0.9962094840375217],
        [0.05385424677941643, -0.1534996481904611],
    ]
    yield draw.known("PyTorch's torch.nn.RNN", np.array(states), X, weights)
    states = [
        [0.5005202111902354, -0.8617231593133063],
        [0.6868961426075559, 0.9949451757269419],
        [0.12835733648139738, -0.19908867818269985],
    ]
    yield draw.known("PyTorch's torch.nn.RNN with a first state", np.array(states), X, weights, H0)
    yield draw.normal(2, 3, 5, 2), weights, draw.normal(3, 2)
    yield draw.normal(4, 2), {"u": weights["u"], "w": weights["w"]}, draw.normal(3, 2)
    yield draw.normal(3, 0, 2), weights
    yield draw.large("many steps", draw.normal(2, 60, 2), weights)
    yield draw.edge("states at -1 and 1", 1000 * X, weights, H0)
    yield draw.refused("matrices for states of different widths", X, {**weights, "u": draw.normal(3, 3)}).saying(
        "must be equal"
    )
    yield draw.refused("two biases", X, {**weights, "c": H0}).saying("c")


def in_two_parts(op, x, weights, h0=None, **options):
    """All states at once, and those of a part from which the rest goes on."""
    n = x.shape[-2] // 2
    if n == 0:
        return None
    first = op(x[..., :n, :], weights, h0, **options)
    rest = op(x[..., n:, :], weights, first[..., -1, :], **options)
    return np.concatenate([first, rest], axis=-2), op(x, weights, h0, **options)


def later_rows(op, x, weights, h0=None, **options):
    """The first state, with all rows after the first changed, and as it is."""
    if x.shape[-2] == 0:
        return None
    other = np.concatenate([x[..., :1, :], 1.0 - x[..., 1:, :]], axis=-2)
    return op(other, weights, h0, **options)[..., 0, :], op(x, weights, h0, **options)[..., 0, :]


def named(start, weights, fill):
    """Weights whose bias of that name is a number."""
    return {**weights, start: np.full(len(weights["ur"]), fill)}


@hookimpl
def opbook_properties():
    """State what a recurrence remembers, and what its gates do."""

    def kept(op, x, weights, h0=None, **options):
        if h0 is None or np.abs(x).max(initial=0) > 100:
            return None
        states = op(x, named("bz", weights, 1e4), h0, **options)
        return states, np.broadcast_to(h0[..., None, :], states.shape)

    def remembered(op, x, weights, h0=None, c0=None):
        if c0 is None or np.abs(x).max(initial=0) > 100:
            return None
        shut = {**weights, **{name: np.full(len(c0.T), fill) for name, fill in (("bi", -1e4), ("bf", 1e4))}}
        cells = op(x, shut, h0, c0)["c"]
        return cells, np.broadcast_to(c0[..., None, :], cells.shape)

    def both_in_two_parts(op, x, weights, h0=None, c0=None):
        n = x.shape[-2] // 2
        if n == 0:
            return None
        first = op(x[..., :n, :], weights, h0, c0)
        rest = op(x[..., n:, :], weights, first["h"][..., -1, :], first["c"][..., -1, :])
        together = [np.concatenate([first[name], rest[name]], axis=-2) for name in ("h", "c")]
        return together, list(op(x, weights, h0, c0).values())

    def no_reset(op, x, weights, h0=None, *, reset="after"):
        if np.abs(x).max(initial=0) > 100:
            return None
        opened = named("br", weights, 1e4)
        return op(x, opened, h0, reset="after"), op(x, opened, h0, reset="before")

    def one_bias(op, x, weights, h0=None, *, reset="after"):
        bn = weights.get("bn", 0.0) + weights.get("cn", 0.0)
        summed = {**named("cn", weights, 0.0), "bn": np.broadcast_to(bn, len(weights["un"]))}
        return op(x, summed, h0, reset="before"), op(x, weights, h0, reset="before")

    parts = "A sequence in two parts gives the same states, if the second starts with the last state of the first."
    first = "A state depends on no row after its own."
    open_gate = "Where the reset gate is always open, before and after are the same."

    def turned(op, x, weights, h0=None):
        minus = {name: -array if name == "b" else array for name, array in weights.items()}
        return op(-x, minus, None if h0 is None else -h0), -op(x, weights, h0)

    return [
        Property("rnn_forward", "in two parts", parts, in_two_parts),
        Property("rnn_forward", "later rows", first, later_rows),
        Property("rnn_forward", "turned", "With x, b and h0 negative, so are the states.", turned),
        Property("gru_forward", "in two parts", parts, in_two_parts),
        Property("lstm_forward", "in two parts", parts, both_in_two_parts),
        Property("lstm_forward", "remembered", "With f open and i shut, every cell is c0.", remembered),
        Property("gru_forward", "later rows", first, later_rows),
        Property("gru_forward", "kept", "Where the update gate is always open, every state is h0.", kept),
        Property("gru_forward", "no reset", open_gate, no_reset),
        Property("gru_forward", "one bias", "With the reset before, only bn + cn counts.", one_bias),
    ]
