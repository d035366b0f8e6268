"""opbook-torch passes the checks of the builtins, and hands on what PyTorch has no answer for, or another one."""

import os
import warnings

import numpy as np
import pytest
from ops.transformer_inputs import block, draw, head

pytest.importorskip("torch", reason="PyTorch is not installed; .ci/run installs its CPU build")

import opbook_torch
from opbook_torch import engine

from opbook import vjp
from opbook.autodiff import tree
from opbook.checks.verification import CHECKS, check_builtin
from opbook.errors import SettingsError
from opbook.plugins.catalogue import catalogue

pytestmark = pytest.mark.peer

RULES = {rule.builtin: rule for rule in opbook_torch.opbook_rules()}

COSTLY = {"threads", "layouts", "gradient dtypes"}
"""Checks that take seconds for the large ones; `opbook verify` runs them."""


@pytest.mark.parametrize("name", RULES)
def test_rules_pass_the_checks(name):
    rule = RULES[name]
    op = catalogue()[name].with_rules([rule])
    catalogue().load_samples()
    checks = [check for check in CHECKS.values() if check.name not in COSTLY or name == "layer_norm"]
    outcomes = list(check_builtin(op, checks, catalogue(), None, rule=rule.name))
    assert [f"{o.check}: {o.message}" for o in outcomes if o.status == "failed"] == []
    assert {"rule value", "rule gradient", "own memory"} <= {o.check for o in outcomes if o.status == "passed"}


def answer(name, *args, **kwargs):
    return RULES[name].function(*args, **kwargs)


NAN_IN_PADDING = np.array([[1.0, 2.0], [3.0, -1.0], [np.nan, 0.0]])
HEADS = (head(2, 2),)


@pytest.mark.parametrize(
    ("name", "args", "kwargs"),
    {
        "a constant row": ("layer_norm", (np.full((2, 5), 3.1), np.ones(5), np.ones(5)), {}),
        "a large mean": ("layer_norm", (draw(2, 5) + 1e6, np.ones(5), np.ones(5)), {}),
        "a square beyond float32": (
            "layer_norm",
            (1e30 * draw(2, 5).astype("f"), np.ones(5, "f"), np.ones(5, "f")),
            {},
        ),
        "tiny entries without eps": ("rms_norm", (1e-15 * draw(2, 5).astype("f"), np.ones(5, "f")), {"eps": 0.0}),
        "a tiny spread without eps": (
            "layer_norm",
            (1e-21 * draw(2, 5).astype("f"), np.ones(5, "f"), np.ones(5, "f")),
            {"eps": 0.0},
        ),
        "one column": ("rms_norm", (draw(3, 1), np.ones(1)), {}),
        "nothing but -inf": ("softmax", (np.full((2, 3), -np.inf),), {}),
        "an empty array": ("softmax", (np.zeros((0, 3)),), {}),
        "a huge entry": ("gelu", (np.array([1e20], "f"), "tanh"), {}),
        "a query of nothing": ("scaled_dot_product_attention", (*[draw(3, 2)] * 3, np.tri(3, k=-1, dtype=bool)), {}),
        "huge scores": ("scaled_dot_product_attention", (1e3 * draw(3, 2), 1e3 * draw(3, 2), draw(3, 2)), {}),
        "NaN in padding": ("multi_head_attention", (NAN_IN_PADDING, HEADS, 1), {"key_mask": np.arange(3) < 2}),
        "heads of two widths": ("multi_head_attention", (draw(3, 2), (head(2, 2), head(2, 3)), 2), {}),
        "no row counts": ("cross_entropy", (draw(2, 3), np.array([-1, -1])), {"ignore_index": -1}),
        "NaN where no row counts": (
            "cross_entropy",
            (np.array([[0.0, 1.0], [np.nan, 0.0]]), np.array([0, -1])),
            {"ignore_index": -1},
        ),
    }.values(),
)
def test_edges_are_handed_on(name, args, kwargs):
    assert answer(name, *args, **kwargs) is NotImplemented


@pytest.mark.parametrize("axes", [(), (2,), (2, 3)])
def test_a_block_is_one_graph_of_pytorch_and_agrees_with_the_definition(axes):
    op = catalogue()["transformer_block"]
    x, weights = draw(*axes, 5, 4), block(4, 2, 2, 6)
    for options in ({}, {"causal": True, "norm": "pre", "activation": "gelu-tanh"}, {"key_mask": np.arange(5) < 3}):
        value, pullback = answer("transformer_block", x, weights, **options)
        np.testing.assert_allclose(value, op.bind((x, weights), options).define(), rtol=1e-9, atol=1e-9)
        g = draw(*value.shape, seed=4)
        _, expected = vjp(op.with_rule("own"), x, weights, **options)
        for mine, theirs in zip(tree.leaves(pullback(g)[:2]), tree.leaves(expected(g)), strict=True):
            np.testing.assert_allclose(mine, theirs, rtol=1e-8, atol=1e-9)


def test_read_only_and_reversed_arrays_are_taken_without_a_warning():
    x = np.broadcast_to(draw(5), (3, 5))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for layout in (x, draw(3, 5)[::-1], draw(1, 5)[::-1]):
            assert answer("softmax", layout) is not NotImplemented


def test_a_user_who_records_nothing_still_gets_gradients():
    torch = engine.torch()
    with torch.inference_mode():
        value, pullback = answer("silu", draw(3))
    with torch.no_grad():
        (slope,) = pullback(np.ones(3))
    assert np.all(slope != 0)
    assert type(value) is np.ndarray


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_in_a_forked_process_other_rules_answer():
    assert answer("silu", draw(3)) is not NotImplemented
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of a process with several threads that is forked: that is what is tested
        child = os.fork()
    if not child:
        os._exit(0 if answer("silu", draw(3)) is NotImplemented else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_a_device_that_is_not_there_is_named(monkeypatch):
    engine.device.cache_clear()
    monkeypatch.setenv(engine.DEVICE, "moon")
    with pytest.raises(SettingsError, match="OPBOOK_TORCH_DEVICE is 'moon', which PyTorch can't compute on here"):
        answer("silu", draw(3))
    monkeypatch.undo()
    assert engine.device().type == "cpu"
