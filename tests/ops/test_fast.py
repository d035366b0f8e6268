"""The accelerator: its rules pass the checks of the builtins, and without Numba the own rules take their place."""

import importlib
import warnings

import numpy as np
import opbook_fast
import pytest
from ops.transformer_inputs import draw

from opbook.checks.verification import CHECKS, check_builtin
from opbook.plugins.catalogue import catalogue

RULES = {rule.builtin: rule for rule in opbook_fast.opbook_rules()}


@pytest.mark.parametrize("name", RULES)
def test_rules_pass_every_check(name, monkeypatch):
    pytest.importorskip("numba", reason="Numba is not installed; python -m pip install numba")
    monkeypatch.setattr(opbook_fast, "TAKEN_FROM", 1)
    op = catalogue()[name].with_rules([RULES[name]])
    outcomes = list(check_builtin(op, CHECKS.values(), catalogue(), None, rule="numba"))
    assert [f"{o.check}: {o.message}" for o in outcomes if o.status == "failed"] == []
    assert {"rule value", "rule gradient", "threads"} <= {o.check for o in outcomes if o.status == "passed"}


def test_small_arrays_are_left_to_the_own_rules():
    assert RULES["layer_norm"].function(draw(4, 3), np.ones(3), np.zeros(3)) is NotImplemented
    assert RULES["gelu"].function(draw(4, 3)) is NotImplemented


def test_a_broken_numba_is_named_once_and_the_own_rules_take_its_place(monkeypatch):
    def broken(name):
        raise ImportError("Numba needs another NumPy")

    opbook_fast.compiled.cache_clear()
    monkeypatch.setattr(importlib, "import_module", broken)
    op = catalogue()["gelu"].with_rules([RULES["gelu"]])
    op.use_rules(op.rules, ["numba"])
    x = draw(300, 200)
    with pytest.warns(RuntimeWarning, match=r"Numba needs another NumPy.*pip install") as told:
        value = op(x)
    assert len(told) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_array_equal(op(x), value)
    np.testing.assert_allclose(value, op.definition(x), rtol=1e-12, atol=1e-12)
    opbook_fast.compiled.cache_clear()
