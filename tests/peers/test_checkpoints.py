"""Layers of PyTorch with random weights in float64, and the builtins with the records made from their state dicts."""

import numpy as np
import pytest
from opbook_checkpoints import block_from_torch, gru_from_torch, heads_from_torch, lstm_from_torch

from opbook import ops, vjp

torch = pytest.importorskip("torch", reason="PyTorch is not installed; .ci/run installs its CPU build")

pytestmark = pytest.mark.peer

X = np.random.default_rng(0).normal(size=(2, 7, 6))


def drawn(layer):
    """A layer in float64 whose every weight is random, those that PyTorch begins with 0 or 1 too."""
    torch.manual_seed(0)
    layer = layer.double()
    with torch.no_grad():
        for parameter in layer.parameters():
            parameter.normal_(0.1, 0.5)
    return layer


def agree(layer, theirs, mine):
    """Compare values, and gradients by x and by each array of the state dict, which pass through the conversion."""
    x = torch.tensor(X, requires_grad=True)
    expected = theirs(x)
    state = {name: tensor.numpy() for name, tensor in layer.state_dict().items()}
    value, pullback = vjp(mine, X, state)
    np.testing.assert_allclose(value, expected.detach(), rtol=0, atol=1e-12)
    g = np.random.default_rng(1).normal(size=value.shape)
    expected.backward(torch.tensor(g))
    dx, d_state = pullback(g)
    np.testing.assert_allclose(dx, x.grad, rtol=0, atol=1e-10)
    for name, parameter in layer.named_parameters():
        np.testing.assert_allclose(d_state[name], parameter.grad, rtol=0, atol=1e-10, err_msg=name)


@pytest.mark.parametrize("bias", [True, False])
def test_attention(bias):
    layer = drawn(torch.nn.MultiheadAttention(6, 3, bias=bias, batch_first=True))

    def mine(x, state):
        return ops.multi_head_attention(x, **heads_from_torch(state, 3))

    agree(layer, lambda x: layer(x, x, x, need_weights=False)[0], mine)


@pytest.mark.parametrize("activation", ["relu", "gelu"])
@pytest.mark.parametrize("norm", ["post", "pre"])
@pytest.mark.parametrize("bias", [True, False])
def test_encoder_layer(bias, norm, activation):
    options = {"activation": activation, "norm_first": norm == "pre", "bias": bias, "batch_first": True}
    layer = drawn(torch.nn.TransformerEncoderLayer(6, 3, 10, 0.0, **options))

    def mine(x, state):
        return ops.transformer_block(x, block_from_torch(state, 3), norm=norm, activation=activation)

    agree(layer, layer, mine)


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize(
    ("kind", "convert", "forward"),
    [("GRU", gru_from_torch, ops.gru_forward), ("LSTM", lstm_from_torch, lambda x, w: ops.lstm_forward(x, w)["h"])],
)
def test_recurrences(kind, convert, forward, bias):
    """Two layers, the second of which reads what the first has made of the rows in both directions."""
    layer = drawn(getattr(torch.nn, kind)(6, 4, 2, bias=bias, batch_first=True, bidirectional=True))

    def mine(x, state):
        for one in ("l0", "l1"):
            back = forward(x[..., ::-1, :], convert(state, f"{one}_reverse"))[..., ::-1, :]
            x = np.concatenate([forward(x, convert(state, one)), back], axis=-1)
        return x

    agree(layer, lambda x: layer(x)[0], mine)


def test_what_a_model_saves_is_read_as_it_is():
    model = torch.nn.TransformerEncoder(torch.nn.TransformerEncoderLayer(6, 2, 5, 0.0, batch_first=True), 2)
    x = torch.randn(7, 6)
    y = x.numpy()
    for i in (0, 1):
        y = ops.transformer_block(y, block_from_torch(model.state_dict(), 2, prefix=f"layers.{i}."))
    np.testing.assert_allclose(y, model(x).detach(), rtol=0, atol=1e-5)


def test_half_precision_of_another_kind_is_refused_in_one_line():
    with pytest.raises(ValueError, match="NumPy can't read weight_ih_l0: Got unsupported ScalarType BFloat16"):
        gru_from_torch(torch.nn.GRU(2, 3).bfloat16().state_dict())
