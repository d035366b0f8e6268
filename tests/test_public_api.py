"""Nothing public changes unless the changelog says so."""

import importlib.resources
import re
from pathlib import Path

import pytest

pytest.importorskip("griffe", reason="needs the extra opbook[site]")

import public_api

CHANGELOG = public_api.ROOT / "CHANGELOG.md"


def changed(before: dict[str, str], now: dict[str, str]) -> list[str]:
    """The names that came, went, or are used in another way; of what came or went whole, not its parts."""
    found = sorted(name for name in {*before, *now} if before.get(name) != now.get(name))
    both = {name for name in found if name in before and name in now}
    return [name for name in found if name in both or not any(parent in found for parent in parents(name) - both)]


def parents(name: str) -> set[str]:
    return {name[: match.start()] for match in re.finditer(r"[. ]", name) if match.start()} - {"$"}


def unmentioned(names: list[str], changelog: str) -> list[str]:
    """Those of which the section "Unreleased" says nothing."""
    (section,) = re.findall(r"^## \[Unreleased\]\n(.*?)(?=^## |\Z)", changelog, re.MULTILINE | re.DOTALL)
    words = {
        word.strip(".,:;()`'\"") for code in re.findall(r"`([^`]+)`", section) for word in re.split(r"[\s=(]", code)
    }
    words |= {part for word in words for part in word.split(".")}
    return [name for name in names if re.split(r"[. ]", name)[-1] not in words]


def test_what_changed_since_the_last_release_is_in_the_changelog() -> None:
    names = changed(public_api.read(), public_api.lines())
    missing = unmentioned(names, CHANGELOG.read_text(encoding="utf-8"))
    assert not missing, (
        f"public, and not as in the last release: {', '.join(missing)}. Say so under Unreleased in CHANGELOG.md, with "
        "the name between backticks; or make it private again"
    )


BEFORE = {"a.f": "(x: int) -> int", "a.C": "class ()", "a.C.m": "() -> None", "$ opbook list": "", "a.gone": ": int"}
NOW = {
    "a.f": "(x: int, y: int = 0) -> int",
    "a.C": "class ()",
    "a.C.m": "() -> None",
    "a.C.n": "() -> None",
    "a.D": "class ()",
    "a.D.m": "() -> None",
    "$ opbook list": "",
    "$ opbook list --long": "flag",
    "$ opbook new": "NAME",
    "$ opbook new --into": "",
}


def test_each_kind_of_change_is_found_and_only_once() -> None:
    assert changed(BEFORE, BEFORE) == []
    assert changed(BEFORE, NOW) == ["$ opbook list --long", "$ opbook new", "a.C.n", "a.D", "a.f", "a.gone"]


def test_the_changelog_must_name_it_in_the_section_of_now() -> None:
    log = "# C\n\n## [Unreleased]\n\n- `C.n`, `D`; `f(x, y=0)`.\n- `opbook new`, and --long.\n\n## [1]\n\n- `gone`\n"
    assert unmentioned(changed(BEFORE, NOW), log) == ["$ opbook list --long", "a.gone"]


def test_the_lines_say_how_things_are_used() -> None:
    found = public_api.lines()
    assert found["opbook.autodiff.differentiate.grad"].startswith("(f: Callable")
    assert found["opbook.plugins.catalogue.Catalogue.plugin_of"] == "(name: str) -> PluginInfo"
    assert found["opbook.errors.ShapeError"] == "class () of OpbookError, ValueError"
    assert found["$ opbook list --category"] == ""
    assert "opbook.register" in found
    assert not [name for name in found if "._" in name]


def test_types_are_shipped() -> None:
    assert (importlib.resources.files("opbook") / "py.typed").is_file()
    assert Path(public_api.RELEASED).read_text(encoding="utf-8").startswith("# What was public in opbook ")
