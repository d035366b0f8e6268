"""Guides that plugins bring along, and sections that they add to pages: what is taken, and what is said of the rest."""

import pytest
from one_file_plugin import TWICE

from opbook import Section
from opbook.errors import PluginError
from opbook.plugins.catalogue import load

OWNER = (
    TWICE
    + """
from opbook import Section

@hookimpl
def opbook_guides():
    return ["guides/doubling.md"]

@hookimpl
def opbook_sections():
    return [Section("twice", "In class", "Week 3.")]
"""
)

OTHER = """
from pathlib import Path
from opbook import Section, hookimpl

@hookimpl
def opbook_guides():
    return [GUIDES]

@hookimpl
def opbook_sections():
    return [SECTIONS]
"""


@pytest.fixture
def plugins(tmp_path, monkeypatch):
    """Loads two plugins of one file: one that is right, and another one with these guides and sections."""
    monkeypatch.setattr("opbook.plugins.discovery.installed", lambda: [])
    for name in ("guides/doubling.md", "other/Doubling.md", "other/halving.md", "other/index.md", "halving.txt"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("# A guide\n", encoding="utf-8")
    (tmp_path / "owner.py").write_text(OWNER, encoding="utf-8")

    def write(guides="", sections=""):
        code = OTHER.replace("GUIDES", guides).replace("SECTIONS", sections)
        (tmp_path / "other.py").write_text(code, encoding="utf-8")
        return load([tmp_path / "owner.py", tmp_path / "other.py"])

    return write


def infos(loaded):
    return {info.source.name: info for info in loaded.plugins}


def test_what_is_right_is_taken_whatever_kind_of_path_it_is(plugins, tmp_path):
    loaded = plugins("Path('other') / 'halving.md'", "Section('twice', 'At home', 'Week 4.')")
    assert loaded.conflicts() == []
    found = infos(loaded)
    assert found["owner"].contributes["guides"] == [str(tmp_path / "guides" / "doubling.md")]
    assert found["other"].contributes["guides"] == [str(tmp_path / "other" / "halving.md")]
    assert found["other"].contributes["sections"] == ["twice: At home"]
    titles = {one.thing.title: one.plugin.source.name for one in loaded.contributions(Section, "twice")}
    assert titles == {"In class": "owner", "At home": "other"}
    assert loaded.contributions(Section, "nothing") == []


@pytest.mark.parametrize(
    ("guides", "sections", "words"),
    [
        ("'other/thirds.md'", "", ("thirds.md is not used: it is not there", "the folder of the plugin's module")),
        ("'halving.txt'", "", ("halving.txt is not used: it is not Markdown", "ends in .md")),
        ("'other'", "", ("other is not used: it is not Markdown",)),
        ("'other/index.md'", "", ("other/index.md is not used: it would take the place of an index",)),
        (
            "",
            "Section('twize', 'At home', 'x')",
            ("section twize: At home is", "no builtin twize. Did you mean twice?"),
        ),
    ],
)
def test_what_is_not_used_is_said_and_costs_nothing_else(plugins, monkeypatch, guides, sections, words):
    loaded = plugins(guides, sections)
    (message,) = loaded.conflicts()
    assert all(word in message for word in ("other.py: its", *words, "OPBOOK_DISABLE=other")), message
    assert infos(loaded)["other"].unused == [message]
    assert infos(loaded)["owner"].contributes["guides"]
    assert loaded["twice"](2.0) == 4
    monkeypatch.setenv("OPBOOK_STRICT", "1")
    with pytest.raises(PluginError, match="its"):
        plugins(guides, sections)
    monkeypatch.delenv("OPBOOK_STRICT")


def test_guides_of_one_address_are_left_out_with_one_message(plugins, tmp_path):
    loaded = plugins("'other/Doubling.md'")
    (message,) = loaded.conflicts()
    assert str(tmp_path / "guides" / "doubling.md") in message
    assert str(tmp_path / "other" / "Doubling.md") in message
    assert "OPBOOK_DISABLE=other or OPBOOK_DISABLE=owner" in message
    assert [info.contributes["guides"] for info in loaded.plugins] == [[], []]


def test_sections_of_one_title_are_left_out_with_one_message(plugins):
    loaded = plugins(sections="Section('twice', 'in CLASS ', 'x'), Section('twice', 'Alone', 'x')")
    (message,) = loaded.conflicts()
    assert message.startswith("2 sections have the same name: twice: in CLASS  of ")
    assert "OPBOOK_DISABLE=other or OPBOOK_DISABLE=owner" in message
    assert [one.thing.title for one in loaded.contributions(Section, "twice")] == ["Alone"]
    one = plugins(sections="Section('twice', 'A', 'x'), Section('twice', 'A', 'y')")
    (message,) = one.conflicts()
    assert message.count("OPBOOK_DISABLE") == 1


@pytest.mark.parametrize(
    ("guides", "sections", "words"),
    [
        ("3", "", 'opbook_guides() returned 3, which is no guide; write "heads.md"'),
        ("", "Section('twice', ' ', 'x')", "builtin, title and text of a section must be texts, and not empty"),
        ("", "Section('twice', 'T', '')", "builtin, title and text of a section must be texts, and not empty"),
        ("", "Section('twice', 'T\\nU', 'x')", "it must be a single line"),
        ("", "Section", "which is a class, where an instance is expected"),
        ("", "'text'", "which is no section"),
    ],
)
def test_what_hooks_must_not_return(plugins, guides, sections, words):
    found = infos(plugins(guides, sections))
    assert found["other"].state == "failed"
    assert words in found["other"].error
    assert found["owner"].state == "loaded"


def test_a_text_is_no_list_of_paths(tmp_path, monkeypatch):
    monkeypatch.setattr("opbook.plugins.discovery.installed", lambda: [])
    path = tmp_path / "single.py"
    path.write_text(OWNER.replace('["guides/doubling.md"]', '"guides/doubling.md"'), encoding="utf-8")
    (info,) = load([path]).plugins
    assert "opbook_guides() must return a list of guides, but returned str" in info.error
