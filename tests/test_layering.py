"""Imports run one way: nothing below the catalogue knows an op, and no op knows the site, the notation or the tests."""

import ast
import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Container, Iterator
from graphlib import TopologicalSorter
from itertools import chain
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
CORE = ROOT / "src" / "opbook"
PLUGINS = sorted(path.parent for path in ROOT.glob("plugins/*/pyproject.toml"))

# Each room may import those of the lines above its own, and itself; rooms of one line do not know each other.
LAYERS = """
errors
autodiff
builtins
figures
plugins
opbook
ops notation torch jax
examples
checks
exercises
playground
pages
mkdocs testing
cli
__main__
"""
RANK = {room: rank for rank, line in enumerate(LAYERS.strip().splitlines()) for room in line.split()}

# Who may import what beside the standard library and NumPy.
THIRD_PARTY = {
    "plugins": {"click", "packaging", "pluggy"},  # click for type checkers only
    "notation": {"lark", "pygments"},
    "checks": {"jax", "torch"},  # compares with what it is given
    "pages": {"jinja2", "markdown", "math_core", "pygments"},
    "mkdocs": {"griffe", "markdown", "mkdocs", "pathspec"},  # the last three come with MkDocs
    "testing": {"pytest", "sybil", "torch"},
    "torch": {"torch"},
    "jax": {"jax"},
    "cli": {"click", "mkdocs", "packaging", "rich", "tomlkit"},
}

# The reference page of the command line is made from the commands, by a function that imports them when it is called.
# `opbook.register` imports the catalogue when it is first used, and so do `opbook.jax` and `opbook.torch`.
EXCEPTIONS = {
    ("pages/reference.py", "opbook.cli.main"),
    ("pages/reference.py", "click"),
    ("__init__.py", "opbook.jax"),
    ("__init__.py", "opbook.plugins.catalogue.register"),
    ("__init__.py", "opbook.torch"),
}

# Plugins with commands import click in the hook that only the command line calls.
WITH_COMMANDS = {"course", "figures"}

# Accelerators are there for the sake of other packages.
COMPILERS = {"fast": {"numba", "threadpoolctl"}, "torch": {"torch"}}

# Packages that are read for their data; opbook's extra of that name has them.
DATA = {"course": {"names"}}

# What a plugin may use of opbook: what it takes to declare a builtin.
FOR_PLUGINS = {"opbook", "errors", "autodiff", "builtins", "figures", "plugins"}


# The course is made of what pages are made of, and declares no builtin.
FOR_ONE_PLUGIN = {"course": {"examples", "exercises"}}


def room_of(path: Path) -> str:
    """The file or folder of src/opbook that a file belongs to; "opbook" for the package's own __init__."""
    name = path.relative_to(CORE).parts[0].removesuffix(".py")
    return "opbook" if name == "__init__" else name


ROOMS = sorted({room_of(path) for path in CORE.rglob("*.py")})


def files_of(room: str) -> Iterator[Path]:
    return (path for path in sorted(CORE.rglob("*.py")) if room_of(path) == room)


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


def opbook_room(module: str) -> str:
    """The room of opbook that `opbook.x.y` names; a name that is no room is one that opbook itself exports."""
    _, _, rest = module.partition(".")
    room = rest.partition(".")[0]
    return room if room in ROOMS else "opbook"


def is_exception(path: Path, module: str) -> bool:
    return (path.relative_to(CORE).as_posix(), module) in EXCEPTIONS


def test_every_room_has_its_layer() -> None:
    assert set(ROOMS) <= set(RANK)


@pytest.mark.parametrize("room", ROOMS)
def test_imports_run_down(room: str) -> None:
    wrong = [
        f"{path.relative_to(ROOT)}:{line}: {room} must not import {module}"
        for path in files_of(room)
        for line, module in imports(path)
        if module.partition(".")[0] == "opbook"
        and not is_exception(path, module)
        and (other := opbook_room(module)) != room
        and RANK[other] >= RANK[room]
    ]
    assert not wrong, "\n".join(wrong)


def test_no_circle_hides_in_a_function() -> None:
    modules = {name_of(path): path for path in CORE.rglob("*.py")}
    graph = {
        name: {nearest(module, modules) for _, module in imports(path) if not is_exception(path, module)} - {name, ""}
        for name, path in modules.items()
    }
    tuple(TopologicalSorter(graph).static_order())  # raises CycleError, which names the circle


def name_of(path: Path) -> str:
    return ".".join(path.relative_to(CORE.parent).with_suffix("").parts).removesuffix(".__init__")


def nearest(module: str, modules: Container[str]) -> str:
    """The module that `from a.b import c` loads: `a.b.c` where that is one, else `a.b`; "" outside of opbook."""
    return module if module in modules else parent if (parent := module.rpartition(".")[0]) in modules else ""


@pytest.mark.parametrize("room", ROOMS)
def test_other_packages_stay_behind_their_adapter(room: str) -> None:
    allowed = {"opbook", "numpy", *THIRD_PARTY.get(room, ()), *sys.stdlib_module_names}
    wrong = [
        f"{path.relative_to(ROOT)}:{line}: {room} must not import {module}"
        for path in files_of(room)
        for line, module in imports(path)
        if module.partition(".")[0] not in allowed and not is_exception(path, module)
    ]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("plugin", PLUGINS, ids=lambda path: path.name)
def test_plugins_import_what_they_declare(plugin: Path) -> None:
    project = tomllib.loads((plugin / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    needed = [*project["dependencies"], *chain(*project.get("optional-dependencies", {}).values())]
    declared = {re.split(r"[^\w.-]", text)[0].replace("-", "_").lower() for text in needed}
    own = {path.parent.name for path in plugin.glob("*/__init__.py")}
    usual = {"opbook", "numpy", *COMPILERS.get(plugin.name, ())}
    wrong = []
    for path in sorted(plugin.rglob("*.py")):
        for line, module in imports(path):
            root = module.partition(".")[0]
            place = f"{path.relative_to(ROOT)}:{line}"
            if (root == "click" and plugin.name in WITH_COMMANDS) or root in DATA.get(plugin.name, ()):
                continue
            if root not in declared | own | sys.stdlib_module_names:
                wrong.append(f"{place}: {root} is not among the dependencies in pyproject.toml")
            elif root == "opbook" and opbook_room(module) not in FOR_PLUGINS | FOR_ONE_PLUGIN.get(plugin.name, set()):
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
    assert "opbook.autodiff.tape" in modules
    assert not {name for name in modules if name.startswith("opbook_")}
    tools = {"lark", "click", "rich", "mkdocs", "jinja2", "pytest", "sybil"}
    assert not modules & {*tools, "opbook.plugins.catalogue", "opbook.notation"}


def test_listing_loads_no_site_and_no_notation() -> None:
    modules = loaded_by(
        "from contextlib import redirect_stdout, suppress\nfrom io import StringIO\nfrom opbook.cli import main\n"
        "with suppress(SystemExit), redirect_stdout(StringIO()): main(['list'])"
    )
    assert "opbook.plugins.catalogue" in modules
    assert not modules & {"mkdocs", "jinja2", "pytest", "sybil", "opbook.notation", "opbook.mkdocs"}
