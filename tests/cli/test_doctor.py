"""What `opbook doctor` finds. (Broken distributions are in tests/plugins/test_registering.py.)"""

import importlib
import json

import pytest

doctor = importlib.import_module("opbook.cli.doctor")  # the package has the command under this name


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("opbook.plugins.settings._start", None)


def findings(result):
    return {finding["about"]: finding for finding in json.loads(result.stdout)}


def test_all_is_well(opbook):
    result = opbook("doctor")
    assert (result.exit_code, result.stdout.splitlines()[-1]) == (0, "Nothing is wrong.")
    assert "ok     numpy: " in result.stdout
    assert "WRONG" not in result.stdout


def test_a_setting_that_is_not_understood_is_wrong(opbook, tmp_path):
    (tmp_path / "pyproject.toml").write_text("[tool.opbook]\nplugin = []\n", encoding="utf-8")
    result = opbook("doctor")
    assert result.exit_code == 1
    assert "WRONG  settings: " in result.stdout
    assert "Did you mean plugins?" in result.stdout
    assert result.stdout.endswith("1 thing is wrong.\n")


def test_a_plugin_that_fails_is_wrong(opbook, broken_plugin):
    result = opbook("doctor", "--json", "--plugin", broken_plugin)
    assert result.exit_code == 1
    found = findings(result)["plugin broken_ops"]
    assert found["status"] == "wrong"
    assert "No module named 'no_such_module_at_all'" in found["message"]


def test_packages_of_other_versions_and_missing_extras(opbook, monkeypatch):
    real = doctor.metadata_called

    def metadata(name):
        if name == "mkdocs":
            return None
        return {"Version": "1.26.4"} if name == "numpy" else real(name)

    monkeypatch.setattr(doctor, "metadata_called", metadata)
    result = opbook("doctor", "--json")
    found = findings(result)
    assert result.exit_code == 1
    assert (found["numpy"]["status"], found["extra site"]["status"]) == ("wrong", "note")
    assert found["numpy"]["message"] == "1.26.4 is installed; install it with: pip install 'numpy>=2.0'"
    assert found["extra site"]["message"] == "lacks mkdocs<2,>=1.6; if you want it: pip install 'opbook[site]'"


def test_disabling_what_is_not_there_is_noted(opbook, monkeypatch):
    monkeypatch.setenv("OPBOOK_DISABLE", "layer_nrom,text")
    result = opbook("doctor")
    assert result.exit_code == 0
    assert (
        "note   settings: layer_nrom is disabled, but there is no such plugin. Did you mean layer_norm" in result.stdout
    )
    assert "note   plugin text: it is disabled" in result.stdout


def test_no_plugins_at_all_is_wrong(opbook, monkeypatch):
    monkeypatch.setattr("opbook.plugins.discovery.installed", lambda: [])
    result = opbook("doctor")
    assert result.exit_code == 1
    assert "WRONG  plugins: none is loaded" in result.stdout


def test_strict_is_no_reason_to_stop(opbook, broken_plugin, monkeypatch):
    monkeypatch.setenv("OPBOOK_STRICT", "1")
    result = opbook("doctor", "--plugin", broken_plugin)
    assert result.exit_code == 1
    assert "no_such_module_at_all" in result.stdout
