"""Properties that plugins state of builtins, as checks."""

import json

import numpy as np
import pytest
from one_file_plugin import TWICE

from opbook import Array, Property, Rule, builtin, ops
from opbook.errors import PluginError, UnknownBuiltinError
from opbook.plugins.catalogue import catalogue, load
from opbook.testing import check, parametrize_with_checks

PLUGIN = (
    TWICE
    + """
from opbook import Property

@hookimpl
def opbook_properties():
    return [Property("twice", "halves", "Half of it is x.", lambda op, x: (op(x) / 2, x))]
"""
)


WEIGHTS = ("wq", "wk", "wv", "wo")


@builtin(category="Tests")
def half(x: Array["..."]) -> Array["..."]:
    """Halves x."""
    return x / 2


def sums(op, x):
    return op(x) + op(x), x


@pytest.fixture
def plugin(tmp_path, monkeypatch):
    monkeypatch.setattr("opbook.plugins.discovery.installed", lambda: [])

    def write(code):
        path = tmp_path / "stated.py"
        path.write_text(code, encoding="utf-8")
        return path

    return write


def test_one_that_holds_and_one_that_does_not():
    right = Property("half", "sums", "Twice its value is x.", sums)
    (outcome,) = check(half, ["sums"], properties=[right])
    assert (outcome.status, outcome.sentence, outcome.inputs > 5) == ("passed", "Twice its value is x.", True)
    wrong = Property("half", "grows", "It grows.", lambda op, x: (op(x), x + 1))
    with pytest.raises(
        AssertionError, match=r"grows: the property does not hold: It grows\. The two sides differ by .*half\("
    ):
        check(half, ["grows"], properties=[right, wrong])
    assert half.properties == ()
    with pytest.raises(UnknownBuiltinError, match=r"no check 'sum'. Did you mean sums\?"):
        check(half, ["sum"], properties=[right])


def test_one_that_says_nothing_of_any_input_is_refuted():
    empty = Property("half", "nothing", "Nothing.", lambda op, x: None)
    with pytest.raises(AssertionError, match=r"applies to none of the \d+ inputs"):
        check(half, ["nothing"], properties=[empty])


def test_other_rules_are_held_to_it_too():
    off = Rule("half", "off", lambda x: (0.51 * x, lambda g: (g / 2,)))
    with pytest.raises(AssertionError, match=r"fails 1 of 2 checks\nsums \[off\]: the property does not hold"):
        check(half, ["sums"], [off], [Property("half", "sums", "Twice its value is x.", sums)])


def test_a_plugin_states_them(plugin):
    path = plugin(PLUGIN)
    loaded = load([path])
    assert [stated.name for stated in loaded["twice"].properties] == ["halves"]
    (info,) = loaded.plugins
    assert info.contributes["properties"] == ["twice: halves"]
    (mark,) = parametrize_with_checks([loaded["twice"]]).pytestmark
    assert "twice-halves" in [case.id for case in mark.args[1]]


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ('Property("twice", "halves"', 'Property("twize", "halves"', "there is no builtin twize. Did you mean twice?"),
        ('"Half of it is x."', '""', "builtin, name and sentence of a property must be texts"),
        ("lambda op, x: (op(x) / 2, x)", "3", "sides must be a function, but is 3"),
        ("[Property(", "Property(", "must return a list of properties, but returned Property"),
        ("opbook_properties", "opbook_property", "Did you mean opbook_properties?"),
    ],
)
def test_what_is_wrong_is_said(plugin, monkeypatch, before, after, words):
    code = PLUGIN.replace(before, after)
    path = plugin(code.replace("(op(x) / 2, x))]", "(op(x) / 2, x))") if after == "Property(" else code)
    loaded = load([path])
    messages = [*loaded.conflicts(), *(info.error for info in loaded.plugins if info.error)]
    assert len(messages) == 1
    assert words in messages[0]
    monkeypatch.setenv("OPBOOK_STRICT", "1")
    with pytest.raises(PluginError):
        load([path])
    monkeypatch.delenv("OPBOOK_STRICT")


@pytest.mark.parametrize(
    ("name", "stated", "wrong"),
    [
        ("softmax", "adds up to 1", lambda x, axis=-1: np.exp(x - np.max(x, axis, keepdims=True, initial=-1e9))),
        ("attention_weights", "rows add up to 1", lambda q, k, *a, **o: 0.99 * ops.attention_weights(q, k, *a, **o)),
        ("layer_norm", "moved rows", lambda x, gamma, beta, eps=1e-5: gamma * x + beta),
        ("layer_norm", "beta", lambda x, gamma, beta, eps=1e-5: ops.layer_norm(x, gamma, beta, eps=eps + 1) + beta**2),
        ("multi_head_attention", "order of rows", lambda x, heads, n, *a, **o: x.cumsum(axis=-2)),
    ],
)
def test_ours_refute_what_they_are_for(name, stated, wrong):
    """Each is tried on a function that lacks the property."""
    catalogue().load_samples()
    op = catalogue()[name]
    sides = next(one.sides for one in op.properties if one.name == stated)
    inputs = {
        "softmax": (np.array([[0.0, 1.0], [2.0, 4.0]]),),
        "attention_weights": (np.ones((2, 3)), np.ones((2, 3))),
        "layer_norm": (np.array([[0.0, 1.0, 5.0]]), np.array([1.0, 2.0, 3.0]), np.array([2.0, 3.0, 4.0])),
        "multi_head_attention": (
            np.array([[0.0], [1.0]]),
            ({n: np.ones((1, 1)) for n in ("wq", "wk", "wv", "wo")},),
            1,
        ),
    }
    np.testing.assert_allclose(*sides(op, *inputs[name]), atol=1e-12)
    with pytest.raises(AssertionError):
        np.testing.assert_allclose(*sides(wrong, *inputs[name]), atol=1e-12)


def test_verify_lists_and_runs_them():
    from click.testing import CliRunner

    from opbook.cli import main

    listed = CliRunner().invoke(main, ["verify", "--list"]).stdout
    assert "Adding a number to a whole row changes nothing. (layer_norm)" in listed
    result = CliRunner().invoke(main, ["verify", "--check", "moved rows", "--json"])
    assert {outcome["builtin"] for outcome in json.loads(result.stdout)} == {"layer_norm"}
