"""What Python in the page is made of: Pyodide and its NumPy, each file known by its hash, wherever it comes from."""

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(".cache", "opbook", "playground")
"""Where the files are kept, from where `mkdocs.yml` is."""

VERSION = "0.27.7"
"""The version of Pyodide."""


@dataclass(frozen=True)
class Part:
    """A file.

    Attributes:
        name: Its name.
        size: Its size in bytes.
        sha256: Its hash.
    """

    name: str
    size: int
    sha256: str

    def is_in(self, folder: Path) -> bool:
        """Tell whether a folder has it, and not another file of its name."""
        path = folder / self.name
        return path.is_file() and path.stat().st_size == self.size and self.fits(path.read_bytes())

    def fits(self, content: bytes) -> bool:
        """Tell whether some bytes are this file."""
        return hashlib.sha256(content).hexdigest() == self.sha256


NUMPY = Part(
    "numpy-2.0.2-cp312-cp312-pyodide_2024_0_wasm32.whl",
    3_061_133,
    "ebb61241d962b98b21597d7ce43b67668a6d5bab3acec4fbe958657320d7cd08",
)

PARTS = (
    Part("pyodide.js", 14_913, "b4cb23a53aba19c221659b9fb40a2f18281d685691dc06647fb0afd0681baf98"),
    Part("pyodide.asm.js", 1_255_688, "6b4c90de5b7172873f04f21884d0e9d2274e305fe32116558fe3e4fbe3618d51"),
    Part("pyodide.asm.wasm", 10_105_545, "a50dd1843f805a0b7c45b61037ee0d7b26dfe85efe0e18ef95a34ad24e401f5f"),
    Part("python_stdlib.zip", 2_360_737, "16611534726e5d8ac2bd8f926410b2dcb8d6f49aa24913463533b457a2115c16"),
    NUMPY,
)

MEGABYTES = 9
"""What a browser loads, compressed as web servers send it."""


def missing(folder: Path) -> list[Part]:
    """List the files that a folder lacks."""
    return [part for part in PARTS if not part.is_in(folder)]


def lock() -> str:
    """Write the list of packages that Pyodide looks into: the one with NumPy alone, as all else comes as it is."""
    numpy = {
        "name": "numpy",
        "version": NUMPY.name.split("-")[1],
        "file_name": NUMPY.name,
        "sha256": NUMPY.sha256,
        "install_dir": "site",
        "package_type": "package",
        "imports": ["numpy"],
        "depends": [],
        "unvendored_tests": True,
    }
    about = {
        "abi_version": "2024_0",
        "arch": "wasm32",
        "platform": "emscripten_3_1_58",
        "python": "3.12.7",
        "version": VERSION,
    }
    return json.dumps({"info": about, "packages": {"numpy": numpy}}, indent=1) + "\n"
