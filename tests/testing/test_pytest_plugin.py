"""What an author gets: three files, installed for real, and `pytest` alone verifies them."""

import os
import shutil
import subprocess
import sys
import venv

import pytest

MODULE = '''
"""A plugin."""
import numpy as np
from opbook import Array, builtin, hookimpl


# The square root of the mean square: how large the entries of a row are on average.
@builtin(category="Third party")
def root_mean_square(x: Array["... D"]) -> Array["..."]:
    """Tells how large the entries of a row are.

    Args:
        x: Rows.

    Returns:
        A number for each row.

    Raises:
        InputError: Rows without entries.

    Source:
        None: a textbook formula.
    """
    if x.shape[-1] == 0:
        from opbook.errors import InputError
        raise InputError("root_mean_square: the rows of x have no entries")
    return np.sqrt((x * x).mean(axis=-1))


@root_mean_square.defvjp
def _(x):
    x = np.array(x)
    if x.shape[-1] == 0:
        from opbook.errors import InputError
        raise InputError("root_mean_square: the rows of x have no entries")
    value = np.sqrt((x * x).mean(axis=-1))
    normed = x / (FACTOR * x.shape[-1] * value[..., None])
    return value, lambda g: (g[..., None] * normed,)


FACTOR = 1


@hookimpl
def opbook_builtins():
    return [root_mean_square]
'''

PROJECT = """
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"

[project]
name = "opbook-rms"
version = "1.2.3"
dependencies = ["numpy", "opbook"]

[project.entry-points.opbook]
rms = "opbook_rms"
"""

EXAMPLES = """
## Simple

```qu
print("{root_mean_square([3, 4, 0, 0])}")
```

```output
2.5
```
"""


def run(folder, *arguments):
    return subprocess.run(
        [folder / "environment" / "bin" / "python", "-m", "pytest", "-p", "no:cacheprovider", "-q", *arguments],
        cwd=folder / "project",
        env={**os.environ, "OPBOOK_PLUGINS": ""},
        capture_output=True,
        text=True,
        timeout=120,
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A plugin's project, and an environment of its own that has it installed, beside what these tests run with."""
    folder = tmp_path_factory.mktemp("author")
    package = folder / "project" / "opbook_rms"
    package.mkdir(parents=True)
    (folder / "project" / "pyproject.toml").write_text(PROJECT, encoding="utf-8")
    (package / "__init__.py").write_text(MODULE, encoding="utf-8")
    (package / "examples.md").write_text(EXAMPLES, encoding="utf-8")
    venv.create(folder / "environment", with_pip=False)
    (packages,) = (folder / "environment" / "lib").glob("*/site-packages")
    ours = [path for path in sys.path if path.endswith("site-packages")]
    (packages / "ours.pth").write_text("".join(f"import site; site.addsitedir({path!r})\n" for path in ours))
    python = ["--python", folder / "environment" / "bin" / "python"]
    quiet = ["--quiet", "--no-deps", "--no-build-isolation", "--disable-pip-version-check", "--root-user-action=ignore"]
    subprocess.run([sys.executable, "-m", "pip", *python, "install", *quiet, "-e", folder / "project"], check=True)
    return folder


def test_pytest_alone_verifies_a_plugin_of_three_files(folder):
    done = run(folder)
    assert done.returncode == 0, done.stdout
    assert "passed" in done.stdout.splitlines()[-1]


def test_one_check_and_xdist(folder):
    done = run(folder, "-k", "(rule and gradient) or notation", "-n", "2")
    assert done.returncode == 0, done.stdout
    assert "2 passed" in done.stdout


def test_a_wrong_rule_and_a_wrong_example_fail_with_their_place(folder):
    package = folder / "project" / "opbook_rms"
    try:
        (package / "__init__.py").write_text(MODULE.replace("FACTOR = 1", "FACTOR = 1.01"), encoding="utf-8")
        (package / "examples.md").write_text(EXAMPLES.replace("2.5", "2.6"), encoding="utf-8")
        done = run(folder)
    finally:
        (package / "__init__.py").write_text(MODULE, encoding="utf-8")
        (package / "examples.md").write_text(EXAMPLES, encoding="utf-8")
    assert done.returncode == 1
    assert "gradient of argument 1 (x): the rule's differs by 9.9e-03" in done.stdout
    assert "Traceback" not in done.stdout
    assert "-2.6" in done.stdout
    assert "+2.5" in done.stdout
    assert "examples.md:4" in done.stdout


def test_a_file_of_that_name_that_is_no_plugins_is_left_alone(folder, tmp_path):
    (tmp_path / "examples.md").write_text("```python\n1 / 0\n```\n", encoding="utf-8")
    done = run(folder, str(tmp_path))
    assert "no tests ran" in done.stdout


RULES = """
from opbook import Rule, hookimpl
from opbook.errors import InputError


def fast(x):
    if x.shape[-1] == 0:
        raise InputError("root_mean_square: no entries")
    return NotImplemented


@hookimpl
def opbook_rules():
    return [Rule("root_mean_square", "fast", fast)]
"""


def test_a_plugins_rules_are_verified_and_one_that_fits_nothing_fails(folder):
    package = folder / "project" / "opbook_rms"
    both = f"{MODULE}\n{RULES}".replace('"fast", fast', '"fast", _fast').replace("def fast", "def _fast")
    try:
        (package / "__init__.py").write_text(both, encoding="utf-8")
        done = run(folder, "-k", "rule and value")
        (package / "__init__.py").write_text(both.replace("def _fast(x):", "def _fast(row):"), encoding="utf-8")
        misfit = run(folder, "-k", "used or (rule and value)")
    finally:
        (package / "__init__.py").write_text(MODULE, encoding="utf-8")
    assert done.returncode == 1
    assert "1 failed, 1 passed" in done.stdout
    assert "root_mean_square [fast], rule value: the rule takes none of the" in done.stdout
    assert "1 failed, 1 passed" in misfit.stdout
    assert "its rule root_mean_square [fast] is not used: the rule's parameters (row) must be" in misfit.stdout


GUIDES = """
from opbook import hookimpl


@hookimpl
def opbook_guides():
    return ["guides/rows.md"]
"""


def test_a_plugins_guides_are_run_and_other_pages_are_not(folder):
    package = folder / "project" / "opbook_rms"
    guides = package / "guides"
    guides.mkdir()
    try:
        (package / "__init__.py").write_text(f"{MODULE}\n{GUIDES}", encoding="utf-8")
        (guides / "rows.md").write_text(f"# Rows\n{EXAMPLES}", encoding="utf-8")
        (guides / "draft.md").write_text("```python\n1 / 0\n```\n", encoding="utf-8")
        right = run(folder, "opbook_rms/guides")
        (guides / "rows.md").write_text(f"# Rows\n{EXAMPLES}".replace("2.5", "2.6"), encoding="utf-8")
        wrong = run(folder, "opbook_rms/guides")
    finally:
        (package / "__init__.py").write_text(MODULE, encoding="utf-8")
        shutil.rmtree(guides)
    assert right.returncode == 0, right.stdout
    assert "1 passed" in right.stdout
    assert wrong.returncode == 1
    assert "rows.md:5: the output differs" in wrong.stdout
