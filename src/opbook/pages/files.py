"""Files of a cache."""

import os
import tempfile
from pathlib import Path


def write(path: Path, text: str) -> None:
    """Write a file in one step, as several builds may run at once; git leaves its folder alone.

    Args:
        path: The file, whose folder is made if it is not there.
        text: Its content.

    Raises:
        OSError: It cannot be written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    ignore = path.parent / ".gitignore"
    if not ignore.exists():
        ignore.write_text("*\n", encoding="utf-8")
    with tempfile.NamedTemporaryFile("w", dir=path.parent, delete=False, encoding="utf-8") as file:
        file.write(text)
    os.replace(file.name, path)
