"""What examples draw is captured beside what they print."""

import pytest

from opbook.errors import ExampleError
from opbook.examples import Runner, find, run_example, update
from opbook.figures import Bars, show

CATALOGUE = {"print": lambda value: print(value), "draw": lambda value: show(Bars((float(value),)))}
PYTHON = (
    "from opbook.figures import Bars, show\n\nprint('before')\nshow(Bars((1.0,)))\nprint('after')\nshow(Bars((2.0,)))\n"
)


def examples(text):
    return find("page.md", text)


def test_printed_output_is_what_it_was():
    (example,) = examples(f"```python\n{PYTHON}```\n")
    produced = Runner({}).produce(example)
    assert produced.printed == Runner({}).run(example) == "before\nafter\n"
    assert produced.figures == (Bars((1.0,)), Bars((2.0,)))


def test_in_the_notation():
    (example,) = examples("```qu\ndraw(3)\n```\n")
    result = run_example(example, Runner(CATALOGUE))
    assert (result.status, result.printed, result.figures) == ("passed", "", (Bars((3.0,)),))


def test_figures_are_there_where_the_output_differs():
    (example,) = examples("```qu\ndraw(3)\nprint(1)\n```\n\n```output\n2\n```\n")
    result = run_example(example, Runner(CATALOGUE))
    assert (result.status, result.figures) == ("failed", (Bars((3.0,)),))


def test_an_example_that_continues_has_its_own_figures_only():
    first, second = examples("```qu\ndraw(1)\n```\n<!-- example: continue -->\n```qu\ndraw(2)\n```\n")
    assert Runner(CATALOGUE).produce(second).figures == (Bars((2.0,)),)
    assert Runner(CATALOGUE).produce(first).figures == (Bars((1.0,)),)


def test_an_expected_error_keeps_what_was_drawn_before():
    (example,) = examples("<!-- example: raises -->\n```python\n" + PYTHON + "1 / 0\n```\n")
    assert len(Runner({}).produce(example).figures) == 2


def test_a_failure_leaves_nothing_captured(capsys):
    (example,) = examples("```python\n" + PYTHON + "1 / 0\n```\n")
    with pytest.raises(ExampleError):
        Runner({}).produce(example)
    show(Bars((1.0,)))
    assert "█" in capsys.readouterr().out


def test_update_writes_no_output_for_a_figure(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("```qu\ndraw(3)\n```\n")
    assert [result.status for result in update([page], CATALOGUE)] == ["passed"]
    assert page.read_text() == "```qu\ndraw(3)\n```\n"


VARIED = """```python
start = 10
print("before")
```

<!-- example: continue -->
<!-- example: vary, x = 1, 2, 4 -->
```python
from opbook.figures import Bars, show

x = 2
print(start / x)
show(Bars((x,)))
```

```output
5.0
```
"""


def test_an_example_that_varies_is_run_with_each_value():
    _, example = examples(VARIED)
    result = run_example(example, Runner(CATALOGUE))
    assert (result.status, result.printed, result.figures) == ("passed", "5.0\n", (Bars((2,)),))
    assert [(frame.value, frame.is_default, frame.printed, frame.figures) for frame in result.frames] == [
        ("1", False, "10.0\n", (Bars((1,)),)),
        ("2", True, "5.0\n", (Bars((2,)),)),
        ("4", False, "2.5\n", (Bars((4,)),)),
    ]


def test_a_value_that_fails_is_named_with_its_line():
    _, example = examples(VARIED.replace("1, 2, 4", "1, 2, 0"))
    result = run_example(example, Runner(CATALOGUE))
    assert result.status == "failed"
    assert result.message == "page.md:12: with x = 0, the example fails: ZeroDivisionError: division by zero"
