import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from opbook.cli.scaffold import make_distribution, make_file, making
from opbook.plugins.catalogue import load

LONGEST = "a_name_that_has_thirty_letters"


def ruff(folder: Path, *arguments: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "ruff", *arguments, "--no-cache"], cwd=folder, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("name", ["f", "soft_clip", LONGEST])
def test_whatever_its_name_a_distribution_is_neat_and_complete(tmp_path, name):
    assert len(LONGEST) == 30
    made = make_distribution(name, tmp_path)
    assert made.path == tmp_path / f"opbook-{name.replace('_', '-')}"
    assert sorted(made.files) == sorted(
        path.relative_to(made.path).as_posix() for path in made.path.rglob("*") if path.is_file()
    )
    assert [path.name for path in tmp_path.iterdir()] == [made.path.name], "no draft is left"
    for file in made.files:
        text = (made.path / file).read_text(encoding="utf-8")
        assert "%{" not in text
        assert text.endswith("\n")
    project = tomllib.loads((made.path / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["entry-points"] == {"opbook": {name: f"opbook_{name}"}}
    ruff(made.path, "check")
    ruff(made.path, "format", "--check")


def test_one_file_is_a_plugin(tmp_path):
    made = make_file("soft_clip", tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["soft_clip.py"]
    assert load([made.path])["soft_clip"]([3.0, 0.0], limit=4.0).round(6).tolist() == [2.4, 0]
    ruff(tmp_path, "check")
    ruff(tmp_path, "format", "--check")


@pytest.mark.parametrize(
    ("there", "words"),
    [
        ([], "an empty folder"),
        (["a"], "a folder with a in it"),
        (["d", "c", "b", "a", "e"], "a folder with a, b, c and 2 more in it"),
    ],
)
def test_nothing_is_overwritten_and_it_says_what_is_there(tmp_path, there, words):
    folder = tmp_path / "opbook-soft-clip"
    folder.mkdir()
    for name in there:
        (folder / name).write_text("mine", encoding="utf-8")
    with pytest.raises(FileExistsError, match=f"opbook-soft-clip is there already, {words}. Nothing was written"):
        make_distribution("soft_clip", tmp_path)
    assert sorted(path.name for path in folder.iterdir()) == sorted(there)
    assert [path.name for path in tmp_path.iterdir()] == ["opbook-soft-clip"]


def test_a_file_and_a_dangling_link_are_not_overwritten(tmp_path):
    (tmp_path / "soft_clip.py").write_text("mine", encoding="utf-8")
    with pytest.raises(FileExistsError, match=r"soft_clip.py is there already, a file"):
        make_file("soft_clip", tmp_path)
    assert (tmp_path / "soft_clip.py").read_text(encoding="utf-8") == "mine"
    (tmp_path / "other.py").symlink_to(tmp_path / "gone")
    with pytest.raises(FileExistsError, match=r"other.py is there already, a file"):
        make_file("other", tmp_path)


def test_a_failure_leaves_nothing_behind(tmp_path, monkeypatch):
    def fail(template):
        if template.startswith("test"):
            raise OSError("no space left on device")
        return "some text"

    monkeypatch.setattr(making, "_read", fail)
    with pytest.raises(OSError, match="no space left"):
        make_distribution("soft_clip", tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_commands_can_be_pasted_where_the_path_has_blanks(tmp_path):
    folder = tmp_path / "my plugins"
    folder.mkdir()
    made = make_distribution("soft_clip", folder)
    assert made.next[0] == f"cd '{folder}/opbook-soft-clip'"
    assert make_file("other", folder).next[0].endswith(f"--plugin '{folder}/other.py'")
