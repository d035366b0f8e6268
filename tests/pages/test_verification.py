"""What the checks said is kept for the sources that it holds for, and for no other."""

import json
import textwrap
from pathlib import Path

import pytest

from opbook.pages import fingerprints as module
from opbook.pages import verification
from opbook.pages.fingerprints import fingerprints
from opbook.pages.verification import verified
from opbook.plugins.catalogue import Catalogue

PACKAGE = {
    "__init__.py": """
        from opbook import hookimpl
        from .one import one
        from .two import two

        @hookimpl
        def opbook_builtins():
            return [one, two]
        """,
    "one.py": """
        from opbook import Array, builtin
        from .helping import factor

        @builtin(category="A")
        def one(x: Array["..."]) -> Array["..."]:
            \"""Scales.\"""
            return factor() * x
        """,
    "two.py": """
        from opbook import Array, builtin

        @builtin(category="A")
        def two(x: Array["..."]) -> Array["..."]:
            \"""Doubles.\"""
            return 2 * x
        """,
    "helping.py": """
        def factor():
            return 3
        """,
    "table.csv": "1,2\n",
}


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "fingered_ops"
    folder.mkdir()
    for name, text in PACKAGE.items():
        (folder / name).write_text(textwrap.dedent(text))
    monkeypatch.syspath_prepend(tmp_path)
    return folder


@pytest.fixture
def loaded(package: Path, monkeypatch: pytest.MonkeyPatch):
    import importlib
    import sys

    plugin = importlib.import_module("fingered_ops")
    yield {op.name: op for op in plugin.opbook_builtins()}
    for name in [name for name in sys.modules if name.partition(".")[0] == "fingered_ops"]:
        del sys.modules[name]
    forget()


def forget() -> None:
    for cached in (module._content, module._imports):
        cached.cache_clear()


def changed(loaded: dict, edit) -> set[str]:
    """The builtins whose fingerprint an edit changes."""
    forget()
    before = fingerprints(loaded)
    edit()
    forget()
    after = fingerprints(loaded)
    return {name for name in loaded if before[name] != after[name]}


@pytest.mark.parametrize(
    ("file", "names"),
    [
        ("one.py", {"one"}),
        ("two.py", {"two"}),
        ("helping.py", {"one"}),
        ("__init__.py", {"one", "two"}),
        ("table.csv", {"one", "two"}),
    ],
)
def test_an_edit_counts_for_the_builtins_that_reach_it(package: Path, loaded: dict, file: str, names: set[str]) -> None:
    path = package / file
    assert changed(loaded, lambda: path.write_text(path.read_text() + "\n# edited\n")) == names


def test_a_module_that_imports_by_name_counts_as_the_whole_package(package: Path, loaded: dict) -> None:
    two = package / "two.py"
    two.write_text(two.read_text() + "\nimport importlib\nlate = importlib.import_module\n")
    helping = package / "helping.py"
    assert changed(loaded, lambda: helping.write_text("def factor():\n    return 4\n")) == {"one", "two"}


def test_another_numpy_is_another_fingerprint(loaded: dict, monkeypatch: pytest.MonkeyPatch) -> None:
    assert changed(loaded, lambda: monkeypatch.setattr(module.np, "__version__", "9.9")) == {"one", "two"}


def test_nothing_is_verified_twice(tmp_path: Path, ops: Catalogue, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "results.json"
    first = verified(ops, ["double"], file)
    assert first["double"].of("passed")
    monkeypatch.setattr(verification, "_verify_one", None)
    assert verified(ops, ["double"], file) == first


@pytest.mark.parametrize("damage", ["", "{", "[]", '{"double": {"fingerprint": "other"}}'])
def test_a_damaged_file_of_results_is_made_anew(tmp_path: Path, ops: Catalogue, damage: str) -> None:
    file = tmp_path / "results.json"
    file.write_text(damage)
    assert verified(ops, ["double"], file)["double"].of("passed")
    assert "checks" in json.loads(file.read_text())["double"]
