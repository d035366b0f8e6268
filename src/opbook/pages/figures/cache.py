"""Pictures of earlier builds: a figure that has not changed is not drawn again."""

import hashlib
import importlib.metadata
import json
import os
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import asdict
from functools import cache
from pathlib import Path

import opbook.figures
from opbook.figures import Figure
from opbook.pages.figures.canvas import drawing
from opbook.pages.figures.svg import to_svg
from opbook.pages.files import write
from opbook.pages.processes import spread

KEPT = 30 * 24 * 3600
"""A picture that no build has used for this many seconds is deleted."""

MANY = 24
"""From so many figures on, it is worth while to start processes that draw."""


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
        self._known: dict[str, str] = {}
        self.drawn = 0

    def svg(self, figure: Figure) -> str:
        """Draw a figure, or find it as it was drawn before.

        Args:
            figure: The figure.

        Returns:
            What [`to_svg`][opbook.pages.figures.svg.to_svg] makes of it.
        """
        name = key(figure)
        if not self._find(name):
            self._keep(name, to_svg(figure))
        return self._known[name]

    def prepare(self, figures: Iterable[Figure]) -> None:
        """Draw many figures, several at once where the system can do that.

        Args:
            figures: The figures. Those that were drawn before are not drawn again.
        """
        wanted = {key(figure): figure for figure in figures}
        missing = {name: figure for name, figure in wanted.items() if not self._find(name)}
        if len(missing) < MANY:
            return  # each is drawn when it is asked for
        with drawing():  # imports Matplotlib once for all
            pass
        for name, text in zip(missing, spread(to_svg, list(missing.values()), chunk=4), strict=True):
            self._keep(name, text)

    def _find(self, name: str) -> bool:
        if name not in self._known and self._folder:
            path = self._folder / f"{name}.svg"
            with suppress(OSError, UnicodeDecodeError):
                text = path.read_text("utf-8")
                if text.endswith("</svg>"):
                    os.utime(path)
                    self._known[name] = text
        return name in self._known

    def _keep(self, name: str, text: str) -> None:
        self.drawn += 1
        self._known[name] = text
        if self._folder:
            with suppress(OSError):
                write(self._folder / f"{name}.svg", text)

    def prune(self) -> None:
        """Delete what has not been used for long."""
        if self._folder is None:
            return
        with suppress(OSError):
            for path in self._folder.glob("*.svg"):
                if path.stat().st_mtime < time.time() - KEPT:
                    path.unlink()


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
