"""Imports run one way: nothing below the catalogue knows an op, and no op knows the site, the notation or the tests."""

import ast
import builtins
import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import opbook

ROOT = Path(__file__).parents[1]
CORE = ROOT / "src" / "opbook"
PLUGINS = sorted(path.parent for path in ROOT.glob("plugins/*/pyproject.toml"))

# Each part may import those of the lines above its own, and itself; parts of one line do not know each other.
LAYERS = """
errors tree docstrings files workers
derivatives
tape
arrays figures formatting properties rules sections
differentiate specs
annotations
signature
call notebook
builtin
hookspecs
opbook
configuration
plugins
registering resolving misfits
settling
catalogue
ops notation
examples
checks
pages
sybil testing mkdocs lexer griffe_annotations scaffold stubs
pytest_plugin cli
__main__
"""
RANK = {part: rank for rank, line in enumerate(LAYERS.strip().splitlines()) for part in line.split()}

# Who may import what beside the standard library and NumPy.
THIRD_PARTY = {
    "workers": {"threadpoolctl"},
    "hookspecs": {"click", "pluggy"},  # click for type checkers only
    "catalogue": {"pluggy"},
    "plugins": {"packaging"},
    "registering": {"packaging", "pluggy"},
    "notation": {"lark"},
    "checks": {"torch"},  # compares with what it is given
    "pages": {"jinja2", "matplotlib", "pygments"},
    "mkdocs": {"mkdocs"},
    "griffe_annotations": {"griffe"},
    "lexer": {"pygments"},
    "sybil": {"pytest", "sybil"},
    "testing": {"pytest"},
    "pytest_plugin": {"pytest", "sybil"},
    "cli": {"click", "mkdocs", "packaging", "rich", "tomlkit"},
}

# The reference page of the command line is made from the commands, by a function that imports them when it is called.
# `opbook.register` imports the catalogue when it is first used.
EXCEPTIONS = {
    ("pages/reference.py", "opbook.cli.main"),
    ("pages/reference.py", "click"),
    ("__init__.py", "opbook.catalogue.register"),
}

# Plugins with commands import click in the hook that only the command line calls.
WITH_COMMANDS = {"figures"}

# An accelerator is there for the sake of another package.
COMPILERS = {"fast": {"numba"}}

# What a plugin may use of opbook: what it takes to declare a builtin.
FOR_PLUGINS = {
    "opbook",
    "errors",
    "tree",
    "derivatives",
    "tape",
    "arrays",
    "differentiate",
    "annotations",
    "figures",
    "formatting",
    "builtin",
    "hookspecs",
    "properties",
    "rules",
    "sections",
    "workers",
}


def part_of(path: Path) -> str:
    """The file or folder of src/opbook that a file belongs to; "opbook" for the package's own __init__."""
    name = path.relative_to(CORE).parts[0].removesuffix(".py")
    return "opbook" if name == "__init__" else name


PARTS = sorted({part_of(path) for path in CORE.rglob("*.py")})


def files_of(part: str) -> Iterator[Path]:
    return (path for path in sorted(CORE.rglob("*.py")) if part_of(path) == part)


def parse(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


def imports(path: Path) -> Iterator[tuple[int, str]]:
    """Every module that a file imports, inside functions too, with the line; `from a import b` gives `a.b`."""
    for node in ast.walk(parse(path)):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: import by the full name"
            yield from ((node.lineno, f"{node.module}.{alias.name}") for alias in node.names)


def opbook_part(module: str) -> str:
    """The part of opbook that `opbook.x.y` names; a name that is no part is one that opbook itself exports."""
    _, _, rest = module.partition(".")
    part = rest.partition(".")[0]
    return part if part in PARTS else "opbook"


def is_exception(path: Path, module: str) -> bool:
    return (path.relative_to(CORE).as_posix(), module) in EXCEPTIONS


def words_in_code(path: Path) -> Iterator[tuple[int, str]]:
    """The identifiers of a file and the words in its texts, docstrings left out."""
    tree = parse(path)
    docs = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        for field in ("id", "attr", "name", "arg"):
            if isinstance(word := getattr(node, field, None), str):
                yield getattr(node, "lineno", 0), word
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs:
            yield from ((node.lineno, word) for word in re.findall(r"\w+", node.value))


def ops_of_plugins() -> set[str]:
    """The names of the functions that plugins decorate with `@builtin(...)`."""
    functions = (
        node
        for plugin in PLUGINS
        for path in plugin.rglob("*.py")
        for node in ast.walk(parse(path))
        if isinstance(node, ast.FunctionDef)
    )
    return {f.name for f in functions if any(re.match(r"(\w+\.)?builtin\(", ast.unparse(d)) for d in f.decorator_list)}


def test_every_part_has_its_layer() -> None:
    assert set(PARTS) <= set(RANK)


@pytest.mark.parametrize("part", PARTS)
def test_imports_run_down(part: str) -> None:
    wrong = [
        f"{path.relative_to(ROOT)}:{line}: {part} must not import {module}"
        for path in files_of(part)
        for line, module in imports(path)
        if module.partition(".")[0] == "opbook"
        and not is_exception(path, module)
        and (other := opbook_part(module)) != part
        and RANK[other] >= RANK[part]
    ]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("part", PARTS)
def test_other_packages_stay_behind_their_adapter(part: str) -> None:
    allowed = {"opbook", "numpy", *THIRD_PARTY.get(part, ()), *sys.stdlib_module_names}
    wrong = [
        f"{path.relative_to(ROOT)}:{line}: {part} must not import {module}"
        for path in files_of(part)
        for line, module in imports(path)
        if module.partition(".")[0] not in allowed and not is_exception(path, module)
    ]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("part", [part for part in PARTS if RANK.get(part, 0) < RANK["cli"]])
def test_no_part_names_an_op(part: str) -> None:
    # `sum` in the code of the tape is Python's or NumPy's, and `grad` is the tape's own
    common = {*dir(builtins), *dir(np), *dir(np.ndarray), *opbook.__all__}
    ops = ops_of_plugins() - common
    assert "layer_norm" in ops
    wrong = [
        f"{path.relative_to(ROOT)}:{line}: {part} must not know the op {word}"
        for path in files_of(part)
        for line, word in words_in_code(path)
        if word in ops
    ]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("plugin", PLUGINS, ids=lambda path: path.name)
def test_plugins_import_what_they_declare(plugin: Path) -> None:
    project = tomllib.loads((plugin / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    declared = {re.split(r"[^\w.-]", text)[0].replace("-", "_").lower() for text in project["dependencies"]}
    own = {path.parent.name for path in plugin.glob("*/__init__.py")}
    usual = {"opbook", "numpy", *COMPILERS.get(plugin.name, ())}
    wrong = []
    for path in sorted(plugin.rglob("*.py")):
        for line, module in imports(path):
            root = module.partition(".")[0]
            place = f"{path.relative_to(ROOT)}:{line}"
            if root == "click" and plugin.name in WITH_COMMANDS:
                continue
            if root not in declared | own | sys.stdlib_module_names:
                wrong.append(f"{place}: {root} is not among the dependencies in pyproject.toml")
            elif root == "opbook" and opbook_part(module) not in FOR_PLUGINS:
                wrong.append(f"{place}: a plugin must not import {module}")
            elif root not in usual | own | sys.stdlib_module_names and not root.startswith("opbook_"):
                wrong.append(f"{place}: a plugin of this project imports opbook, NumPy and other plugins only")
    assert not wrong, "\n".join(wrong)


def loaded_by(statement: str) -> set[str]:
    code = f"{statement}\nimport json, sys\nprint(json.dumps(list(sys.modules)))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(json.loads(run.stdout))


def test_importing_opbook_loads_no_plugin_and_no_tool() -> None:
    modules = loaded_by("import opbook")
    assert "opbook.tape" in modules
    assert not {name for name in modules if name.startswith("opbook_")}
    tools = {"lark", "click", "rich", "matplotlib", "mkdocs", "jinja2", "pytest", "sybil"}
    assert not modules & {*tools, "opbook.catalogue", "opbook.notation"}


def test_listing_loads_no_site_and_no_notation() -> None:
    modules = loaded_by(
        "from contextlib import redirect_stdout, suppress\nfrom io import StringIO\nfrom opbook.cli import main\n"
        "with suppress(SystemExit), redirect_stdout(StringIO()): main(['list'])"
    )
    assert "opbook.catalogue" in modules
    assert not modules & {"mkdocs", "jinja2", "pytest", "sybil", "opbook.notation", "opbook.mkdocs"}
