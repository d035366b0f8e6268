"""`[tool.opbook]` of pyproject.toml, and the environment beside it."""

import subprocess
import sys

import pytest

from opbook.errors import PluginError, SettingsError
from opbook.plugins import settings as module
from opbook.plugins.catalogue import load
from opbook.plugins.settings import Settings, read_settings

OPS = '''
from opbook import Array, builtin, hookimpl

@builtin(category="Tests"DECLARED)
def twice(x: Array["..."]) -> Array["..."]:
    """Doubles x."""
    return FACTOR * x

@hookimpl
def opbook_builtins():
    return [twice]
'''


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A folder with what is written, as the working directory, with nothing that happens to be installed."""
    monkeypatch.setattr("opbook.plugins.discovery.installed", lambda: [])
    monkeypatch.setattr(module, "_start", None)
    for name in ("PLUGINS", "DISABLE", "STRICT", "RULES", "OVERRIDE"):
        monkeypatch.delenv(f"OPBOOK_{name}", raising=False)
    inside = tmp_path / "project" / "docs" / "deep"
    inside.mkdir(parents=True)
    monkeypatch.chdir(inside)

    def write(text="", **ops):
        (tmp_path / "project" / "pyproject.toml").write_text(text, encoding="utf-8")
        for name, code in ops.items():
            (tmp_path / "project" / f"{name}.py").write_text(code, encoding="utf-8")
        return tmp_path / "project"

    return write


def ops(factor=2, declared=""):
    return OPS.replace("FACTOR", str(factor)).replace("DECLARED", f', replaces="{declared}"' if declared else "")


def test_files_are_found_from_the_folder_of_the_settings(project):
    folder = project('[tool.opbook]\nplugins = ["my_ops.py"]\n', my_ops=ops())
    loaded = load()
    assert loaded["twice"](1.0) == 2
    assert loaded.settings.file == folder / "pyproject.toml"


def test_the_nearest_file_with_a_table_is_read(project, tmp_path):
    folder = project('[tool.opbook]\ndisable = ["a"]\n')
    assert read_settings().disable == {"a"}
    (folder / "docs" / "pyproject.toml").write_text('[project]\nname = "no opbook here"\n', encoding="utf-8")
    assert read_settings().disable == {"a"}
    (folder / "docs" / "pyproject.toml").write_text("[tool.other]\nbroken = \n", encoding="utf-8")  # not our business
    assert read_settings().disable == {"a"}
    (folder / "docs" / "deep" / "pyproject.toml").write_text("[tool.opbook]\n", encoding="utf-8")
    assert read_settings().disable == frozenset()
    module.start_at(folder)
    assert read_settings().disable == {"a"}


def test_without_a_file_nothing_is_set(project, tmp_path):
    assert read_settings() == Settings()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('tool = "opbook"', "tool must be a table, such as [tool.opbook], but is 'opbook'"),
        ("\ufeff[tool.opbook]", "it begins with a byte-order mark"),
    ],
)
def test_a_file_that_is_no_settings_is_named(project, text, words):
    folder = project(text)
    with pytest.raises(SettingsError) as caught:
        load()
    assert str(caught.value).startswith(f"{folder / 'pyproject.toml'}")
    assert words in str(caught.value)


def test_a_folder_that_was_deleted_is_said(tmp_path, monkeypatch):
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    monkeypatch.setattr(module, "_start", None)
    gone.rmdir()
    with pytest.raises(SettingsError, match="the working directory is not there any more"):
        read_settings()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            'plugin = ["a.py"]',
            "no setting plugin in [tool.opbook]. Did you mean plugins? The settings are plugins, dis",
        ),
        (
            'plugins = "a.py"',
            """plugins in [tool.opbook] must be a list of files, such as plugins = ["my_ops.py"], but is""",
        ),
        ("disable = [1]", "disable in [tool.opbook] must be a list of plugins"),
        ('override = ["a"]', """such as override = {swish = "my_ops"}, but is ['a']"""),
        ("rules = {a = 1}", "rules in [tool.opbook] must be a table of rules by builtin"),
        ("rules = [", "can't be read: "),
        ('plugins = ["a\\u0000b"]', "plugins in [tool.opbook] must be a list of files"),
        (f"disable = {'[' * 5000}{']' * 5000}", "can't be read: it is nested too deeply"),
    ],
)
def test_what_is_not_understood_is_one_error_with_the_file(project, text, words):
    folder = project(f"[tool.opbook]\n{text}\n")
    with pytest.raises(SettingsError) as caught:
        load()
    assert str(caught.value).startswith(f"{folder / 'pyproject.toml'}")
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("value", ["twice", "twice=", "=own", "a=b,twice"])
def test_pairs_in_the_environment_must_be_pairs(project, monkeypatch, value):
    monkeypatch.setenv("OPBOOK_RULES", value)
    with pytest.raises(SettingsError, match="OPBOOK_RULES must be pairs such as swish=own"):
        load()


def test_the_environment_adds_and_wins(project, monkeypatch):
    text = (
        '[tool.opbook]\nplugins = ["a.py"]\ndisable = ["b"]\nrules = {one = "x", two = "y"}\noverride = {three = "z"}\n'
    )
    folder = project(text, a=ops(), b=ops().replace("twice", "other"))
    monkeypatch.setenv("OPBOOK_RULES", "two = own")
    monkeypatch.setenv("OPBOOK_OVERRIDE", "four=w")
    monkeypatch.setenv("OPBOOK_DISABLE", "a")
    settings = read_settings([folder / "b.py"])
    assert settings.rules == {"one": "x", "two": "own"}
    assert settings.override == {"three": "z", "four": "w"}
    loaded = load([folder / "b.py"])  # which the file disables, but the caller names
    assert {info.source.name: info.state for info in loaded.plugins} == {"a": "disabled", "b": "loaded"}
    monkeypatch.setenv("OPBOOK_DISABLE", "b")
    assert {info.source.name: info.state for info in load([folder / "b.py"]).plugins} == {
        "a": "loaded",
        "b": "disabled",
    }


def test_a_file_that_is_not_there_is_named(project):
    folder = project('[tool.opbook]\nplugins = ["gone.py"]\n')
    (info,) = load().plugins
    assert f"there is no such file: {folder / 'gone.py'}" in info.error


# --------------------------------------------------------------------------------------------------- replacing builtins

TWO = '[tool.opbook]\nplugins = ["a.py", "b.py"]\n'


def test_the_user_says_which_builtin_is_meant(project):
    project(f'{TWO}override = {{twice = "b"}}\n', a=ops(2), b=ops(3))
    loaded = load()
    assert loaded["twice"](1.0) == 3
    assert loaded.plugin_of("twice").source.name == "b"
    assert [info.source.name for info in loaded.replaced("twice")] == ["a"]
    assert loaded.conflicts() == []


def test_a_plugin_says_that_its_builtin_replaces_another_ones(project):
    project(TWO.replace('"a.py", "b.py"', '"b.py", "a.py"'), a=ops(2), b=ops(3, declared="a"))
    loaded = load()
    assert loaded["twice"](1.0) == 3
    assert [info.source.name for info in loaded.replaced("twice")] == ["a"]


def test_the_user_wins_over_what_a_plugin_says(project):
    project(f'{TWO}override = {{twice = "a"}}\n', a=ops(2), b=ops(3, declared="a"))
    assert load()["twice"](1.0) == 2


def test_replacing_somebody_else_is_still_a_conflict(project):
    project(TWO, a=ops(2), b=ops(3, declared="opbook-other"))
    with pytest.raises(PluginError, match="2 plugins claim the builtin twice"):
        load()["twice"]


def test_two_that_replace_one_builtin_are_an_error_that_names_both(project):
    text = '[tool.opbook]\nplugins = ["a.py", "b.py", "c.py"]\n'
    folder = project(text, a=ops(2), b=ops(3, declared="a"), c=ops(4, declared="a"))
    with pytest.raises(PluginError) as caught:
        load()["twice"]
    assert f"2 plugins replace the builtin twice: {folder / 'b.py'} and {folder / 'c.py'}" in str(caught.value)
    assert "OPBOOK_OVERRIDE=twice=c" in str(caught.value)
    project(f'{text}override = {{twice = "c"}}\n')
    assert load()["twice"](1.0) == 4


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ('override = {twice = "bb"}', "take twice from bb, which has no such builtin."),
        ('override = {twiec = "b"}', "take twiec from b, but there is no such builtin. Did you mean twice?"),
    ],
)
def test_an_override_that_leads_nowhere_is_said(project, setting, words):
    project(f'[tool.opbook]\nplugins = ["b.py"]\n{setting}\n', b=ops())
    (message,) = load().conflicts()
    assert words in message


def test_rules_are_chosen_in_the_file(project):
    rule = """
from opbook import Rule, hookimpl

def fast(x):
    return 2 * x, lambda g: (2 * g,)

@hookimpl
def opbook_rules():
    return [Rule("twice", "fast", fast)]
"""
    project('[tool.opbook]\nplugins = ["a.py", "fast.py"]\nrules = {twice = "own"}\n', a=ops(), fast=rule)
    assert load()["twice"].asked == ("own",)
    project('[tool.opbook]\nplugins = ["a.py", "fast.py"]\n')
    assert load()["twice"].asked == ("fast", "own")


def test_pytest_looks_in_its_root_folder(project, tmp_path):
    folder = project('[tool.opbook]\nplugins = ["a.py"]\n[tool.pytest.ini_options]\n', a=ops())
    test = "def test_it():\n    from opbook.ops import twice\n    assert twice(1.0) == 2\n"
    (folder / "test_it.py").write_text(test, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", folder]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout
