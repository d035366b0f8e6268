"""The page that lists the chapters says of each what the chapter says of itself."""

import re
from pathlib import Path

import opbook_course
import pytest

from opbook.examples import find_exercises

PAGE = Path(__file__).parents[2] / "docs/learn/course.md"
ROW = re.compile(r"^\| (\d+) \| \[(.+)\]\(\.\./builtins/guides/(.+\.md)\) \|.*\| (\d+) \| (\d+) \|$", re.MULTILINE)
ROWS = ROW.findall(PAGE.read_text(encoding="utf-8"))


@pytest.mark.parametrize(("number", "title", "file", "minutes", "exercises"), ROWS, ids=[row[2] for row in ROWS])
def test_a_row_has_the_title_the_time_and_the_number_of_exercises(number, title, file, minutes, exercises):
    chapter = Path(opbook_course.__file__).parent / "guides" / file
    text = chapter.read_text(encoding="utf-8")
    assert text.startswith(f"# {number}. {title}\n")
    assert f"*About {minutes} minutes" in text
    assert len(find_exercises(chapter)) == int(exercises)


def test_every_chapter_has_a_row():
    chapters = sorted((Path(opbook_course.__file__).parent / "guides").glob("*.md"))
    assert [row[2] for row in ROWS] == [chapter.name for chapter in chapters]
