"""gru_forward, lstm_forward and rnn_forward."""

import numpy as np
from zoo.animals import right, wrong, wrong_gradient


def _sigmoid(a):
    return np.exp(-np.logaddexp(0, -a))


def _loop(x, h0, width, step):
    batch = np.broadcast_shapes(x.shape[:-2], () if h0 is None else np.shape(h0)[:-1])
    h = np.zeros((*batch, width)) + (0 if h0 is None else h0)
    states = np.zeros((*batch, x.shape[-2], width), x.dtype)
    for t in range(x.shape[-2]):
        h = step(x[..., t, :], h)
        states[..., t, :] = h
    return states


def _gru(x, weights, h0, reset, keeps_old=True, gates=_sigmoid, candidate=np.tanh):
    w = {name: weights.get(name, 0.0) for name in ("br", "bz", "bn", "cn")} | dict(weights)

    def step(row, h):
        r, z = (gates(row @ w["w" + gate] + h @ w["u" + gate] + w["b" + gate]) for gate in "rz")
        after = r * (h @ w["un"] + w["cn"]) if reset == "after" else (r * h) @ w["un"] + w["cn"]
        n = candidate(row @ w["wn"] + w["bn"] + after)
        return (1 - z) * n + z * h if keeps_old else z * n + (1 - z) * h

    return _loop(x, h0, len(w["ur"]), step)


@right("gru_forward", "a loop over rows")
def gru(x, weights, h0=None, *, reset="after"):
    return _gru(x, weights, h0, reset)


@right("gru_forward", "gates by tanh, the old state moved towards the candidate")
def moved(x, weights, h0=None, *, reset="after"):
    return _gru(x, weights, h0, reset, gates=lambda a: (1 + np.tanh(a / 2)) / 2)


@wrong("gru_forward", "the reset always before")
def always_before(x, weights, h0=None, *, reset="after"):
    return _gru(x, weights, h0, "before")


@wrong("gru_forward", "the update gate keeps the candidate")
def keeps_new(x, weights, h0=None, *, reset="after"):
    return _gru(x, weights, h0, reset, keeps_old=False)


@wrong("gru_forward", "the gates exchanged")
def exchanged(x, weights, h0=None, *, reset="after"):
    names = {"wr": "wz", "wz": "wr", "ur": "uz", "uz": "ur", "br": "bz", "bz": "br"}
    return _gru(x, {names.get(name, name): value for name, value in weights.items()}, h0, reset)


@wrong("gru_forward", "the second bias of the candidate is not reset")
def bias_outside(x, weights, h0=None, *, reset="after"):
    bn = weights.get("bn", 0.0) + weights.get("cn", 0.0)
    return _gru(x, {**weights, "bn": bn, "cn": 0.0}, h0, reset)


@wrong("gru_forward", "the first state is not used")
def starts_at_zero(x, weights, h0=None, *, reset="after"):
    return _gru(x, weights, None if h0 is None else 0 * np.asarray(h0), reset)


@wrong("gru_forward", "matrices of the state transposed, as PyTorch stores them")
def transposed(x, weights, h0=None, *, reset="after"):
    return _gru(x, {name: w.T if name[0] == "u" else w for name, w in weights.items()}, h0, reset)


@wrong("gru_forward", "relu instead of tanh")
def bent(x, weights, h0=None, *, reset="after"):
    return _gru(x, weights, h0, reset, candidate=lambda a: np.maximum(a, 0))


@wrong_gradient("gru_forward", "gradient: of the last step only, as with a state that was detached", gru)
def truncated(g, x, weights, h0=None, *, reset="after"):
    step = 1e-6
    states = gru(x, weights, h0, reset=reset)
    dx = np.zeros_like(x)
    for t in range(x.shape[-2]):
        before = states[..., t - 1, :] if t else h0
        for i in range(x.shape[-1]):
            near = [x[..., t : t + 1, :].copy() for _ in range(2)]
            for sign, row in zip((step, -step), near, strict=True):
                row[..., i] += sign
            up, down = (gru(row, weights, before, reset=reset)[..., 0, :] for row in near)
            slope = g[..., t, :] * (up - down) / (2 * step)
            extra = tuple(range(slope.ndim - x.ndim + 1))
            dx[..., t, i] = slope.sum(axis=(*extra, -1)).reshape(x.shape[:-2])
    return (dx,)


def _lstm(x, weights, h0, c0, candidate=np.tanh, shown=np.tanh, peep=0.0):
    size = len(weights["ui"])
    states = [() if state is None else np.shape(state)[:-1] for state in (h0, c0)]
    batch = np.broadcast_shapes(x.shape[:-2], *states)
    h, c = (np.zeros((*batch, size)) + (0 if state is None else state) for state in (h0, c0))
    found = {name: np.zeros((*batch, x.shape[-2], size), x.dtype) for name in "hc"}
    for t in range(x.shape[-2]):
        a = {
            k: x[..., t, :] @ weights["w" + k] + h @ weights["u" + k] + weights.get("b" + k, 0.0) + peep * c
            for k in "ifgo"
        }
        c = _sigmoid(a["f"]) * c + _sigmoid(a["i"]) * candidate(a["g"])
        h = _sigmoid(a["o"]) * shown(c)
        found["h"][..., t, :], found["c"][..., t, :] = h, c
    return found


def _renamed(weights, names):
    return {name[0] + names.get(name[1], name[1]): array for name, array in weights.items()}


@right("lstm_forward", "a loop over rows")
def lstm(x, weights, h0=None, c0=None):
    return _lstm(x, weights, h0, c0)


@wrong("lstm_forward", "the gates in the order of Keras, read in that of ONNX")
def other_order(x, weights, h0=None, c0=None):
    return _lstm(x, _renamed(weights, {"f": "o", "g": "f", "o": "g"}), h0, c0)


@wrong("lstm_forward", "input and forget gate exchanged")
def forgets_what_comes(x, weights, h0=None, c0=None):
    return _lstm(x, _renamed(weights, {"i": "f", "f": "i"}), h0, c0)


@wrong("lstm_forward", "a sigmoid for the candidate")
def positive_candidate(x, weights, h0=None, c0=None):
    return _lstm(x, weights, h0, c0, candidate=_sigmoid)


@wrong("lstm_forward", "the cell shown without tanh")
def unbent(x, weights, h0=None, c0=None):
    return _lstm(x, weights, h0, c0, shown=lambda c: c)


@wrong("lstm_forward", "1 added to the forget gate, as some do at the start of training")
def forget_bias(x, weights, h0=None, c0=None):
    return _lstm(x, {**weights, "bf": weights.get("bf", 0.0) + 1.0}, h0, c0)


@wrong("lstm_forward", "the first states exchanged")
def exchanged_states(x, weights, h0=None, c0=None):
    return _lstm(x, weights, c0, h0)


@wrong("lstm_forward", "gates that look at the cell")
def peepholes(x, weights, h0=None, c0=None):
    return _lstm(x, weights, h0, c0, peep=0.5)


def _rnn(x, weights, h0, bend=np.tanh):
    return _loop(
        x, h0, len(weights["u"]), lambda row, h: bend(row @ weights["w"] + h @ weights["u"] + weights.get("b", 0.0))
    )


@right("rnn_forward", "a loop over rows")
def rnn(x, weights, h0=None):
    return _rnn(x, weights, h0)


@wrong("rnn_forward", "a sigmoid instead of tanh")
def positive_states(x, weights, h0=None):
    return _rnn(x, weights, h0, bend=_sigmoid)


@wrong("rnn_forward", "the matrix of the state transposed")
def transposed_state(x, weights, h0=None):
    return _rnn(x, {**weights, "u": weights["u"].T}, h0)


@wrong("rnn_forward", "no bias")
def without_bias(x, weights, h0=None):
    return _rnn(x, {"w": weights["w"], "u": weights["u"]}, h0)


@wrong("rnn_forward", "backwards through the rows")
def backwards(x, weights, h0=None):
    return _rnn(x[..., ::-1, :], weights, h0)[..., ::-1, :]


@wrong("rnn_forward", "the first state is not used")
def from_zero(x, weights, h0=None):
    return _rnn(x, weights, None if h0 is None else 0 * h0)


@wrong("rnn_forward", "no state at all")
def row_by_row(x, weights, h0=None):
    return _rnn(x, {**weights, "u": 0 * weights["u"]}, h0)
