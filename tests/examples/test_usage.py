import pytest

from opbook.examples import calls, find

NAMES = {"layer_norm", "softmax", "sum", "print"}


def python(code):
    return find("page.md", f"```python\n{code}\n```\n")[-1]


@pytest.mark.parametrize(
    ("code", "names"),
    [
        ("from opbook.ops import layer_norm\nlayer_norm(1)", {"layer_norm"}),
        ("from opbook.ops import layer_norm as ln, softmax\nln(1)", {"layer_norm"}),
        ("from opbook.ops import layer_norm\ngrad(layer_norm)", {"layer_norm"}),
        ("from opbook import ops\nops.softmax(1) + ops.nothing(1)", {"softmax"}),
        ("from opbook import ops as o\nprint(o.softmax(1))", {"softmax"}),
        ("import opbook.ops\nopbook.ops.sum([1])", {"sum"}),
        ("import opbook.ops as o\no.sum([1])", {"sum"}),
        ("import opbook as ob\nob.ops.sum([1])", {"sum"}),
        ("print(sum([1]))", set()),
        ("from numpy import sum\nsum([1])", set()),
        ("import numpy as ops\nops.sum([1])", set()),
        ("x = = 1", set()),
    ],
)
def test_calls_of_python(code, names):
    assert calls(python(code), NAMES) == names


def test_a_continued_example_uses_the_imports_above_but_only_its_own_code():
    text = "```python\nfrom opbook.ops import softmax, sum\nsum(1)\n```\n"
    text += "<!-- example: continue -->\n```python\nsoftmax(1)\n```\n"
    assert calls(find("page.md", text)[1], NAMES) == {"softmax"}


def test_calls_of_qu():
    (example,) = find("page.md", "```qu\ny = layer_norm(x, softmax(z))\nnothing(1)\n```\n")
    assert calls(example, NAMES) == {"layer_norm", "softmax"}
    (example,) = find("page.md", "```qu\ny = [1\n```\n")
    assert calls(example, NAMES) == set()
