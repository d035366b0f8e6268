"""The learner's folder: a file for each exercise, and one that says how far they are."""

import json
import re
import textwrap
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from opbook.errors import InputError
from opbook.examples import Exercise
from opbook.examples.files import replacing
from opbook_course.chapters import Chapter

PROGRESS = "progress.json"
WIDTH = 100

_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")


@dataclass
class Record:
    """How far a learner is with one exercise.

    Attributes:
        passed: Whether an answer was right when it was last checked.
        tries: How often it was checked.
        hints: How many hints were shown.
    """

    passed: bool = False
    tries: int = 0
    hints: int = 0


@dataclass
class Folder:
    """A learner's folder.

    Attributes:
        path: Where it is.
        records: How far they are, by the exercise's name.
    """

    path: Path
    records: dict[str, Record] = field(default_factory=dict)

    @classmethod
    def opened(cls, path: Path) -> "Folder":
        """Open the folder of a course that was begun.

        Raises:
            InputError: There is none, or its progress can't be read.
        """
        file = path / PROGRESS
        if not file.is_file():
            raise InputError(f"no course was begun in {path}: opbook course begins one, --folder names another place")
        try:
            read = json.loads(file.read_text("utf-8"))
            return cls(path, {str(name): Record(**record) for name, record in read.items()})
        except (ValueError, TypeError, AttributeError) as error:
            raise InputError(
                f"{file} can't be read ({error}). It only says what was right when: delete it, "
                "and opbook course makes a new one"
            ) from None

    @classmethod
    def begun(cls, path: Path) -> "Folder":
        """Open a folder, or begin a course in it.

        Raises:
            InputError: It holds something else.
        """
        if (path / PROGRESS).is_file():
            return cls.opened(path)
        if path.is_file() or (path.is_dir() and any(path.iterdir())):
            raise InputError(f"{path} holds something else than a course; name another place with --folder")
        path.mkdir(parents=True, exist_ok=True)
        folder = cls(path)
        folder.save()
        return folder

    def file_of(self, chapter: Chapter, exercise: Exercise) -> Path:
        """Where the learner writes an answer."""
        return self.path / chapter.name / f"{exercise.name}.py"

    def add(self, chapters: Iterable[Chapter]) -> list[Path]:
        """Write the files that are not there; one that is there is the learner's, and is left as it is.

        Returns:
            Those that were written.
        """
        written = []
        for chapter in chapters:
            for exercise in chapter.exercises:
                file = self.file_of(chapter, exercise)
                file.parent.mkdir(parents=True, exist_ok=True)
                try:
                    with file.open("x", encoding="utf-8") as new:
                        new.write(begin(chapter, exercise))
                except FileExistsError:
                    continue
                written.append(file)
        return written

    def record(self, name: str) -> Record:
        """How far the learner is with an exercise."""
        return self.records.setdefault(name, Record())

    def reload(self) -> None:
        """Read the progress again, which another process may have written; as it was if the file is gone."""
        if (self.path / PROGRESS).is_file():
            self.records = Folder.opened(self.path).records

    def save(self) -> None:
        """Write the progress."""
        kept: dict[str, Any] = {name: asdict(record) for name, record in sorted(self.records.items())}
        with replacing(self.path / PROGRESS) as draft:
            draft.write_text(json.dumps(kept, indent=2) + "\n", "utf-8")


def begin(chapter: Chapter, exercise: Exercise) -> str:
    """What an exercise's file holds at the beginning: the task as a comment, and the stub."""
    task = _LINK.sub(r"\1", exercise.task)
    paragraphs = [exercise.heading, *task.split("\n\n"), f"Chapter: {chapter.title}"]
    lines = [line for text in paragraphs if text.strip() for line in ["", *_wrapped(text)]]
    return "\n".join(f"# {line}".rstrip() for line in lines[1:]) + f"\n\n{exercise.stub.code}"


def _wrapped(paragraph: str) -> list[str]:
    if paragraph.startswith(("-", "|", "$", "1.")):
        return paragraph.splitlines()
    return textwrap.wrap(" ".join(paragraph.split()), WIDTH - 2)
