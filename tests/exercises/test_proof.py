"""An exercise is proved by its own fences, and a learner's answer is judged as they are."""

from pathlib import Path

import pytest
from exercises.pages import EXERCISE, PAGE, REFERENCE, WRONG

from opbook.examples import find_exercises
from opbook.exercises import judge, judge_source, mistakes_in, prove, prove_pages

FILE = Path("numbers.md")


def exercise_of(page):
    (exercise,) = find_exercises(FILE, page)
    return exercise


SOFTMAX = """```python exercise="my_softmax" judged_by="softmax"
import numpy as np


def my_softmax(x):
    return ...
```

```python reference
def my_softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)
```

```python wrong="Large scores overflow" says="got nan"
def my_softmax(x):
    e = np.exp(x)
    return e / e.sum(axis=-1, keepdims=True)
```
"""

SIGMOID = """```python exercise="sigmoid_rule" judged_by="rule of sigmoid"
import numpy as np


def sigmoid_rule(x):
    return ..., lambda g: (...,)
```

```python reference
def sigmoid_rule(x):
    y = np.where(x > 0, 1 / (1 + np.exp(-np.abs(x))), np.exp(-np.abs(x)) / (1 + np.exp(-np.abs(x))))
    return y, lambda g: (g * y * (1 - y),)
```

```python wrong="It forgets the cotangent" says="gradient of x: expected"
def sigmoid_rule(x):
    y = 1 / (1 + np.exp(-x))
    return y, lambda g: (y * (1 - y),)
```

```python wrong="The pullback returns an array instead of a tuple" says="must return a tuple"
def sigmoid_rule(x):
    y = 1 / (1 + np.exp(-x))
    return y, lambda g: g * y * (1 - y)
```

```python wrong="It returns the gradient instead of a pullback" says="must be a function of g"
def sigmoid_rule(x):
    y = 1 / (1 + np.exp(-x))
    return y, y * (1 - y)
```
"""


@pytest.mark.parametrize("page", [PAGE, SOFTMAX, SIGMOID], ids=["test", "builtin", "rule"])
def test_what_is_right_is_proved(page):
    proof = prove(exercise_of(page))
    assert proof.problems == ()
    assert not any(verdict.passed for verdict in proof.wrong)


@pytest.mark.parametrize(
    ("page", "place", "words"),
    [
        (EXERCISE.replace("return ...", "return x + x"), "numbers.md:1:", "the stub of double passes"),
        (
            EXERCISE.replace("return 2 * x", "return 3 * x"),
            "numbers.md:10:",
            "the reference of double fails: twice 3 is",
        ),
        (EXERCISE.replace("x**2", "x + x"), "numbers.md:15:", "this wrong answer to double passes: It squares"),
        (EXERCISE.replace("not 9", "not 8"), "numbers.md:15:", "the message lacks 'not 8': twice 3 is 6, not 9"),
        (EXERCISE.replace(WRONG, WRONG.replace("def double", "def other")), "numbers.md:15:", "no function double"),
        (EXERCISE.replace(REFERENCE, REFERENCE.replace("2 *", "y *")), "numbers.md:10:", "line 2: NameError"),
        (SOFTMAX.replace('judged_by="softmax"', 'judged_by="softmex"'), "numbers.md:1:", "no builtin: there is no"),
    ],
)
def test_what_is_not_fails_with_its_line(page, place, words):
    (problem, *_) = prove(exercise_of(page)).problems
    assert problem.startswith(place)
    assert words in problem


def test_a_learner_is_told_the_shortest_input_and_the_usual_cause():
    exercise = exercise_of(SOFTMAX)
    verdict = judge(
        exercise, "import numpy\n\ndef my_softmax(z):\n    a = numpy.exp(z)\n    return a / a.sum(-1)[..., None]\n"
    )
    assert "nan" in verdict.message
    assert verdict.call.startswith("my_softmax(np.array([")
    assert len(verdict.call) < 120
    assert mistakes_in(exercise, verdict) == ("Large scores overflow",)


def test_another_mistake_has_no_usual_cause():
    exercise = exercise_of(SOFTMAX)
    verdict = judge(exercise, "import numpy as np\n\ndef my_softmax(x):\n    return np.exp(x)\n")
    assert not verdict.passed
    assert mistakes_in(exercise, verdict) == ()


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("def double(x):\n    return 2 x\n", "line 2: SyntaxError"),
        ("raise SystemExit(3)\n", "line 1: SystemExit: 3"),
        ("def double(x):\n    pass\n", "twice 3 is 6, not None"),
        ("def double(x):\n    x = x.nothing\n", "line 2: AttributeError"),
        ("def twice(x):\n    return 2 * x\n", "no function double"),
        ("double = 6\n", "no function double"),
    ],
)
def test_code_that_fails_is_described_in_a_line(code, words):
    assert words in judge(exercise_of(PAGE), code, "mine.py").message


def test_an_import_that_an_answer_lacks_is_missed_in_its_own_line():
    (exercise,) = find_exercises("page.md", EXERCISE.replace("assert double(3)", "assert double(np.array(3))"))
    assert (
        str(judge(exercise, "def double(x):\n    return np.add(x, x)\n"))
        == "line 2: NameError: name 'np' is not defined"
    )
    assert judge(exercise, "def double(x):\n    return x + x\n").passed


def test_a_missing_return_is_said():
    verdict = judge(exercise_of(SOFTMAX), "def my_softmax(x):\n    pass\n")
    assert "it has no return" in verdict.message


def test_an_error_on_an_ordinary_input_is_a_failure():
    verdict = judge(exercise_of(SOFTMAX), "def my_softmax(x):\n    return x.soft()\n")
    assert "AttributeError" in verdict.message


def test_the_same_mistake_on_another_line_is_the_same():
    page = (
        EXERCISE
        + '\n```python wrong="It asks for a method" says="AttributeError"\ndef double(x):\n    return x.two()\n```\n'
    )
    exercise = exercise_of(page)
    verdict = judge(exercise, "# mine\n\n\n\ndef double(x):\n    return x.two()\n")
    assert mistakes_in(exercise, verdict) == ("It asks for a method",)


def test_a_bare_assertion_is_shown():
    page = EXERCISE.replace(', f"twice 3 is 6, not {double(3)}"', "").replace("not 9", "double(3) == 6")
    assert prove(exercise_of(page)).problems == ()


def test_pages_are_proved_and_a_page_that_cannot_be_read_is_left_to_its_examples(tmp_path):
    (tmp_path / "good.md").write_text(PAGE)
    (tmp_path / "bad.md").write_text("```python\n")
    assert [(result.path.name, result.status) for result in prove_pages([tmp_path])] == [("good.md", "passed")]


def test_the_fences_alone_are_enough_to_judge_an_answer():
    source = exercise_of(f"# Page\n\nText.\n\n{EXERCISE}\nBehind.\n").source
    wrong = judge_source(source, "def double(x):\n    return x * x\n")
    assert wrong == {"passed": False, "message": "twice 3 is 6, not 9", "call": "", "mistakes": ["It squares"]}
    assert judge_source(source, "def double(x):\n    return x + x\n")["passed"]
