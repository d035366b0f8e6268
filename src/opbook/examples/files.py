"""Files and folders that are written whole or not at all."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Make or replace a file or a folder at the end of a `with` block, if nothing fails in it.

    Args:
        path: The file or folder, whose parent is there. Where it is a link, what it leads to is replaced; a file that
            was there keeps its permissions.

    Yields:
        Where to write the new one. If the block raises an error, what was there stays as it was.
    """
    target = Path(os.path.realpath(path))
    workshop = Path(tempfile.mkdtemp(prefix=f".{target.name}.", suffix=".tmp", dir=target.parent))
    draft, former = workshop / "draft", workshop / "former"
    try:
        yield draft
        if target.is_file():
            shutil.copymode(target, draft)
        elif target.exists():  # no system replaces a folder in one step
            target.rename(former)
        try:
            draft.replace(target)
        except OSError:
            if former.exists():
                former.rename(target)
            raise
    finally:
        shutil.rmtree(workshop)
