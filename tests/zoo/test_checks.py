"""Each check earns its place: take it away, and something wrong is caught by none of the others."""

import warnings
from typing import Any

import numpy as np
import pytest
from zoo.cheats import CHEATS
from zoo.softmax import textbook

from opbook import Array, builtin, stop_gradient
from opbook.autodiff.derivatives import PRIMITIVES
from opbook.autodiff.derivatives.table import Primitive
from opbook.checks import CHECKS
from opbook.checks.comparison import behaviour
from opbook.checks.inputs import inputs_of
from opbook.checks.verification import run, subject_of
from opbook.errors import InputError
from opbook.testing import compare


def documented(definition, rule=None, samples=None):
    """An op that all checks pass, if its definition and rule are right."""

    # Adds nothing.
    @builtin(category="Tests")
    def op(x: Array["... D"]) -> Array["... D"]:
        """Does something to numbers.

        Args:
            x: Numbers.

        Returns:
            Numbers.

        Source:
            None.
        """
        return definition(x)

    if rule is not None:
        op.defvjp(rule)
    if samples is not None:
        op.samples(samples)
    return op


def failing(op) -> set[str]:
    subject = subject_of(op, inputs_of(op), {op.name: op})
    found = (run(check, subject) for check in CHECKS.values() if not check.needs_examples)
    return {outcome.check for outcome in found if outcome.status == "failed"}


def tripled(x):
    return 3.0 * np.tanh(x)


def right(x):
    t = np.tanh(x)
    return 3 * t, lambda g: (3 * g * (1 - t * t),)


def changed(value=lambda v, x: v, gradient=lambda d, g, x: d):
    def rule(x):
        v, pullback = right(x)
        return value(v, x), lambda g: (gradient(pullback(g)[0], g, x),)

    return rule


def test_the_right_one_passes_all():
    assert failing(documented(tripled, right)) == set()


def test_known_answers():
    def samples(draw):
        yield draw.known("one", np.array([3 * np.tanh(1.0)]), np.array([1.0]))

    def rule(x):
        t = np.tanh(x)
        return 3.03 * t, lambda g: (3.03 * g * (1 - t * t),)

    assert failing(documented(lambda x: 3.03 * np.tanh(x), rule, samples)) == {"known answers"}


def test_definition():
    assert failing(documented(lambda x: tripled(x)[None])) == {"definition"}


def test_dtypes():
    def narrow(v, x):
        return v if x.dtype == np.float64 else v * 1.01

    assert failing(documented(tripled, changed(narrow))) == {"dtypes"}


def test_layouts():
    def misread(d, g, x):
        return d if g.flags.c_contiguous else d[..., ::-1]

    assert failing(documented(tripled, changed(gradient=misread))) == {"layouts"}


def test_warnings():
    def noisy(v, x):
        warnings.warn("it is late", RuntimeWarning, stacklevel=2)
        return v

    assert failing(documented(tripled, changed(noisy))) == {"warnings"}


def test_rule_gradient():
    def a_tile_of_16(d, g, x):
        return d if x.shape[-1] < 17 else np.where(np.arange(x.shape[-1]) < 16, d, 1.01 * d)

    assert failing(documented(tripled, changed(gradient=a_tile_of_16))) == {"rule gradient"}


def test_gradient_dtypes():
    def narrow(d, g, x):
        return d if x.dtype == np.float64 else d * 1.01

    assert failing(documented(tripled, changed(gradient=narrow))) == {"gradient dtypes"}


def test_pullback():
    assert failing(documented(tripled, changed(gradient=lambda d, g, x: d + 0.01 * (g == 0)))) == {"pullback"}


def test_second_order(monkeypatch):
    def derivative(x):
        t = np.tanh(x)
        return t, (lambda g: g * (1 - stop_gradient(t) ** 2),)  # right, but itself without a slope

    monkeypatch.setitem(PRIMITIVES, np.tanh, Primitive(derivative))
    assert failing(documented(tripled)) == {"second order"}


def test_threads():
    kept: dict[str, Any] = {}

    def rule(x):
        import time

        v, pullback = right(x)
        kept["x"] = x
        time.sleep(0.002)
        return v * (1 if kept["x"] is x else 1.01), pullback

    assert failing(documented(tripled, rule)) == {"threads"}


def test_memory():
    kept = []

    def rule(x):
        kept.append(x)
        return right(x)

    assert failing(documented(tripled, rule)) == {"memory"}


def test_errors():
    def refuses(x):
        if np.any(x < -1e9):
            raise InputError("op: x is too low")
        return tripled(x)

    def samples(draw):
        yield draw.normal(3)
        yield draw.refused("a low number", np.array([-1e10]))

    assert failing(documented(refuses, right, samples)) == {"errors"}


PROBES = {
    "a result cached by shape": "one buffer for all results",
    "a result cached by pointer": "an answer kept by pointer",
    "input that is not contiguous": "right for contiguous input only",
    "a NaN in the input": "hides a NaN",
}


@pytest.mark.parametrize(("probe", "cheat"), PROBES.items())
def test_each_trial_of_behaviour(monkeypatch, probe, cheat):
    function = CHEATS[cheat](textbook)
    assert compare(function, "softmax", dtypes=("float64",)).verdict == "is wrong"
    monkeypatch.delitem(behaviour.PROBES, probe)
    assert compare(CHEATS[cheat](textbook), "softmax", dtypes=("float64",)).verdict == "agrees"


def test_own_memory():
    def rule(x):
        v, pullback = right(x)
        kept: dict[int, Any] = {}

        def remembering(g):
            if id(g) not in kept:
                kept[id(g)] = g, pullback(g)
            return kept[id(g)][1]  # the same array for the same cotangent

        return v, remembering

    assert failing(documented(tripled, rule)) == {"own memory"}


def test_documented():
    @builtin(category="Tests")
    def op(x: Array["... D"]) -> Array["... D"]:
        """Does something to numbers."""
        return tripled(x)

    assert failing(op) == {"documented"}


def test_checks_that_say_it_in_plainer_words_than_others(monkeypatch):
    """What these find, another check finds too; but it would call it a wrong number."""

    def writes(d, g, x):
        g *= 2
        return d

    assert {"inputs unchanged", "rule gradient"} <= failing(documented(tripled, changed(gradient=writes)))
    assert failing(documented(tripled, changed(lambda v, x: v * (1 + 1e-8)))) == {"rule value", "dtypes"}
    derivative = Primitive(lambda x: (np.tanh(x), (lambda g: 1.01 * g * (1 - np.tanh(x) ** 2),)))
    monkeypatch.setitem(PRIMITIVES, np.tanh, derivative)
    assert {"differences", "taylor"} <= failing(documented(tripled))  # two opinions on one slope
