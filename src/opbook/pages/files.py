"""Files of a cache."""

import json
from pathlib import Path
from typing import Any

from opbook.files import replacing


def read_kept(path: Path | None) -> dict[str, Any]:
    """Read what an earlier build has kept as JSON.

    Args:
        path: The file, or None.

    Returns:
        What it holds by name; nothing if there is no such file, or somebody has cut it off.
    """
    if path is None:
        return {}
    try:
        found = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


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
    with replacing(path) as draft:
        draft.write_text(text, encoding="utf-8")
