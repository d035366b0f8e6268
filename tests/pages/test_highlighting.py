"""Highlighted code is kept from build to build: the same HTML, and no more than the last build used."""

import json
from pathlib import Path

import pytest

from opbook.pages import highlighting
from opbook.pages.highlighting import Highlighter, highlight

CODE = "def f(x):\n    return 2 * x\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "code" / "highlighted.json"


def used(file: Path, *calls: tuple[str, str]) -> list[str]:
    """Highlight some code as one build does."""
    highlighter = Highlighter(file)
    html = [highlighter(*call) for call in calls]
    highlighter.keep(highlighter.take())
    return html


def test_code_of_an_earlier_build_is_not_read_again(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = used(file, (CODE, "python"))
    assert first == [highlight(CODE, "python")]
    monkeypatch.setattr(highlighting, "highlight", lambda *_: pytest.fail("it is highlighted again"))
    assert used(file, (CODE, "python")) == first


def test_language_and_classes_tell_code_apart(file: Path) -> None:
    python, text = used(file, (CODE, "python"), (CODE, "text"))
    assert '<span class="k">def</span>' in python
    assert "<span" not in text.replace("<span></span>", "")
    highlighter = Highlighter(file)
    assert "no-copy" in highlighter(CODE, "python", ["no-copy"])


def test_what_the_last_build_did_not_use_is_dropped_when_something_is_new(file: Path) -> None:
    used(file, ("1", "python"), ("2", "python"))
    used(file, ("2", "python"), ("3", "python"))
    assert sorted(json.loads(file.read_text("utf-8")).values()) == [
        highlight("2", "python"),
        highlight("3", "python"),
    ]


def test_a_damaged_file_costs_nothing_but_time(file: Path) -> None:
    used(file, (CODE, "python"))
    file.write_text(file.read_text("utf-8")[:-9], encoding="utf-8")
    assert used(file, (CODE, "python")) == [highlight(CODE, "python")]
    assert json.loads(file.read_text("utf-8"))


def test_other_rules_of_a_language_are_another_name(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    used(file, (CODE, "python"))
    monkeypatch.setattr(highlighting, "_rules", lambda language: "others")
    monkeypatch.setattr(highlighting, "highlight", lambda *_: "again")
    assert used(file, (CODE, "python")) == ["again"]
