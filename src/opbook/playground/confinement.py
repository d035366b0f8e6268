"""What a worker may not do, whatever a builtin that it runs would like to: Python asks before it opens anything."""

import os
import sys
from pathlib import Path
from typing import Any

_REFUSED = (
    "socket.",
    "subprocess.",
    "os.system",
    "os.exec",
    "os.posix_spawn",
    "os.spawn",
    "os.fork",
    "pty.",
    "shutil.",
)
_CHANGES = ("os.remove", "os.rename", "os.mkdir", "os.rmdir", "os.link", "os.symlink", "os.chmod", "os.truncate")
_LISTS = ("os.listdir", "os.scandir")
_LOADED = "/proc/self/maps"  # the code that this process has loaded, where accelerators look for the BLAS of NumPy
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


def confine() -> None:
    """From now on, refuse files and folders that are not code, other processes and the network. It can't be taken back.

    Modules may still be imported, and a compiler may keep its results in `__pycache__` beside them.
    """
    roots = [Path(part).resolve() for part in {*sys.path, sys.prefix, sys.base_prefix} if part]

    def is_code(path: Any) -> bool:
        if not isinstance(path, str | bytes | os.PathLike):
            return False  # a number stands for a file that is open already, which is no way to a new one
        if path == _LOADED:
            return True
        full = Path(os.path.realpath(os.fsdecode(path)))
        return any(full.is_relative_to(root) for root in roots)

    def look(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open":
            path, _, flags = arguments
            writes = bool(flags & _WRITES)
            if isinstance(path, int) or (is_code(path) and (not writes or "__pycache__" in os.fsdecode(path))):
                return
            raise PermissionError(f"examples can't open files, such as {path!r}")
        if event in _LISTS and not is_code(arguments[0]):
            raise PermissionError(f"examples can't look into folders, such as {arguments[0]!r}")
        if event.startswith(_CHANGES) and not (is_code(arguments[0]) and "__pycache__" in os.fsdecode(arguments[0])):
            raise PermissionError(f"examples can't change files, such as {arguments[0]!r}")
        if event.startswith(_REFUSED):
            raise PermissionError(f"examples can't use {event}")

    sys.addaudithook(look)
