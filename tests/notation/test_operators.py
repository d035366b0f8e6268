import warnings

import numpy as np
import pytest

A = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
B = np.array([[1.0, 0.0], [2.0, 1.0], [0.0, 3.0]])
DEFINITIONS = "A = [1, 2, 3; 4, 5, 6]; B = [1, 0; 2, 1; 0, 3]; v = [1, 2, 3]; w = [4, 5, 6]\n"


@pytest.mark.parametrize(
    ("program", "value"),
    [
        ("1 + 2 * 3", 7),
        ("(1 + 2) * 3", 9),
        ("7 - 2 - 1", 4),
        ("7 / 2 / 2", 1.75),
        ("-2 ^ 2", -4),
        ("(-2) ^ 2", 4),
        ("2 ^ -1", 0.5),
        ("2 ^ 3 ^ 2", 512),
        ("2 * -3", -6),
        ("--3", 3),
        ("2 @ 3", 6),
        ("5'", 5),
        ("6 ./ 4", 1.5),
        ("2.*3", 6),
        ("true + true", 2),
        ("-true", -1),
        ("1.5e3 + .5 + 2.", 1502.5),
    ],
)
def test_numbers_compute_with_the_usual_precedence(run, program, value):
    result = run(program)
    assert result == value
    assert type(result) is type(value)


@pytest.mark.parametrize(
    ("program", "value"),
    [
        ("A * B", A @ B),
        ("A @ B", A @ B),
        ("A * v", np.array([14.0, 32.0])),
        ("v * B", np.array([5.0, 11.0])),
        ("v @ w", np.array(32.0)),
        ("2 * A", 2 * A),
        ("A @ 2", 2 * A),
        ("v .* w", np.array([4.0, 10.0, 18.0])),
        ("A .* A'' ", A * A),
        ("A .* v", A * [1, 2, 3]),
        ("A / v", A / [1, 2, 3]),
        ("A ./ A", np.ones((2, 3))),
        ("A ^ 2", A**2),
        ("2 ^ v", np.array([2.0, 4.0, 8.0])),
        ("-A", -A),
        ("A'", A.T),
        ("A' * A", A.T @ A),
        ("1 - v", np.array([0.0, -1.0, -2.0])),
        ("A > 2", A > 2),
        ("(v > 1) .* w", np.array([0.0, 5.0, 6.0])),
        ("v != w", np.array([True, True, True])),
        ("not (v > 1)", np.array([True, False, False])),
        ("v > 1 and w < 6", np.array([False, True, False])),
        ("v > 2 or w < 5", np.array([True, False, True])),
        ("true and v > 2", np.array([False, False, True])),
        ("v > 2 or true", np.array([True, True, True])),
    ],
)
def test_arrays(run, program, value):
    result = run(DEFINITIONS + program)
    np.testing.assert_array_equal(result, value)
    assert np.asarray(result).dtype == value.dtype


def test_the_last_two_axes_of_a_stack_of_matrices_are_its_rows_and_columns(run):
    stack = "[[1, 2; 3, 4]; [5, 6; 7, 8]]"
    expected = np.arange(1.0, 9.0).reshape(2, 2, 2)
    np.testing.assert_array_equal(run(f"{stack}'"), expected.swapaxes(1, 2))
    np.testing.assert_array_equal(run(f"{stack} * [1, 0; 0, 2]"), expected @ np.diag([1.0, 2.0]))


@pytest.mark.parametrize(
    ("program", "value"),
    [
        ("1 < 2", True),
        ("2 <= 2.0", True),
        ("1 > 2", False),
        ("2 >= 3", False),
        ("1 == 1.0", True),
        ('"a" == "a"', True),
        ('"a" < "b"', True),
        ("nan == nan", False),
        ("true == 1", True),
        ("not 1 < 2", False),
        ("true or false and false", True),
        ("1 < 2 and 2 < 3", True),
        ("if 1 < 2 then 3 else 4", 3),
        ("if false then 1 else if true then 2 else 3", 2),
        ("1 + (if true then 1 else 2)", 2),
    ],
)
def test_truth(run, program, value):
    assert run(program) is value or run(program) == value


def test_only_what_matters_is_evaluated(run):
    assert run("if true then 1 else nobody") == 1
    assert run("false and nobody") is False
    assert run("true or nobody") is True


def test_integers_stay_exact_until_they_do_not_fit_64_bits(run):
    assert run("9223372036854775807") == 2**63 - 1
    assert run("3037000500 * 3037000499") == 3037000500 * 3037000499
    assert run("3 ^ 39") == 3**39
    for program, value in [
        ("9223372036854775808", 2.0**63),
        ("2 ^ 63", 2.0**63),
        ("2 ^ 62 + 2 ^ 62", 2.0**63),
        ("10 ^ 10 ^ 10", float("inf")),
        ("(-3) ^ 10000000001", float("-inf")),
    ]:
        result = run(program)
        assert isinstance(result, float), program
        assert result == value


def test_division_by_zero_and_overflow_give_inf_and_nan_without_a_warning(run):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert run("1 / 0") == float("inf")
        assert run("-1 / 0") == float("-inf")
        assert np.isnan(run("0 / 0"))
        assert np.isnan(run("(-8) ^ (1 / 3)"))
        assert run("1e308 * 10") == float("inf")
        np.testing.assert_array_equal(run("[1, -1] / 0"), [np.inf, -np.inf])
        np.testing.assert_array_equal(run("[1e200, 1] ^ 2"), [np.inf, 1])
        assert np.isnan(run("same(inf) - same(inf)"))


@pytest.mark.parametrize(
    ("program", "message"),
    [
        ("v * w", "`*` is the matrix product, but on both sides are vectors, a vector of 3 and a vector of 3"),
        ("v * w", "Write .* to multiply entry by entry, or @ for the dot product."),
        ("A * A", "a 2 by 3 matrix and a 2 by 3 matrix: 3 columns on the left, 2 rows on the right"),
        ("A * A", "Write .* to multiply entry by entry."),
        ("A * [1, 2, 3;]", "The right side transposed, with ', would fit."),
        ("A * [1, 2]", "3 columns on the left, 2 entries on the right"),
        ("[1, 2] @ [1, 2, 3]", "2 entries on the left, 3 entries on the right"),
        ("A + [1, 2]", "`+` works entry by entry, but on its left is a 2 by 3 matrix and on its right a vector of 2"),
        ("A + B", "Is a transpose ' missing?"),
        ("v < [1, 2]", "`<` works entry by entry"),
        ("v'", "[v;] is a matrix of one row"),
        ('1 + "a"', "`+` needs numbers or arrays, but on its right is text"),
        ('1 + "a"', 'Join texts with braces: "{a}{b}"'),
        ("(1,) * 2", "on its left is a tuple of 1"),
        ("-{a = 1}", "on its right is a record"),
        ("sum - 1", "on its left is the function"),
        ("(1,) == (1,)", "`==` compares numbers and arrays, but on its left is a tuple of 1"),
        ('"a" == 1', "`==` compares numbers and arrays, but on its left is text"),
        ("1 and true", "`and` needs true or false, but this is the number 1"),
        ("true and 1", "Compare it, as in x != 0."),
        ("not 0", "`not` needs true or false, but this is the number 0"),
        ("if v > 1 then 1 else 2", "`if` needs true or false, but this is a vector of 3"),
        ("v > 1 and v", "`and` needs true or false, but this is a vector of 3"),
    ],
)
def test_what_does_not_fit_is_told_with_its_sizes(fail, program, message):
    assert message in fail(DEFINITIONS + program)
