"""What is installed, read so that a broken distribution costs itself only: `importlib.metadata` stops at the first."""

import email
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from email.message import Message
from importlib.metadata import Distribution, distributions
from itertools import groupby
from pathlib import Path
from typing import Any

GROUP = "opbook"
"""The group of the entry points that name plugins."""

METADATA = ("METADATA", "PKG-INFO", "")
"""Where the metadata of a distribution stands: in its folder under one of two names, or in a file in its place."""


class BrokenDistribution(Exception):
    """A distribution that can't be read; the message says what is wrong with which file."""


@dataclass(frozen=True)
class EntryPoint:
    """A line of `entry_points.txt`: a name, and the module that it stands for."""

    name: str
    module: str


def canonical(name: str) -> str:
    """Write a name as packaging compares it: case does not matter, nor which of `-`, `_` and `.` stands in it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def installed() -> list[Distribution]:
    """List the distributions that name plugins, in the order of the path; of those of one folder, the newest first."""
    folders = groupby(distributions(), lambda one: folder_of(one).parent)
    return [one for _, within in folders for one in sorted(within, key=_newest_first) if _names_plugins(one)]


def _newest_first(distribution: Distribution) -> tuple[str, list[int]]:
    name, _, version = folder_of(distribution).stem.partition("-")
    return canonical(name), [-int(number) for number in re.findall(r"\d+", version)]


def _names_plugins(distribution: Distribution) -> bool:
    try:
        return any(group == GROUP for _, _, group in _lines(distribution))
    except BrokenDistribution:
        return f"[{GROUP}]".encode() in (folder_of(distribution) / "entry_points.txt").read_bytes()


def metadata_of(distribution: Distribution) -> Message:
    """Read the metadata of a distribution.

    Raises:
        BrokenDistribution: There is none, or it has no name or no version, or it is not UTF-8.
    """
    text = next((text for file in METADATA if (text := _read(distribution, file))), None)
    folder = folder_of(distribution)
    if text is None:
        raise BrokenDistribution(f"{folder} has no METADATA: it is what was left of an installation")
    found = email.message_from_string(text)
    for field in ("Name", "Version"):
        if not str(found.get(field, "")).strip():
            raise BrokenDistribution(f"{folder}: its METADATA has no {field}")
    return found


def entry_points_of(distribution: Distribution) -> list[EntryPoint]:
    """Read which plugins a distribution names.

    Raises:
        BrokenDistribution: A line of the group is no pair of a name and a module, or the file is not UTF-8.
    """
    points = (_point(distribution, number, line) for number, line, group in _lines(distribution) if group == GROUP)
    return list(points)


def _point(distribution: Distribution, number: int, line: str) -> EntryPoint:
    name, _, module = (part.strip() for part in line.partition("="))
    if not (name and module):
        raise BrokenDistribution(
            f"{folder_of(distribution)}: line {number} of its entry_points.txt must be NAME = MODULE, but is {line!r}"
        )
    return EntryPoint(name, re.sub(r"\s*\[.*\]$", "", module))  # extras


def metadata_called(name: str) -> Message | None:
    """Find the metadata of a distribution by its name; None if there is none that can be read."""
    for one in distributions(name=name):
        try:
            return metadata_of(one)
        except BrokenDistribution:
            continue
    return None


def direct_url(name: str) -> dict[str, Any]:
    """Read where a distribution came from if that was no index, as PEP 610 has it; {} if nothing is known."""
    for one in distributions(name=name):
        try:
            found = json.loads(_read(one, "direct_url.json") or "{}")
        except (BrokenDistribution, ValueError):
            continue
        return found if isinstance(found, dict) else {}
    return {}


def broken() -> Iterator[str]:
    """Say what is wrong with distributions, whether they name plugins or not: tools that list them stop at each."""
    for one in distributions():
        try:
            metadata_of(one)
            for number, line, _ in _lines(one):
                _point(one, number, line)
        except BrokenDistribution as error:
            yield str(error)


def _lines(distribution: Distribution) -> Iterator[tuple[int, str, str]]:
    """The lines of `entry_points.txt` that are not empty, with their numbers and groups."""
    group = ""
    for number, text in enumerate((_read(distribution, "entry_points.txt") or "").splitlines(), 1):
        line = text.strip()
        if line.startswith("[") and line.endswith("]"):
            group = line[1:-1].strip()
        elif line and not line.startswith(("#", ";")):
            yield number, line, group


def _read(distribution: Distribution, file: str) -> str | None:
    try:
        return distribution.read_text(file)
    except UnicodeDecodeError as error:
        raise BrokenDistribution(
            f"{folder_of(distribution)}: its {file} is not UTF-8 (byte 0x{error.object[error.start]:02x})"
        ) from None


def folder_of(distribution: Distribution) -> Path:
    """Find the folder that says what a distribution is."""
    return Path(str(getattr(distribution, "_path", "?")))
