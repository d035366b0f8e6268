"""Distributions whose own files are broken: each costs itself only, and is named."""

import json
import os
import subprocess
import sys

import pytest
from one_file_plugin import TWICE

from opbook.plugins.catalogue import load
from opbook.plugins.discovery import PluginSource
from opbook.plugins.distributions import broken, canonical, installed, metadata_called

METADATA = "Metadata-Version: 2.1\nName: Twice.Ops\nVersion: 1.0\n"
POINTS = "[opbook]\ntwice = twice_ops\n"


@pytest.fixture
def site(tmp_path, monkeypatch):
    """A folder on the path, with a plugin's module; a function writes the files that say what is installed there."""
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "twice_ops.py").write_text(TWICE, encoding="utf-8")

    def write(folder, **files):
        (tmp_path / folder).mkdir()
        for name, text in files.items():
            path = tmp_path / folder / {"points": "entry_points.txt"}.get(name, name)
            path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return tmp_path / folder

    yield write
    sys.modules.pop("twice_ops", None)
    monkeypatch.undo()
    load()


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({"points": POINTS}, "has no METADATA"),
        ({"points": POINTS, "METADATA": "Version: 1.0\n"}, "its METADATA has no Name"),
        ({"points": POINTS, "METADATA": "Name: twice-ops\n"}, "its METADATA has no Version"),
        ({"points": POINTS, "METADATA": METADATA.encode() + b"Author: Ren\xe9\n"}, "METADATA is not UTF-8 (byte 0xe9)"),
        ({"points": POINTS.encode() + b"# \xff\n", "METADATA": METADATA}, "entry_points.txt is not UTF-8 (byte 0xff)"),
        ({"points": "[opbook]\ntwice_ops\n", "METADATA": METADATA}, "line 2 of its entry_points.txt must be NAME ="),
    ],
)
def test_one_that_names_a_plugin_fails_as_a_plugin_does(site, monkeypatch, files, words):
    folder = site("twice_ops-1.0.dist-info", **files)
    loaded = load()
    assert "twice" not in loaded
    assert loaded["layer_norm"].name == "layer_norm"
    (info,) = [info for info in loaded.plugins if info.state == "failed"]
    assert words in info.error
    assert str(folder) in info.error
    assert "pip install --force-reinstall twice_ops" in info.error
    assert f"OPBOOK_DISABLE={info.handle}" in info.error
    monkeypatch.setenv("OPBOOK_DISABLE", info.handle)
    assert [info.state for info in load().plugins].count("failed") == 0


@pytest.mark.parametrize(
    ("folder", "files", "words"),
    [
        (".dist-info", {}, "has no METADATA"),
        ("other-0.9.dist-info", {}, "has no METADATA"),
        ("other-0.9.dist-info", {"METADATA": "Name: other\n"}, "has no Version"),
        ("other-1.dist-info", {"METADATA": METADATA, "points": "[mkdocs]\n= x\n"}, "line 2 of its entry_points.txt"),
        ("other-1.dist-info", {"METADATA": METADATA, "points": "[mkdocs]\nno pair\n"}, "line 2 of its entry_points"),
    ],
)
def test_one_that_has_no_plugin_is_no_matter_but_is_named(site, folder, files, words):
    found = site(folder, **files)
    assert [info.error for info in load().plugins if info.state == "failed"] == []
    (message,) = [message for message in broken() if str(found) in message]
    assert words in message


def test_what_an_older_version_left_hides_nothing(site):
    site("twice_ops-0.9.dist-info")
    site("twice_ops-0.10.dist-info", points=POINTS, METADATA=METADATA.replace("1.0", "0.10"))
    site("twice_ops-1.0.dist-info", points=POINTS, METADATA=METADATA)
    site("twice_ops-2.0.dist-info", points=POINTS)  # half of an upgrade
    loaded = load()
    assert loaded["twice"](2.0) == 4
    source = loaded.plugin_of("twice").source
    assert (source.distribution, source.version) == ("Twice.Ops", "1.0")
    assert [info.state for info in loaded.plugins].count("failed") == 0
    assert metadata_called("twice_ops")["Version"] in ("0.10", "1.0")


def test_commands_work_beside_broken_distributions(site, tmp_path):
    site(".dist-info")
    site("probe-1.0.dist-info", points=POINTS)
    site("numpy-0.1.dist-info")
    settings = {name: value for name, value in os.environ.items() if not name.startswith("OPBOOK_")}
    settings["PYTHONPATH"] = str(tmp_path)

    def opbook(*arguments):
        command = [sys.executable, "-m", "opbook", *arguments]
        return subprocess.run(command, cwd=tmp_path, env=settings, capture_output=True, text=True)

    done = opbook("eval", "[1, 2]")
    assert (done.returncode, done.stdout) == (0, "[1, 2]\n")
    assert "probe: failed" in opbook("plugins").stdout
    done = opbook("doctor", "--json")
    found = json.loads(done.stdout)
    assert done.returncode == 1
    assert [entry["about"] for entry in found if entry["status"] == "wrong"] == ["plugin probe"]
    notes = " ".join(entry["message"] for entry in found if entry["status"] == "note")
    for folder in (".dist-info", "numpy-0.1.dist-info"):
        assert f"{tmp_path / folder} has no METADATA" in notes


def test_names_are_compared_as_packaging_does(site, monkeypatch):
    assert canonical("Twice__Ops.x") == canonical("twice-ops-X") == "twice-ops-x"
    needs = "Requires-Dist: OpBook <0.0.1\n"
    site("twice_ops-1.0.dist-info", points=POINTS, METADATA=METADATA + needs)
    (info,) = [info for info in load().plugins if info.state == "failed"]
    assert "it was made for opbook <0.0.1" in info.error
    for name in ("TWICE", "twice-ops", "Twice_Ops", "twice.ops"):
        monkeypatch.setenv("OPBOOK_DISABLE", name)
        assert [info.source.distribution for info in load().plugins if info.state == "disabled"] == ["Twice.Ops"]
    file = PluginSource("my_ops", "", "", "/here/my_ops.py")
    assert file.is_called("my-ops")
    assert file.is_called("/here/my_ops.py")
    assert not file.is_called("/here/my-ops.py")


def test_all_that_is_installed_here_can_be_read():
    assert {canonical(metadata_called(one.name)["Name"]) for one in installed()} >= {"opbook-layer-norm"}
