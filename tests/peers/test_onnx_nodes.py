"""The node tests that come with ONNX, on the ops that do what its operators do."""

import importlib
import warnings

import numpy as np
import pytest

from opbook import ops

onnx = pytest.importorskip("onnx", reason="ONNX is not installed: pip install onnx")

pytestmark = pytest.mark.peer

NODE_TESTS = "onnx.backend.test.case.node"


def rms_norm(x, scale, *, axis=-1, epsilon=1e-5, **_):
    kept, width = x.shape[: axis % x.ndim], x.shape[axis % x.ndim :]
    return ops.rms_norm(x.reshape(*kept, -1), np.broadcast_to(scale, width).ravel(), eps=epsilon).reshape(x.shape)


def batch_norm(x, scale, bias, mean, var, *, training_mode=0, momentum=0.9, epsilon=1e-5):
    options = {"training": bool(training_mode), "momentum": 1 - momentum, "eps": epsilon, "running": "biased"}
    found = ops.batch_norm(np.moveaxis(x, 1, -1), scale, bias, mean, var, **options)
    return np.moveaxis(found["y"], -1, 1), found["mean"], found["var"]


def dropout(x, ratio=0.5, training=False, *, seed=0, **_):
    """With the mask that ONNX's tests draw."""
    if not training:
        return ops.dropout(x, rate=float(ratio)), np.ones(x.shape, bool)
    keep = np.random.RandomState(seed).uniform(0, 1, x.shape) >= ratio
    return ops.dropout(x, keep, rate=float(ratio)), keep


def group_norm(x, scale, bias, *, num_groups=None, epsilon=1e-5, **_):
    places = x.reshape(*x.shape[:2], -1)
    return ops.group_norm(places, scale, bias, num_groups or x.shape[1], eps=epsilon).reshape(x.shape)


def linear(a, b, c=0.0, *, alpha=1.0, beta=1.0, transA=0, transB=0):
    a, b = a.T if transA else a, b.T if transB else b
    offset = np.float32(beta) * np.asarray(c)
    if offset.size == b.shape[1]:
        return ops.linear(np.float32(alpha) * a, b, offset.ravel())
    return ops.linear(np.float32(alpha) * a, b) + offset


def swiglu(a, b, *, alpha=1.0):
    """Between matrices that take the two halves apart and change nothing else."""
    one, no = np.eye(a.shape[-1], dtype=a.dtype), np.zeros((a.shape[-1],) * 2, a.dtype)
    halves = {"w_gate": np.vstack([one, no]), "w_up": np.vstack([no, one]), "w_down": np.hstack([one, no])}
    return ops.swiglu(np.concatenate([a, b], axis=-1), halves, beta=alpha)[..., : a.shape[-1]]


def reduction(op):
    def reduce(x, axes=(), *, keepdims=1, noop_with_empty_axes=0):
        return op(x, int(axes[0]) if len(axes) else None, keepdims=bool(keepdims))

    return reduce


def argmax(x, *, axis=0, keepdims=1, select_last_index=0):
    return ops.argmax(x, axis, keepdims=bool(keepdims), ties="last" if select_last_index else "first")


def cumsum(x, axis, *, exclusive=0, reverse=0):
    return ops.cumsum(x, int(axis), exclusive=bool(exclusive), reverse=bool(reverse))


def sides(x, auto_pad, pads):
    """The padding of an operator; and the axes to mirror before and after, where an odd place comes first."""
    if auto_pad == b"SAME_LOWER":
        return "same", tuple(range(2, x.ndim))
    half = len(pads) // 2
    assert pads[:half] == pads[half:]
    return ("same" if auto_pad == b"SAME_UPPER" else tuple(pads[:half]) or 0), ()


def convolution(x, w, b=None, *, strides=1, auto_pad=b"NOTSET", pads=(), **_):
    padding, mirrored = sides(x, auto_pad, pads)
    y = ops.conv2d(np.flip(x, mirrored), np.flip(w, mirrored), b, stride=strides, padding=padding)
    return np.flip(y, mirrored)


def pooling(op):
    def pool(x, *, kernel_shape, strides=None, auto_pad=b"NOTSET", pads=(), count_include_pad=0, **_):
        padding, mirrored = sides(x, auto_pad, pads)
        size, stride = kernel_shape, strides or [1] * len(kernel_shape)
        if len(size) == 1:  # a row is an image of height 1
            size, stride = [1, *size], [1, *stride]
        options = {"count_padding": bool(count_include_pad)} if op is ops.avg_pool else {}
        y = np.flip(op(np.flip(x, mirrored), size, stride=stride, padding=padding, **options), mirrored)
        return y.astype(x.dtype)  # whole numbers become floats here

    return pool


def over_the_image(op):
    return lambda x: op(x, x.shape[-2:])


NOT_OURS = {
    *("test_averagepool_2d_ceil", "test_averagepool_2d_ceil_last_window_starts_on_pad", "test_maxpool_2d_ceil"),
    "test_maxpool_2d_ceil_output_size_reduce_by_one",
    *("test_averagepool_2d_dilations", "test_maxpool_2d_dilations"),
    *("test_averagepool_3d_default", "test_averagepool_3d_dilations_small", "test_maxpool_3d_default"),
    *(f"test_maxpool_3d_dilations{what}" for what in ("", "_use_ref_impl", "_use_ref_impl_large")),
    *(
        f"test_averagepool_3d_dilations_large_count_include_pad_is_{counted}_ceil_mode_is_{ceil}"
        for counted in (0, 1)
        for ceil in (True, False)
    ),
}
"""Pooling with a number of windows that is rounded up, windows that are spread, and images of three axes."""

OURS = {
    "ArgMax": ("argmax", argmax),
    "AveragePool": ("averagepool", pooling(ops.avg_pool)),
    "BatchNormalization": ("batch_normalization", batch_norm),
    "Conv": ("conv", convolution),
    "CumSum": ("cumsum", cumsum),
    "Dropout": ("dropout", dropout),
    "Einsum": ("einsum", lambda *arrays, equation: ops.einsum(equation.decode(), arrays)),
    "Elu": ("elu", lambda x, **options: ops.elu(x, **options)),
    "Gemm": ("gemm", linear),
    "GlobalAveragePool": ("globalaveragepool", over_the_image(ops.avg_pool)),
    "GlobalMaxPool": ("globalmaxpool", over_the_image(ops.max_pool)),
    "GroupNormalization": ("groupnormalization", group_norm),
    "InstanceNormalization": ("instance_normalization", group_norm),
    "LeakyRelu": ("leakyrelu", lambda x, *, alpha=0.01: ops.leaky_relu(x, slope=alpha)),
    "MaxPool": ("maxpool", pooling(ops.max_pool)),
    "RMSNormalization": ("rmsnormalization", rms_norm),
    "ReduceL2": ("reducel2", reduction(ops.norm)),
    "ReduceLogSumExp": ("reduce_log_sum_exp", reduction(ops.logsumexp)),
    "SwiGLU": ("swiglu", swiglu),
    "Swish": ("swish", lambda x, *, alpha=1.0: ops.silu(x, beta=alpha)),
}
"""By operator the module of its tests, and what takes its inputs and attributes."""


def node_tests():
    """The tests of one node each; those in a dtype that NumPy has not are left out."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for module, _ in OURS.values():
            importlib.import_module(f"{NODE_TESTS}.{module}")
    cases = importlib.import_module(NODE_TESTS)._NodeTestCases
    of_one_node = [case for case in cases if len(case.model.graph.node) == 1 and not case.name.endswith("bfloat16")]
    ours = [case for case in of_one_node if case.model.graph.node[0].op_type in OURS]
    names = {case.name for case in ours}
    assert names >= NOT_OURS, NOT_OURS - names
    return [case for case in ours if case.name not in NOT_OURS]


@pytest.mark.parametrize("case", node_tests(), ids=lambda case: case.name)
def test_node(case):
    (node,), ((inputs, outputs),) = case.model.graph.node, case.data_sets
    attributes = {one.name: onnx.helper.get_attribute_value(one) for one in node.attribute}
    found = OURS[node.op_type][1](*inputs, **attributes)
    found = found if isinstance(found, tuple) else (found,)
    outputs = outputs[:1] if node.op_type == "MaxPool" else outputs  # its second one says where the entries stood
    for mine, theirs in zip(found[: len(outputs)], outputs, strict=True):
        tolerance = 2e-3 if theirs.dtype == np.float16 else 2e-6
        np.testing.assert_allclose(mine, theirs, rtol=tolerance, atol=tolerance)
        assert mine.shape == theirs.shape


def test_no_operator_is_without_its_tests():
    assert {case.model.graph.node[0].op_type for case in node_tests()} == set(OURS)
