"""What the elementwise ops are verified on."""

import math

import numpy as np

from opbook_math import abs, cos, erf, exp, log, maximum, minimum, round, sigmoid, sin, softplus, sqrt, tanh


@abs.samples
def _(draw):
    yield np.asarray(draw.normal())
    yield draw.large("zeros", np.array([-2.0, 0.0, -0.0, 3.0]))


@sqrt.samples
@log.samples
def _(draw):
    for shape in ((3, 4), (2, 1, 3), (1,), (2, 0, 3)):
        yield draw.positive(*shape)
    yield np.array([0.05, 1.0, 40.0])
    yield np.asarray(draw.positive())
    yield draw.edge("infinity", np.array([2.0, np.inf]))
    yield draw.edge("zeros, and close to zero", np.array([0.0, 5e-324, 0.0, 1e-200, 0.0]))
    yield draw.refused("a negative entry", np.array([[1.0, 2.0], [-0.5, 1.0]]))


@maximum.samples
@minimum.samples
def _(draw):
    for shapes in (((2, 3, 4), (4,)), ((3, 1), (2, 1, 4)), ((), (3,))):
        yield tuple(np.asarray(draw.normal(*shape)) for shape in shapes)
    yield draw.edge("equal entries", np.array([1.0, 0.5, -2.0]), np.array([1.0, 2.0, -2.0]))
    yield draw.edge("a NaN on either side", np.array([np.nan, 0.5, 2.0]), np.array([1.0, np.nan, 1.0]))
    yield draw.refused("shapes that do not broadcast", draw.normal(3), draw.normal(2))


@exp.samples
def _(draw):
    yield draw.edge("exponents of ±1000", np.array([-1000.0, 1.0, 1000.0]))


@sin.samples
@cos.samples
def _(draw):
    yield draw.edge("infinity", np.array([1.0, np.inf]))


@round.samples
def _(draw):
    yield np.array([1e17, 0.3, -3e17]), 1
    yield 10 * draw.normal(2, 1, 3), 1
    yield 1000 * draw.normal(5), -2
    yield np.asarray(draw.normal()), 3
    yield draw.known("halves", np.array([-2.0, 0.0, 0.0, 2.0, 2.0]), np.array([-2.5, -0.5, 0.5, 1.5, 2.5])).at_edge()
    yield draw.known("halves, with one digit", np.array([-0.2, 0.0, 0.2]), np.array([-0.25, -0.04, 0.25]), 1).at_edge()
    large = np.array([2.0**52 + 1, 7218351698549644, 7813416816962575, 1e20, -1e308])  # two that scaling would change
    yield draw.known("numbers without decimals, with one digit", large, large, 1).at_edge()
    yield draw.known("numbers without decimals, with 292 digits", large, large, 292).at_edge()
    yield draw.known("1e18, to whole thousands", np.array([1e18, 0.0]), np.array([1e18 + 128, -49.0]), -3).at_edge()
    yield draw.known(
        "more digits removed than there are", np.array([0.0, 0.0]), np.array([-1.5, 1e200]), -292
    ).at_edge()
    yield draw.refused("too many digits", draw.normal(3), 293)
    yield draw.refused("too few digits", draw.normal(3), -293)


@erf.samples
def _(draw):
    yield np.array([-0.4, 0.1, 0.3])  # each of the three ranges alone; the last with an entry that has a slope to see
    yield np.array([-3.9, -1.5, 0.6, 2.5])
    yield np.array([-0.46875, 4.0])  # where one range ends
    yield np.array([-4.01])  # alone, lest its slope of 1e-7 be measured by those of others
    yield np.array([-1e200, -5.0, 0.2, 4.1, 30.0])
    yield np.asarray(draw.normal())
    places = np.linspace(-7.0, 7.0, 57)
    yield draw.known("what the C library says", np.array([math.erf(place) for place in places]), places)
    yield draw.edge("infinities", np.array([-np.inf, 1.0, np.inf]))


@softplus.samples
def _samples(draw):
    yield 4 * draw.normal(2, 1, 3)
    yield np.array([-1000.0, -20.0, 0.0, 20.0, 1000.0])  # exp of these overflows in one direction or the other
    yield np.asarray(draw.normal())
    yield draw.edge("minus infinity", np.array([-np.inf, 1.0]))


@tanh.samples
@sigmoid.samples
def _(draw):
    yield from _samples(draw)
    yield draw.edge("infinity", np.array([1.0, np.inf]))
