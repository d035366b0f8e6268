"""`opbook course`: a learner's folder, what is said of a saved file, and what a class is checked with."""

import json
import os
import signal
import subprocess
import sys
from types import SimpleNamespace

import opbook_course.command as command
import pytest
from click.testing import CliRunner
from exercises.pages import EXERCISE, PAGE
from opbook_course.bounded import judged
from opbook_course.chapters import Chapter, chapters_of, chosen
from opbook_course.folder import Folder
from opbook_course.watching import saved

from opbook.errors import InputError
from opbook.examples import find_exercises
from opbook.plugins.catalogue import catalogue

HINTS = "\n```hint\nAdd.\n```\n\n```hint\n`x + x`\n```\n"
RIGHT = "def double(x):\n    return x + x\n"
SQUARES = "def double(x):\n    return x * x\n"


@pytest.fixture
def chapters(tmp_path):
    """Two chapters, of which the second has an exercise like the first one's."""
    found = []
    for name, page in (("00-first", PAGE + HINTS), ("01-second", PAGE.replace('"double"', '"twice"'))):
        file = tmp_path / f"{name}.md"
        file.write_text(page)
        found.append(Chapter(name, "Numbers", tuple(find_exercises(file))))
    return found


@pytest.fixture
def run(chapters, tmp_path, monkeypatch):
    """Runs the command in a folder of its own, with these chapters."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(command, "chapters_of", lambda _: chapters)
    return lambda *words: CliRunner().invoke(command.course, words)


@pytest.fixture
def begun(chapters, tmp_path):
    folder = Folder.begun(tmp_path / "course")
    folder.add(chapters)
    return folder.path


def test_a_file_begins_with_the_task_and_what_a_learner_wrote_stays(chapters, tmp_path):
    folder = Folder.begun(tmp_path / "course")
    first, second = folder.add(chapters)
    assert (
        first.read_text() == "# Twice\n#\n# Give twice `x`.\n#\n# Chapter: Numbers\n\ndef double(x):\n    return ...\n"
    )
    first.write_text(RIGHT)
    second.unlink()
    assert Folder.begun(tmp_path / "course").add(chapters) == [second]
    assert first.read_text() == RIGHT


def test_checking_says_what_is_wrong_and_exits_with_one(run, begun):
    (begun / "00-first" / "double.py").write_text(SQUARES)
    result = run("--check")
    assert result.exit_code == 1
    assert "double: wrong" in result.output
    assert "twice 3 is 6, not 9" in result.output
    assert "A usual cause: It squares." in result.output
    assert "twice: to do" in result.output


def test_checking_exits_with_zero_where_all_that_was_named_is_right(run, begun):
    (begun / "00-first" / "double.py").write_text(RIGHT)
    assert run("--check", "first").exit_code == 0
    assert run("--check", "double").exit_code == 0
    assert run("--check", "0").exit_code == 0
    assert run("--check", "double", "01-second").exit_code == 1


def test_json_has_what_a_class_is_judged_by(run, begun):
    (begun / "00-first" / "double.py").write_text(SQUARES)
    (begun / "01-second" / "twice.py").unlink()
    found = json.loads(run("--check", "--json").output)
    assert (found["right"], found["of"]) == (0, 2)
    wrong, missing = found["exercises"]
    assert wrong["file"] == os.path.join("course", "00-first", "double.py")
    assert (wrong["status"], wrong["tries"], wrong["mistakes"]) == ("wrong", 1, ["It squares"])
    assert (missing["exercise"], missing["status"], missing["message"]) == ("twice", "missing", "")


def test_hints_come_one_after_the_other_and_are_counted(run, begun):
    assert "Hint 1 of 2\n\nAdd." in run("--hint", "double").output
    assert "Hint 2 of 2\n\n`x + x`" in run("--hint", "double").output
    assert "Hint 2 of 2" in run("--hint", "double").output
    assert json.loads((begun / "progress.json").read_text())["double"] == {"passed": False, "tries": 0, "hints": 2}
    assert "has no hints" in run("--hint", "twice").output


def test_the_status_is_what_was_found_last(run, begun):
    (begun / "00-first" / "double.py").write_text(RIGHT)
    assert "to check double" in run("--status").output
    run("--check")
    assert "right    double                   1 try" in run("--status").output
    (begun / "00-first" / "double.py").write_text(SQUARES)
    run("--check")
    assert "wrong    double                   2 tries" in run("--status").output


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--check", "dubble"), "Did you mean double?"),
        (("--hint",), "a hint is for one exercise: opbook course --hint double"),
        (("--hint", "first"), "a hint is for one exercise"),
        (("--status", "--folder", "elsewhere"), "no course was begun in elsewhere"),
        (("course",), "course is no exercise and no chapter, but a folder. To have the files of the course there: "),
        (("at/home",), "opbook course --folder at/home"),
    ],
)
def test_a_mistake_of_the_user_is_said(run, begun, words, message):
    result = run(*words)
    assert isinstance(result.exception, InputError)
    assert message in str(result.exception)


def test_json_without_something_to_print_is_refused(run, begun):
    assert "--json goes with --check or --status" in run("--json").output


def test_a_folder_of_something_else_is_left_alone(tmp_path):
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(InputError, match="holds something else"):
        Folder.begun(tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == ["mine.txt"]


@pytest.mark.parametrize("text", ["{", "[1]", '{"double": {"past": true}}'])
def test_a_damaged_progress_is_named(run, begun, text):
    (begun / "progress.json").write_text(text)
    assert "progress.json can't be read" in str(run("--status").exception)


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("def double(x):\n    while True:\n        pass\n", "it did not end within 0.5 s"),
        ("import os\nos._exit(7)\n", "it ended the process that it ran in, with the exit code 7"),
        ("def double(x):\n    return int(input())\n", "EOFError"),
    ],
)
def test_an_answer_can_neither_hang_nor_end_the_course(chapters, tmp_path, code, words):
    (tmp_path / "double.py").write_text(code)
    assert words in judged(chapters[0].exercises[0], tmp_path / "double.py", 0.5).verdict.message


def test_a_file_is_seen_when_it_is_saved_and_when_it_comes_back(tmp_path):
    file, other = tmp_path / "a.py", tmp_path / "b.py"
    steps = iter(
        [
            lambda: file.write_text("1"),
            lambda: None,
            lambda: file.write_text("12"),
            lambda: file.unlink(),
            lambda: file.write_text(""),
            lambda: file.write_text("123"),
        ]
    )
    assert [next(found) for found in [saved([file, other], lambda _: next(steps)())] for _ in range(3)] == [file] * 3


def test_two_exercises_of_one_name_are_refused(tmp_path):
    files = [str(tmp_path / "a.md"), str(tmp_path / "b.md")]
    loaded = SimpleNamespace(plugins=[SimpleNamespace(contributes={"guides": files})])
    for name in "ab":
        (tmp_path / f"{name}.md").write_text(EXERCISE)
    with pytest.raises(InputError, match=r"two exercises are called double: .*a.md:1 and .*b.md:1"):
        chapters_of(loaded)


def test_the_chapters_of_this_book_are_found_in_order():
    found = chapters_of(catalogue())
    assert [chapter.name for chapter in chosen(found, [])] == sorted(chapter.name for chapter in found)
    assert found[0].name.startswith("00-")


def test_whoever_writes_the_references_has_passed_a_chapter(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (chapter,) = chosen(chapters_of(catalogue()), ["one-row"])
    folder = Folder.begun(tmp_path / "course")
    folder.add([chapter])
    for exercise in chapter.exercises:
        folder.file_of(chapter, exercise).write_text(exercise.stub.code.split("def ")[0] + exercise.reference.code)
    result = CliRunner().invoke(command.course, ["--check", "one-row"])
    assert result.exit_code == 0, result.output
    assert f"{len(chapter.exercises)} of {len(chapter.exercises)} exercises right." in result.output


def test_a_teacher_adds_a_chapter_with_a_file_and_a_learner_does_it(tmp_path):
    (tmp_path / "90-week-1.md").write_text(PAGE)
    (tmp_path / "week.py").write_text(
        "from opbook import hookimpl\n\n@hookimpl\ndef opbook_guides():\n    return ['90-week-1.md']\n"
    )
    command = [sys.executable, "-m", "opbook", "--plugin", "week.py", "course"]
    watching = subprocess.Popen(
        [*command, "double"],
        cwd=tmp_path,
        text=True,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    try:
        assert watching.stdout is not None
        assert watching.stdout.readline().startswith("New files in course: 1.")
        while not watching.stdout.readline().startswith("Save a file"):
            pass
        (tmp_path / "course" / "90-week-1" / "double.py").write_text(RIGHT)
        watching.stdout.readline()
        assert watching.stdout.readline().startswith("double: right")
        watching.send_signal(signal.SIGINT)
        rest, _ = watching.communicate(timeout=120)
    finally:
        watching.kill()
    assert "1 of 1 exercises right. opbook course goes on from here." in rest
    assert watching.returncode == 0
    status = subprocess.run([*command, "--status", "double"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert "right    double" in status.stdout


def test_a_hint_from_another_terminal_counts_while_the_course_waits(run, begun, monkeypatch):
    file = begun / "00-first" / "double.py"

    def saves(_):
        run("--hint", "double")
        file.write_text(SQUARES)
        yield file.relative_to(begun.parent)
        assert "Hint 2 of 2" in run("--hint", "double").output

    monkeypatch.setattr(command, "saved", saves)
    result = run()
    assert result.exception is None
    assert json.loads((begun / "progress.json").read_text())["double"]["hints"] == 2


def test_a_saved_file_that_still_has_the_stub_says_so(run, begun, monkeypatch):
    file = begun / "00-first" / "double.py"
    file.write_text(file.read_text() + "\n\n" + SQUARES)
    monkeypatch.setattr(command, "saved", lambda _: [file.relative_to(begun.parent)])
    assert "double: to do" in (output := run().output)
    assert "The function stands there as it was handed out: write your own in its place." in output


def test_the_hint_that_is_offered_is_found_in_a_folder_of_another_name(run, begun):
    begun.rename(begun.with_name("my course"))
    (begun.with_name("my course") / "00-first" / "double.py").write_text(SQUARES)
    assert "opbook course --hint double --folder 'my course'" in run("--check", "--folder", "my course").output


def test_a_misspelled_name_is_said_with_the_one_there_is(run, begun):
    file = begun / "00-first" / "double.py"
    file.write_text("import math\nfrom json import loads\n\n\ndef twice(x):\n    return x + x\n")
    assert "there is no function double in it, only twice" in run("--check", "double").output


def test_of_a_chapter_that_was_not_begun_the_status_is_one_line(run, begun):
    (begun / "01-second" / "twice.py").unlink()
    assert "Numbers (01-second)\n  1 exercise, not begun\n0 of 2" in run("--status").output


def test_the_status_has_the_name_that_a_chapter_is_chosen_by(run, begun):
    assert "Numbers (00-first)" in run("--status").output
