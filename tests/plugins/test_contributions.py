"""What plugins contribute is one kind of object: a new kind needs a class, a row in the table and a hook, no more."""

import json
from dataclasses import dataclass

import pytest
from click.testing import CliRunner
from one_file_plugin import TWICE

from opbook.builtins.supplement import Supplement
from opbook.cli import main
from opbook.plugins import catalogue, hookspecs
from opbook.plugins.contributions import KINDS, HookResult

PLUGIN = """
from opbook import hookimpl
from opbook.plugins.contributions import KINDS

Exercise = KINDS["opbook_exercises"].type

@hookimpl
def opbook_exercises():
    return [EXERCISES]
"""


@dataclass(frozen=True)
class Exercise(Supplement):
    """A kind of its own."""

    builtin: str
    question: str

    def __post_init__(self):
        if not self.question.endswith("?"):
            raise ValueError(f"{self.question!r} is no question")

    @property
    def key(self):
        return self.question

    def __str__(self):
        return f"{self.builtin}: {self.question}"


@pytest.fixture
def load(tmp_path, monkeypatch):
    """Loads two plugins of one file, of which the second has these exercises, where there is such a kind."""
    monkeypatch.setattr("opbook.plugins.discovery.installed", lambda: [])
    monkeypatch.setitem(KINDS, "opbook_exercises", HookResult(Exercise, "exercise", "exercises", "Exercise(...)"))
    monkeypatch.setattr(hookspecs, "opbook_exercises", lambda: None, raising=False)

    def write(exercises):
        files = tmp_path / "owner.py", tmp_path / "school.py"
        files[0].write_text(TWICE, encoding="utf-8")
        files[1].write_text(PLUGIN.replace("EXERCISES", exercises), encoding="utf-8")
        return catalogue.load(files)

    yield write
    monkeypatch.undo()
    catalogue.load()


def test_a_new_kind_is_taken_and_listed(load, tmp_path, monkeypatch):
    loaded = load("Exercise('twice', 'What is twice 2?')")
    assert loaded.conflicts() == []
    (one,) = loaded.contributions(Exercise, "twice")
    assert (one.plugin.source.name, one.thing.question) == ("school", "What is twice 2?")
    assert one.plugin.contributes["exercises"] == ["twice: What is twice 2?"]
    monkeypatch.setattr(catalogue, "_default", loaded)
    assert "exercises  twice: What is twice 2?" in CliRunner().invoke(main, ["plugins"]).stdout
    listed = json.loads(CliRunner().invoke(main, ["plugins", "--json"]).stdout)
    assert [entry["exercises"] for entry in listed] == [[], ["twice: What is twice 2?"]]


@pytest.mark.parametrize(
    ("exercises", "words"),
    [
        ("Exercise('twize', 'Why?')", "its exercise twize: Why? is not used: there is no builtin twize. Did you mean"),
        ("Exercise('twice', 'Why?'), Exercise('twice', 'Why?')", "2 exercises have the same name: twice: Why? of"),
        ("Exercise('twice', 'Because.')", "'Because.' is no question, raised in opbook_exercises()"),
        ("3", "opbook_exercises() returned 3, which is no exercise; write Exercise(...)"),
        ("Exercise", "which is a class, where an instance is expected"),
    ],
)
def test_a_new_kind_is_chosen_as_all_are(load, exercises, words):
    loaded = load(exercises)
    said = [*loaded.conflicts(), *(info.error for info in loaded.plugins if info.error)]
    assert len(said) == 1
    assert words in said[0]
    assert "OPBOOK_DISABLE=school" in said[0]
    assert loaded.contributions(Exercise, "twice") == []
    assert loaded["twice"](2.0) == 4
