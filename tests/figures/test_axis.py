"""Axes: which numbers are written at them."""

import math

import pytest

from opbook.figures.axis import Axis


@pytest.mark.parametrize(
    ("values", "labels"),
    [
        ((0.0, 1.0), ("0", "0.2", "0.4", "0.6", "0.8", "1")),
        ((-1.0, 1.0), ("-1", "-0.5", "0", "0.5", "1")),
        ((0.0, 25.0), ("0", "5", "10", "15", "20", "25")),
        ((0.0, 0.3), ("0", "0.1", "0.2", "0.3")),
        ((0.1, 0.31), ("0.1", "0.15", "0.2", "0.25", "0.3", "0.35")),
        ((-7.0, 3.0), ("-8", "-6", "-4", "-2", "0", "2", "4")),
        ((0.0, 12_345.0), ("0", "2500", "5000", "7500", "10000", "12500")),
        ((0.0, 1e6), ("0", "2e5", "4e5", "6e5", "8e5", "1e6")),
        ((1e6, 1e6 + 1), ("1e6", "1.0000002e6", "1.0000004e6", "1.0000006e6", "1.0000008e6", "1.000001e6")),
        ((0.0, 2e-7), ("0", "5e-8", "1e-7", "1.5e-7", "2e-7")),
        ((5.0, 5.0), ("2", "3", "4", "5", "6", "7", "8")),
        ((0.0, 0.0), ("-1", "-0.5", "0", "0.5", "1")),
        ((math.nan, math.inf), ("0", "0.2", "0.4", "0.6", "0.8", "1")),
        ((), ("0", "0.2", "0.4", "0.6", "0.8", "1")),
    ],
)
def test_an_axis_around_numbers_ends_at_round_ones(values, labels):
    axis = Axis.around(values)
    assert axis.labels == labels
    assert axis.ticks == tuple(map(float, labels))
    assert (axis.low, axis.high) == (axis.ticks[0], axis.ticks[-1])


@pytest.mark.parametrize(
    ("values", "labels"),
    [
        ((0.0, 1.0, 2.0), ("0", "1", "2")),
        ((0.0, 9999.0), ("0", "2000", "4000", "6000", "8000")),
        ((0.0, 12.0), ("0", "5", "10")),
        ((0.5, 2.0), ("0.5", "1", "1.5", "2")),
        ((1.0, 1.0), ("1",)),
    ],
)
def test_an_axis_inside_numbers_has_whole_ones_for_whole_ones(values, labels):
    assert Axis.inside(values).labels == labels


def test_labels_have_room():
    values = (0.0, 1234.5)
    assert len(Axis.inside(values, 100, len).labels) == 5
    assert Axis.inside(values, 12, len).labels == ("0", "1000")


def test_parts_of_an_axis():
    axis = Axis.around((-1.0, 3.0))
    assert [axis.part(value) for value in (-1, 0, 1, 3)] == [0, 0.25, 0.5, 1]
    widest = Axis.around((-1.7e308, 1.7e308))
    assert [widest.part(value) for value in (widest.low, 0.0, widest.high)] == [0, 0.5, 1]
    assert widest.ticks == (-1e308, 0, 1e308)
