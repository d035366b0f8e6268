"""Files of the user's that are changed: whole or not at all."""

import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path


def replace_file(path: Path, content: bytes, unchanged: Callable[[Path], bool]) -> bool:
    """Replace a file in one step, keeping its permissions and a link that leads to it.

    Args:
        path: The file.
        content: What it will hold.
        unchanged: Asked at the last moment whether the file is still what the content was made from.

    Returns:
        Whether it was; if not, nothing was written.
    """
    target = Path(os.path.realpath(path))
    temporary: Path | None = None
    try:
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.", suffix=".tmp")
        temporary = Path(name)
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        shutil.copymode(target, temporary)
        if not unchanged(target):
            return False
        os.replace(temporary, target)
        return True
    finally:
        if temporary is not None:
            temporary.unlink(missing_ok=True)
