"""What pages say of rules that other plugins have for a builtin, and of builtins that replace another plugin's."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from one_file_plugin import TWICE

from opbook import pages
from opbook.pages.addresses import Addresses
from opbook.pages.fingerprints import _content, _imports, fingerprints
from opbook.pages.machine import builtins_json
from opbook.pages.rendering import render
from opbook.pages.verification import verified
from opbook.plugins.catalogue import load

Write = Callable[[str, str], Path]

RULES = """
from opbook import Rule, hookimpl

def fast(x):
    return 2 * x, lambda g: (2 * g,)

@hookimpl
def opbook_rules():
    return [Rule("twice", "fast", fast), Rule("twice", "slow", fast, priority=1)]
"""


@pytest.fixture
def book(write: Write, monkeypatch: pytest.MonkeyPatch) -> Callable[[], pages.Book]:
    monkeypatch.setattr("opbook.plugins.discovery.installed", lambda: [])
    for name in ("OPBOOK_RULES", "OPBOOK_OVERRIDE"):
        monkeypatch.delenv(name, raising=False)
    files = [write("owner.py", TWICE), write("rules.py", RULES)]
    files.append(write("other.py", TWICE.replace('"Tests"', '"Tests", replaces="owner"').replace("2 * x", "x + x")))

    def build() -> pages.Book:
        return pages.build(load(files))

    return build


def test_a_page_says_which_rules_are_asked(book: Callable[[], pages.Book], monkeypatch: pytest.MonkeyPatch) -> None:
    page = render(book()).pages["builtins/twice.md"]
    fast = "`fast` of plugin rules, one file, with priority 10"
    slow = "`slow` of plugin rules, one file, with priority 1"
    assert "A call tries `fast`, then `slow`, and the builtin's own rule last." in page
    assert page.index(fast) < page.index(slow)
    assert page.count("def fast(") == 2, "the code of an accelerator is shown"
    monkeypatch.setenv("OPBOOK_RULES", "twice=slow")
    made = book()
    page = render(made).pages["builtins/twice.md"]
    assert "A call tries `slow`, and the builtin's own rule last. `fast` is not used here." in page
    (entry,) = json.loads(builtins_json(made, Addresses(made, "builtins")))["builtins"]
    assert [(rule["name"], rule["priority"], rule["asked"]) for rule in entry["rules"]] == [
        ("slow", 1, True),
        ("fast", 10, False),
    ]


def test_index_and_page_say_what_was_replaced(book: Callable[[], pages.Book]) -> None:
    made = book()
    rendered = render(made).pages
    mark = '<span class="ob-mark">replaces owner, a single file</span>'
    for uri in ("builtins/index.md", "builtins/twice.md", render(made).addresses.categories["Tests"]):
        assert mark in rendered[uri], uri
    assert "the builtin of this name of owner, a single file" in rendered["builtins/twice.md"]
    (entry,) = json.loads(builtins_json(made, Addresses(made, "builtins")))["builtins"]
    assert entry["plugin"]["replaces"] == ["owner, a single file"]


def test_a_page_says_what_is_true(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("opbook.plugins.discovery.installed", lambda: [])
    code = TWICE.replace("hookimpl\n", "hookimpl, Property\n", 1) + (
        "\n\n@hookimpl\ndef opbook_properties():\n"
        '    return [Property("twice", "halves", "Half of it is x.", lambda op, x: (op(x) / 2, x))]\n'
    )
    loaded = load([write("stating.py", code)])
    made = pages.build(loaded, verifications=verified(loaded, ["twice"]))
    page = render(made).pages["builtins/twice.md"]
    assert "These sentences hold for every input, and were checked as well:\n\n- Half of it is x.\n" in page
    (entry,) = json.loads(builtins_json(made, Addresses(made, "builtins")))["builtins"]
    assert entry["properties"] == ["Half of it is x."]


def test_what_is_known_of_a_builtin_is_not_known_of_another_choice_of_rules(
    book: Callable[[], pages.Book], write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = [write("owner.py", TWICE), write("rules.py", RULES)]
    found = []
    for rules in ("", "twice=slow"):
        monkeypatch.setenv("OPBOOK_RULES", rules)
        loaded = load(files)
        found.append(fingerprints(loaded)["twice"])
        names = {check.name for check in verified(loaded, ["twice"])["twice"].checks}
        assert names >= {"dtypes", "rule gradient [fast]", "rule value [slow]"}
    assert found[0] != found[1]


def test_what_is_known_of_a_builtin_is_not_known_with_another_property(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("opbook.plugins.discovery.installed", lambda: [])
    found = []
    for factor in ("2", "2.0"):
        code = (
            "from opbook import Property, hookimpl\n\n@hookimpl\ndef opbook_properties():\n"
            f'    return [Property("twice", "halves", "Half of it is x.", lambda op, x: (op(x), {factor} * x))]\n'
        )
        files = [write("owner.py", TWICE), write("stating.py", code)]
        found.append(fingerprints(load(files))["twice"])
        forget()
    assert found[0] != found[1]


def forget() -> None:
    for cached in (_content, _imports):
        cached.cache_clear()
