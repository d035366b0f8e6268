"""The chapters of the course: the guides of all plugins that have exercises."""

import os
import shlex
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from opbook.errors import InputError, nearest
from opbook.examples import Exercise, find_exercises
from opbook.plugins.catalogue import Catalogue


@dataclass(frozen=True)
class Chapter:
    """A guide that has exercises.

    Attributes:
        name: The name of its file, without the ending; that of the learner's folder.
        title: Its first heading.
        exercises: In the order of the page.
    """

    name: str
    title: str
    exercises: tuple[Exercise, ...]


def chapters_of(catalogue: Catalogue) -> list[Chapter]:
    """Find the chapters that plugins bring along, in the order of their names.

    Raises:
        InputError: Two exercises have one name.
    """
    files = sorted((Path(file) for info in catalogue.plugins for file in info.contributes["guides"]), key=_by_name)
    found = [
        Chapter(file.stem, _title(file), tuple(exercises)) for file in files if (exercises := find_exercises(file))
    ]
    seen: dict[str, Exercise] = {}
    for exercise in exercises_of(found):
        if exercise.name in seen:
            raise InputError(
                f"two exercises are called {exercise.name}: {seen[exercise.name].place} and {exercise.place}. "
                "Rename one, or leave a plugin out with OPBOOK_DISABLE"
            )
        seen[exercise.name] = exercise
    return found


def exercises_of(chapters: Iterable[Chapter]) -> Iterator[Exercise]:
    """Go through the exercises of chapters."""
    return (exercise for chapter in chapters for exercise in chapter.exercises)


def chosen(chapters: Sequence[Chapter], names: Sequence[str]) -> list[Chapter]:
    """Choose exercises and whole chapters by name.

    Args:
        chapters: What there is.
        names: Names of exercises, and of chapters: whole, without the number before the first `-`, or the number
            alone; all if empty.

    Returns:
        The chapters, each with those of its exercises that were named.

    Raises:
        InputError: There is no such name.
    """
    short = {chapter.name: _names_of(chapter) for chapter in chapters}
    known = [name for chapter in chapters for name in (*short[chapter.name], *(e.name for e in chapter.exercises))]
    for name in names:
        if name not in known:
            raise InputError(_unknown(name, known))
    wanted = set(names)
    found = []
    for chapter in chapters:
        whole = not names or wanted.intersection(short[chapter.name])
        exercises = tuple(one for one in chapter.exercises if whole or one.name in wanted)
        found += [Chapter(chapter.name, chapter.title, exercises)] if exercises else []
    return found


def _names_of(chapter: Chapter) -> list[str]:
    """What a chapter may be called: 00-one-row, one-row or 0."""
    number, _, rest = chapter.name.partition("-")
    return [chapter.name, *([rest, str(int(number))] if rest and number.isdecimal() else [])]


def _unknown(name: str, known: Sequence[str]) -> str:
    if os.path.isdir(name) or os.path.dirname(name):
        return (
            f"{name} is no exercise and no chapter, but a folder. To have the files of the course there: "
            f"opbook course --folder {shlex.quote(name)}"
        )
    return f"there is no exercise or chapter {name}.{nearest(name, known)} opbook course --status lists them"


def _by_name(file: Path) -> tuple[str, str]:
    return file.stem, str(file)


def _title(file: Path) -> str:
    for line in file.read_text("utf-8").splitlines():
        if line.startswith("# "):
            return line[2:].strip()
    return file.stem
