"""heatmap, plot and bars: what they hand over, and what they refuse."""

import math

import numpy as np
import pytest

import opbook
from opbook import ops
from opbook.errors import DTypeError, InputError, OpbookError, ShapeError
from opbook.figures import Bars, Heatmap, Line, Plot, capture
from opbook.notation import Session
from opbook.plugins.catalogue import catalogue


def drawn(builtin, *args, **kwargs):
    with capture() as figures:
        assert builtin(*args, **kwargs) is None
    (figure,) = figures
    return figure


def test_heatmap():
    figure = drawn(ops.heatmap, [[1, 2], [3, 4]], title="t", rows=("a", "b"), columns=("x", "y"), limit=5)
    assert figure == Heatmap(((1.0, 2.0), (3.0, 4.0)), "t", ("a", "b"), ("x", "y"), 5.0)


def test_heatmap_takes_booleans_and_gaps():
    assert drawn(ops.heatmap, np.tri(2, dtype=bool)).values == ((1, 0), (1, 1))
    assert drawn(ops.heatmap, [[1.0, -math.inf]]).values == ((1, -math.inf),)


def test_plot_over_positions():
    assert drawn(ops.plot, [3.0, 1.0], title="t") == Plot((Line((0.0, 1.0), (3.0, 1.0)),), "t")
    both = drawn(ops.plot, [[3.0, 1.0], [0.0, 2.0]], names=("a", "b"))
    assert both == Plot((Line((0.0, 1.0), (3.0, 1.0), "a"), Line((0.0, 1.0), (0.0, 2.0), "b")))


def test_plot_over_x():
    x = np.array([0.5, 1.5])
    assert drawn(ops.plot, x, [3.0, 1.0]).lines == (Line((0.5, 1.5), (3.0, 1.0)),)
    lines = drawn(ops.plot, x, {"a": [1.0, 2.0], "b": np.float32([3.0, 4.0])}).lines
    assert lines == (Line((0.5, 1.5), (1.0, 2.0), "a"), Line((0.5, 1.5), (3.0, 4.0), "b"))


def test_lines_of_a_record_may_differ_in_length():
    lines = drawn(ops.plot, {"a": [1.0], "b": [1.0, 2.0]}).lines
    assert [line.x for line in lines] == [(0.0,), (0.0, 1.0)]


def test_as_many_points_as_can_be():
    assert len(drawn(ops.plot, np.ones(10_000)).lines[0].y) == 10_000


def test_bars():
    assert drawn(ops.bars, [1, -2], labels=["a", "b"], title="t") == Bars((1.0, -2.0), ("a", "b"), "t")


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: ops.heatmap([1.0, 2.0]), ShapeError, r"heatmap: x must be a \(M, N\) matrix, but has shape \(2,\)"),
        (lambda: ops.heatmap(np.zeros((0, 2))), InputError, "heatmap: x has no entries"),
        (lambda: ops.heatmap([[math.nan]]), InputError, "heatmap: x has no finite entries"),
        (lambda: ops.heatmap(np.ones((2, 257))), InputError, "x has 257 columns; at most 256"),
        (
            lambda: ops.heatmap([[1.0]], rows=("a", "b")),
            InputError,
            "heatmap: rows must have as many texts as x has rows .1., but has 2",
        ),
        (lambda: ops.heatmap([[1.0, -3.0]], limit=2), InputError, "limit must be a number of at least 3,.* but is 2"),
        (lambda: ops.plot([]), InputError, "plot: y has no finite numbers"),
        (lambda: ops.plot([math.inf]), InputError, "plot: y has no finite numbers"),
        (lambda: ops.plot(np.ones((1, 1, 1))), ShapeError, r"plot: y must be a vector.*has shape \(1, 1, 1\)"),
        (lambda: ops.plot("text"), DTypeError, r"plot: y: expected real numbers .*, got dtype <U4 .str 'text'."),
        (lambda: ops.plot({"a": [[1.0]]}), ShapeError, r"plot: y.a must be a vector, but has shape \(1, 1\)"),
        (lambda: ops.plot([1.0, 2.0], [1.0]), ShapeError, "plot: y has 1 point but x has 2"),
        (lambda: ops.plot([1.0], {"a": [1.0, 2.0]}), ShapeError, "plot: y.a has 2 points but x has 1"),
        (lambda: ops.plot({}), InputError, "plot: y has no lines"),
        (lambda: ops.plot(np.ones((9, 2))), InputError, "plot: y has 9 lines; at most 8"),
        (lambda: ops.plot(np.ones(10_001)), InputError, "plot: y has 10,001 points; at most 10,000"),
        (
            lambda: ops.plot([1.0], names=("a", "b")),
            InputError,
            "plot: names must have as many texts as y has lines .1., but has 2",
        ),
        (lambda: ops.plot({"a": [1.0]}, names=("a",)), InputError, "plot: y is a record, which has the names"),
        (lambda: ops.bars([[1.0]]), ShapeError, "bars: y must be a"),
        (lambda: ops.bars(np.ones(65)), InputError, "bars: y has 65 entries; at most 64"),
        (
            lambda: ops.bars([1.0], labels=("a", "b")),
            InputError,
            "bars: labels must have as many texts as y has entries .1., but has 2",
        ),
    ],
)
def test_what_is_refused(call, error, message):
    with capture() as figures, pytest.raises(error, match=message):
        call()
    assert figures == []


def test_a_gradient_is_not_disturbed():
    def f(x):
        ops.heatmap(opbook.stop_gradient(x) * x)
        ops.plot(x)
        ops.bars(x[0])
        return (x * x).sum()

    with capture() as figures:
        np.testing.assert_array_equal(opbook.grad(f)(np.array([[1.0, 2.0]])), [[2.0, 4.0]])
    assert figures[0].values == ((1.0, 4.0),)
    assert len(figures) == 3


def test_in_the_notation(capsys):
    session = Session(catalogue())
    with capture() as figures:
        assert session.run('plot([0, 1], {up = [1, 2]}, title = "t"); heatmap([true, false;])') is None
    assert figures == [Plot((Line((0.0, 1.0), (1.0, 2.0), "up"),), "t"), Heatmap(((1.0, 0.0),))]
    session.run("bars([1, 2])")
    assert capsys.readouterr().out.splitlines()[1].endswith("█ 2")
    with pytest.raises(OpbookError, match="gives no value"):
        session.run("x = bars([1])")
