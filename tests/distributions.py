"""Real distributions for tests: wheels that are written by hand, and environments that they are installed into."""

import os
import subprocess
import sys
import venv
import zipfile
from collections.abc import Sequence
from pathlib import Path

METADATA = "Metadata-Version: 2.1\nName: {name}\nVersion: {version}\nLicense: MIT\n"
WHEEL = "Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n"


def write_wheel(
    folder: Path,
    name: str,
    code: str,
    *,
    version: str = "1.0",
    point: str | None = None,
    target: str | None = None,
    requires: Sequence[str] = (),
) -> Path:
    """Write the wheel of a distribution with one module, and an entry point that names it."""
    module = name.replace("-", "_")
    info = f"{module}-{version}.dist-info"
    needs = "".join(f"Requires-Dist: {one}\n" for one in requires)
    files = {
        f"{module}/__init__.py": code,
        f"{info}/METADATA": METADATA.format(name=name, version=version) + needs,
        f"{info}/WHEEL": WHEEL,
        f"{info}/entry_points.txt": f"[opbook]\n{point or module.removeprefix('opbook_')} = {target or module}\n",
    }
    files[f"{info}/RECORD"] = "".join(f"{path},,\n" for path in [*files, f"{info}/RECORD"])
    path = folder / f"{module}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as wheel:
        for name_in_wheel, text in files.items():
            wheel.writestr(name_in_wheel, text)
    return path


class Environment:
    """A fresh environment: what these tests run with, and what is installed into it."""

    def __init__(self, folder: Path) -> None:
        venv.create(folder, with_pip=False)
        self.python = folder / "bin" / "python"
        (self.packages,) = (folder / "lib").glob("*/site-packages")
        ours = [path for path in sys.path if path.endswith("site-packages")]
        lines = "".join(f"import site; site.addsitedir({path!r})\n" for path in ours)
        (self.packages / "ours.pth").write_text(lines, encoding="utf-8")

    def install(self, *wheels: Path) -> None:
        quiet = ["--quiet", "--no-deps", "--no-index", "--disable-pip-version-check", "--root-user-action=ignore"]
        command = [sys.executable, "-m", "pip", "--python", self.python, "install", *quiet, *wheels]
        subprocess.run(command, check=True)

    def run(self, *arguments: str | Path, cwd: Path, **variables: str) -> subprocess.CompletedProcess[str]:
        """Run Python there, without the settings of whoever runs the tests."""
        ours = {name: value for name, value in os.environ.items() if not name.startswith("OPBOOK_")}
        return subprocess.run(
            [self.python, *map(str, arguments)],
            cwd=cwd,
            env={**ours, **variables},
            capture_output=True,
            text=True,
            timeout=120,
        )
