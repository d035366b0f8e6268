"""An environment as a newcomer has it: opbook and its plugins from wheels, nothing of this tree on the path."""

import os
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

from site_projects import ROOT

QUIET = ["--quiet", "--no-deps", "--no-index", "--no-build-isolation", "--disable-pip-version-check"]


class Fresh:
    """A virtual environment that has what opbook depends on, but not opbook.

    What is installed is what these tests run with, by links: no registry is asked.

    Attributes:
        folder: Where it is.
        settings: The environment variables under which a newcomer's commands work without a network.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.wheels = folder / "wheels"
        venv.create(folder / "venv", with_pip=False)
        self.bin = folder / "venv" / "bin"
        ours = Path(sysconfig.get_path("purelib"))
        links = folder / "third-party"
        links.mkdir()
        for path in ours.iterdir():
            if not path.name.startswith(("opbook", "_opbook", "__editable__")) and path.suffix != ".pth":
                (links / path.name).symlink_to(path)
        (packages,) = (folder / "venv" / "lib").glob("*/site-packages")
        (packages / "third-party.pth").write_text(f"{links}\n", encoding="utf-8")
        for tool in ("pytest", "mypy"):  # their own scripts would run with another Python
            (self.bin / tool).write_text(f'#!/bin/sh\nexec "{self.bin}/python" -m {tool} "$@"\n', encoding="utf-8")
            (self.bin / tool).chmod(0o755)
        (self.bin / "ruff").symlink_to(Path(sys.executable).parent / "ruff")
        self.settings = {
            **{key: value for key, value in os.environ.items() if not key.startswith(("OPBOOK_", "PYTHON", "PYTEST"))},
            "PATH": f"{self.bin}{os.pathsep}{os.environ['PATH']}",
            "PIP_DISABLE_PIP_VERSION_CHECK": "1",
            "PIP_FIND_LINKS": str(self.wheels),
            "PIP_NO_BUILD_ISOLATION": "0",  # pip reads this as: no isolation
            "PIP_NO_INDEX": "1",
            "PIP_ROOT_USER_ACTION": "ignore",
        }

    def build_wheels(self) -> None:
        """Build opbook and the plugins of this project, but for the one that needs PyTorch."""
        plugins = {path.parent for path in ROOT.glob("plugins/*/pyproject.toml")} - {ROOT / "plugins" / "torch"}
        sources = [ROOT, *sorted(plugins)]
        command = [sys.executable, "-m", "pip", "wheel", *QUIET, "--wheel-dir", self.wheels, *sources]
        subprocess.run(command, check=True)

    def run(self, command: str, folder: Path) -> "subprocess.CompletedProcess[str]":
        """Run a line as a shell would.

        Args:
            command: The line.
            folder: The working directory.

        Returns:
            What became of it; standard error is in standard output.
        """
        return subprocess.run(
            command,
            shell=True,
            cwd=folder,
            env=self.settings,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=300,
        )
