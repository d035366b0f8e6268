"""`opbook time` says which plugin's rule a call uses."""

import re

import pytest

RULES = """
from opbook import Rule, hookimpl

def no_row_of_three(x, axis=-1):
    if x.shape[-1] == 3:
        return NotImplemented
    return x * 0 + 1 / x.shape[-1], lambda g: (g * 0, None)

@hookimpl
def opbook_rules():
    return [Rule("softmax", "even", no_row_of_three, priority=50)]
"""


@pytest.fixture
def rules(tmp_path, monkeypatch):
    monkeypatch.setenv("OPBOOK_DISABLE", "torch")
    path = tmp_path / "even.py"
    path.write_text(RULES, encoding="utf-8")
    return path


def test_each_rule_has_its_time_and_the_first_that_takes_the_call_is_used(opbook, rules):
    heading, *lines = opbook("time", "softmax([1, 2])", "--plugin", rules).stdout.splitlines()
    assert heading == "softmax  float64 (2,)"
    assert re.fullmatch(r"  even of even\s+[\d.]+ ms  used", lines[0])
    assert re.fullmatch(r"  own of activations\s+[\d.]+ ms", lines[1])


def test_a_rule_that_does_not_take_the_call_is_named(opbook, rules):
    lines = opbook("time", "softmax([1, 2]); softmax([1, 2, 3])", "--plugin", rules).stdout.splitlines()
    assert lines[0] == "softmax  float64 (3,)"
    assert re.fullmatch(r"  even of even\s+does not take this call", lines[1])
    assert lines[2].endswith(" ms  used")


def test_a_program_without_such_a_call_is_refused(opbook, rules):
    refused = opbook("time", "1 + 1", "--plugin", rules)
    assert refused.exit_code == 2
    assert refused.stderr == "opbook: nothing to time: no builtin that the program calls has a rule of another plugin\n"
