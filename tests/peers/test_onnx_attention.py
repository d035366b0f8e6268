"""The node tests of ONNX's Attention, on the book's ops.

Its heads may lie side by side in the rows, and its cache may be inside, as `past_key`, or outside, as keys that are
there in part. Two things are left out: bfloat16, which NumPy has not, and `qk_matmul_output` where it is the scores
before the softmax, as no op returns these.
"""

import importlib
import warnings

import numpy as np
import pytest

from opbook import ops

onnx = pytest.importorskip("onnx", reason="ONNX is not installed: pip install onnx")

pytestmark = pytest.mark.peer

NODE_TESTS = "onnx.backend.test.case.node"

AFTER_SOFTMAX = 3
"""The mode in which `qk_matmul_output` is the weights; in the others it is the scores."""


def attention(
    Q,
    K,
    V,
    attn_mask=None,
    past_key=None,
    past_value=None,
    nonpad_kv_seqlen=None,
    *,
    q_num_heads=None,
    kv_num_heads=None,
    is_causal=0,
    left_window_size=-1,
    right_window_size=-1,
    scale=None,
    softcap=0.0,
    qk_matmul_output_mode=0,
    softmax_precision=None,
):
    """All outputs that are asked for, by name."""
    q, k, v = in_heads(Q, q_num_heads), in_heads(K, kv_num_heads), in_heads(V, kv_num_heads)
    cache = ops.append_to_cache(None if past_key is None else {"k": past_key, "v": past_value}, k, v)
    k, v = cache["k"], cache["v"]
    n, n_keys = q.shape[-2], k.shape[-2]
    offsets = [0] if past_key is None else [past_key.shape[-2]]
    filled = np.full(1, n_keys) if nonpad_kv_seqlen is None else nonpad_kv_seqlen
    if nonpad_kv_seqlen is not None:
        offsets = filled - n
    right = 0 if is_causal else right_window_size
    mask = np.stack([rows_from(offset, n, n_keys, left_window_size, right) for offset in offsets])[:, None]
    mask = mask & (np.arange(n_keys) < filled[:, None])[:, None, None]
    options = {"scale": scale, "softcap": softcap or None}
    if attn_mask is not None:
        given = attn_mask.reshape((1,) * (4 - attn_mask.ndim) + attn_mask.shape)
        is_bool = given.dtype == bool
        missing = [(0, 0)] * 3 + [(0, n_keys - given.shape[-1])]
        given = np.pad(given, missing, constant_values=False if is_bool else -np.inf)
        mask, options["bias"] = (mask & given, None) if is_bool else (mask, given)
    found = {"Y": ops.grouped_query_attention(q, k, v, mask, **options)}
    if q_num_heads is not None:
        found["Y"] = np.swapaxes(found["Y"], -3, -2).reshape(*Q.shape[:-1], -1)
    found |= {"present_key": k, "present_value": v}
    if qk_matmul_output_mode == AFTER_SOFTMAX:
        repeated = np.repeat(k, q.shape[-3] // k.shape[-3], axis=-3)
        found["qk_matmul_output"] = ops.attention_weights(q, repeated, mask, **options)
    return found


def in_heads(x, n_heads):
    """Rows that hold the heads side by side, with an axis for the heads; others as they are."""
    return x if n_heads is None else np.swapaxes(x.reshape(*x.shape[:-1], n_heads, -1), -3, -2)


def rows_from(offset, n, n_keys, left, right):
    """The mask of n queries, of which the first stands at key `offset`, which may be before the first key."""
    after, before = max(offset, 0), max(-offset, 0)
    counts = after + n, before + n_keys
    return ops.sliding_window_mask(*counts, left=left, right=right, align="upper-left")[after:, before:]


def node_tests():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        importlib.import_module(f"{NODE_TESTS}.attention")
    cases = importlib.import_module(NODE_TESTS)._NodeTestCases
    return [case for case in cases if [node.op_type for node in case.model.graph.node] == ["Attention"]]


@pytest.mark.parametrize("case", node_tests(), ids=lambda case: case.name)
def test_node(case):
    (node,), ((inputs, outputs),) = case.model.graph.node, case.data_sets
    if any(array.dtype.name == "bfloat16" for array in inputs):
        pytest.skip("NumPy has no bfloat16")
    given = dict(zip((name for name in node.input if name), inputs, strict=True))
    attributes = {one.name: onnx.helper.get_attribute_value(one) for one in node.attribute}
    found = attention(**given, **attributes)
    expected = dict(zip((name for name in node.output if name), outputs, strict=True))
    if attributes.get("qk_matmul_output_mode", 0) != AFTER_SOFTMAX:
        expected.pop("qk_matmul_output", None)
    for name, theirs in expected.items():
        tolerance = 2e-3 if theirs.dtype == np.float16 else 2e-6
        np.testing.assert_allclose(found[name], theirs, rtol=tolerance, atol=tolerance, err_msg=name)
        assert found[name].shape == theirs.shape


def test_nearly_all_of_them_are_run():
    assert len([case for case in node_tests() if not case.name.endswith("bf16")]) >= 88
