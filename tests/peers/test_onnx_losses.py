"""ONNX's own node tests of cross-entropy, TopK, OneHot and Gather, as far as they say what our ops do."""

import importlib
import warnings
from typing import Any

import numpy as np
import pytest

from opbook import ops

pytest.importorskip("onnx", reason="ONNX is not installed: pip install onnx")

pytestmark = pytest.mark.peer


MODULES = ("gather", "negativeloglikelihoodloss", "onehot", "softmax_cross_entropy_loss", "topk")


@pytest.fixture(scope="module")
def tests() -> dict[str, list[Any]]:
    """By operator the name, attributes, inputs and outputs of each node test. ONNX makes all of 1500 if it is asked."""
    from onnx import helper
    from onnx.backend.test.case import node

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for module in MODULES:
            importlib.import_module(f"onnx.backend.test.case.node.{module}")
    found: dict[str, list[Any]] = {}
    for test in node._NodeTestCases:
        nodes = test.model.graph.node
        if len(nodes) == 1:
            options = {a.name: helper.get_attribute_value(a) for a in nodes[0].attribute}
            (inputs, outputs), *_ = test.data_sets
            found.setdefault(nodes[0].op_type, []).append((test.name, options, inputs, outputs))
    return found


def classes_last(x):
    return np.moveaxis(x, 1, -1)


def assert_close(name, mine, expected):
    np.testing.assert_allclose(mine, expected, rtol=1e-5, atol=1e-6, err_msg=name)


def test_cross_entropy(tests):
    cases = tests["SoftmaxCrossEntropyLoss"]
    assert len(cases) >= 30
    for name, options, (logits, targets, *weight), outputs in cases:
        mine = ops.cross_entropy(
            classes_last(logits),
            targets,
            ignore_index=options.get("ignore_index"),
            weight=weight[0] if weight else None,
            reduction=options.get("reduction", b"mean").decode(),
        )
        assert_close(name, mine, outputs[0])


def test_log_probabilities_are_logits_too(tests):
    """Scores that are log-probabilities already stay what they are: their exponentials add up to 1."""
    cases = tests["NegativeLogLikelihoodLoss"]
    assert len(cases) >= 18
    for name, options, (scores, targets, *weight), outputs in cases:
        scores = classes_last(scores)
        log_p = ops.log_softmax(scores)
        index, reduction = options.get("ignore_index"), options.get("reduction", b"mean").decode()
        counts = np.ones(targets.shape, bool) if index is None else targets != index
        w = weight[0] if weight else np.ones(scores.shape[-1])
        safe = np.where(counts, targets, 0)
        # what is taken off each row's scores comes off its loss, weighted as the loss is
        moved = (scores - log_p)[..., 0] * w[safe] * counts
        total = (w[safe] * counts).sum() if reduction == "mean" else 1.0
        off = moved if reduction == "none" else moved.sum() / total
        options = {"ignore_index": index, "weight": weight[0] if weight else None, "reduction": reduction}
        assert_close(name, ops.cross_entropy(scores, targets, **options) - off, outputs[0])


def test_top_k(tests):
    cases = [case for case in tests["TopK"] if case[1].get("sorted", 1)]
    assert len(cases) >= 6
    for name, options, (x, k), (values, indices) in cases:
        sign = 1.0 if options.get("largest", 1) else -1.0  # the smallest are the largest of -x
        mine = ops.top_k(sign * x, int(k[0]), options.get("axis", -1))
        assert_close(name, sign * mine["values"], values)
        np.testing.assert_array_equal(mine["indices"], indices, err_msg=name)


def test_one_hot(tests):
    checked = 0
    for name, options, (ids, depth, values), (expected,) in tests["OneHot"]:
        n = int(np.ravel(depth)[0])
        if (ids < 0).any() or (ids >= n).any():
            continue  # refused here
        off, on = values
        mine = np.moveaxis(ops.one_hot(ids, n), -1, options.get("axis", -1))
        assert_close(name, off + (on - off) * mine, expected)
        checked += 1
    assert checked >= 2


def test_embedding(tests):
    checked = 0
    for name, options, (data, indices), (expected,) in tests["Gather"]:
        if (indices < 0).any():
            continue  # refused here
        axis = options.get("axis", 0)
        front = np.moveaxis(data, axis, 0)
        rows = ops.embedding(front.reshape(len(front), -1), indices).reshape(*indices.shape, *front.shape[1:])
        places = list(range(axis, axis + indices.ndim))
        assert_close(name, np.moveaxis(rows, list(range(indices.ndim)), places), expected)
        checked += 1
    assert checked >= 2
