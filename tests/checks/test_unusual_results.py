"""Results with infinities or indices in them, and options that stop a gradient: what of them is differentiated."""

from typing import TypedDict

import numpy as np
from checks.ops_under_test import outcome

from opbook import Array, Int, builtin, stop_gradient
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
