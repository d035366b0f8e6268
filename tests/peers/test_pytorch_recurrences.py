"""Values and gradients of the recurrences against PyTorch in float64, and against ONNX's reference evaluator."""

import numpy as np
import pytest
from ops.transformer_inputs import draw

from opbook import ops, vjp
from opbook.autodiff import tree

torch = pytest.importorskip("torch", reason="PyTorch is not installed; .ci/run installs its CPU build")

pytestmark = pytest.mark.peer

D, H = 3, 4
X = draw(2, 5, 7, D)
H0 = draw(2, 5, H, seed=1)


def weights_of(names, biases):
    shapes = {"w": (D, H), "u": (H, H), "b": (H,), "c": (H,)}
    return {name: draw(*shapes[name[0]], seed=i) for i, name in enumerate((*names, *biases))}


LSTM = tuple(letter + gate for letter in "wu" for gate in "ifgo")
GRU = ("wr", "wz", "wn", "ur", "uz", "un")


def packed(weights, gates):
    """The parameters of a layer of PyTorch."""
    zeros = torch.zeros(H, dtype=torch.float64)
    parts = {
        "weight_ih_l0": [weights["w" + gate].mT for gate in gates],
        "weight_hh_l0": [weights["u" + gate].mT for gate in gates],
        "bias_ih_l0": [weights.get("b" + gate, zeros) for gate in gates],
        "bias_hh_l0": [weights.get("c" + gate, zeros) for gate in gates],
    }
    return {name: torch.cat(several) for name, several in parts.items()}


def with_one_batch_axis(layer, parameters, x, *states):
    """PyTorch's layers take one batch axis, and the states with an axis for layers before it."""
    flat = [state.reshape(1, -1, H) for state in states]
    given = x.reshape(-1, *x.shape[-2:]), flat[0] if len(flat) == 1 else tuple(flat)
    y, last = torch.func.functional_call(layer, parameters, given)
    return y.reshape(*x.shape[:-1], H), last


def gru_of_pytorch(x, weights, h0):
    layer = torch.nn.GRU(D, H, batch_first=True, dtype=torch.float64)
    return with_one_batch_axis(layer, packed(weights, "rzn"), x, h0)[0]


def gru_of_cho(x, weights, h0):
    """The form that PyTorch has not, written with its operations."""
    w, h, states = weights, h0, []
    for row in x.unbind(-2):
        r, z = (torch.sigmoid(row @ w["w" + k] + h @ w["u" + k] + w.get("b" + k, 0.0)) for k in "rz")
        n = torch.tanh(row @ w["wn"] + torch.matmul(r * h, w["un"]) + w.get("bn", 0.0) + w.get("cn", 0.0))
        h = torch.lerp(n, h, z)
        states.append(h)
    return torch.stack(states, -2)


def lstm_of_pytorch(x, weights, h0, c0):
    """Its cells one row at a time, as PyTorch returns only the last of them."""
    layer = torch.nn.LSTM(D, H, batch_first=True, dtype=torch.float64)
    parameters, rows, h, c = packed(weights, "ifgo"), [], h0, c0
    for t in range(x.shape[-2]):
        _, last = with_one_batch_axis(layer, parameters, x[..., t : t + 1, :], h, c)
        h, c = (state.reshape(h0.shape) for state in last)
        rows.append((h, c))
    return {"h": torch.stack([h for h, _ in rows], -2), "c": torch.stack([c for _, c in rows], -2)}


def rnn_of_pytorch(x, weights, h0):
    layer = torch.nn.RNN(D, H, batch_first=True, dtype=torch.float64)
    return with_one_batch_axis(layer, packed(weights, [""]), x, h0)[0]


CASES = [
    *(
        ("gru_forward", theirs, (X, weights_of(GRU, biases), H0), {"reset": reset})
        for theirs, reset in ((gru_of_pytorch, "after"), (gru_of_cho, "before"))
        for biases in ((), ("br", "bz", "bn", "cn"))
    ),
    *(("rnn_forward", rnn_of_pytorch, (X, weights_of(("w", "u"), b), H0), {}) for b in ((), ("b",))),
    *(
        ("lstm_forward", lstm_of_pytorch, (X, weights_of(LSTM, biases), H0, draw(2, 5, H, seed=2)), {})
        for biases in ((), ("bi", "bf", "bg", "bo"))
    ),
]


@pytest.mark.parametrize(("op", "theirs", "args", "options"), CASES, ids=[f"{c[0]}-{i}" for i, c in enumerate(CASES)])
def test_values_and_gradients(op, theirs, args, options):
    value, pullback = vjp(getattr(ops, op), *args, **options)
    cotangent = tree.map(lambda leaf: np.asarray(draw(*np.shape(leaf), seed=9)), value)
    tensors = tree.map(lambda leaf: torch.tensor(leaf, requires_grad=True), args)
    expected = theirs(*tensors)
    for got, want in tree.zip(value, expected):
        np.testing.assert_allclose(got, want.detach(), rtol=1e-12, atol=1e-13)
    together = sum((want * torch.tensor(g)).sum() for want, g in tree.zip(expected, cotangent))
    slopes = torch.autograd.grad(together, tree.leaves(tensors))
    for got, want in zip(tree.leaves(pullback(cotangent)), slopes, strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-11, atol=1e-12)


def of_onnx(name, weights, gates, x, states, **attributes):
    """What ONNX's reference evaluator returns, with the gates packed in its order."""
    onnx = pytest.importorskip("onnx", reason="ONNX is not installed: pip install onnx")
    reference = pytest.importorskip("onnx.reference")
    names = ("x", "w", "r", "b", "", *("h0", "c0")[: len(states)])
    node = onnx.helper.make_node(name, names, ["y"], hidden_size=H, **attributes)
    values = [onnx.helper.make_tensor_value_info(one, onnx.TensorProto.DOUBLE, None) for one in (*names, "y") if one]
    graph = onnx.helper.make_graph([node], "one", values[:-1], values[-1:])
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 14)])
    biases = [weights.get(letter + gate, np.zeros(H)) for letter in "bc" for gate in gates]
    arrays = {
        "x": np.moveaxis(x, -2, 0),
        "w": np.concatenate([weights["w" + gate].T for gate in gates])[None],
        "r": np.concatenate([weights["u" + gate].T for gate in gates])[None],
        "b": np.concatenate(biases)[None],
        **dict(zip(("h0", "c0"), (state[None] for state in states), strict=False)),
    }
    return np.moveaxis(reference.ReferenceEvaluator(model).run(None, arrays)[0][:, 0], 0, -2)


@pytest.mark.parametrize("reset", ["after", "before"])
def test_gru_of_onnx(reset):
    weights = weights_of(GRU, ("br", "bz", "bn", "cn"))
    theirs = of_onnx("GRU", weights, "zrn", X[0], [H0[0]], linear_before_reset=int(reset == "after"))
    np.testing.assert_allclose(ops.gru_forward(X[0], weights, H0[0], reset=reset), theirs, rtol=1e-12)


def test_lstm_of_onnx():
    weights, c0 = weights_of(LSTM, ("bi", "bf", "bg", "bo")), draw(5, H, seed=2)
    theirs = of_onnx("LSTM", weights, "iofg", X[0], [H0[0], c0])
    np.testing.assert_allclose(ops.lstm_forward(X[0], weights, H0[0], c0)["h"], theirs, rtol=1e-12)


def test_rnn_of_onnx():
    weights = weights_of(("w", "u"), ("b",))
    theirs = of_onnx("RNN", weights, [""], X[0], [H0[0]])
    np.testing.assert_allclose(ops.rnn_forward(X[0], weights, H0[0]), theirs, rtol=1e-12)
