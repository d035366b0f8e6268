"""`dev.py`, without a real installation."""

import ast
import importlib.metadata
import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from opbook.examples import find

ROOT = Path(__file__).parents[2]


@pytest.fixture
def dev(tmp_path, monkeypatch):
    """The module, in a project of its own whose installation is noted down instead of done."""
    spec = importlib.util.spec_from_file_location("dev", ROOT / "dev.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for name in (".", "plugins/a", "plugins/b"):
        (tmp_path / name).mkdir(parents=True, exist_ok=True)
        (tmp_path / name / "pyproject.toml").write_text('[build-system]\nrequires = ["x"]\n', encoding="utf-8")
    (tmp_path / ".venv").mkdir()
    module.calls = []
    monkeypatch.setattr(module, "ROOT", tmp_path)
    monkeypatch.setattr(module, "STAMP", tmp_path / ".venv" / "stamp.json")
    monkeypatch.setattr(module, "make_venv", lambda afresh: module.calls.append(("venv", afresh)))
    monkeypatch.setattr(module, "install", lambda plugins, extras: module.calls.append((plugins, extras)))
    monkeypatch.setattr(module, "venv_version", lambda: (3, 11))
    return module


def test_the_second_run_installs_nothing(dev):
    dev.set_up(dev.TO_DEVELOP)
    assert dev.calls == [("venv", False), (["a", "b"], "site,test,dev")]
    dev.set_up(dev.TO_DEVELOP)
    dev.set_up(dev.TO_READ)
    assert len(dev.calls) == 2


def test_the_tests_need_more_than_the_site(dev):
    dev.set_up(dev.TO_READ)
    dev.set_up(dev.TO_DEVELOP)
    assert [call[1] for call in dev.calls if call[0] != "venv"] == ["site,test", "site,test,dev"]


def test_a_changed_pyproject_installs_again_and_keeps_the_extras(dev):
    dev.set_up(dev.TO_DEVELOP)
    with open(dev.ROOT / "plugins" / "b" / "pyproject.toml", "a", encoding="utf-8") as file:
        file.write("# changed\n")
    dev.set_up(dev.TO_READ)
    assert dev.calls[-1] == (["a", "b"], "site,test,dev")


def test_a_plugin_that_is_gone_makes_a_new_environment(dev):
    dev.set_up(dev.TO_DEVELOP)
    (dev.ROOT / "plugins" / "a" / "pyproject.toml").unlink()
    dev.set_up(dev.TO_DEVELOP)
    assert dev.calls[2:] == [("venv", True), (["b"], "site,test,dev")]


def test_an_environment_that_no_longer_works_is_made_again(dev, monkeypatch):
    dev.set_up(dev.TO_DEVELOP)
    monkeypatch.setattr(dev, "venv_version", lambda: ())
    dev.set_up(dev.TO_DEVELOP)
    assert len(dev.calls) == 4


def test_an_installation_that_failed_is_tried_again(dev, monkeypatch):
    def fail(plugins, extras):
        raise SystemExit(1)

    done = dev.install
    monkeypatch.setattr(dev, "install", fail)
    with pytest.raises(SystemExit):
        dev.set_up(dev.TO_DEVELOP)
    monkeypatch.setattr(dev, "install", done)
    dev.set_up(dev.TO_DEVELOP)
    assert dev.calls[-1] == (["a", "b"], "site,test,dev")


@pytest.mark.parametrize("noted", ["", "{", json.dumps({"key": "x"})])
def test_a_stamp_that_makes_no_sense_counts_as_none(dev, noted):
    dev.STAMP.write_text(noted, encoding="utf-8")
    dev.set_up(dev.TO_READ)
    assert dev.calls[-1] == (["a", "b"], "site,test")


def test_pip_installs_everything_in_editable_form(dev, monkeypatch):
    monkeypatch.undo()
    monkeypatch.setattr(dev, "LOG", Path("no-log"))
    commands = []
    monkeypatch.setattr(dev, "pip", lambda arguments, start: commands.append(arguments))
    dev.install(["layer_norm"], "site")
    tools, everything = commands
    assert "editables" in tools
    assert any(tool.startswith("hatchling") for tool in tools)
    assert everything[1:] == ["-e", f"{ROOT}[site]", "-e", str(ROOT / "plugins" / "layer_norm")]


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["nope"], 2, "there is no command nope; the commands are serve, site, test, check, setup and dist"),
        (["check", "x"], 2, "check takes no arguments, but x came"),
    ],
)
def test_wrong_usage(arguments, code, message):
    run = subprocess.run([sys.executable, str(ROOT / "dev.py"), *arguments], capture_output=True, text=True)
    assert (run.returncode, run.stdout, run.stderr) == (code, "", f"dev.py: {message}\n")


def needs(requirement: Requirement, found: set[tuple[str, str]]) -> None:
    """Add what a distribution needs, and what that needs, each with the extra that asked for it."""
    name = canonicalize_name(requirement.name)
    for extra in {"", *requirement.extras}:
        if (name, extra) not in found:
            found.add((name, extra))
            for each in map(Requirement, importlib.metadata.requires(name) or ()):
                if each.marker is None or each.marker.evaluate({"extra": extra}):
                    needs(each, found)


def imported(tree):
    """The packages that code imports, without those within them."""
    nodes = list(ast.walk(tree))
    modules = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    modules |= {node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.module}
    return {module.partition(".")[0] for module in modules}


def test_what_the_examples_import_is_installed_for_the_site(dev):
    found = set()
    needs(Requirement(f"opbook[{dev.TO_READ}]"), found)
    there = {name for name, _ in found}
    pages = [ROOT / "README.md", *ROOT.glob("docs/**/*.md"), *ROOT.glob("plugins/**/*.md")]
    examples = [e for page in pages for e in find(page) if e.language == "python" and not e.skip]
    modules = {module for e in examples for module in imported(ast.parse(e.code)) - {*e.needs}}
    owners = importlib.metadata.packages_distributions()
    wanted = {canonicalize_name(owner) for module in modules for owner in owners.get(module, ())}
    assert "sybil" in wanted
    assert {name for name in wanted if not name.startswith("opbook")} <= there
