"""Commands that plugins add."""

import json
import re

import numpy as np
import pytest

PLUGIN = '''
from opbook import hookimpl
from opbook.errors import InputError

@hookimpl
def opbook_commands():
    import click

    @click.command()
    @click.argument("word")
    def NAME(word):
        """Say WORD again."""
        if word == "no":
            raise InputError("NAME: that is no word")
        click.echo(f"{word} {word}")

    return [NAME]
'''


@pytest.fixture
def plugin(tmp_path):
    def write(file, code=PLUGIN, name="again"):
        path = tmp_path / f"{file}.py"
        path.write_text(code.replace("NAME", name), encoding="utf-8")
        return path

    return write


def test_a_plugins_command_runs_and_is_listed(opbook, plugin):
    path = plugin("echo_ops")
    result = opbook("--plugin", path, "again", "hello")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "hello hello\n", "")
    assert re.search(r"again +Say WORD again\.", opbook("--plugin", path, "--help").stdout)
    assert "commands  again" in opbook("--plugin", path, "plugins").stdout
    assert "Usage: opbook again [OPTIONS] WORD" in opbook("--plugin", path, "again", "--help").stdout


def test_its_errors_are_one_message(opbook, plugin):
    result = opbook("--plugin", plugin("echo_ops"), "again", "no")
    assert (result.exit_code, result.stdout, result.stderr) == (2, "", "opbook: again: that is no word\n")


def test_opbooks_own_commands_ask_no_plugin_for_commands(opbook, plugin):
    path = plugin("loud_ops", PLUGIN.replace("    import click\n", "    raise SystemExit('asked')\n"))
    assert opbook("--plugin", path, "eval", "1 + 1").stdout == "2\n"


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (
            PLUGIN.replace("import click", "raise ValueError('no click')"),
            "ValueError: no click, raised in opbook_commands(). Mend",
        ),
        (PLUGIN.replace("    @click.command()\n", "").replace('    @click.argument("word")\n', ""), "@click.command()"),
        (PLUGIN.replace("return [NAME]", "return NAME"), "must return a list of commands, but returned Command"),
        (PLUGIN.replace("return [NAME]", "return None"), "must return a list of commands, but returned NoneType"),
        (PLUGIN.replace("def NAME", "def list").replace("[NAME]", "[list]"), "opbook has a command list already"),
    ],
)
def test_what_is_no_command_is_said_and_the_rest_works(opbook, plugin, code, words):
    path = plugin("bad_ops", code)
    result = opbook("--plugin", path, "again", "hello")
    assert result.exit_code == 2
    assert words in result.stderr
    assert str(path) in result.stderr
    assert "OPBOOK_DISABLE=bad_ops" in result.stderr
    assert "layer_norm" in opbook("--plugin", path, "list").stdout
    found = json.loads(opbook("doctor", "--json", "--plugin", path).stdout)
    assert [words in finding["message"] for finding in found if finding["status"] == "wrong"] == [True]


def test_two_of_one_name_are_an_error_that_names_both(opbook, plugin, monkeypatch):
    paths = plugin("one_ops"), plugin("two_ops")
    options = ("--plugin", paths[0], "--plugin", paths[1])
    result = opbook(*options, "again", "hello")
    assert result.exit_code == 2
    owners = f"again of {paths[0]} and again of {paths[1]}"
    assert f"2 commands have the same name: {owners}. Rename one, or leave a plugin out" in result.stderr
    monkeypatch.setattr("opbook.plugins.catalogue._default", None)
    monkeypatch.setenv("OPBOOK_DISABLE", "two_ops")  # the advice
    assert opbook(*options, "again", "hello").stdout == "hello hello\n"


def test_help_is_there_whatever_the_settings(opbook, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("opbook.plugins.settings._start", None)
    (tmp_path / "pyproject.toml").write_text("[tool.opbook]\nplugin = []\n", encoding="utf-8")
    result = opbook("--help")
    assert result.exit_code == 0
    assert "verify" in result.stdout
    assert "there is no setting plugin" in result.stderr


@pytest.fixture
def numbers(tmp_path):
    np.save(tmp_path / "weights.npy", np.array([[1.0, -2.0], [0.5, 0.0]]))
    (tmp_path / "losses.csv").write_text("3, 1.5, 1\n", encoding="utf-8")
    (tmp_path / "words.csv").write_text("a,b\n", encoding="utf-8")
    return tmp_path


def test_draw_draws_what_is_in_a_file(opbook, numbers):
    lines = opbook("draw", numbers / "weights.npy").stdout.splitlines()
    assert lines[0] == "weights.npy"
    assert [number for number in lines[1].split() if number in ("1", "-2")] == ["1", "-2"]
    lines = opbook("draw", numbers / "losses.csv", "--title", "losses").stdout.splitlines()
    assert lines[0] == "losses"
    assert [line.split()[-1] for line in lines[1:]] == ["3", "1.5", "1"]
    assert "•" in opbook("draw", numbers / "losses.csv", "--as", "plot").stdout


def test_draw_says_what_it_can_not_read(opbook, numbers):
    result = opbook("draw", numbers / "words.csv")
    assert result.exit_code == 2
    assert result.stderr.startswith(f"opbook: draw: {numbers / 'words.csv'} has no numbers that can be read")
