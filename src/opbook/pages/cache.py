"""What a build keeps for the next one, as JSON in a file."""

import json
from pathlib import Path
from typing import Any

from opbook.examples.files import replacing


def read(path: Path) -> dict[str, Any]:
    """Read what an earlier build has kept, by name; nothing if there is no such file, or somebody has cut it off."""
    try:
        found = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def write(path: Path, found: dict[str, Any]) -> None:
    """Keep something by name, in one step, as several builds may run at once; git leaves the file's folder alone.

    Raises:
        OSError: It cannot be written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    ignore = path.parent / ".gitignore"
    if not ignore.exists():
        ignore.write_text("*\n", encoding="utf-8")
    with replacing(path) as draft:
        draft.write_text(json.dumps(found, sort_keys=True), encoding="utf-8")
