"""print and grad."""

import numpy as np
import pytest

import opbook
from opbook import ops
from opbook.errors import ArgumentError, ShapeError


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (2.0, "2\n"),
        ("plain text", "plain text\n"),
        (np.array([[1.0, 2.5]]), "[1, 2.5;]\n"),
        ({"w": np.float32(0.1)}, "{w = 0.1}\n"),
        ((1, "two"), '(1, "two")\n'),
        (True, "true\n"),
        (None, "\n"),
    ],
)
def test_print(value, text, capsys):
    assert ops.print(value) is None
    assert capsys.readouterr().out == text


def test_print_does_not_disturb_a_gradient(capsys):
    def f(x):
        ops.print({"square": x * x})
        return x * x * x

    assert opbook.grad(f)(2.0) == 12
    assert capsys.readouterr().out == "{square = 4}\n"


def test_print_takes_one_value():
    with pytest.raises(ArgumentError, match=r"print: takes at most 1 .* Call it as print\(value\)"):
        ops.print(1, 2)


def test_grad_of_each_argument():
    def f(x, y):
        return x * y**2

    assert ops.grad(f)(2.0, 3.0) == 9
    assert ops.grad(f, 1)(2.0, 3.0) == 12
    assert ops.grad(f, argnum=-1)(2.0, 3.0) == 12
    assert ops.grad(ops.grad(f, 1), 1)(2.0, 3.0) == 4


def test_grad_of_builtins_and_records():
    np.testing.assert_array_equal(ops.grad(ops.sum)(np.ones((2, 2))), np.ones((2, 2)))
    found = ops.grad(lambda w: ops.sum(w["a"] * w["b"]))({"a": np.array([1.0, 2.0]), "b": np.array([3.0, 4.0])})
    assert {name: array.tolist() for name, array in found.items()} == {"a": [3, 4], "b": [1, 2]}


def test_grad_refuses():
    with pytest.raises(ArgumentError, match="grad: f must be a function, but is 3"):
        ops.grad(3)
    with pytest.raises(ShapeError, match="scalar"):
        ops.grad(lambda x: 2 * x)(np.ones(3))
    with pytest.raises(ArgumentError, match="of the 1 arguments that were given by position"):
        ops.grad(lambda x: x, 1)(2.0)
