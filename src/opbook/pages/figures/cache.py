"""Pictures of earlier builds: a figure that has not changed is not drawn again."""

import hashlib
import importlib.metadata
import json
import os
import tempfile
import time
from contextlib import suppress
from dataclasses import asdict
from functools import cache
from pathlib import Path

import opbook.figures
from opbook.figures import Figure
from opbook.pages.figures.svg import to_svg

KEPT = 30 * 24 * 3600
"""A picture that no build has used for this many seconds is deleted."""


class Cache:
    """A folder of pictures, named by what is on them and by what drew them.

    Attributes:
        drawn: How many figures had to be drawn.
    """

    def __init__(self, folder: Path | None = None) -> None:
        """Set up a cache.

        Args:
            folder: Where the pictures are kept; None keeps them nowhere. A folder that cannot be written to is no
                error: figures are then drawn every time.
        """
        self._folder = folder
        self.drawn = 0

    def svg(self, figure: Figure) -> str:
        """Draw a figure, or find it as it was drawn before.

        Args:
            figure: The figure.

        Returns:
            What [`to_svg`][opbook.pages.figures.svg.to_svg] makes of it.
        """
        if self._folder is None:
            return self._draw(figure)
        path = self._folder / f"{key(figure)}.svg"
        with suppress(OSError, UnicodeDecodeError):
            text = path.read_text("utf-8")
            if text.endswith("</svg>"):
                os.utime(path)
                return text
        text = self._draw(figure)
        with suppress(OSError):
            _write(path, text)
        return text

    def prune(self) -> None:
        """Delete what has not been used for long."""
        if self._folder is None:
            return
        with suppress(OSError):
            for path in self._folder.glob("*.svg"):
                if path.stat().st_mtime < time.time() - KEPT:
                    path.unlink()

    def _draw(self, figure: Figure) -> str:
        self.drawn += 1
        return to_svg(figure)


def key(figure: Figure) -> str:
    """Name a figure's picture.

    Args:
        figure: The figure.

    Returns:
        A text that changes with the figure's data, the code that draws it and the version of Matplotlib.
    """
    data = json.dumps([_renderer(), type(figure).__name__, asdict(figure)])
    return hashlib.sha256(data.encode()).hexdigest()[:32]


@cache
def _renderer() -> str:
    digest = hashlib.sha256()
    for folder in (Path(__file__).parent, Path(opbook.figures.__file__).parent):
        for path in sorted(folder.glob("*.py")):
            digest.update(path.read_bytes())
    with suppress(importlib.metadata.PackageNotFoundError):
        digest.update(importlib.metadata.version("matplotlib").encode())
    return digest.hexdigest()


def _write(path: Path, text: str) -> None:
    """Write a file in one step, as several builds may run at once; git leaves the folder alone."""
    path.parent.mkdir(parents=True, exist_ok=True)
    ignore = path.parent / ".gitignore"
    if not ignore.exists():
        ignore.write_text("*\n", encoding="utf-8")
    with tempfile.NamedTemporaryFile("w", dir=path.parent, delete=False, encoding="utf-8") as file:
        file.write(text)
    os.replace(file.name, path)
