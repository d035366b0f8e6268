"""What tests of exercises expect: right answers pass, and others are told with the call and both numbers."""

import numpy as np
import pytest

from opbook.exercises import expect, expect_rule

X = np.array([1.0, 2.0])


def double(x):
    return 2 * x


def scaled(x, w):
    return x * w, lambda g: (g * w, (g * x).sum(axis=0))


def test_what_is_right_passes():
    expect(double, X, gives=[2, 4])
    expect(lambda a, b: (a, b), 1.0, X, gives=(1.0, X))
    expect(lambda a, b: [a, b], 1.0, X, gives=(1.0, X))
    expect(lambda x: {"sum": x.sum(), "x": x}, X, gives={"x": X, "sum": 3.0})
    expect_rule(scaled, lambda x, w: x * w, np.array([[1.0, 2.0], [3.0, 5.0]]), np.array([0.5, -1.0]))


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda x: x, r"\(np.array\(\[1.0, 2.0\]\)\) must be \[2.0, 4.0\], but is \[1.0, 2.0\]"),
        (lambda x: x.sum(), r"expected shape \(2,\), got \(\)"),
        (lambda x: None, "got None: it has no return"),
        (lambda x: ..., "expected real numbers"),
        (lambda x: (2 * x,), "expected an array, got a tuple of 1"),
        (lambda x: {"x": 2 * x}, "expected an array, got a record with the fields x"),
        (lambda x: [[1], [1, 2]], "expected an array, got lists of different lengths"),
        (lambda x: np.multiply(x, 2, out=x), "writes into its argument"),
        (lambda x: 2 * x + 1e-8, r"must be \[2.0, 4.0\], but is \[2.00000001, 4.00000001\]"),
    ],
)
def test_what_is_wrong_is_told(function, message):
    with pytest.raises(AssertionError, match=message):
        expect(function, X, gives=[2, 4])


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda x: x, "expected a record with the fields x, n, got an array"),
        (lambda x: {"x": x}, "expected a record with the fields x, n, got a record with the fields x"),
        (lambda x: {"x": (x,), "n": 2}, "expected an array, got a tuple of 1"),
    ],
)
def test_a_record_is_held_to_its_fields(function, message):
    with pytest.raises(AssertionError, match=message):
        expect(function, X, gives={"x": X, "n": 2})


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        (lambda x, w: (x + w, scaled(x, w)[1]), "^the value of .* must be"),
        (lambda x, w: (x * w, lambda g: (g * w, g * x)), "the gradient of w: expected shape"),
        (lambda x, w: (x * w, lambda g: (w + 0 * x, (g * x).sum(axis=0))), "the gradient of x must be"),
        (lambda x, w: (x * w, lambda g: (g * w,)), "must be a tuple of 2, one gradient for each argument, but has 1"),
    ],
)
def test_a_wrong_rule_is_told_the_argument(rule, message):
    with pytest.raises(AssertionError, match=message):
        expect_rule(rule, lambda x, w: x * w, np.array([[1.0, 2.0], [3.0, 5.0]]), np.array([0.5, -1.0]))


def test_of_several_results_all_are_shown():
    with pytest.raises(AssertionError, match=r"must be \(\[1, 0\], 4.0\), but is \(\[0, 1\], 4.0\)"):
        expect(lambda x: (x > 1, 4), X, gives=([True, False], 4))


def test_a_rule_that_returns_no_pair_says_so():
    with pytest.raises(TypeError, match=r"a tuple with one gradient for each argument, .* but returned an array"):
        expect_rule(lambda x: (x, lambda g: g), lambda x: x, X)
    with pytest.raises(TypeError, match=r"must return \(value, pullback\), but returned None"):
        expect_rule(lambda x: None, lambda x: x, X)


def fails(x):
    return x.sum(axis=1)


def rule_that_fails_backwards(x):
    return x, lambda g: (g.sum(axis=1),)


def test_an_error_in_the_answer_names_the_call():
    row = np.array([1.0, 2.0])
    with pytest.raises(np.exceptions.AxisError) as forward:
        expect(fails, row, gives=3)
    assert forward.value.__notes__ == ["on fails(np.array([1.0, 2.0]))"]
    with pytest.raises(np.exceptions.AxisError) as backward:
        expect_rule(rule_that_fails_backwards, lambda x: x, row)
    assert backward.value.__notes__[0].startswith("on rule_that_fails_backwards(np.array([1.0, 2.0]))[1](")
