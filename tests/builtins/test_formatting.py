import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from opbook.autodiff.differentiate import vjp
from opbook.builtins.formatting import format_value
from opbook.errors import InputError
from opbook.notation import Session


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1.0, "1"),
        (1, "1"),
        (-1e-9, "0"),
        (-0.0, "0"),
        (1e-12, "0"),
        (0.5, "0.5"),
        (100.0, "100"),
        (1 / 3, "0.333333"),
        (2 / 3, "0.666667"),
        (-1.2247448, "-1.224745"),
        (0.0000005, "0"),
        (0.0000006, "0.000001"),
        (123456789.125, "123456789.125"),
        (1e15, "1000000000000000"),
        (9999999999999998.0, "9999999999999998"),
        (1e16, "1e16"),
        (-1.23456789e300, "-1.234568e300"),
        (9.9999999e99, "1e100"),
        (2**63 - 1, "9223372036854775807"),
        (float("nan"), "nan"),
        (float("inf"), "inf"),
        (float("-inf"), "-inf"),
        (np.float32(0.1), "0.1"),
        (np.int64(3), "3"),
        (True, "true"),
        (np.bool_(False), "false"),
        (np.array(2.5), "2.5"),
        (np.array([1, 2]), "[1, 2]"),
        (np.zeros(0), "[]"),
        (np.array([[1.0, 2.0], [3.0, 4.0]]), "[1, 2; 3, 4]"),
        (np.array([[1.0, -0.0]]), "[1, 0;]"),
        (np.array([[1.0], [2.0]]), "[1; 2]"),
        (np.array([[True, False], [False, True]]), "[true, false; false, true]"),
        (np.arange(8.0).reshape(2, 2, 2), "[[0, 1; 2, 3]; [4, 5; 6, 7]]"),
        (np.ones((1, 1, 2)), "[[1, 1;];]"),
        (np.zeros((0, 3)), "zeros(0, 3)"),
        ((), "()"),
        ((1.0,), "(1,)"),
        ((1, [2, "a"]), '(1, (2, "a"))'),
        ({}, "{}"),
        ({"wq": np.ones(2), "n": (1,)}, "{wq = [1, 1], n = (1,)}"),
        ('a "b" {c}', 'a "b" {c}'),
        (('a "b" {c}\n\\',), r'("a \"b\" {{c}}\n\\",)'),
        (None, ""),
        ((None,), "(nothing,)"),
        (math.sqrt, "sqrt"),
    ],
)
def test_how_values_print(value, text):
    assert format_value(value) == text


def test_a_value_on_a_tape_prints_as_its_array():
    seen = []

    def f(x: Any) -> Any:
        seen.append(format_value((x, {"y": 2 * x})))
        return x @ x

    vjp(f, np.array([1.0, 2.0]))
    assert seen == ["([1, 2], {y = [2, 4]})"]


def test_what_nobody_would_read_is_refused():
    assert len(format_value(np.zeros(300_000))) == 900_000
    with pytest.raises(InputError, match="too large to print: it takes more than 1,000,000 characters"):
        format_value(np.zeros(4_000_000))


# ------------------------------------------------------------------------------------- what prints can be read back


def read(text: str) -> Any:
    return Session({"zeros": lambda *shape: np.zeros(shape)}).run(text)


def same(value: Any, back: Any) -> bool:
    """Compare to six decimals, or to six decimals in front of the exponent where one is printed."""
    if isinstance(value, str | bool):
        return type(back) is type(value) and back == value
    if isinstance(value, np.ndarray):
        return back.shape == value.shape and all(map(same, value.ravel().tolist(), back.ravel().tolist()))
    if isinstance(value, tuple):
        return isinstance(back, tuple) and len(back) == len(value) and all(map(same, value, back))
    if isinstance(value, dict):
        return list(back) == list(value) and all(same(value[name], back[name]) for name in value)
    if math.isnan(value):
        return math.isnan(back)
    return value == back or abs(value - back) <= max(5.1e-7, 5.1e-7 * abs(value) if abs(value) >= 1e16 else 0)


numbers = st.one_of(st.floats(), st.floats(-1e3, 1e3), st.integers(-(2**63) + 1, 2**63 - 1), st.booleans())
shapes = hnp.array_shapes(min_dims=1, max_dims=4, min_side=0, max_side=3)
floats = st.one_of(st.floats(), st.floats(-10, 10), st.just(-0.0))
float_arrays = hnp.arrays(np.float64, shapes, elements=floats)
boolean_arrays = hnp.arrays(np.bool_, hnp.array_shapes(min_dims=1, max_dims=3, min_side=1, max_side=3))
field_names = st.sampled_from(["wq", "a", "b1", "ß", "_x"])
values = st.recursive(
    st.one_of(numbers, float_arrays, boolean_arrays, st.text(st.characters(exclude_categories=["Cs"]), max_size=8)),
    lambda inner: st.one_of(st.lists(inner, max_size=3).map(tuple), st.dictionaries(field_names, inner, max_size=3)),
    max_leaves=6,
)


@given(values)
def test_what_prints_can_be_read_back(value):
    text = format_value((value,))
    (back,) = read(text)
    assert same(value, back), text


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_print_in_the_shortest_way(number):
    text = format_value(number)
    assert text != "-0"
    digits = text.split("e")[0]
    if "." in digits:
        assert len(digits.split(".")[1]) <= 6
        assert not digits.endswith("0")
