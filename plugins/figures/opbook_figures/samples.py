"""What the figures are verified on."""

import numpy as np

from opbook.figures import Bars, Heatmap, Line, Plot
from opbook_figures import bars, heatmap, plot


@heatmap.samples
def _(draw):
    yield draw.normal(3, 4)
    yield draw.positive(1, 1)
    yield np.array([[True, False], [True, True]])
    yield draw.call(draw.normal(2, 3), title="weights", rows=("a", "b"), columns=("x", "y", "z"))
    yield draw.edge("NaN and infinite entries leave gaps", np.array([[1.0, np.nan], [-np.inf, 2.0]]))
    plain = Heatmap(((1.0, np.nan), (-2.0, 3.0)))
    yield draw.known("a matrix", plain, np.array([[1.0, np.nan], [-2.0, 3.0]]))
    labelled = Heatmap(((1.0, 2.0, -3.0),), "weights", ("a",), ("x", "y", "z"), 3.0)
    labels = {"title": "weights", "rows": ["a"], "columns": ["x", "y", "z"]}
    yield draw.known("labels, and the largest entry as the limit", labelled, [[1.0, 2.0, -3.0]], **labels, limit=3)
    yield draw.known("as many rows as can be", Heatmap(((1.0,),) * 256), np.ones((256, 1)))
    yield draw.refused("a vector", draw.normal(3))
    yield draw.refused("no rows", np.zeros((0, 3))).saying("x has no entries")
    yield draw.refused("nothing finite", np.full((2, 2), np.nan)).saying("x has no finite entries")
    yield draw.refused("too many columns", np.ones((1, 257))).saying("257 columns; at most 256")
    yield draw.call(draw.positive(2, 2), limit=3.0)
    yield draw.refused("a label too few", draw.normal(2, 2), rows=("a",))
    yield draw.refused("a limit too low", np.ones((2, 2)), limit=0.5)
    yield draw.refused("a limit of 0", np.zeros((2, 2)), limit=0.0)
    yield draw.refused("an infinite limit", np.ones((2, 2)), limit=np.inf)


@plot.samples
def _(draw):
    yield draw.normal(5)
    yield draw.normal(2, 5)
    yield (np.linspace(-1.0, 1.0, 4), draw.normal(4))
    yield (np.arange(3.0), {"first": draw.normal(3), "second": draw.normal(3)})
    yield draw.call(draw.normal(2, 4), names=("a", "b"), title="two lines")
    yield draw.edge("NaN and infinite entries leave gaps", np.array([1.0, np.nan, np.inf, 2.0]))
    yield draw.known("a vector", Plot((Line((0.0, 1.0, 2.0), (1.0, np.nan, 3.0)),)), np.array([1.0, np.nan, 3.0]))
    two = Plot((Line((-1.0, 2.0), (1.0, 3.0), "a"), Line((-1.0, 2.0), (np.nan, np.nan), "1")), "two")
    yield draw.known("a record", two, [-1, 2], {"a": [1, 3], 1: [np.nan, np.nan]}, title="two")
    named = Plot((Line((0.0, 1.0), (1.0, 3.0), "first"), Line((0.0, 1.0), (2.0, 4.0), "second")), "named")
    yield draw.known("rows with names", named, [[1.0, 3.0], [2.0, 4.0]], names=["first", "second"], title="named")
    lines = Plot(tuple(Line((5.0,), (float(i),), "abcdefgh"[i]) for i in range(8)), "eight")
    yield draw.known("eight lines", lines, [5], [[i] for i in range(8)], names=[*"abcdefgh"], title="eight")
    yield draw.refused("no points", np.zeros(0)).saying("y has no finite numbers")
    yield draw.refused("nothing finite", np.array([np.nan, np.inf]))
    yield draw.refused("three axes", draw.normal(2, 2, 2)).saying("(2, 2, 2)")
    yield draw.refused("a number", 1.0)
    yield draw.refused("a text", "some text")
    yield draw.refused("another length than x", np.arange(3.0), draw.normal(4)).saying("y has 4 points but x has 3")
    yield draw.refused("a matrix of positions", draw.normal(2, 2), draw.normal(2, 2))
    yield draw.refused("another length than x in a record", [1, 2], {"a": [1]}).saying("y.a has 1 point but x has 2")
    yield draw.refused("no lines", {}).saying("y has no lines")
    yield draw.refused("too many lines", np.ones((9, 2))).saying("9 lines; at most 8")
    yield draw.refused("too many points", np.ones(10_001)).saying("y has 10,001 points; at most 10,000")
    yield draw.refused("a name too many", draw.normal(4), names=("a", "b"))
    yield draw.refused("names beside a record", {"a": draw.normal(3)}, names=("b",))


@bars.samples
def _(draw):
    yield draw.normal(4)
    yield draw.call(draw.positive(3), labels=("a", "b", "c"), title="three numbers")
    yield draw.edge("NaN and infinite entries leave gaps", np.array([1.0, np.nan, -np.inf]))
    yield draw.known("numbers", Bars((1.0, np.nan, -2.0)), np.array([1.0, np.nan, -2.0]))
    yield draw.known(
        "labels", Bars((1.0, -2.0), ("a", "b"), "two", 2.0), [1, -2], labels=["a", "b"], title="two", limit=2
    )
    yield draw.known("as many as can be", Bars((1.0,) * 64), np.ones(64))
    yield draw.refused("an infinite limit", np.ones(2), limit=np.inf)
    yield draw.refused("no entries", np.zeros(0)).saying("y has no entries")
    yield draw.refused("nothing finite", np.array([np.inf]))
    yield draw.refused("a matrix", draw.normal(2, 2))
    yield draw.refused("too many entries", np.ones(65)).saying("65 entries; at most 64")
    yield draw.call(draw.positive(3), limit=3.0)
    yield draw.refused("a label too few", draw.normal(2), labels=("a",))
    yield draw.refused("a limit too low", np.array([1.0, -2.0]), limit=1.5)
