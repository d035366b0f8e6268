"""`opbook plugins disable` and `enable`, and what the listings say of replaced builtins."""

import json
import os
import stat
import tomllib

import pytest

COMMENTED = """\
# The project.
[project]
name = "mine"   # of all names

[tool.opbook]   # what follows is ours
plugins = [
    "my_ops.py",  # the first
]
disable = [
    "layer_norm",  # is slow
]

[tool.other]
x = 1
"""


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("opbook.plugins.settings._start", None)


@pytest.fixture
def file(tmp_path, one_file_plugin):
    path = tmp_path / "pyproject.toml"
    path.write_text(COMMENTED.replace("my_ops.py", one_file_plugin.name), encoding="utf-8")
    return path


@pytest.fixture
def again(opbook, monkeypatch):
    """Run a command with the catalogue loaded anew, as a process of its own would."""

    def run(*arguments):
        monkeypatch.setattr("opbook.plugins.catalogue._default", None)
        return opbook(*arguments)

    return run


def test_disable_adds_one_line_and_changes_nothing_else(again, file):
    before = file.read_text(encoding="utf-8")
    os.chmod(file, 0o640)
    result = again("plugins", "disable", "opbook-text")
    assert (result.exit_code, result.stdout) == (0, f"Disabled opbook-text in {file}.\n")
    expected = before.replace('    "layer_norm",  # is slow\n', '    "layer_norm",  # is slow\n    "opbook-text",\n')
    assert file.read_text(encoding="utf-8") == expected
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    states = {entry["name"]: entry["state"] for entry in json.loads(again("plugins", "--json").stdout)}
    assert (states["text"], states["layer_norm"], states["math"]) == ("disabled", "disabled", "loaded")
    assert again("plugins", "enable", "text").exit_code == 0
    assert file.read_text(encoding="utf-8") == before


def test_a_second_time_changes_nothing(again, file):
    before = file.read_bytes()
    result = again("plugins", "disable", "layer_norm")
    assert (result.exit_code, result.stdout) == (0, f"layer_norm is disabled already, in {file}.\n")
    assert file.read_bytes() == before


@pytest.mark.parametrize(
    "text", ["", "[project]\nname = 'x'", "[project]\r\nname = 'x'\r\n", "[tool.opbook.rules]\na = 'own'\n"]
)
def test_a_table_is_made_where_there_is_none(again, tmp_path, text):
    path = tmp_path / "pyproject.toml"
    path.write_bytes(text.encode())
    assert again("plugins", "disable", "text").exit_code == 0
    written = path.read_bytes().decode()
    assert tomllib.loads(written)["tool"]["opbook"]["disable"] == ["text"]
    assert ("\r\n" in written) == ("\r\n" in text)
    assert "\n" not in written.replace("\r\n", "") or "\r\n" not in text
    assert sorted(os.listdir(tmp_path)) == ["pyproject.toml"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("disable", "layer_nrom"), "there is no plugin layer_nrom. Did you mean layer_norm"),
        (("enable", "text"), "text is not disabled in"),
    ],
)
def test_mistakes_are_named_and_nothing_is_written(again, file, arguments, words):
    before = file.read_bytes()
    result = again("plugins", *arguments)
    assert result.exit_code == 2
    assert words in result.stderr
    assert file.read_bytes() == before


def test_without_a_file_it_says_what_to_do(again, tmp_path):
    result = again("plugins", "disable", "text")
    assert result.exit_code == 2
    assert f"there is no pyproject.toml in {tmp_path} or above it" in result.stderr
    (tmp_path / "pyproject.toml").touch()  # the advice
    assert again("plugins", "disable", "text").exit_code == 0


def test_what_the_environment_disables_is_said(again, file, monkeypatch):
    monkeypatch.setenv("OPBOOK_DISABLE", "text")
    result = again("plugins", "enable", "text")
    assert "text is disabled by OPBOOK_DISABLE=text" in result.stderr


def test_a_file_that_changes_meanwhile_is_left_alone(again, file, monkeypatch):
    from opbook.cli import settings_file

    def change(text, function, original=settings_file._changed):
        file.write_text("# somebody else's\n", encoding="utf-8")
        return original(text, function)

    monkeypatch.setattr(settings_file, "_changed", change)
    result = again("plugins", "disable", "text")
    assert (result.exit_code, "was changed by someone else" in result.stderr) == (2, True)
    assert file.read_text(encoding="utf-8") == "# somebody else's\n"


def test_a_layout_that_can_not_be_kept_is_refused_with_the_line_to_write(again, file, monkeypatch):
    import tomlkit

    before = file.read_bytes()
    monkeypatch.setattr(tomlkit, "dumps", lambda document: "[tool]\n")
    result = again("plugins", "disable", "text")
    assert result.exit_code == 2
    assert 'Write this under [tool.opbook]: disable = ["text"]' in result.stderr
    assert file.read_bytes() == before


def test_every_listing_says_what_was_replaced(again, one_file_plugin, tmp_path):
    other = tmp_path / "my_double.py"
    code = one_file_plugin.read_text(encoding="utf-8").replace('"Doubling")', '"Doubling", replaces="doubling_ops")')
    other.write_text(code, encoding="utf-8")
    options = ("--plugin", one_file_plugin, "--plugin", other)
    assert "  twice  Doubles every entry. (my_double's, in place of doubling_ops's)\n" in again("list", *options).stdout
    text = again("plugins", *options).stdout
    assert "builtins  twice (replaced by my_double)" in text
    assert "builtins  twice (replaces that of doubling_ops)" in text
    entries = {entry["name"]: entry for entry in json.loads(again("plugins", "--json", *options).stdout)}
    assert (entries["doubling_ops"]["replaced"], entries["my_double"]["replaced"]) == (["twice"], [])
    shown = again("show", "twice", *options).stdout
    assert "- In place of: the builtin of this name of doubling_ops, a single file\n" in shown
    found = json.loads(again("doctor", "--json", *options).stdout)
    (note,) = [finding["message"] for finding in found if finding["about"] == "builtin twice"]
    assert note == f"{other} replaces that of {one_file_plugin}: my_double says so"


def test_guides_and_sections_are_listed(opbook):
    listed = " ".join(opbook("plugins").stdout.split())
    assert "guides what-a-head-looks-at.md" in listed
    assert "sections In other libraries: abs, cos, " in listed
    entries = {entry["name"]: entry for entry in json.loads(opbook("plugins", "--json").stdout)}
    (guide,) = entries["multi_head_attention"]["guides"]
    assert guide.endswith("guides/what-a-head-looks-at.md")
    assert "gelu: In other libraries" in entries["elsewhere"]["sections"]
    assert entries["elsewhere"]["builtins"] == []
