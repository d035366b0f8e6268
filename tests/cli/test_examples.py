from pathlib import Path

import pytest

RIGHT = '# Page\n\n```qu\nprint("{1 + 1}")\n```\n\n```output\n2\n```\n'
WRONG = RIGHT.replace("\n2\n", "\n3\n")


@pytest.fixture
def page(tmp_path: Path) -> Path:
    path = tmp_path / "page.md"
    path.write_text(WRONG, encoding="utf-8")
    return path


def test_check_names_file_and_line_shows_the_difference_and_exits_1(opbook, page):
    result = opbook("examples", "--check", page)
    assert result.exit_code == 1
    assert result.stdout.startswith(f"{page}:3: ")
    assert "\n-3\n+2\n" in result.stdout
    assert result.stdout.splitlines()[-1] == "1 example: 1 failed"
    assert page.read_text(encoding="utf-8") == WRONG


def test_update_mends_it_and_a_second_one_changes_nothing(opbook, page):
    result = opbook("examples", "--update", page)
    assert (result.exit_code, result.stdout) == (0, "1 example: 1 updated\n")
    assert page.read_text(encoding="utf-8") == RIGHT
    assert opbook("examples", "--update", page).stdout == "1 example: 1 passed\n"
    assert opbook("examples", page).exit_code == 0


def test_update_exits_1_where_an_example_cannot_run(opbook, page):
    page.write_text("```qu\nnope(1)\n```\n", encoding="utf-8")
    result = opbook("examples", "--update", page)
    assert result.exit_code == 1
    assert f"{page}:2: " in result.stdout


def test_a_misspelt_fence_fails_with_its_line(opbook, page):
    page.write_text(RIGHT.replace("```qu", "```qq"), encoding="utf-8")
    result = opbook("examples", page)
    assert result.exit_code == 1
    assert result.stdout.startswith(f"{page}:3: ")


def test_folders_are_searched_and_skips_are_counted(opbook, tmp_path, page):
    page.write_text(RIGHT + "\n<!-- example: skip, takes an hour -->\n\n" + RIGHT[8:], encoding="utf-8")
    result = opbook("examples", tmp_path)
    assert (result.exit_code, result.stdout) == (0, "2 examples: 1 passed, 1 skipped\n")


def test_default_paths_are_those_of_the_working_folder(opbook, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = opbook("examples")
    assert result.exit_code == 2
    assert "none of docs, plugins, README.md is in this folder" in result.stderr
    Path("README.md").write_text(RIGHT, encoding="utf-8")
    Path("docs").mkdir()
    Path("docs", "guide.md").write_text(WRONG, encoding="utf-8")
    result = opbook("examples")
    assert result.exit_code == 1
    assert result.stdout.startswith(f"{Path('docs', 'guide.md')}:3: ")
    assert result.stdout.splitlines()[-1] == "2 examples: 1 passed, 1 failed"


def test_a_python_example_can_import_from_a_one_file_plugin(opbook, page, one_file_plugin):
    code = "from opbook.ops import twice\n\nprint(twice(21))"
    page.write_text(f"```python\n{code}\n```\n\n```output\n42.0\n```\n", encoding="utf-8")
    result = opbook("examples", "--plugin", one_file_plugin, page)
    assert (result.exit_code, result.stdout.splitlines()[-1]) == (0, "1 example: 1 passed")


PLUGIN = """
from opbook import hookimpl

@hookimpl
def opbook_guides():
    return ["pages/guide.md", "../elsewhere.md"]
"""


def test_pages_of_plugins_in_the_working_folder_are_among_them(opbook, tmp_path, monkeypatch):
    here = tmp_path / "project"
    (here / "pages").mkdir(parents=True)
    monkeypatch.chdir(here)
    (here / "my_ops.py").write_text(PLUGIN, encoding="utf-8")
    (here / "examples.md").write_text(RIGHT, encoding="utf-8")
    (here / "pages" / "guide.md").write_text(WRONG, encoding="utf-8")
    (here / "pages" / "no-guide.md").write_text(WRONG, encoding="utf-8")
    (tmp_path / "elsewhere.md").write_text(WRONG, encoding="utf-8")
    monkeypatch.setattr("opbook.plugins.catalogue._default", None)
    result = opbook("examples", "--plugin", "my_ops.py")
    assert result.exit_code == 1
    assert result.stdout.startswith("pages/guide.md:3: ")
    assert result.stdout.splitlines()[-1] == "2 examples: 1 passed, 1 failed"
    (here / "docs").mkdir()
    (here / "pages").rename(here / "docs" / "pages")
    (here / "my_ops.py").write_text(PLUGIN.replace("pages/", "docs/pages/"), encoding="utf-8")
    monkeypatch.setattr("opbook.plugins.catalogue._default", None)
    assert opbook("examples", "--plugin", "my_ops.py").stdout.splitlines()[-1] == "3 examples: 1 passed, 2 failed"
