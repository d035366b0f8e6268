"""The accelerators pass the checks of their builtins; what they were not written for is left to the own rules."""

import importlib
import importlib.util
import threading
import warnings

import numpy as np
import opbook_fast
import pytest
import threadpoolctl
from opbook_fast import activations, attention, blas, compiled, convolution, heads, layer_norm, losses
from opbook_fast import block as blocks
from ops.transformer_inputs import block, draw, head

from opbook import vjp
from opbook.autodiff import tree
from opbook.checks.verification import CHECKS, check_builtin
from opbook.plugins.catalogue import catalogue

RULES = {str(rule): rule for rule in opbook_fast.opbook_rules()}


def ruled(*rules):
    """A builtin that asks some rules first."""
    op = catalogue()[rules[0].builtin].with_rules(rules)
    op.use_rules(op.rules, [rule.name for rule in rules])
    return op


@pytest.mark.parametrize("name", RULES)
def test_rules_pass_every_check_at_every_size(name, monkeypatch):
    for module in (activations, attention, compiled, convolution, layer_norm, losses):
        monkeypatch.setattr(module, "TAKEN_FROM", 1)
    rule = RULES[name]
    op = catalogue()[rule.builtin].with_rules([rule])
    catalogue().load_samples()
    outcomes = list(check_builtin(op, CHECKS.values(), catalogue(), None, rule=rule.name))
    assert [f"{o.check}: {o.message}" for o in outcomes if o.status == "failed"] == []
    assert {"rule value", "rule gradient", "threads"} <= {o.check for o in outcomes if o.status == "passed"}


def test_where_numba_is_not_installed_no_compiled_rule_is_offered(monkeypatch):
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *a: None if name == "numba" else find(name, *a))
    assert {rule.name for rule in opbook_fast.opbook_rules()} == {"numpy"}


def test_small_calls_are_left_to_the_own_rules():
    x, ones = draw(4, 3), np.ones(3)
    assert layer_norm.layer_norm(x, ones, ones) is NotImplemented
    assert convolution.conv2d(draw(3, 5, 6), draw(4, 3, 2, 2)) is NotImplemented
    assert attention.attention(x, x, x) is NotImplemented


@pytest.mark.parametrize("activation", ["relu", "gelu", "gelu-tanh", "silu"])
def test_blocks_of_any_activation_and_heads_with_biases_are_taken(activation):
    x, weights = draw(2, 5, 6), block(6, 3, n_heads=2, inner=7)
    wide, narrow = head(6, 3), head(6, 2, seed=1)
    weights |= {"heads": ({**wide, "bq": draw(3), "bk": draw(3), "bv": draw(3)}, {**narrow, "bv": draw(2)})}
    weights["bo"] = draw(6)
    assert heads.packed_heads(x, weights["heads"], 2) is not NotImplemented
    assert blocks.block(x, weights, activation=activation) is not NotImplemented
    fast = ruled(opbook_fast.Rule("transformer_block", "numpy", blocks.block))
    own = catalogue()["transformer_block"].with_rule("own")
    (value, pull), (due, pull_due) = (vjp(op, x, weights, activation=activation, causal=True) for op in (fast, own))
    g = draw(2, 5, 6)
    for got, wanted in zip(tree.leaves([value, pull(g)]), tree.leaves([due, pull_due(g)]), strict=True):
        if wanted is not None:
            np.testing.assert_allclose(got, wanted, rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    "rows",
    [draw(400, 100) + 1e3, np.ones((400, 100)), 1e200 * draw(400, 100), np.full((400, 100), np.nan)],
    ids=["far from 0", "constant", "squares too large", "NaN"],
)
def test_rows_that_would_lose_digits_are_left_to_the_own_rule(rows):
    assert layer_norm.layer_norm(rows, np.ones(100), np.ones(100)) is NotImplemented


def test_a_broken_numba_is_named_once_and_other_rules_take_its_place(monkeypatch):
    def broken(name):
        raise ImportError("Numba needs another NumPy")

    compiled.loops.cache_clear()
    monkeypatch.setattr(importlib, "import_module", broken)
    op = ruled(opbook_fast.Rule("gelu", "numba", compiled.gelu))
    x = draw(300, 200)
    with pytest.warns(RuntimeWarning, match=r"Numba needs another NumPy.*pip install") as told:
        value = op(x)
    assert len(told) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_array_equal(op(x), value)
    np.testing.assert_allclose(value, op.definition(x), rtol=1e-12, atol=1e-12)
    compiled.loops.cache_clear()


def calls(dtype):
    """Calls of sizes that BLAS would share among threads, below and above those of tiles."""
    for shape in ((2, 384, 64), (100, 64), (333, 17), (3, 200, 16)):
        length = shape[-2]
        padding = {"key_mask": np.arange(length) < length - length // 4}
        for options in ({}, {"causal": True}, padding):
            yield "scaled_dot_product_attention", [draw(*shape, seed=i) for i in range(3)], options
    yield "layer_norm", [draw(613, 345), draw(345), draw(345)], {}
    yield "multi_head_attention", [draw(2, 130, 48), tuple(head(48, 12, seed=i) for i in range(4)), 4], {"causal": True}
    yield "transformer_block", [draw(150, 64), block(64, 16, n_heads=3, inner=128)], {}
    yield "transformer_block", [draw(8, 40, 64), block(64, 16, n_heads=3, inner=1024)], {"norm": "pre"}  # in two parts


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_many_threads_get_the_bits_that_one_gets_alone(dtype):
    def bits(call):
        name, args, options = call
        args = tree.map(lambda leaf: leaf.astype(dtype) if isinstance(leaf, np.ndarray) else leaf, args)
        numpy_rule = RULES[f"{name} [numpy]"]
        value, pullback = vjp(lambda *a: ruled(numpy_rule)(*a, **options), *args)
        g = draw(*value.shape, seed=9).astype(dtype)
        return [leaf.tobytes() for leaf in tree.leaves([value, pullback(g)]) if isinstance(leaf, np.ndarray)]

    def threads_of_blas():
        return [library["num_threads"] for library in threadpoolctl.threadpool_info()]

    every = list(calls(dtype))
    alone, before = [bits(call) for call in every], threads_of_blas()
    wrong, start = [], threading.Barrier(8, timeout=60)

    def run(first):
        start.wait()
        for i in [*range(first, len(every)), *range(first)]:
            if bits(every[i]) != alone[i]:
                wrong.append(every[i][0])

    threads = [threading.Thread(target=run, args=(2 * i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert threads_of_blas() == before
    for library in blas.libraries():  # nor do they depend on how many threads BLAS has
        library.set_threads(1)
    try:
        assert [bits(call) for call in every] == alone
    finally:
        for library, number in zip(blas.libraries(), before, strict=False):
            library.set_threads(number)
