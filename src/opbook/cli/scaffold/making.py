"""Writes the files of a new plugin. They appear all at once or not at all."""

import importlib.resources
import shlex
import string
from dataclasses import dataclass
from pathlib import Path

import opbook
from opbook.examples.files import replacing

_FILES = {
    "pyproject.toml": "pyproject.toml.txt",
    "README.md": "README.md.txt",
    ".gitignore": "gitignore.txt",
    ".github/workflows/test.yml": "workflow.yml.txt",
    "mkdocs.yml": "mkdocs.yml.txt",
    "docs/index.md": "index.md.txt",
    "opbook_%{name}/__init__.py": "module.py.txt",
    "opbook_%{name}/samples.py": "samples.py.txt",
    "opbook_%{name}/examples.md": "examples.md.txt",
    "tests/test_%{name}.py": "test.py.txt",
}


class _Template(string.Template):
    delimiter = "%"  # a dollar is a formula's


@dataclass(frozen=True)
class Made:
    """What was made.

    Attributes:
        path: The new folder or file.
        files: The files in it, as seen from it; for a file its own name.
        next: The three commands to go on with.
    """

    path: Path
    files: tuple[str, ...]
    next: tuple[str, ...]


def make_distribution(name: str, into: Path) -> Made:
    """Make the folder of a distribution.

    Raises:
        FileExistsError: Something of that name is there; nothing was written.
    """
    target = into / f"opbook-{_dashed(name)}"
    _refuse_to_overwrite(target)
    files = tuple(_fill(file, name) for file in _FILES)
    with replacing(target) as draft:
        for file, template in zip(files, _FILES.values(), strict=True):
            path = draft / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(_fill(_read(template), name), encoding="utf-8")
    return Made(target, files, (f"cd {_quoted(target)}", 'python -m pip install -e ".[dev]"', "pytest"))


def make_file(name: str, into: Path) -> Made:
    """Make a plugin of one file.

    Raises:
        FileExistsError: Something of that name is there; nothing was written.
    """
    target = into / f"{name}.py"
    _refuse_to_overwrite(target)
    samples = _read("samples.py.txt").partition("\n\n\n")[2]  # without the import of the builtin
    with replacing(target) as draft:
        draft.write_text(_fill(f"{_read('module.py.txt')}\n\n{samples}", name), encoding="utf-8")
    file = _quoted(target)
    commands = (f"opbook show {name}", f'opbook eval "{name}([-10, 0, 10])"', f"opbook verify {name}")
    return Made(target, (target.name,), tuple(f"{command} --plugin {file}" for command in commands))


def _refuse_to_overwrite(target: Path) -> None:
    if target.is_symlink() or target.exists():
        what = "a file"
        if target.is_dir():
            held = sorted(path.name for path in target.iterdir())
            more = f" and {len(held) - 3} more" if len(held) > 3 else ""
            what = f"a folder with {', '.join(held[:3])}{more} in it" if held else "an empty folder"
        raise FileExistsError(
            f"{target} is there already, {what}. Nothing was written; choose another name, or another folder with "
            "--into"
        )


def _read(template: str) -> str:
    return (importlib.resources.files("opbook.cli.scaffold") / "templates" / template).read_text(encoding="utf-8")


def _fill(text: str, name: str) -> str:
    return _Template(text).substitute(name=name, dashed=_dashed(name), version=opbook.__version__)


def _dashed(name: str) -> str:
    return name.replace("_", "-")


def _quoted(path: Path) -> str:
    return shlex.quote(str(path))
