"""Other plugins' rules for a builtin: which is asked, that value and gradient come from one, and what is refused."""

import os

import numpy as np
import pytest

from opbook import Rule, builtin, grad, vjp
from opbook.builtins.annotations import Array
from opbook.errors import DeclarationError, PluginError
from opbook.plugins import catalogue
from opbook.plugins.catalogue import load
from opbook.testing import check, parametrize_with_checks

OWNER = '''
import numpy as np
from opbook import Array, builtin, hookimpl

@builtin(category="Tests")
def twice(x: Array["..."], *, by: float = 2.0) -> Array["..."]:
    """Doubles x.

    Args:
        x: Numbers.
        by: A factor.

    Returns:
        Numbers.

    Source:
        None.
    """
    return by * x

@builtin(category="Tests")
def four_times(x: Array["..."]) -> Array["..."]:
    """Doubles x twice."""
    return twice(twice(x))

@four_times.defvjp
def _(x):
    first, pull_first = twice.rule(x)
    second, pull_second = twice.rule(first)
    return second, lambda g: pull_first(pull_second(g)[0])

CALLS = []

RULE

@hookimpl
def opbook_builtins():
    return [twice, four_times]
'''

OWN = """
@twice.defvjp
def _(x, *, by=2.0):
    CALLS.append("own")
    return by * x, lambda g: (by * g,)
"""

FAST = """
from opbook import Rule, hookimpl
CALLS = []

def NAME(x, *, by=2.0):
    CALLS.append("NAME")
    if x.ndim != 1:
        return NotImplemented
    return x * by, lambda g: (g * by,)

@hookimpl
def opbook_rules():
    return [Rule("twice", "NAME", NAME, PRIORITY)]
"""


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Writes one-file plugins and loads them, with nothing that happens to be installed."""
    monkeypatch.setattr("opbook.plugins.discovery.installed", lambda: [])
    for name in ("OPBOOK_PLUGINS", "OPBOOK_DISABLE", "OPBOOK_STRICT", "OPBOOK_RULES"):
        monkeypatch.delenv(name, raising=False)

    def write(own=OWN, **others):
        paths = [tmp_path / "owner.py"]
        paths[0].write_text(OWNER.replace("RULE", own), encoding="utf-8")
        for name, code in others.items():
            paths.append(tmp_path / f"{name}.py")
            paths[-1].write_text(code, encoding="utf-8")
        return paths

    return write


def fast(name="fast", priority=10):
    return FAST.replace("NAME", name).replace("PRIORITY", str(priority))


def calls(op):
    """The lists that the rules write their names into when they are asked."""
    names = []
    for rule in (op.own_rule, *(rule.function for rule in op.rules)):
        if rule is not None:
            names += rule.__globals__["CALLS"]
            rule.__globals__["CALLS"].clear()
    return names


def test_the_highest_priority_is_asked_first_and_the_own_rule_last(files):
    twice = load(files(fast=fast(), faster=fast("faster", 20)))["twice"]
    assert twice.asked == ("faster", "fast", "own")
    assert twice([1.0, 2.0]).tolist() == [2, 4]
    assert calls(twice) == ["faster"]
    assert twice([[1.0, 2.0]]).tolist() == [[2, 4]]
    assert sorted(calls(twice)) == ["fast", "faster", "own"]


@pytest.mark.parametrize("x", [np.array([0.1, 0.7]), np.array([[0.1, 0.7]])])
def test_value_and_gradient_of_one_call_come_from_one_rule(files, x):
    twice = load(files(fast=fast()))["twice"]
    rule = ["fast"] if x.ndim == 1 else ["own", "fast"]
    value, pullback = vjp(twice, x, by=3.0)
    assert calls(twice) == rule
    assert value.tobytes() == twice(x, by=3.0).tobytes()
    assert pullback(np.ones(x.shape))[0].tolist() == np.full(x.shape, 3).tolist()
    calls(twice)
    assert grad(lambda x: (twice(x) * x).sum())(x).tolist() == (4 * x).tolist()
    assert calls(twice) == rule


def test_another_ops_rule_uses_what_the_process_has(files, own_process, monkeypatch):
    paths = files(fast=fast())
    beside = load(paths)
    assert beside["four_times"]([1.0]).tolist() == [4]
    assert calls(beside["twice"]) == ["own", "own"]  # another catalogue's rules are its own business
    monkeypatch.setenv("OPBOOK_PLUGINS", os.pathsep.join(map(str, paths)))
    of_process = catalogue.catalogue()
    assert of_process["four_times"]([1.0]).tolist() == [4]
    assert calls(of_process["twice"]) == ["fast", "fast"]


def test_a_builtin_without_a_rule_falls_back_on_its_definition(files):
    twice = load(files(own="", fast=fast()))["twice"]
    assert twice.rule is None
    value, pullback = vjp(twice, np.ones((2, 2)), by=3.0)
    assert (value.tolist(), pullback(np.ones((2, 2)))[0].tolist()) == ([[3, 3], [3, 3]], [[3, 3], [3, 3]])
    assert grad(lambda x: twice(x).sum())(np.ones((1, 2))).tolist() == [[2, 2]]
    assert set(calls(twice)) == {"fast"}


def test_a_choice_by_name_leaves_the_others_out(files, monkeypatch):
    paths = files(fast=fast(), faster=fast("faster", 20))
    monkeypatch.setenv("OPBOOK_RULES", "twice=fast")
    assert load(paths)["twice"].asked == ("fast", "own")
    monkeypatch.setenv("OPBOOK_RULES", "twice = own")
    twice = load(paths)["twice"]
    assert twice([1.0]).tolist() == [2]
    assert calls(twice) == ["own"]
    assert twice.rule is twice.own_rule  # nothing in between


def test_another_catalogue_changes_nothing_that_is_there(files, monkeypatch):
    paths = files(fast=fast())
    with_rule = load(paths)["twice"]
    monkeypatch.setenv("OPBOOK_RULES", "twice=own")
    assert load(paths)["twice"].asked == ("own",)
    assert with_rule.asked == ("fast", "own")
    assert with_rule([1.0]).tolist() == [2]
    assert calls(with_rule) == ["fast"]


def test_two_of_the_same_priority_are_an_error_that_names_both(files, monkeypatch):
    paths = files(a=fast("a_rule"), b=fast("b_rule"))
    messages = set()
    for order in (paths, paths[::-1]):
        loaded = load(order)
        assert "twice" not in loaded
        assert "four_times" in loaded
        with pytest.raises(
            PluginError, match=r"two rules of twice have priority 10: a_rule of .*a\.py and b_rule"
        ) as e:
            loaded["twice"]
        messages.add(str(e.value))
        assert loaded.conflicts() == [str(e.value)]
    assert len(messages) == 1
    (message,) = messages
    assert "Choose with OPBOOK_RULES=twice=a_rule or OPBOOK_RULES=twice=b_rule. " in message
    assert 'rules = {twice = "a_rule"} under [tool.opbook] in pyproject.toml' in message
    monkeypatch.setenv("OPBOOK_STRICT", "1")
    with pytest.raises(PluginError, match="two rules of twice"):
        load(paths)
    monkeypatch.setenv("OPBOOK_RULES", "twice=b_rule")
    assert load(paths)["twice"].asked == ("b_rule", "own")


def test_two_of_the_same_name_are_an_error_that_names_both(files, monkeypatch):
    paths = files(a=fast(), b=fast(priority=20))
    (message,) = load(paths).conflicts()
    assert message.startswith("2 rules have the same name: twice [fast] of ")
    assert message.endswith("leave a plugin out with OPBOOK_DISABLE=a or OPBOOK_DISABLE=b")
    monkeypatch.setenv("OPBOOK_DISABLE", "a")
    assert load(paths)["twice"].asked == ("fast", "own")


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (fast().replace('Rule("twice"', 'Rule("twize"'), ["there is no builtin twize. Did you mean twice?"]),
        (fast().replace("(x, *, by=2.0)", "(x)"), ["parameters (x) must be the definition's (x, by)"]),
        (fast().replace("by=2.0", "by=3.0"), ["default of by is 3.0, but must be the definition's, 2.0"]),
    ],
)
def test_a_rule_that_fits_nothing_is_refused_and_the_rest_goes_on(files, monkeypatch, code, words):
    paths = files(bad=code)
    loaded = load(paths)
    assert loaded["twice"].asked == ("own",)
    (message,) = loaded.conflicts()
    for word in (*words, str(paths[1]), "OPBOOK_DISABLE=bad"):
        assert word in message
    monkeypatch.setenv("OPBOOK_STRICT", "1")
    with pytest.raises(PluginError, match="is not used"):
        load(paths)


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (fast().replace('"fast", fast', '"own", fast'), "own is what a builtin's own rule is called"),
        (fast().replace('"fast", fast', '"fast", 3'), "function must be a function, but is 3"),
        (fast().replace(", 10)", ", None)"), "priority must be a number, but is None"),
        (fast().replace('Rule("twice", "fast", fast, 10)', "fast"), "no rule; write Rule(builtin=..."),
        (fast().replace('[Rule("twice", "fast", fast, 10)]', "Rule"), "must return a list of rules, but returned type"),
        (fast().replace('Rule("twice", "fast", fast, 10)', "Rule"), "a class, where an instance is expected"),
        (fast().replace("opbook_rules", "opbook_rule"), "Did you mean opbook_rules or"),
    ],
)
def test_what_is_no_rule_fails_its_plugin(files, code, words):
    loaded = load(files(bad=code))
    (info,) = [plugin for plugin in loaded.plugins if plugin.state == "failed"]
    assert words in info.error
    assert (info.contributes["rules"], list(loaded)) == ([], ["four_times", "twice"])


def test_a_choice_of_what_is_not_there_names_the_nearest(files, monkeypatch):
    paths = files(fast=fast())
    monkeypatch.setenv("OPBOOK_RULES", "twice=fats,twize=own")
    loaded = load(paths)
    with pytest.raises(PluginError, match=r"rule fats of twice, .* Did you mean fast\? It has fast and own"):
        loaded["twice"]
    assert "there is no such builtin. Did you mean twice?" in loaded.conflicts()[1]


# Three times.
@builtin(category="Tests")
def thrice(x: Array["..."]) -> Array["..."]:
    """Adds x to itself twice.

    Args:
        x: Numbers.

    Returns:
        Numbers.

    Source:
        None.
    """
    return x + x + x


def right(x):
    return (3 * x, lambda g: (3 * g,)) if x.ndim == 1 else NotImplemented


def wrong(x):
    return 3 * x, lambda g: (3.03 * g,)


def test_check_takes_rules_that_nobody_has_registered():
    outcomes = check(thrice, rules=[Rule("thrice", "right", right)])
    ran = {outcome.check: outcome for outcome in outcomes if outcome.rule == "right"}
    assert ran["rule value"].label == "thrice [right]"
    assert ran["rule value"].message.endswith("are left to the next rule")
    assert 0 < ran["rule value"].inputs < next(o for o in outcomes if o.check == "definition").inputs
    assert "differences" not in ran
    assert thrice.rules == ()
    with pytest.raises(AssertionError, match=r"rule gradient \[wrong\]: gradient of argument 1 \(x\)"):
        check(thrice, rules=[Rule("thrice", "right", right), Rule("thrice", "wrong", wrong)])
    with pytest.raises(DeclarationError, match=r"a rule for other, not for thrice"):
        check(thrice, rules=[Rule("other", "right", right)])


def test_every_rule_is_a_test_of_its_own(monkeypatch):
    monkeypatch.setattr(catalogue, "_default", catalogue.Catalogue([], []))
    both = thrice.with_rules([Rule("thrice", "right", right)])
    (mark,) = parametrize_with_checks([both]).pytestmark
    ids = [case.id for case in mark.args[1]]
    assert "thrice-rule value" in ids
    assert "thrice [right]-rule value" in ids
    assert "thrice [right]-differences" not in ids
