"""What a site's folder held before MkDocs emptied it, so that a build that fails can put it back."""

import shutil
import tempfile
from pathlib import Path


class FormerSite:
    """The files of a site, moved aside. Hidden ones stay where they are: MkDocs does not touch them either."""

    def __init__(self) -> None:
        self._site: Path | None = None
        self._kept: Path | None = None

    def take(self, site: Path) -> None:
        """Move the files of a site aside, if there are any, and none have been taken."""
        if self._kept is None and site.is_dir():
            self._site = site
            self._kept = Path(tempfile.mkdtemp(prefix=f".{site.name}.", suffix=".former", dir=site.parent))
            _move(site, self._kept)

    def put_back(self) -> None:
        """Put what was taken back in place of what stands there now."""
        if self._site is None or self._kept is None:
            return
        for path in _shown(self._site):
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink()
        _move(self._kept, self._site)
        self.forget()

    def forget(self) -> None:
        """Delete what was taken."""
        if self._kept is not None:
            shutil.rmtree(self._kept)
            self._kept = None


def _move(from_folder: Path, to_folder: Path) -> None:
    for path in _shown(from_folder):
        shutil.move(path, to_folder / path.name)


def _shown(folder: Path) -> list[Path]:
    return [path for path in folder.iterdir() if not path.name.startswith(".")]
