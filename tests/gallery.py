"""Figures of every kind and of every size, for all that is said of any of them."""

import math
from typing import Any

import numpy as np

from opbook.figures import Bars, Heatmap, Line, Plot


def matrix(array: Any, **options: Any) -> Heatmap:
    return Heatmap(tuple(map(tuple, np.asarray(array, float).tolist())), **options)


def line(x: Any, y: Any, name: str = "") -> Line:
    return Line(tuple(np.asarray(x, float).tolist()), tuple(np.asarray(y, float).tolist()), name)


RNG = np.random.default_rng(0)
WAVE = np.linspace(-4.0, 4.0, 81)
WORDS = ("mouse", "WWWWWWWW", 'a <b> & "c" $d$', "Щука", "日本語のラベル", "a label that goes on " * 4)

FIGURES = {
    "numbers": matrix([[1, -0.5], [math.nan, 0]], title="a <b> & $c$", rows=("x", "y"), columns=("p", "q")),
    "labels": matrix(RNG.normal(size=(6, 6)), rows=WORDS, columns=WORDS),
    "many labels": matrix(RNG.random((18, 18)), rows=WORDS * 3, columns=WORDS * 3),
    "cells": matrix(RNG.normal(size=(32, 32))),
    "coarse": matrix(RNG.random((256, 100))),
    "one row": matrix(RNG.normal(size=(1, 40))),
    "one column": matrix(RNG.normal(size=(200, 1))),
    "constant": matrix(np.ones((2, 2))),
    "zero": matrix(np.zeros((2, 2))),
    "close": matrix(1000 + RNG.random((12, 12))),
    "huge": matrix([[1e300, -1.7e308], [1e-300, math.inf]]),
    "no number": matrix([[math.nan]]),
    "no entry": Heatmap(()),
    "lines": Plot((line(WAVE, np.sin(WAVE), "sine"), line(WAVE, np.cos(WAVE), "cosine"))),
    "eight lines": Plot(tuple(line([0, 1], [i, -i], f"{WORDS[i % 6]} {i}") for i in range(8))),
    "points": Plot((line([0, 1, 2], [1, math.nan, 3]),)),
    "one point": Plot((line([0], [1]),)),
    "many points": Plot((line(np.arange(10_000), RNG.normal(size=10_000)),)),
    "huge lines": Plot((line([-1.7e308, 1.7e308, 0], [-1.7e308, 1.7e308, 1e-300]),)),
    "tiny lines": Plot((line([1e-9, 2e-9], [5e-324, 1e-320]),)),
    "level line": Plot((line([0, 1], [1e17, 1e17]),)),
    "far from zero": Plot((line([0, 1], [1e6, 1e6 + 1]),)),
    "nothing finite": Plot((line([0], [math.nan]),)),
    "no line": Plot(()),
    "bars": Bars((3.0, -1.0, math.inf, 0.0), ("a", "b", "c", "d"), "bars"),
    "bars with labels": Bars((3.0, 1.0, -2.0, 0.5, 1.5, 1e-9), WORDS),
    "negative bars": Bars((-3.0, -1.0)),
    "huge bars": Bars((1.7e308, -1.7e308, 1e300)),
    "zero bars": Bars((0.0,)),
    "many bars": Bars(tuple(RNG.normal(size=64).tolist())),
    "no bar": Bars(()),
}
