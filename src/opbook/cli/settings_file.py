"""Changes the list of disabled plugins in `pyproject.toml`, and nothing else in it."""

import tomllib
from collections.abc import Callable
from pathlib import Path

import tomlkit
from tomlkit.exceptions import TOMLKitError

from opbook.cli.errors import UserError
from opbook.examples.files import replacing
from opbook.plugins.settings import FILE, TABLE, find_file, read_table, working_directory


def file_to_edit() -> Path:
    """Find the file that the settings of the working directory are in, or would be in.

    Returns:
        The nearest `pyproject.toml` with a table for opbook, or else the nearest one.

    Raises:
        UserError: There is none.
    """
    here = working_directory()
    if found := find_file(here):
        return found
    for folder in (here, *here.parents):
        if (folder / FILE).is_file():
            return folder / FILE
    raise UserError(
        f"opbook: there is no {FILE} in {here} or above it to write that into; make one (an empty one will do), or set "
        "OPBOOK_DISABLE for once"
    )


def disabled_in(file: Path) -> list[str]:
    """Read the list."""
    return list(read_table(file).get("disable", []))


def change_disabled(file: Path, change: Callable[[list[str]], None], line: str) -> None:
    """Change the list, and keep comments and layout.

    Raises:
        UserError: The file can't be changed; it stays as it is.
    """
    before = file.read_bytes()
    try:
        after = _changed(before.decode("utf-8"), change).encode("utf-8")
    except (TOMLKitError, ValueError, TypeError) as error:
        raise UserError(f"opbook: {file} is left as it is: {error}. Write this under {TABLE}: {line}") from None
    try:
        with replacing(file) as draft:
            draft.write_bytes(after)
            if file.read_bytes() != before:
                raise UserError(f"opbook: {file} was changed by someone else just now; nothing was written. Try again")
    except OSError as error:
        raise UserError(
            f"opbook: {file} can't be written ({error.strerror}). Write this under {TABLE}: {line}"
        ) from None


def _changed(text: str, change: Callable[[list[str]], None]) -> str:
    expected = tomllib.loads(text)
    names = expected.setdefault("tool", {}).setdefault("opbook", {}).setdefault("disable", [])
    change(names)
    if "opbook" not in tomllib.loads(text).get("tool", {}):
        newline = "\r\n" if "\r\n" in text else "\n"
        gap = "" if not text or text.endswith("\n") else newline
        blank = newline if text.strip() else ""
        listed = ", ".join(f'"{name}"' for name in names)
        new = f"{text}{gap}{blank}{TABLE}{newline}disable = [{listed}]{newline}"
    else:
        document = tomlkit.parse(text)
        table = document["tool"]["opbook"]
        if "disable" not in table:
            table["disable"] = tomlkit.array()
        change(table["disable"])
        new = tomlkit.dumps(document)
    if tomllib.loads(new) != expected:
        raise ValueError("it is laid out in a way that can't be edited here")
    return new
