"""The stubs of `opbook.ops`, as type checkers read them."""

import ast
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from checks import field_ops

import opbook
from opbook import Array, Int, builtin
from opbook.builtins.signature import CallShape
from opbook.cli.stubs import ops_stub, write_stubs
from opbook.plugins.catalogue import catalogue

RIGHT = """
import numpy as np
from opbook import grad, register, vjp
from opbook.errors import ShapeError
from opbook.ops import causal_mask, layer_norm, multi_head_attention, plot, shape
from opbook.testing import check

y = layer_norm([1.0, 2.0], np.ones(2), np.zeros(2), eps=0.1)
y.mean(axis=0) + 1
columns: int = shape(y)[-1]
value, pullback = vjp(layer_norm, y, y, y)
check(layer_norm)
layer_norm.note.upper()
causal_mask(3, align="lower-right")
plot([1.0], title="one")
plot([1.0], [2.0], title="two")
multi_head_attention(y, [{"wq": y, "wk": y, "wv": y, "wo": y}], 1)
register(layer_norm)
"""

WRONG = """
from opbook.ops import layer_norm, plot, shape, causal_mask
from opbook.ops import layer_nrom  # line 3
layer_norm([1.0])  # line 4
layer_norm([1.0], [1.0], [0.0], epsilon=1)  # line 5
layer_norm([1.0], [1.0], [0.0], eps="small")  # line 6
layer_norm([1.0], [1.0], [0.0]).foo  # line 7
plot([1.0], titel="a")  # line 8
causal_mask(3, align="left")  # line 9
columns: str = shape([1.0])[0]  # line 10
from opbook import regster  # line 11
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("typed")
    write_stubs(catalogue(), folder / "typings")
    (folder / "right.py").write_text(RIGHT, encoding="utf-8")
    (folder / "wrong.py").write_text(WRONG, encoding="utf-8")
    (folder / "pyproject.toml").write_text('[tool.mypy]\nstrict = true\nmypy_path = "typings"\n', encoding="utf-8")
    return folder


def mypy(folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "mypy", "right.py", "wrong.py", "typings/opbook/ops.pyi"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True)


def pyright(folder: Path) -> subprocess.CompletedProcess[str]:
    program = shutil.which("pyright") or shutil.which("basedpyright")
    if not program:
        pytest.skip("there is no pyright")
    command = [program, "--pythonpath", sys.executable, "--level", "error", "right.py", "wrong.py", "typings"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True)


# A type checker reads NumPy's types from scratch, which takes it some ten seconds.
@pytest.mark.parametrize("checker", [mypy, pyright], ids=["mypy", "pyright"])
def test_right_calls_pass_and_each_wrong_one_is_found(project, checker):
    done = checker(project)
    found = {(Path(name).name, int(line)) for name, line in re.findall(r"(\S+\.pyi?):(\d+).*error", done.stdout)}
    assert found == {("wrong.py", line) for line in range(3, 12)}, done.stdout + done.stderr


def starts_with(call: ast.FunctionDef, shape: CallShape) -> bool:
    return ast.get_docstring(call).startswith(shape.doc.summary)


def test_call_shapes_that_differ_in_axes_only_are_one_for_a_type_checker():
    @builtin(category="Odd")
    def size(x: Array["H W"], *, by: Int["2"] | Int[""] = 1) -> Array["H"]:
        """An image."""
        return x[:, 0] * by

    @size.overload
    def row(x: Array["N"], *, by: Int[""] = 1) -> float:
        """A row."""
        return x[0] * by

    @size.overload
    def named(x: Array["N"], name: str) -> str:
        """A name."""
        return name

    _, image, other = ops_stub({"size": size}).split("def __call__(")
    assert image.startswith("self, x: _ArrayLike, *, by: _ArrayLike = 1) -> _NDArray[_typing.Any] | _builtins.float:")
    assert "An image." in image
    assert "A row." in image
    assert other.startswith("self, x: _ArrayLike, name: _builtins.str) -> _builtins.str:")


def test_what_python_says_is_what_the_stub_says(project):
    tree = ast.parse((project / "typings" / "opbook" / "ops.pyi").read_text(encoding="utf-8"))
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    for name, op in catalogue().items():
        calls = [node for node in classes[f"_{name}"].body if isinstance(node, ast.FunctionDef)]
        texts = "\n".join(ast.get_docstring(call) for call in calls)
        assert all(shape.doc.summary in texts for shape in op.call_shapes)
        starts = [shape for shape in op.call_shapes if any(starts_with(call, shape) for call in calls)]
        for call, shape in zip(calls, starts, strict=True):
            names = [arg.arg for arg in (*call.args.args[1:], *call.args.kwonlyargs)]
            assert names == [param.name for param in shape.params]
            assert len(call.decorator_list) == (len(calls) > 1)


def test_names_and_texts_that_get_in_the_way():
    def definition(x: Array["... D"], *, scale: float = float("inf")) -> Array["... D"]:
        return x * scale

    definition.__name__ = "float"
    definition.__doc__ = 'Has a \\backslash and """quotes""" in it'
    stub = ops_stub({"float": builtin(category="Odd")(definition)})
    (call,) = [node for node in ast.walk(ast.parse(stub)) if isinstance(node, ast.FunctionDef)]
    assert "scale: _builtins.float = ..." in stub
    assert "\\backslash" in ast.get_docstring(call)
    assert ast.get_docstring(call).endswith("Shapes:\n    x: (..., D) array\n    scale: number")


def test_stubs_are_written_again_but_nothing_else_is_overwritten(tmp_path):
    first = write_stubs({}, tmp_path)
    assert "layer_norm" not in (first / "ops.pyi").read_text(encoding="utf-8")
    write_stubs(catalogue(), tmp_path)
    assert "layer_norm: _layer_norm" in (first / "ops.pyi").read_text(encoding="utf-8")
    (first / "mine.pyi").write_text("x: int\n", encoding="utf-8")
    with pytest.raises(FileExistsError, match="was not written by opbook stubs"):
        write_stubs({}, tmp_path)
    assert (first / "mine.pyi").is_file()
    assert [path.name for path in tmp_path.iterdir()] == ["opbook"]


def test_the_command(tmp_path, monkeypatch):
    from click.testing import CliRunner

    from opbook.cli import main

    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(main, ["stubs"])
    assert done.exit_code == 0, done.output
    assert "typings/opbook/ops.pyi" in done.stdout
    assert 'mypy_path = "typings"' in done.stdout
    (tmp_path / "typings" / "opbook" / "ops.pyi").write_text("x: int\n", encoding="utf-8")
    done = CliRunner().invoke(main, ["stubs"])
    assert (done.exit_code, done.stdout) == (2, "")
    assert "--output" in done.stderr


def test_the_package_still_says_where_its_own_names_come_from(project):
    stub = (project / "typings" / "opbook" / "__init__.pyi").read_text(encoding="utf-8")
    assert stub.endswith(Path(str(opbook.__file__)).read_text(encoding="utf-8"))


def test_every_annotation_has_its_type():
    text = ops_stub({op.name: op for op in field_ops.OPS})
    ast.parse(text)
    calls = {line.split(" -> ")[0].strip(): line for line in text.splitlines() if "def __call__" in line}
    joined = "\n".join(calls)
    assert "def __call__(self, x: _ArrayLike, by: _ArrayLike | _builtins.float)" in joined
    assert "def __call__(self, table: _ArrayLike, ids: _ArrayLike)" in joined
    assert "params: _typing.Any, grads: _typing.Any, momentum: _typing.Any | None = None" in joined
    (step,) = (line for line in calls.values() if "h: _ArrayLike" in line)
    assert step.endswith("-> _builtins.tuple[_NDArray[_typing.Any], _NDArray[_typing.Any]]:")
