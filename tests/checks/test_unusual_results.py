"""Results with infinities or indices in them, and options that stop a gradient: what of them is differentiated."""

import threading
from typing import TypedDict

import numpy as np
import pytest
from checks.ops_under_test import outcome

from opbook import Array, Int, builtin, stop_gradient
from opbook.checks import CHECKS
from opbook.checks.verification import check_builtin
from opbook.errors import InputError


def test_around_infinite_entries_differences_are_taken():
    def negative_ones_off(gradient):
        @builtin(category="Tests")
        def op(x: Array["..."]) -> Array["..."]:
            """Leaves positive entries."""
            return np.where(stop_gradient(x) > 0, gradient(x), -np.inf)

        return op

    assert outcome(negative_ones_off(lambda x: x * x), "differences").status == "passed"
    assert outcome(negative_ones_off(lambda x: x * x), "taylor").status == "passed"
    lost = negative_ones_off(lambda x: x * stop_gradient(x))
    assert outcome(lost, "differences").status == "failed"
    assert outcome(lost, "taylor").status == "failed"


class Found(TypedDict):
    largest: Array["..."]
    place: Int["..."]


def test_floats_beside_indices_are_differentiated():
    def largest(value):
        @builtin(category="Tests")
        def op(x: Array["... N"]) -> Found:
            """Finds the largest entry."""
            if x.shape[-1] == 0:
                raise InputError("op: x has no entries")
            place = np.argmax(stop_gradient(x), axis=-1)
            return {"largest": value(np.take_along_axis(x, place[..., None], axis=-1)[..., 0]), "place": place}

        @op.samples
        def _(draw):
            yield draw.normal(4, 3)

        return op

    found = outcome(largest(lambda v: 3 * v), "differences")
    assert found.status == "passed", found.message
    assert outcome(largest(lambda v: 2 * v + stop_gradient(v)), "differences").status == "failed"


def test_an_option_that_stops_a_gradient_is_named_by_its_samples():
    def held(*named):
        @builtin(category="Tests")
        def op(x: Array["..."], *, hold: bool = False) -> Array["..."]:
            """Gives back x."""
            return stop_gradient(x) * 1.0 if hold else x * 1.0

        @op.samples
        def _(draw):
            draw.stops(*named)
            yield draw.normal(3)

        return op

    assert outcome(held("hold"), "differences").status == "passed"
    assert outcome(held(), "differences").status == "failed"


def test_what_takes_long_is_named(monkeypatch):
    said, heard = [], threading.Event()
    monkeypatch.setattr("opbook.examples.running.PATIENCE", 0.0)
    monkeypatch.setattr("opbook.examples.running._say", lambda message: (said.append(message), heard.set()))

    @builtin(category="Test")
    def waits(x: Array["..."]) -> Array["..."]:
        """Waits until somebody has said that it does."""
        assert heard.wait(60)
        return 1.0 * x

    tuple(check_builtin(waits, [CHECKS["errors"]], None, None))
    assert said[0] == "waits: making its inputs has been running for 0 s"


def test_an_interrupted_check_says_which_it_was():
    @builtin(category="Test")
    def stopped(x: Array["..."]) -> Array["..."]:
        """Is stopped by its user."""
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as caught:
        tuple(check_builtin(stopped, [CHECKS["errors"]], None, None))
    assert caught.value.__notes__ == ["stopped: making its inputs was running; nothing was concluded about it"]
