import json
from pathlib import Path

import pytest

from opbook import __version__


def test_list_gives_each_builtin_one_line_under_its_category(opbook):
    result = opbook("list")
    assert (result.exit_code, result.stderr) == (0, "")
    lines = result.stdout.splitlines()
    line = next(line for line in lines if line.startswith("  layer_norm "))
    assert line.split(maxsplit=1)[1].startswith("Normalizes every row")
    assert line.endswith("shifts it by beta.")
    above = lines[: lines.index(line)]
    assert [name for name in above if name and not name.startswith(" ")][-1] == "Normalization"
    assert "\x1b" not in result.stdout


def test_list_of_one_category_leaves_the_others_out(opbook, one_file_plugin):
    result = opbook("list", "--category", "doubling", "--plugin", one_file_plugin)
    assert result.exit_code == 0
    assert result.stdout == "Doubling\n  twice  Doubles every entry.\n"


def test_unknown_category_names_the_nearest_and_all(opbook):
    result = opbook("list", "--category", "elementwise and activations")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "no category elementwise and activations" in result.stderr
    assert "The categories are" in result.stderr
    assert "Elementwise & activations" in result.stderr


def test_list_as_json_is_json_and_nothing_else_though_a_plugin_prints(opbook, one_file_plugin):
    result = opbook("list", "--json", "--plugin", one_file_plugin)
    entries = {entry["name"]: entry for entry in json.loads(result.stdout)}
    assert entries["twice"] == {
        "name": "twice",
        "category": "Doubling",
        "summary": "Doubles every entry.",
        "call_shapes": ["twice(x)"],
        "aliases": [],
        "plugin": "doubling_ops",
        "replaces": [],
    }
    assert entries["layer_norm"]["call_shapes"] == ["layer_norm(x, gamma, beta, [eps=])"]
    assert "this plugin talks" in result.stderr


def test_plugins_shows_distribution_version_module_path_and_builtins(opbook):
    result = opbook("plugins")
    assert result.exit_code == 0
    block = result.stdout[result.stdout.index("\nlayer_norm: loaded") :].split("\n\n")[0]
    assert f"opbook-layer-norm {__version__}, module opbook_layer_norm" in block
    assert str(Path("opbook_layer_norm", "__init__.py")) in block
    assert "builtins    layer_norm\n" in block
    assert "properties  layer_norm: moved rows, layer_norm: beta" in block


def test_plugins_says_why_one_failed_and_still_exits_0(opbook, broken_plugin):
    result = opbook("plugins", "--plugin", broken_plugin)
    assert result.exit_code == 0
    assert "broken_ops: failed" in result.stdout
    assert "No module named 'no_such_module_at_all'" in result.stdout
    assert "1 failed" in result.stdout.splitlines()[-1]


def test_plugins_as_json(opbook, broken_plugin, one_file_plugin):
    result = opbook("plugins", "--json", "--plugin", broken_plugin, "--plugin", one_file_plugin)
    entries = {entry["name"]: entry for entry in json.loads(result.stdout)}
    assert entries["broken_ops"]["state"] == "failed"
    assert "no_such_module_at_all" in entries["broken_ops"]["error"]
    assert entries["doubling_ops"]["builtins"] == ["twice"]
    assert entries["doubling_ops"]["path"] == str(one_file_plugin)
    assert entries["layer_norm"]["distribution"] == "opbook-layer-norm"
    assert entries["layer_norm"]["error"] == ""


def test_disabled_plugin_is_said_to_be_disabled(opbook, monkeypatch):
    monkeypatch.setenv("OPBOOK_DISABLE", "layer_norm")
    assert "layer_norm: disabled" in opbook("plugins").stdout


@pytest.mark.parametrize("before", [True, False])
def test_a_broken_plugin_that_was_named_stops_the_command(opbook, broken_plugin, before):
    option = ("--plugin", broken_plugin)
    result = opbook(*option, "eval", "1 + 1") if before else opbook("eval", *option, "1 + 1")
    assert (result.exit_code, result.stdout) == (2, "")
    assert len(result.stderr.splitlines()) == 1
    assert "no_such_module_at_all" in result.stderr


def test_a_broken_plugin_of_the_environment_is_mentioned_once(opbook, broken_plugin, monkeypatch):
    monkeypatch.setenv("OPBOOK_PLUGINS", str(broken_plugin))
    result = opbook("eval", "1 + 1")
    assert (result.exit_code, result.stdout) == (0, "2\n")
    assert result.stderr == "1 plugin failed to load: opbook plugins says why\n"


def test_a_name_that_two_plugins_claim_is_mentioned_and_explained(opbook, one_file_plugin, tmp_path):
    second = tmp_path / "other_ops.py"
    second.write_text(one_file_plugin.read_text(encoding="utf-8"), encoding="utf-8")
    options = ("--plugin", one_file_plugin, "--plugin", second)
    assert "2 plugins claim the builtin twice" in opbook("list", *options).stderr
    assert "2 plugins claim the builtin twice" in opbook("plugins", *options).stdout
    result = opbook("show", "twice", *options)
    assert result.exit_code == 2
    assert "OPBOOK_DISABLE=doubling_ops" in result.stderr
