"""A site of very many builtins, at a size that a test can bear."""

import importlib.util
import json
import re
from pathlib import Path

import pytest
from site_projects import ROOT, Project

from opbook.pages import rendering


def generator():
    spec = importlib.util.spec_from_file_location("site_project", ROOT / "benchmarks/site_project.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """Ten builtins, with the limit from which the index is split at five."""
    folder = tmp_path_factory.mktemp("many")
    environment = generator().write(folder, 10)
    limits = folder / "packages/sitecustomize.py"
    limits.write_text("import opbook.pages.rendering\n\nopbook.pages.rendering.MANY = 5\n")
    project = Project(folder, folder / "site", environment)
    built = project.build()
    assert (built.returncode, built.stderr) == (0, ""), built.stderr
    return project


def test_the_generator_writes_the_same_every_time(many: Project, tmp_path: Path) -> None:
    generator().write(tmp_path, 10)
    written = {
        p.relative_to(tmp_path): p.read_text() for p in tmp_path.rglob("*") if p.is_file() and p.suffix != ".pyc"
    }
    assert written
    for path, text in written.items():
        assert (many.folder / path).read_text() == text


def test_every_builtin_is_verified_and_has_its_page(many: Project) -> None:
    entries = json.loads(many.files()["builtins.json"])["builtins"]
    assert len(entries) == 10
    for entry in entries:
        found = {check["status"] for check in entry["verification"]}
        assert found <= {"passed", "not applicable", "left out"}, entry["name"]
        assert all(example["output"] for example in entry["examples"])
        assert entry["name"] in many.page(f"builtins/{entry['name']}")


def test_a_long_index_is_split_by_category(many: Project) -> None:
    index = many.page("builtins")
    assert "<table" not in index
    assert re.search(r'<a href="category/filters/">Filters</a> 5\s+builtins', index)
    table = many.page("builtins/category/filters")
    assert len(re.findall(r'<td><a href="../../(\w+)/"><code>\1</code></a>', table)) == 5
    assert 'href="../calm_comb/"' in many.page("builtins/a-z")


def test_a_long_navigation_ends_at_categories(many: Project) -> None:
    page = many.page("builtins/calm_comb")
    nav = page[page.index('<nav class="md-nav md-nav--primary"') : page.index('<div class="md-content"')]
    assert 'href="../category/filters/"' in nav
    assert "calm_comb" not in nav
    assert re.search(r"md-nav__item--active md-nav__item--section|md-nav__item--active md-nav__item--nested", nav)


def test_a_second_build_verifies_nothing(many: Project) -> None:
    before = many.files()
    results = many.folder / ".cache/opbook/verification.json"
    stamp = results.stat().st_mtime_ns
    assert many.build().returncode == 0
    assert many.files() == before
    assert results.stat().st_mtime_ns == stamp


def test_what_the_checks_said_holds_for_one_source_only(many: Project) -> None:
    results = many.folder / ".cache/opbook/verification.json"
    before = {name: result["fingerprint"] for name, result in json.loads(results.read_text()).items()}
    part = many.folder / "packages/many_ops_00/part_0.py"
    source = part.read_text()
    try:
        part.write_text(source + "\n# an edit\n")
        assert many.build().returncode == 0
        after = {name: result["fingerprint"] for name, result in json.loads(results.read_text()).items()}
        assert before.keys() == after.keys()
        assert not set(before.values()) & set(after.values())
    finally:
        part.write_text(source)


def test_the_limit_is_above_our_own_site() -> None:
    assert rendering.MANY >= 100
