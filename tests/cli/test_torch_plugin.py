"""opbook-torch where PyTorch is missing or broken: the plugin says so, and the book goes on without it."""

import importlib.util
import sys

import numpy as np
import opbook_torch
import pytest
from opbook_torch import engine, norms

from opbook import ops
from opbook.errors import MissingPackageError


@pytest.fixture(autouse=True)
def no_torch(monkeypatch):
    engine.torch.cache_clear()
    monkeypatch.setitem(sys.modules, "torch", None)  # every import of it fails, and nobody finds it
    yield
    engine.torch.cache_clear()


def test_the_plugin_says_what_is_missing():
    with pytest.raises(MissingPackageError, match="opbook-torch needs PyTorch, which is not installed"):
        opbook_torch.opbook_rules()


def test_opbook_plugins_says_it_and_the_others_work(opbook, tmp_path, monkeypatch):
    plugin = tmp_path / "torch_engine.py"
    plugin.write_text("from opbook_torch import opbook_rules\n", encoding="utf-8")
    monkeypatch.setenv("OPBOOK_PLUGINS", str(plugin))
    listed = opbook("plugins")
    assert "torch_engine: failed" in listed.stdout
    assert "opbook-torch needs PyTorch, which is not installed. Install it with" in " ".join(listed.stdout.split())
    called = opbook("eval", "softmax([0, 0])")
    assert (called.exit_code, called.stdout) == (0, "[0.5, 0.5]\n")
    assert "plugins says why" in called.stderr


def test_a_pytorch_that_cannot_be_imported_is_told_once_and_hands_on():
    with pytest.warns(RuntimeWarning, match="rules of opbook-torch are not used, as PyTorch can't be imported"):
        assert norms.layer_norm(np.ones((2, 3)), np.ones(3), np.ones(3)) is NotImplemented
    assert norms.layer_norm(np.ones((2, 3)), np.ones(3), np.ones(3)) is NotImplemented


def test_its_rules_have_the_signatures_of_the_builtins(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: object())
    rules = opbook_torch.opbook_rules()
    assert len(rules) > 10
    assert [reason for rule in rules if (reason := getattr(ops, rule.builtin).misfit(rule))] == []
