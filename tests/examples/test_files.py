"""Files and folders are written whole or not at all."""

import os
import stat
from pathlib import Path

import pytest

from opbook.examples.files import replacing


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def fail_half_way(path: Path) -> None:
    with replacing(path) as draft:
        draft.write_text("half")
        raise ZeroDivisionError


def test_a_file_is_there_at_the_end_only(tmp_path: Path) -> None:
    with replacing(tmp_path / "a.txt") as draft:
        draft.write_text("new")
        assert not (tmp_path / "a.txt").exists()
    assert (tmp_path / "a.txt").read_text() == "new"
    assert names(tmp_path) == ["a.txt"]


def test_after_an_error_all_is_as_it_was(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("old")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "page").write_text("old")
    for name in ("a.txt", "folder", "nothing"):
        with pytest.raises(ZeroDivisionError):
            fail_half_way(tmp_path / name)
    assert names(tmp_path) == ["a.txt", "folder"]
    assert (tmp_path / "a.txt").read_text() == (tmp_path / "folder" / "page").read_text() == "old"


@pytest.mark.skipif(os.name != "posix", reason="permissions are those of POSIX")
def test_a_file_keeps_its_permissions_and_a_link_to_it(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    file, link = tmp_path / "elsewhere" / "a.sh", tmp_path / "link"
    file.write_text("old")
    file.chmod(0o751)
    link.symlink_to(file)
    with replacing(link) as draft:
        draft.write_text("new")
    assert file.read_text() == "new"
    assert stat.S_IMODE(file.stat().st_mode) == 0o751
    assert link.is_symlink()
    assert (names(tmp_path), names(tmp_path / "elsewhere")) == (["elsewhere", "link"], ["a.sh"])


@pytest.mark.skipif(os.name != "posix", reason="permissions are those of POSIX")
def test_a_new_file_has_the_permissions_of_any_new_file(tmp_path: Path) -> None:
    (tmp_path / "usual").write_text("")
    with replacing(tmp_path / "new") as draft:
        draft.write_text("")
    assert (tmp_path / "new").stat().st_mode == (tmp_path / "usual").stat().st_mode


def test_a_folder_takes_the_place_of_another(tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "old").write_text("")
    with replacing(tmp_path / "site") as draft:
        draft.mkdir()
        (draft / "new").write_text("")
        assert names(tmp_path / "site") == ["old"]
    assert names(tmp_path) == ["site"]
    assert names(tmp_path / "site") == ["new"]


def test_a_folder_comes_back_where_there_is_no_other(tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "old").write_text("")
    with pytest.raises(FileNotFoundError), replacing(tmp_path / "site"):
        pass  # nothing was written
    assert names(tmp_path) == ["site"]
    assert names(tmp_path / "site") == ["old"]
