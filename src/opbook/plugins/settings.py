"""What the user has set: in `[tool.opbook]` of the nearest `pyproject.toml`, and in environment variables.

The environment adds to the file, and wins where the two say different things of one plugin or builtin.
"""

import codecs
import os
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from opbook.errors import SettingsError, nearest

FILE = "pyproject.toml"
TABLE = "[tool.opbook]"


@dataclass(frozen=True)
class Settings:
    """What the user has set.

    Attributes:
        file: The `pyproject.toml` that was read, or None.
        plugins: One-file plugins to load.
        disable: Plugins to leave out, by name, distribution, module or file.
        named: One-file plugins that the environment or the caller names: what the file disables of them is loaded.
        disable_now: Plugins to leave out in any case: those that the environment disables.
        override: For builtins that several plugins have, the plugin whose is used.
        rules: For builtins, the name of the rule to ask first.
        strict: Whether a plugin that fails, or anything that does not fit together, is an error at once.
    """

    file: Path | None = None
    plugins: tuple[Path, ...] = ()
    disable: frozenset[str] = frozenset()
    named: frozenset[str] = frozenset()
    disable_now: frozenset[str] = frozenset()
    override: Mapping[str, str] = field(default_factory=dict)
    rules: Mapping[str, str] = field(default_factory=dict)
    strict: bool = False

    def disables(self, is_called: Callable[[str], bool]) -> bool:
        """Tell whether a plugin is to be left out."""
        in_file = any(map(is_called, self.disable)) and not any(map(is_called, self.named))
        return in_file or any(map(is_called, self.disable_now))


_start: Path | None = None


def start_at(folder: Path) -> None:
    """Look for the file from a folder upwards, rather than from the working directory.

    Args:
        folder: The folder, such as the root folder of a run of pytest.
    """
    global _start
    _start = folder


def read_settings(files: Iterable[Path] = (), environment: Mapping[str, str] = os.environ) -> Settings:
    """Read what the user has set.

    Args:
        files: One-file plugins that the caller names, beside those that the settings do.
        environment: The environment variables.

    Raises:
        SettingsError: One of them is not understood; the message names the file or the variable.
    """
    file = find_file(_start or working_directory())
    table = read_table(file) if file else {}
    named = [Path(part) for part in environment.get("OPBOOK_PLUGINS", "").split(os.pathsep) if part]
    named += files
    return Settings(
        file=file,
        plugins=(*(file.parent / name for name in table.get("plugins", []) if file), *named),
        disable=frozenset(table.get("disable", [])),
        named=frozenset(str(path.resolve()) for path in named),
        disable_now=frozenset(_words(environment.get("OPBOOK_DISABLE", ""))),
        override=table.get("override", {}) | _pairs("OPBOOK_OVERRIDE", "swish=my_ops", environment),
        rules=table.get("rules", {}) | _pairs("OPBOOK_RULES", "swish=own", environment),
        strict=environment.get("OPBOOK_STRICT") == "1",
    )


def working_directory() -> Path:
    """Find where the process is.

    Raises:
        SettingsError: It has been deleted.
    """
    try:
        return Path.cwd()
    except FileNotFoundError:
        raise SettingsError("the working directory is not there any more; go to another one") from None


def find_file(start: Path) -> Path | None:
    """Find the settings that hold in a folder.

    Returns:
        The nearest `pyproject.toml`, from the folder upwards, that has a table `[tool.opbook]`; None if there is none.

    Raises:
        SettingsError: A `pyproject.toml` on the way there is not TOML.
    """
    for folder in (start, *start.parents):
        file = folder / FILE
        # what does not even have the word is some other project's, and need not be in order
        if file.is_file() and b"opbook" in file.read_bytes() and "opbook" in _read(file).get("tool", {}):
            return file
    return None


def read_table(file: Path) -> dict[str, Any]:
    """Read `[tool.opbook]`.

    Raises:
        SettingsError: A setting is unknown, or of another type.
    """
    table = _read(file).get("tool", {}).get("opbook", {})
    if not isinstance(table, dict):
        raise SettingsError(f"{file}: {TABLE} must be a table, but is {table!r}")
    for key, value in table.items():
        if key not in KEYS:
            raise SettingsError(
                f"{file}: there is no setting {key} in {TABLE}.{nearest(key, KEYS)} The settings are {', '.join(KEYS)}"
            )
        setting = KEYS[key]
        if not setting.holds(value):
            raise SettingsError(
                f"{file}: {key} in {TABLE} must be {setting.kind}, such as {key} = {setting.example}, but is {value!r}"
            )
    return table


@dataclass(frozen=True)
class SettingKey:
    """A key of `[tool.opbook]`.

    Attributes:
        kind: What its value must be, in words.
        example: A value, as one would write it.
        holds: Whether a value is of that kind.
    """

    kind: str
    example: str
    holds: Callable[[Any], bool]


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value) and "\0" not in value


def _is_list(value: Any) -> bool:
    return isinstance(value, list) and all(map(_is_text, value))


def _is_table(value: Any) -> bool:
    return isinstance(value, dict) and all(map(_is_text, value.values()))


KEYS = {
    "plugins": SettingKey("a list of files", '["my_ops.py"]', _is_list),
    "disable": SettingKey("a list of plugins", '["my_plugin"]', _is_list),
    "override": SettingKey("a table of plugins by builtin", '{swish = "my_ops"}', _is_table),
    "rules": SettingKey("a table of rules by builtin", '{swish = "own"}', _is_table),
}
"""The keys of `[tool.opbook]`."""


def _read(file: Path) -> dict[str, Any]:
    try:
        found = tomllib.loads(file.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        reason = "it is nested too deeply" if isinstance(error, RecursionError) else error
        if file.read_bytes().startswith(codecs.BOM_UTF8):
            reason = "it begins with a byte-order mark, which TOML does not have; save it as UTF-8 without one"
        raise SettingsError(f"{file} can't be read: {reason}") from None
    if not isinstance(found.get("tool", {}), dict):
        raise SettingsError(f"{file}: tool must be a table, such as {TABLE}, but is {found['tool']!r:.40}")
    return found


def _words(text: str) -> list[str]:
    return [word for part in text.split(",") if (word := part.strip())]


def _pairs(variable: str, example: str, environment: Mapping[str, str]) -> dict[str, str]:
    pairs = {}
    for word in _words(environment.get(variable, "")):
        name, equals, value = (part.strip() for part in word.partition("="))
        if not (name and equals and value):
            raise SettingsError(f"{variable} must be pairs such as {example}, with commas between, but has {word}")
        pairs[name] = value
    return pairs
