"""Fences of exercises: found, put together, or refused with the line."""

from pathlib import Path

import pytest
from exercises.pages import EXERCISE, PAGE, REFERENCE, STUB, TEST, WRONG

from opbook.examples import PageError, find, find_exercises

FILE = Path("numbers.md")


def test_an_exercise_is_put_together_of_its_fences():
    (exercise,) = find_exercises(FILE, PAGE + "\n```hint\nAdd it to itself.\n```\n\n```hint\n`x + x`\n```\n")
    assert (exercise.name, exercise.function, exercise.judged_by) == ("double", "double", "")
    assert (exercise.heading, exercise.task) == ("Twice", "Give twice `x`.")
    assert exercise.stub.code == "def double(x):\n    return ...\n"
    assert exercise.hints == ("Add it to itself.\n", "`x + x`\n")
    assert [(one.mistake, one.says) for one in exercise.wrong] == [("It squares", "not 9")]
    lines = PAGE.splitlines()
    assert lines[exercise.stub.line - 1].startswith("```python exercise")


def test_an_exercise_is_no_example_and_both_stand_on_one_page():
    page = f"{PAGE}\n```python\nprint(1)\n```\n\n```output\n1\n```\n\n{EXERCISE.replace('double', 'twice')}"
    assert [example.code for example in find(FILE, page)] == ["print(1)\n"]
    assert [exercise.name for exercise in find_exercises(FILE, page)] == ["double", "twice"]


def test_the_last_function_is_judged_and_the_task_begins_behind_the_last_fence():
    page = PAGE.replace("def double", "def helper():\n    pass\n\n\ndef double").replace(
        "Give twice", "```text\nnot this\n```\n\nGive twice"
    )
    (exercise,) = find_exercises(FILE, page)
    assert (exercise.function, exercise.task) == ("double", "Give twice `x`.")


@pytest.mark.parametrize(
    ("page", "line", "words"),
    [
        (EXERCISE.replace(REFERENCE, ""), 1, "double lacks a ```python reference"),
        (EXERCISE.replace(WRONG, ""), 1, "double lacks a ```python wrong"),
        (EXERCISE.replace(TEST, ""), 1, "double lacks judged_by=, or a ```python test"),
        (EXERCISE + "\n" + REFERENCE, 20, "double has a reference already"),
        (EXERCISE + "\nText.\n\n" + WRONG, 22, "this wrong belongs to no exercise"),
        (EXERCISE + "\n" + EXERCISE, 20, "line 1 has an exercise double already"),
        (EXERCISE.replace('says="not 9"', ""), 15, "this fence needs wrong and says"),
        (EXERCISE.replace("says=", "say="), 15, "Did you mean says?"),
        (EXERCISE.replace("says=", "says = "), 15, "cannot read"),
        (STUB.format(judged=' judgedby="softmax"'), 1, "Did you mean judged_by?"),
        (EXERCISE.replace('exercise="double"', 'exercise="my double"'), 1, "'my double' is no name"),
        (EXERCISE.replace("def double(x):\n    return ...", "x = 1"), 1, "this stub defines no function"),
        (EXERCISE.replace("return ...", "return ("), 3, "this stub is no Python"),
        (EXERCISE.replace(TEST, "```python test\n\n```\n"), 6, "this test is empty"),
        (EXERCISE.replace(TEST, "  " + TEST.replace("\n", "\n  ")), 6, "indented or quoted as its exercise"),
        ("<!-- example: continue -->\n" + EXERCISE, 1, "does not stand directly above an example"),
    ],
)
def test_what_is_wrong_is_refused_with_its_line(page, line, words):
    with pytest.raises(PageError) as refused:
        find_exercises(FILE, page)
    assert words in str(refused.value)
    assert refused.value.line == line
    with pytest.raises(PageError):
        find(FILE, page)


def test_an_exercise_in_a_list_stands_as_far_in():
    indented = "- item\n\n" + "\n".join(f"    {line}" if line else "" for line in EXERCISE.splitlines())
    (exercise,) = find_exercises(FILE, indented)
    assert exercise.prefix == "    "
    assert exercise.stub.code == "def double(x):\n    return ...\n"
    assert exercise.source == EXERCISE
