"""opbook and a site's plugins as one archive, as a browser gets them: tried in a Python with nothing but NumPy."""

import base64
import io
import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest
from distributions import Environment, write_wheel

PLUGIN = '''
from opbook import Array, builtin, hookimpl
from {helper} import factor


# By a factor.
@builtin(category="Doubling")
def {name}(x: Array["..."]) -> Array["..."]:
    """Multiplies.

    Args:
        x: What to multiply.

    Returns:
        The products.
    """
    return factor() * x


@hookimpl
def opbook_builtins():
    return [{name}]
'''

PACK = """
import base64, json
from opbook.playground.packages import archive, environment
from opbook.plugins.catalogue import catalogue
loaded = catalogue()
first, second = archive(loaded), archive(loaded)
assert first == second
print(json.dumps([base64.b64encode(first).decode(), environment(loaded)]))
"""

ASK = """
import importlib.metadata, json, sys
from opbook.playground.answers import answer
from opbook.plugins.catalogue import catalogue
import opbook
print(json.dumps([answer({"do": "run", "language": "qu", "code": sys.argv[1]}, catalogue()), opbook.__file__,
                  [info.error for info in catalogue().plugins]]))
"""


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """A third party's plugin with a helper of its own, one with a compiled one, and a file: packed and unpacked."""
    folder = tmp_path_factory.mktemp("packages")
    environment = Environment(folder / "venv")
    wheels = []
    for name, op, factor in (("times", "triple", 3), ("quick", "quintuple", 5)):
        helper = f"{name}-helper"
        code = PLUGIN.format(name=op, helper=f"{name}_helper")
        wheels.append(write_wheel(folder, helper, f"def factor():\n    return {factor}\n"))
        wheels.append(write_wheel(folder, f"opbook-{name}", code, requires=[helper]))
    environment.install(*wheels)
    for helper in ("times_helper", "quick_helper"):  # no plugins
        (entry,) = environment.packages.glob(f"{helper}-*.dist-info/entry_points.txt")
        entry.write_text("", encoding="utf-8")
    (environment.packages / "quick_helper" / "loops.so").write_bytes(b"\x7fELF")
    own = PLUGIN.format(name="sevenfold", helper="").replace("from  import factor\n", "").replace("factor()", "7")
    (folder / "my_ops.py").write_text(own, encoding="utf-8")
    (folder / "pyproject.toml").write_text('[tool.opbook]\nplugins = ["my_ops.py"]\n', encoding="utf-8")
    packed = environment.run("-c", PACK, cwd=folder)
    assert packed.returncode == 0, packed.stderr
    content, settings = json.loads(packed.stdout)
    home = tmp_path_factory.mktemp("page") / "home"
    with zipfile.ZipFile(io.BytesIO(base64.b64decode(content))) as archive:
        archive.extractall(home)
    return home, settings


def ask(unpacked: tuple[Path, dict[str, str]], code: str) -> list:
    """Run a program with what was unpacked and NumPy only."""
    home, settings = unpacked
    numpy = home.parent / "numpy-only"
    if not numpy.exists():
        numpy.mkdir()
        for path in Path(np.__file__).parents[1].glob("numpy*"):
            (numpy / path.name).symlink_to(path)
    variables = {name: value.replace("/opbook/", f"{home}/") for name, value in settings.items()}
    variables |= {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": f"{home}{os.pathsep}{numpy}"}
    run = subprocess.run(
        [sys.executable, "-S", "-c", ASK, code],
        cwd=home,
        env={
            "PATH": os.environ["PATH"],
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONPATH": f"{home}{os.pathsep}{numpy}",
            **variables,
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


def test_a_third_partys_plugin_is_there_with_what_it_needs(unpacked) -> None:
    answer, file, _ = ask(unpacked, "triple([1, 2]) + sevenfold([1, 1])")
    assert Path(file).is_relative_to(unpacked[0])
    assert (answer["error"], answer["value"]) == (None, "[10, 13]")


def test_our_own_plugins_are_there(unpacked) -> None:
    answer, _, _ = ask(unpacked, "softmax([0, 0]) + layer_norm([1, 3], [1, 1], [0, 0])")
    assert answer["error"] is None
    answer, _, _ = ask(unpacked, "grad(fn)(3)\n")
    assert "nothing is named fn" in answer["error"]["message"]


def test_what_needs_compiled_code_is_left_out_and_costs_nothing_else(unpacked) -> None:
    answer, _, errors = ask(unpacked, "quintuple([1])")
    assert "nothing is named quintuple" in answer["error"]["message"]
    (error,) = filter(None, errors)
    assert "No module named 'quick_helper'" in error


def test_nothing_is_packed_that_a_page_has_no_use_for(unpacked) -> None:
    home, _ = unpacked
    rooms = {path.name for path in (home / "opbook").iterdir()}
    assert {"playground", "notation", "checks", "py.typed"} <= rooms
    assert not rooms & {"cli", "mkdocs", "pages", "testing"}
    assert not [path for path in home.rglob("*") if path.name == "__pycache__" or path.suffix == ".so"]
    assert not (home / "numpy").exists()
