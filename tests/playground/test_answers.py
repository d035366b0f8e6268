"""What an engine says to a message, whichever engine it is."""

from typing import Any

import pytest
from exercises.pages import EXERCISE

from opbook import Rule
from opbook.playground.answers import answer
from opbook.playground.worker import WARM
from opbook.plugins.catalogue import Catalogue


@pytest.fixture
def run(process_catalogue: Catalogue) -> Any:
    """Run code as a page would."""

    def run(code: str, language: str = "qu", **more: Any) -> dict[str, Any]:
        return answer({"do": "run", "id": "7", "language": language, "code": code, **more}, process_catalogue)

    return run


def test_what_is_printed_and_what_a_last_expression_is_worth(run: Any) -> None:
    found = run('x = [1, 2; 3, 4]\nprint("{x}")\nx @ [1, 1]')
    assert (found["printed"], found["value"], found["error"]) == ("[1, 2; 3, 4]\n", "[3, 7]", None)
    found = run("print(1 + 1)\n3", "python")
    assert (found["printed"], found["value"], found["error"]) == ("2\n", None, None)


def test_of_a_builtin_with_several_rules_it_is_said_which_one_a_call_used(process_catalogue: Catalogue) -> None:
    def rows_of_two(x: Any, axis: int = -1) -> Any:
        return (x * 0 + 0.5, lambda g: (g * 0, None)) if x.shape == (2,) else NotImplemented

    softmax = process_catalogue["softmax"].with_rules([Rule("softmax", "halves", rows_of_two)], ["halves"])
    catalogue = {"softmax": softmax, "grad": process_catalogue["grad"], "sum": process_catalogue["sum"]}
    for code, rule, package in [
        ("softmax([1, 2, 3]); softmax([1, 2])", "halves", __name__.partition(".")[0]),
        ("softmax([1, 2]); softmax([1, 2, 3])", "own", "opbook_activations"),
        ("f(x) = sum(softmax(x)); grad(f)([1, 2])", "halves", __name__.partition(".")[0]),
    ]:
        found = answer({"do": "run", "language": "qu", "code": code}, catalogue)
        (used,) = (one for one in found["rules"] if one["builtin"] == "softmax")
        assert (found["error"], used["rule"], used["package"]) == (None, rule, package)
        assert used["seconds"] > 0


def test_figures_are_pictures_with_ids_of_their_own(run: Any) -> None:
    (figure,) = run('heatmap([1, 2; 3, 4], title = "four")')["figures"]
    assert figure["title"] == "four"
    assert figure["svg"].startswith("<svg ")
    assert 'id="run-7-1-title"' in figure["svg"]


def test_the_program_that_a_worker_warms_up_with_is_right(process_catalogue: Catalogue) -> None:
    assert answer(WARM, process_catalogue)["error"] is None


def test_what_an_example_continues_is_run_first_and_not_shown(run: Any) -> None:
    found = run("print(x + 1)", before=["x = 1\nprint(x)", "x = x + 1"])
    assert found["printed"] == "3\n"
    found = run("print(x + 1)", before=["x = nothing"])
    assert found["error"]["message"].startswith("<above>:1:5: nothing is named nothing")


def test_a_mistake_has_its_place_and_a_caret(run: Any) -> None:
    found = run('print("before")\nx = [1, 2\n')
    error = found["error"]
    assert (error["line"], error["column"]) == (2, 5)
    assert error["message"].splitlines()[1:3] == ["  x = [1, 2", "      ^"]
    found = run("y = layer_norm([1, 2, 3], [1, 1], [0, 0])")
    assert "gamma has 2 entries but x has 3" in found["error"]["message"]


@pytest.mark.parametrize(
    ("code", "place", "message"),
    [
        (
            "print('seen')\nx = 1 / 0\n",
            (2, 5),
            "ZeroDivisionError: division by zero\n  x = 1 / 0\n      ^",
        ),
        (
            "def f(x):\n    return x.y\n\nf(3)",
            (2, 12),
            "AttributeError: 'int' object has no attribute 'y'",
        ),
        ("x = (1,\ny = 2", (1, 5), "SyntaxError: '(' was never closed\n  x = (1,\n      ^"),
        ("raise SystemExit(3)", (1, 1), "SystemExit: 3"),
    ],
)
def test_a_mistake_in_python_has_its_place_too(run: Any, code: str, place: tuple[int, int], message: str) -> None:
    found = run(code, "python")
    line, column = place
    assert found["error"]["message"].startswith(f"<input>:{line}:{column}: {message}")
    assert (found["error"]["line"], found["error"]["column"]) == place
    assert found["printed"] == ("seen\n" if "seen" in code else "")


FLOOD = """
import numpy as np
from opbook.ops import heatmap
for seed in range(120):
    heatmap(np.random.default_rng(seed).random((256, 64)))
"""


def test_what_is_too_much_for_a_page_is_said(run: Any) -> None:
    assert "the pictures would take" in run(FLOOD, "python")["error"]["message"]
    found = run("print('x' * 150_000)", "python")
    assert found["printed"].endswith("x\n... (50,001 more characters)\n")
    assert len(found["printed"]) < 100_100


@pytest.mark.parametrize(
    ("message", "problem"),
    [
        ([], "'do' must be run, compare or judge, but is None"),
        ({"do": "dance"}, "'do' must be run, compare or judge, but is 'dance'"),
        ({"do": "run", "language": "perl"}, "'language' must be qu or python, but is 'perl'"),
        ({"do": "run", "language": "qu"}, "'code' must be text, but is None"),
        ({"do": "run", "language": "qu", "code": "1", "before": "x"}, "'before' must be a list of texts"),
        ({"do": "compare", "builtin": "layer_norm", "code": "x = 1"}, "defines no function to compare with layer_norm"),
    ],
)
def test_a_message_that_is_not_understood(process_catalogue: Catalogue, message: Any, problem: str) -> None:
    assert problem in answer(message, process_catalogue)["error"]["message"]


RIGHT = """
import numpy as np

def norm(x, gamma, beta, *, eps=1e-5):
    centred = x - x.mean(axis=-1, keepdims=True)
    return gamma * centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + eps) + beta
"""


def test_a_function_is_held_to_a_builtin(process_catalogue: Catalogue) -> None:
    def verdict(code: str) -> Any:
        process_catalogue.load_samples()
        return answer({"do": "compare", "builtin": "layer_norm", "code": code}, process_catalogue)["comparison"]

    right = verdict(RIGHT)
    assert (right["function"], right["verdict"]) == ("norm", "agrees")
    wrong = verdict(RIGHT.replace("+ eps", "- eps"))
    assert wrong["verdict"] == "is wrong"
    assert "norm is not layer_norm" in wrong["sentence"]
    gradient = "\ndef norm_gradient(g, x, gamma, beta, *, eps=1e-5):\n    return g, gamma, beta\n"
    assert verdict(RIGHT + gradient)["verdict"] == "is wrong"


def test_a_function_that_can_not_be_made_is_a_mistake_with_its_place(process_catalogue: Catalogue) -> None:
    message = {"do": "compare", "builtin": "layer_norm", "code": "def f(x)\n    return x"}
    error = answer(message, process_catalogue)["error"]
    assert error["message"].startswith("<input>:1:9: SyntaxError: expected ':'")


def test_an_answer_to_an_exercise_is_judged(process_catalogue: Catalogue) -> None:
    def judged(code: str, source: str = EXERCISE) -> dict[str, Any]:
        return answer({"do": "judge", "exercise": source, "code": code}, process_catalogue)

    assert judged("def double(x):\n    return x + x\n")["verdict"]["passed"]
    wrong = judged("def double(x):\n    return x * x\n")["verdict"]
    assert (wrong["message"], wrong["mistakes"]) == ("twice 3 is 6, not 9", ["It squares"])
    assert "lacks" in judged("", EXERCISE.partition("```python reference")[0])["error"]["message"]
    assert "exercise" in judged("", "")["error"]["message"]
