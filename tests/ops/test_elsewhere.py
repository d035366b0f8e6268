"""What "In other libraries" says, compared with these libraries: NumPy always, the others where they are installed."""

import importlib
import re
import warnings

import numpy as np
import pytest
from opbook_elsewhere.table import TABLE
from opbook_elsewhere.table.entries import Call, Operator
from ops.transformer_inputs import block, draw, head

from opbook import Section, grad, ops
from opbook.autodiff import tree
from opbook.plugins.catalogue import catalogue

X = np.array([[0.5, -1.25, 2.0], [1.5, 0.25, -0.5]])
POSITIVE = np.array([[0.5, 1.25], [2.0, 0.25]])
MASK = np.array([[1, 0, 1, 1], [0, 1, 1, 0]], bool)
Q, K, V = X, np.arange(12.0).reshape(4, 3) / 7, np.arange(12.0)[::-1].reshape(4, 3) / 5
CHANNELS = np.array([[1.0, -0.5], [0.25, 2.0], [-1.5, 0.5], [0.75, 1.25]])
MASKED = {"q": Q, "k": K, "mask": MASK}
AXIS = {"x": X, "axis": 1}

INPUTS = {
    **{key: {"x": X} for key in ("abs", "cos", "erf", "exp", "sin", "tanh", "gelu", "relu", "sigmoid", "softplus")},
    "log_sigmoid": {"x": X},
    **{key: {"x": POSITIVE} for key in ("log", "sqrt")},
    **{key: {"x": X, "y": X[::-1].copy()} for key in ("maximum", "minimum")},
    **{key: {"x": X, "axis": 0} for key in ("cumsum", "log_softmax", "softmax", "sort")},
    **{key: {**AXIS, "keepdims": True} for key in ("argmax", "logsumexp", "max", "mean", "min", "norm", "sum")},
    **{key: {"x": X} for key in ("shape", "transpose")},
    **{key: {"shape": (2, 3)} for key in ("ones", "zeros")},
    "einsum": {"spec": "ij,kj->ik", "arrays": (X, X + 1)},
    "dropout": {"x": X, "keep": X > 0, "rate": 0.25},
    "dropout_mask": {"shape": (2, 3), "rate": 0.4, "seed": 3},
    "elu": {"x": X, "alpha": 0.7},
    "leaky_relu": {"x": X, "slope": 0.2},
    "silu": {"x": X, "beta": 1.3},
    "group_norm": {"x": CHANNELS, "gamma": CHANNELS[:, 0], "beta": CHANNELS[:, 1], "groups": 2, "eps": 1e-3},
    "rms_norm": {"x": X, "gamma": X[1], "eps": 1e-3},
    "linear": {"x": X, "w": CHANNELS[:3], "b": CHANNELS[3]},
    "swiglu": {"x": X, "weights": {"w_gate": X.T, "w_up": X.T + 1, "w_down": X}},
    "binary_cross_entropy": {"logits": X, "targets": (X[::-1] > 0) * 0.75, "pos_weight": POSITIVE.ravel()[:3]},
    "cosine_similarity": {"x": X, "y": X[::-1].copy(), "axis": -1, "eps": 1e-8},
    "cross_entropy": {
        "logits": X,
        "targets": np.array([2, 0]),
        "label_smoothing": 0.1,
        "weight": np.array([1, 2, 0.5]),
    },
    "huber_loss": {"x": X, "target": X[::-1].copy(), "delta": 1.5},
    "kl_divergence": {"log_p": np.log([[0.5, 0.25, 0.25]]), "log_q": np.log([[0.25, 0.25, 0.5]]), "axis": -1},
    "mse_loss": {"x": X, "target": X[::-1].copy()},
    "conv2d": {
        "x": np.arange(48.0).reshape(4, 3, 4) % 7,
        "w": np.arange(24.0).reshape(2, 2, 2, 3) % 5,
        "b": X[0, :2],
        "stride": (2, 1),
        "padding": (1, 2),
        "dilation": (1, 2),
        "groups": 2,
    },
    "avg_pool": {"x": CHANNELS[None], "size": 2, "stride": 1, "padding": 1, "count_padding": False},
    "max_pool": {"x": CHANNELS[None], "size": 2, "stride": 1, "padding": 1},
    "cosine_schedule": {"step": np.arange(12), "steps": 9, "lr": 0.5, "floor": 0.1},
    "embedding": {"table": CHANNELS, "ids": np.array([[2, 0, 2], [3, 1, 1]])},
    "one_hot": {"ids": np.array([[2, 0], [1, 1]]), "n": 3},
    "round": {"x": np.array([0.125, 0.375, -2.5, 1.26]), "digits": 2},
    "arange": {"stop": 4},
    "concatenate": {"arrays": (X, X + 1), "axis": 1},
    "eye": {"n": 3},
    "linspace": {"start": 0.0, "stop": 1.0, "count": 5},
    "reshape": {"x": X, "shape": (3, 2)},
    "take": {"x": X, "indices": np.array([2, 0]), "axis": 1},
    "where": {"condition": X > 0, "x": X, "y": 2 * X},
    "attention_weights": MASKED,
    "causal_mask": {"n_queries": 4},
    "sliding_window_mask": {"n_queries": 5, "left": 2, "right": 1},
    "layer_norm": {"x": X, "gamma": np.array([1.0, 2.0, 3.0]), "beta": np.array([0.5, 0.0, -0.5]), "eps": 1e-3},
    "scaled_dot_product_attention": {**MASKED, "v": V},
    "append_to_cache": {"cache": {"k": K, "v": V}, "k": K + 1, "v": V + 1},
    "grouped_query_attention": {
        "q": draw(2, 4, 3, 5),
        **{name: draw(2, 2, 3, 5, seed=i) for i, name in enumerate("kv", 1)},
        "mask": np.tri(3, dtype=bool)[None, None],
    },
}
"""By builtin the arguments that the code of the calls names. Those that are not here have tests of their own."""

SINGLE = {"grouped_query_attention", "layer_norm", "scaled_dot_product_attention"}
"""Where JAX loses digits, as the page says."""

OF_THEIR_OWN = {
    "adamw_step",
    "alibi_bias",
    "batch_norm",
    "clip_by_global_norm",
    "cross_attention",
    "decoder_block",
    "grad",
    "gru_forward",
    "llama_block",
    "lstm_forward",
    "multi_head_attention",
    "multi_head_weights",
    "rnn_forward",
    "rope",
    "sample",
    "sgd_step",
    "sinusoidal_positions",
    "top_k",
    "top_p_filter",
    "transformer_block",
}


CROSS_HEAD = {"wq": (4, 2), "wk": (6, 2), "wv": (6, 2), "wo": (2, 4), "bq": (2,), "bk": (2,), "bv": (2,)}


def code(name, library):
    return TABLE[name][library].code


def cases(library):
    return [name for name in INPUTS if isinstance(TABLE[name].get(library), Call)]


def evaluated(name, library, module, names, convert):
    arguments = {key: convert(value) for key, value in INPUTS[name].items()}
    return eval(code(name, library), {**names, library: module}, arguments)


def assert_alike(name, value, tolerance=1e-12):
    expected = getattr(ops, name)(**INPUTS[name])
    for found, due in zip(tree.leaves(value), tree.leaves(expected), strict=True):
        np.testing.assert_allclose(np.asarray(found), due, rtol=tolerance, atol=tolerance)
        assert np.shape(found) == np.shape(due)


def test_every_builtin_of_ours_has_its_section_and_every_call_its_test():
    drawing = {"attention_map", "bars", "heatmap", "plot", "print"}
    ours = {name for name in catalogue() if catalogue().plugin_of(name).source.distribution.startswith("opbook-")}
    assert set(TABLE) == ours - drawing
    assert set(TABLE) == {*INPUTS, *OF_THEIR_OWN}
    for name, entries in TABLE.items():
        assert list(entries) == ["numpy", "torch", "jax", "onnx"], name
        one, *others = catalogue().contributions(Section, name)
        assert (one.plugin.source.name, one.thing.title, others) == ("elsewhere", "In other libraries", [])


def test_what_is_said_is_written_alike():
    for name, entries in TABLE.items():
        for entry in entries.values():
            note = entry if isinstance(entry, str) else entry.note
            assert not note.endswith("."), name
            assert note.count("`") % 2 == 0, name


@pytest.mark.parametrize("name", cases("numpy"))
def test_numpy(name):
    assert_alike(name, evaluated(name, "numpy", np, {"np": np}, lambda value: value))


@pytest.fixture(scope="module")
def torch():
    return pytest.importorskip("torch", reason="PyTorch is not installed; .ci/run installs its CPU build")


@pytest.fixture(scope="module")
def jax():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pytest.importorskip("jax", reason="JAX is not installed: pip install jax")


@pytest.mark.peer
@pytest.mark.parametrize("name", cases("torch"))
def test_pytorch(torch, name):
    def convert(value):
        if isinstance(value, tuple) and isinstance(value[0], np.ndarray):
            return tuple(map(torch.tensor, value))
        if isinstance(value, dict):
            return {key: torch.tensor(array) for key, array in value.items()}
        return torch.tensor(value) if isinstance(value, np.ndarray) else value

    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        assert_alike(name, evaluated(name, "torch", torch, {"F": torch.nn.functional}, convert))
    finally:
        torch.set_default_dtype(before)


@pytest.mark.peer
@pytest.mark.parametrize("name", cases("jax"))
def test_jax(jax, name):
    import jax.scipy.special

    with jax.enable_x64(True):
        value = evaluated(name, "jax", jax, {"jnp": jax.numpy}, lambda value: value)
        assert_alike(name, value, 1e-6 if name in SINGLE else 1e-12)


@pytest.mark.peer
def test_masks_of_pytorch_mean_what_is_said(torch):
    """True lets a query attend in one of its functions and blocks it in the other."""
    function = torch.nn.functional.scaled_dot_product_attention
    q, k, v = map(torch.tensor, (Q, K, V))
    ours = ops.scaled_dot_product_attention
    numbers = MASK.astype(float)
    np.testing.assert_allclose(
        function(q, k, v, attn_mask=torch.tensor(numbers)), ours(Q, K, V, bias=numbers), atol=1e-12
    )
    first = function(q, k, v, is_causal=True)[0]
    np.testing.assert_allclose(first, V[0], atol=1e-12)
    with pytest.raises(RuntimeError):
        function(q, k, v, attn_mask=torch.tensor(MASK), is_causal=True)

    heads = tuple(head(4, 2, seed=i) | {name: draw(2, seed=i) for name in ("bq", "bk", "bv")} for i in range(2))
    bo = draw(4)
    layer = eval(
        code("multi_head_attention", "torch"), {"torch": torch}, {"x": np.zeros((3, 4)), "n_heads": 2}
    ).double()
    packed = [np.concatenate([one[part] for one in heads], axis=1).T for part in ("wq", "wk", "wv")]
    layer.in_proj_weight.data = torch.tensor(np.concatenate(packed))
    layer.in_proj_bias.data = torch.tensor(np.concatenate([one[b] for b in ("bq", "bk", "bv") for one in heads]))
    layer.out_proj.weight.data = torch.tensor(np.concatenate([one["wo"] for one in heads]).T)
    layer.out_proj.bias.data = torch.tensor(bo)
    x = np.linspace(-1, 1, 12).reshape(1, 3, 4) ** 3
    mask, keys = np.array([[1, 1, 0], [0, 1, 1], [1, 0, 0]], bool), np.array([[1, 1, 0]], bool)
    rows = torch.tensor(x)
    for given, blocked in (
        ({"mask": mask}, {"attn_mask": torch.tensor(~mask)}),
        ({"key_mask": keys}, {"key_padding_mask": torch.tensor(~keys)}),
    ):
        value, mean = (result.detach().numpy() for result in layer(rows, rows, rows, **blocked))
        np.testing.assert_allclose(value, ops.multi_head_attention(x, heads, 2, bo=bo, **given), atol=1e-12)
        np.testing.assert_allclose(mean, ops.multi_head_weights(x, heads, 2, **given).mean(axis=-3), atol=1e-12)
    nobody = layer(rows, rows, rows, key_padding_mask=torch.ones(1, 3, dtype=bool))[0]
    assert nobody.isnan().all()
    assert torch.nn.MultiheadAttention(4, 2).batch_first is False


@pytest.mark.peer
def test_cross_attention_of_pytorch(torch):
    heads = tuple({name: draw(*s, seed=i) for name, s in CROSS_HEAD.items()} for i in range(2))
    x, memory, bo = draw(2, 3, 4), draw(2, 5, 6), draw(4)
    names = {"x": x, "n_heads": 2, "width": 6}
    layer = eval(code("cross_attention", "torch"), {"torch": torch}, names).double()
    wanted = {
        f"{name[1]}_proj_weight": np.concatenate([h[name] for h in heads], axis=1).T for name in ("wq", "wk", "wv")
    }
    wanted["in_proj_bias"] = np.concatenate([one[b] for b in ("bq", "bk", "bv") for one in heads])
    wanted |= {"out_proj.weight": np.concatenate([one["wo"] for one in heads]).T, "out_proj.bias": bo}
    layer.load_state_dict({name: torch.tensor(value) for name, value in wanted.items()})
    mask = np.array([[1, 1, 0, 0, 1], [0, 1, 1, 0, 0], [1, 0, 0, 1, 1]], bool)
    rows = torch.tensor(x), *[torch.tensor(memory)] * 2
    value, weights = layer(*rows, attn_mask=torch.tensor(~mask), average_attn_weights=False)
    np.testing.assert_allclose(value.detach(), ops.cross_attention(x, memory, heads, 2, mask, bo=bo), atol=1e-12)
    np.testing.assert_allclose(weights.detach(), ops.multi_head_weights(x, memory, heads, 2, mask), atol=1e-12)


@pytest.mark.peer
def test_the_block_of_pytorch(torch):
    x, weights = np.linspace(-1, 1, 12).reshape(1, 3, 4) ** 3, block(4, 2, 2, 5)
    names = {"x": x, "n_heads": 2, "width": 5}
    layer = eval(code("transformer_block", "torch"), {"torch": torch}, names).double().eval()
    packed = [np.concatenate([one[part] for one in weights["heads"]], axis=1).T for part in ("wq", "wk", "wv")]
    wanted = {
        "self_attn.in_proj_weight": np.concatenate(packed),
        "self_attn.in_proj_bias": np.zeros(12),
        "self_attn.out_proj.weight": np.concatenate([one["wo"] for one in weights["heads"]]).T,
        "self_attn.out_proj.bias": np.zeros(4),
        **{"linear1.weight": weights["w1"].T, "linear1.bias": weights["b1"]},
        **{"linear2.weight": weights["w2"].T, "linear2.bias": weights["b2"]},
        **{"norm1.weight": weights["ln1_gamma"], "norm1.bias": weights["ln1_beta"]},
        **{"norm2.weight": weights["ln2_gamma"], "norm2.bias": weights["ln2_beta"]},
    }
    layer.load_state_dict({name: torch.tensor(value) for name, value in wanted.items()})
    np.testing.assert_allclose(layer(torch.tensor(x)).detach(), ops.transformer_block(x, weights), atol=1e-6)
    default = torch.nn.TransformerEncoderLayer(4, 2)
    assert (default.dropout.p, default.norm_first, default.self_attn.batch_first) == (0.1, False, False)


@pytest.mark.peer
def test_recurrences_of_pytorch(torch):
    x, size, width = draw(2, 5, 3), 4, 3
    for name, gates in (("gru_forward", "rzn"), ("lstm_forward", "ifgo"), ("rnn_forward", ("",))):
        shapes = {"w": (width, size), "u": (size, size), "b": (size,)}
        weights = {part + gate: draw(*shapes[part], seed=ord(gate or "h")) for part in shapes for gate in gates}
        layer = eval(code(name, "torch"), {"torch": torch}, {"width": width, "size": size}).double()
        packed = [torch.tensor(np.concatenate([weights[part + gate].T for gate in gates])) for part in "wub"]
        names = ("weight_ih_l0", "weight_hh_l0", "bias_ih_l0")
        nothing = {"bias_hh_l0": torch.zeros(len(gates) * size, dtype=torch.float64)}
        layer.load_state_dict({**dict(zip(names, packed, strict=True)), **nothing})
        found = getattr(ops, name)(x, weights)
        ours = found["h"] if name == "lstm_forward" else found
        theirs = layer(torch.tensor(x))[0].detach()
        np.testing.assert_allclose(theirs, ours, rtol=1e-10)


@pytest.mark.peer
def test_optimizers_of_pytorch(torch):
    start, slopes = draw(2, 3), draw(2, 3, seed=1)
    options = {
        "adamw_step": {"lr": 0.1, "beta1": 0.8, "beta2": 0.9, "eps": 1e-3, "weight_decay": 0.2},
        "sgd_step": {"lr": 0.1, "momentum": 0.8, "nesterov": True, "weight_decay": 0.2},
    }
    for name, given in options.items():
        parameter = torch.nn.Parameter(torch.tensor(start))
        parameter.grad = torch.tensor(slopes)
        eval(code(name, "torch"), {"torch": torch}, {"params": [parameter], **given}).step()
        expected = getattr(ops, name)(start, slopes, **given)["params"]
        np.testing.assert_allclose(parameter.detach(), expected, rtol=1e-12)
    assert torch.optim.AdamW([parameter]).defaults["weight_decay"] == 0.01
    plain = eval(code("sgd_step", "numpy"), {"params": start, "grads": slopes, "lr": 0.1, "weight_decay": 0.2})
    np.testing.assert_allclose(plain, ops.sgd_step(start, slopes, lr=0.1, weight_decay=0.2)["params"])


@pytest.mark.peer
def test_clipping_of_pytorch(torch):
    parameter = torch.nn.Parameter(torch.zeros(2, 3, dtype=torch.float64))
    parameter.grad = torch.tensor(X)
    norm = eval(code("clip_by_global_norm", "torch"), {"torch": torch}, {"params": [parameter], "max_norm": 0.5})
    found = ops.clip_by_global_norm(X, 0.5)
    np.testing.assert_allclose(norm, found["norm"], rtol=1e-12)
    np.testing.assert_allclose(parameter.grad * (norm + 1e-6) / norm, found["grads"], rtol=1e-12)


@pytest.mark.peer
def test_batch_norm_of_pytorch_writes_its_statistics(torch):
    names = {"gamma": X[0], "beta": X[1], "mean": np.zeros(3), "var": np.ones(3), "momentum": 0.3, "eps": 1e-3}
    ours = ops.batch_norm(X, training=True, **names)
    arguments = {key: torch.tensor(value) if isinstance(value, np.ndarray) else value for key, value in names.items()}
    arguments |= {"x": torch.tensor(X), "training": True}
    y = eval(code("batch_norm", "torch"), {"F": torch.nn.functional}, arguments)
    for mine, theirs in zip(ours.values(), (y, arguments["mean"], arguments["var"]), strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-12)


@pytest.mark.peer
def test_defaults_and_edges_of_pytorch(torch):
    functional, row = torch.nn.functional, torch.tensor([1.0, 3.0], dtype=torch.float64)
    assert torch.var(row) == 2
    assert functional.layer_norm(row, (2,), eps=0.0).tolist() == [-1, 1]
    assert functional.softplus(torch.tensor(20.5, dtype=torch.float64)) == 20.5
    assert ops.softplus(20.5) - 20.5 < 2.1e-9
    tanh = functional.gelu(torch.tensor(X), approximate="tanh")
    np.testing.assert_allclose(tanh, ops.gelu(X, approximate="tanh"), atol=1e-12)
    with pytest.raises(TypeError):
        torch.softmax(torch.tensor(X))
    with pytest.raises(RuntimeError):
        torch.mean(torch.arange(3))
    assert torch.mean(torch.ones(0)).isnan()
    with pytest.raises((RuntimeError, IndexError)):
        torch.index_select(row, 0, torch.tensor([-1]))
    nobody = torch.zeros(2, 4, dtype=torch.bool)
    names = {"q": torch.tensor(Q), "k": torch.tensor(K), "mask": nobody}
    assert eval(code("attention_weights", "torch"), {"torch": torch}, names).isnan().all()
    assert not ops.attention_weights(Q, K, nobody.numpy()).any()


TIES = np.array([2.0, 2.0, 1.0])


@pytest.mark.peer
def test_gradients_of_pytorch_at_ties_and_edges(torch):
    def gradient(f, x):
        x = torch.tensor(x, requires_grad=True)
        f(x).sum().backward()
        return x.grad.tolist()

    assert gradient(lambda x: torch.amax(x, dim=0), TIES) == grad(ops.max)(TIES).tolist() == [0.5, 0.5, 0]
    assert gradient(lambda x: torch.amin(x, dim=0), -TIES) == grad(ops.min)(-TIES).tolist() == [0.5, 0.5, 0]
    assert sorted(gradient(lambda x: torch.max(x, dim=0).values, TIES)) == [0, 0, 1]
    both = gradient(lambda x: torch.maximum(x, torch.full((3,), 2.0, dtype=torch.float64)), TIES)
    assert both == grad(lambda x: ops.maximum(x, 2.0).sum())(TIES).tolist() == [0.5, 0.5, 0]
    zero = np.array([0.0])
    assert np.isnan(gradient(lambda x: torch.where(x > 0, torch.sqrt(x), 0.0), zero)).all()
    assert torch.func.grad(lambda x: x**3)(torch.tensor(2.0)) == grad(lambda x: x**3)(2.0) == 12


@pytest.mark.peer
def test_defaults_and_edges_of_jax(jax):
    jnp = jax.numpy
    with jax.enable_x64(True):
        np.testing.assert_allclose(jax.nn.gelu(X), ops.gelu(X, approximate="tanh"), atol=1e-12)
        assert jax.grad(jnp.abs)(0.0) == 1
        assert grad(ops.abs)(0.0) == 0
        assert jax.grad(jnp.max)(TIES).tolist() == [0.5, 0.5, 0]
        assert np.isnan(jnp.take(TIES, np.array([5])))
        assert np.isnan(jax.grad(lambda x: jnp.where(x > 0, jnp.sqrt(x), 0.0))(0.0))
        large = X + 1e9
        stable = jax.nn.standardize(large, axis=-1, algorithm="stable")
        ours = ops.layer_norm(large, np.ones(3), np.zeros(3))
        np.testing.assert_allclose(stable, ours, atol=1e-5)
        assert np.abs(jax.nn.standardize(large, axis=-1) - ours).max() > 0.1
        names = {"q": Q, "k": K, "v": V, "mask": np.zeros((2, 4), bool)}
        nobody = eval(code("scaled_dot_product_attention", "jax"), {"jax": jax}, names)
        np.testing.assert_allclose(nobody, np.broadcast_to(V.mean(axis=0), (2, 3)), atol=1e-12)
        narrow = {"q": Q[:, None], "k": K[:, None], "v": V[:, None, :2]}
        with pytest.raises(ValueError, match="shape"):
            jax.nn.dot_product_attention(*narrow.values())


def test_where_sends_nothing_to_the_branch_that_is_not_taken():
    assert grad(lambda x: ops.where(x > 0, ops.sqrt(x), 0.0).sum())(np.array([0.0])).tolist() == [0]


@pytest.mark.peer
def test_operators_of_onnx():
    onnx = pytest.importorskip("onnx", reason="ONNX is not installed: pip install onnx")
    versions, names = {}, set()
    for schema in importlib.import_module("onnx.defs").get_all_schemas_with_history():
        names.add(schema.name)  # of the preview operators for training too
        if not schema.domain:
            versions.setdefault(schema.name, set()).add(schema.since_version)
    for name, entries in TABLE.items():
        entry = entries["onnx"]
        if isinstance(entry, Operator):
            assert entry.opset in versions[entry.name], f"{name}: {entry.name} has versions {versions[entry.name]}"
        else:
            assert set(re.findall(r"`([A-Z]\w+)`", entry)) <= names, name
    schema = onnx.defs.get_schema("Attention", 23)
    assert {"is_causal", "q_num_heads", "kv_num_heads", "qk_matmul_output_mode"} <= set(schema.attributes)
    assert "`True` indicates that the element should take part in attention" in schema.inputs[3].description
    for operator, opset, attribute, default in (
        ("Softmax", 13, "axis", -1),
        ("Softmax", 11, "axis", 1),
        ("LogSoftmax", 11, "axis", 1),
        ("LayerNormalization", 17, "axis", -1),
        ("ReduceSum", 13, "keepdims", 1),
        ("ArgMax", 13, "axis", 0),
        ("ArgMax", 13, "keepdims", 1),
        ("CumSum", 14, "exclusive", 0),
        ("CumSum", 14, "reverse", 0),
    ):
        assert onnx.defs.get_schema(operator, opset).attributes[attribute].default_value.i == default
    assert onnx.defs.get_schema("Gelu", 20).attributes["approximate"].default_value.s == b"none"
    for operator, opset, attribute, default in (
        ("LayerNormalization", 17, "epsilon", 1e-5),
        ("RMSNormalization", 23, "epsilon", 1e-5),
        ("BatchNormalization", 14, "momentum", 0.9),
        ("LeakyRelu", 6, "alpha", 0.01),
        ("Swish", 24, "alpha", 1.0),
    ):
        assert onnx.defs.get_schema(operator, opset).attributes[attribute].default_value.f == pytest.approx(default)
