"""The line that says how a distribution is installed, for every way in which it may have come."""

import json
from pathlib import Path

import pytest
from distributions import METADATA

from opbook.pages.installing import install_line


@pytest.fixture
def came(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Makes a distribution that an installer says came from somewhere, and gives its line."""
    monkeypatch.syspath_prepend(str(tmp_path / "packages"))

    def came(origin: dict[str, object] | None) -> tuple[str, str]:
        info = tmp_path / "packages" / "opbook_far-1.0.dist-info"
        info.mkdir(parents=True, exist_ok=True)
        (info / "METADATA").write_text(METADATA.format(name="opbook-far", version="1.0"), encoding="utf-8")
        if origin is not None:
            (info / "direct_url.json").write_text(json.dumps(origin), encoding="utf-8")
        return install_line("opbook-far", tmp_path / "book")

    return came


def test_by_its_name(came) -> None:
    assert came(None) == ("pip install opbook-far", "")


def test_from_a_repository(came) -> None:
    origin = {"url": "https://me:secret@git.example/far.git", "vcs_info": {"vcs": "git", "commit_id": "0a1b"}}
    assert came(origin) == ('pip install "opbook-far @ git+https://git.example/far.git@0a1b"', "")


def test_from_an_archive_on_a_host(came) -> None:
    origin = {"url": "https://far.example/opbook_far-1.0-py3-none-any.whl", "archive_info": {}}
    assert came(origin)[0] == 'pip install "opbook-far @ https://far.example/opbook_far-1.0-py3-none-any.whl"'


def test_from_a_folder_of_the_project(came, tmp_path: Path) -> None:
    origin = {"url": (tmp_path / "book/plugins/far").as_uri(), "dir_info": {"editable": True}}
    assert came(origin) == ("pip install ./plugins/far", "in the folder of this site's project")
    assert came({"url": (tmp_path / "book").as_uri(), "dir_info": {}})[0] == "pip install ."


@pytest.mark.parametrize("info", [{"dir_info": {}}, {"archive_info": {}}, {"vcs_info": {"vcs": "git"}}])
def test_no_path_of_the_machine_is_told(came, tmp_path: Path, info: dict[str, object]) -> None:
    line, where = came({"url": (tmp_path / "elsewhere/far-1.0.zip").as_uri(), **info})
    assert str(tmp_path) not in line + where
    assert line == ("pip install ./far-1.0.zip" if "archive_info" in info else "pip install .")
    assert where


def test_a_note_that_can_not_be_read_is_none(came, tmp_path: Path) -> None:
    came(None)
    (tmp_path / "packages/opbook_far-1.0.dist-info/direct_url.json").write_text("{", encoding="utf-8")
    assert came(None) == ("pip install opbook-far", "")
