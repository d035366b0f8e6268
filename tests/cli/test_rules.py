"""What the commands say of other plugins' rules."""

import json
import re

import pytest

RULES = """
from opbook import Rule, hookimpl
from opbook_layer_norm import layer_norm

FACTOR = 1.0

def matrices(x, gamma, beta, *, eps=1e-5):
    if x.ndim != 2:
        return NotImplemented
    value, pullback = layer_norm.own_rule(x, gamma, beta, eps=eps)
    return value, lambda g: (FACTOR * pullback(g)[0], *pullback(g)[1:])

@hookimpl
def opbook_rules():
    return [Rule("layer_norm", "matrices", matrices, priority=5)]
"""


@pytest.fixture(autouse=True)
def no_accelerators(own_catalogue, monkeypatch):
    monkeypatch.setenv("OPBOOK_DISABLE", "fast")


@pytest.fixture
def rules(tmp_path, monkeypatch):
    monkeypatch.delenv("OPBOOK_RULES", raising=False)
    path = tmp_path / "fast_rows.py"
    path.write_text(RULES, encoding="utf-8")
    return path


def test_show_and_plugins_say_which_is_asked(opbook, rules, monkeypatch):
    shown = opbook("show", "layer_norm", "--plugin", rules).stdout
    assert "Accelerators: matrices of plugin fast_rows, one file" in shown
    assert "A call tries `matrices`, and the builtin's own rule last." in shown
    assert "rules  layer_norm [matrices] (tried first)" in opbook("plugins", "--plugin", rules).stdout
    monkeypatch.setattr("opbook.plugins.catalogue._default", None)
    monkeypatch.setenv("OPBOOK_RULES", "layer_norm=own")
    shown = opbook("show", "layer_norm", "--plugin", rules).stdout
    assert "`matrices` is not used here." in shown
    assert "rules  layer_norm [matrices] (not used)" in opbook("plugins", "--plugin", rules).stdout
    entry = json.loads(opbook("show", "layer_norm", "--json", "--plugin", rules).stdout)
    assert [(rule["name"], rule["asked"]) for rule in entry["rules"]] == [("matrices", False)]


def test_show_says_nothing_of_rules_where_there_is_one(opbook):
    assert "Rules\n" not in opbook("show", "layer_norm").stdout


def test_verify_holds_every_rule_to_the_definition(opbook, rules):
    result = opbook("verify", "layer_norm", "--check", "rule gradient", "--plugin", rules)
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert re.match(r"rule gradient     passed +\d+ inputs", lines[0])
    assert lines[1] == "layer_norm [matrices]"
    assert re.match(r"rule gradient     passed +\d+ inputs", lines[2])
    assert lines[-1].startswith("1 builtin, 1 rule of other plugins: 2 passed, 0 failed")


def test_verify_of_one_rule_refutes_a_wrong_one(opbook, rules):
    rules.write_text(RULES.replace("FACTOR = 1.0", "FACTOR = 1.01"), encoding="utf-8")
    options = ("--check", "rule gradient", "--plugin", rules, "--json")
    result = opbook("verify", "--rule", "matrices", *options)
    assert result.exit_code == 1
    (found,) = json.loads(result.stdout)
    assert (found["builtin"], found["rule"], found["status"]) == ("layer_norm", "matrices", "failed")
    (own,) = json.loads(opbook("verify", "layer_norm", "--rule", "own", *options).stdout)
    assert (own["rule"], own["status"]) == ("own", "passed")


def test_verify_names_the_nearest_rule(opbook, rules):
    result = opbook("verify", "layer_norm", "--rule", "matrixes", "--plugin", rules)
    assert result.exit_code == 2
    assert "no rule 'matrixes' of layer_norm. Did you mean matrices? The rules are matrices, own" in result.stderr


def test_a_rule_that_fits_nothing_stops_the_command_that_names_its_plugin(opbook, rules, monkeypatch):
    rules.write_text(RULES.replace("eps=1e-5):", "eps=1e-6):"), encoding="utf-8")
    result = opbook("verify", "layer_norm", "--plugin", rules)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "the rule's default of eps is 1e-06, but must be the definition's, 1e-05" in result.stderr
    monkeypatch.setattr("opbook.plugins.catalogue._default", None)
    monkeypatch.setenv("OPBOOK_PLUGINS", str(rules))
    result = opbook("verify", "layer_norm", "--check", "rule value")
    assert result.exit_code == 0
    assert "its rule layer_norm [matrices] is not used" in result.stderr


def test_a_tie_stops_what_asks_for_the_builtin_and_says_how_to_choose(opbook, rules, tmp_path, monkeypatch):
    other = tmp_path / "other_rows.py"
    other.write_text(RULES.replace('"matrices"', '"rows"'), encoding="utf-8")
    options = ("--plugin", rules, "--plugin", other)
    result = opbook("eval", "layer_norm([1, 2], [1, 1], [0, 0])", *options)
    assert result.exit_code == 2
    advice = "OPBOOK_RULES=layer_norm=matrices or OPBOOK_RULES=layer_norm=rows"
    assert advice in result.stderr
    monkeypatch.setattr("opbook.plugins.catalogue._default", None)
    monkeypatch.setenv("OPBOOK_RULES", "layer_norm=rows")
    result = opbook("eval", "layer_norm([1, 2], [1, 1], [0, 0])", *options)
    assert (result.exit_code, result.stderr) == (0, "")
