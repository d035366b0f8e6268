"""Positions against ONNX's own node tests, products of complex numbers in PyTorch, and ONNX's windows."""

import importlib
import warnings

import numpy as np
import pytest
from ops.transformer_inputs import draw

from opbook import ops, vjp

pytestmark = pytest.mark.peer

POSITIONS = np.array([[0, 3, 1, 8, 2], [7, 5, 9, 6, 40]])


@pytest.fixture(scope="module")
def torch():
    return pytest.importorskip("torch", reason="PyTorch is not installed; .ci/run installs its CPU build")


@pytest.fixture(scope="module")
def onnx():
    return pytest.importorskip("onnx", reason="ONNX is not installed: pip install onnx")


def turned_by_pytorch(torch, x, positions, base, pairing, width):
    """Two entries of each plane as the parts of a complex number, times e to i times the angle."""
    part, rest = x[..., :width], x[..., width:]
    planes = part.unflatten(-1, (2, width // 2)).mT if pairing == "halves" else part.unflatten(-1, (width // 2, 2))
    rates = torch.pow(base, -torch.arange(0, width, 2, dtype=torch.float64) / width)
    angles = torch.tensor(positions)[:, None, :, None] * rates
    z = torch.view_as_complex(planes.contiguous()) * torch.polar(torch.ones_like(angles), angles)
    planes = torch.view_as_real(z)
    return torch.cat([(planes.mT if pairing == "halves" else planes).flatten(-2), rest], -1)


@pytest.mark.parametrize("pairing", ["halves", "interleaved"])
@pytest.mark.parametrize("width", [8, 4])
def test_rope_and_its_gradient_are_products_of_complex_numbers(torch, pairing, width):
    x, g = draw(2, 3, 5, 8), draw(2, 3, 5, 8, seed=1)
    options = {"base": 500.0, "pairing": pairing, "width": width}
    mine, pullback = vjp(ops.rope, x, POSITIONS[:, None], **options)
    leaf = torch.tensor(x, requires_grad=True)
    theirs = turned_by_pytorch(torch, leaf, POSITIONS, **options)
    theirs.backward(torch.tensor(g))
    np.testing.assert_allclose(mine, theirs.detach(), rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(pullback(g)[0], leaf.grad, rtol=1e-12, atol=1e-13)


def node_of(onnx, op, names, opset, **attributes):
    """A function that evaluates one operator with ONNX's reference evaluator, in float64."""
    from onnx.reference import ReferenceEvaluator

    helper = onnx.helper
    inputs = [helper.make_tensor_value_info(n, onnx.TensorProto.UNDEFINED, None) for n in names]
    outputs = [helper.make_tensor_value_info("y", onnx.TensorProto.UNDEFINED, None)]
    node = helper.make_node(op, names, ["y"], **attributes)
    graph = helper.make_graph([node], "one", inputs, outputs)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])
    return lambda *arrays: ReferenceEvaluator(model).run(None, dict(zip(names, arrays, strict=True)))[0]


@pytest.mark.parametrize("interleaved", [0, 1])
@pytest.mark.parametrize("width", [8, 4])
def test_rope_is_the_operator_of_onnx(onnx, interleaved, width):
    x = draw(2, 3, 5, 8)
    angles = np.arange(41)[:, None] * 500.0 ** (-np.arange(0, width, 2) / width)
    rotary = node_of(
        onnx, "RotaryEmbedding", "xcsp", 23, interleaved=interleaved, rotary_embedding_dim=width if width < 8 else 0
    )
    theirs = rotary(x, np.cos(angles), np.sin(angles), POSITIONS)
    pairing = "interleaved" if interleaved else "halves"
    mine = ops.rope(x, POSITIONS[:, None], base=500.0, pairing=pairing, width=width)
    np.testing.assert_allclose(mine, theirs, rtol=1e-12, atol=1e-13)


def test_the_pairings_are_those_of_onnx_own_node_tests(onnx):
    """Their tables of angles are random numbers, so the formula that ours turns with is given theirs."""
    from onnx.backend.test.case import node
    from opbook_positions.rotary import turn

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        importlib.import_module("onnx.backend.test.case.node.rotaryembedding")
    cases = [case for case in node._NodeTestCases if case.model.graph.node[0].op_type == "RotaryEmbedding"]
    cases = [case for case in cases if len(case.model.graph.node) == 1]
    assert len(cases) >= 8
    for case in cases:
        options = {a.name: a.i for a in case.model.graph.node[0].attribute}
        (x, cos, sin, *positions), (expected, *_) = case.data_sets[0]
        heads = options.get("num_heads", 0)
        split = np.moveaxis(x.reshape(*x.shape[:-1], heads, -1), 2, 1) if heads else x
        cos, sin = ((table[positions[0]] if positions else table)[:, None] for table in (cos, sin))
        width = 2 * cos.shape[-1]
        pairing = "interleaved" if options.get("interleaved") else "halves"
        mine = np.concatenate([turn(split[..., :width], cos, sin, pairing), split[..., width:]], axis=-1)
        mine = np.moveaxis(mine, 1, 2).reshape(x.shape) if heads else mine
        np.testing.assert_allclose(mine, expected, rtol=1e-5, atol=1e-6, err_msg=case.name)


@pytest.mark.parametrize("layout", ["interleaved", "halves"])
@pytest.mark.parametrize("d", [6, 7])
def test_sinusoidal_positions_are_the_phases_of_complex_numbers(torch, layout, d):
    rates = torch.pow(10000.0, -torch.arange(0, d, 2, dtype=torch.float64) / d)
    angles = torch.arange(9)[:, None] * rates
    z = torch.polar(torch.ones_like(angles), angles)
    theirs = torch.stack([z.imag, z.real], -1).flatten(-2)[:, :d]
    if layout == "halves":
        theirs = torch.cat([z.imag, z.real[:, : d // 2]], -1)
    np.testing.assert_allclose(ops.sinusoidal_positions(9, d, layout=layout), theirs, rtol=1e-12, atol=1e-13)


def test_attention_with_linear_biases_is_that_of_pytorch_with_blooms(torch):
    """BLOOM adds slope · j, which differs by a constant for each query, and so not after the softmax."""
    q, k, v = (draw(2, 12, 5, 4, seed=i) for i in range(3))
    first, then = 2.0 ** -torch.arange(1, 9, dtype=torch.float64), 2.0 ** -torch.arange(0.5, 4, dtype=torch.float64)
    bloom = torch.cat([first, then])[:, None, None] * torch.arange(5)
    blocked = torch.full((5, 5), -torch.inf, dtype=torch.float64).triu(1)
    theirs = torch.nn.functional.scaled_dot_product_attention(*map(torch.tensor, (q, k, v)), attn_mask=bloom + blocked)
    mine = ops.scaled_dot_product_attention(q, k, v, bias=ops.alibi_bias(12, 5), causal=True)
    np.testing.assert_allclose(mine, theirs, rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize(("left", "right"), [(2, 0), (1, 2), (0, 0), (3, 1)])
def test_a_window_is_a_band_of_pytorch(torch, left, right):
    band = torch.ones(7, 7, dtype=torch.bool).tril(right).triu(-left)
    np.testing.assert_array_equal(ops.sliding_window_mask(7, left=left, right=right), band)
    last = ops.sliding_window_mask(3, 7, left=left, right=right, align="lower-right")
    np.testing.assert_array_equal(last, band[-3:])
