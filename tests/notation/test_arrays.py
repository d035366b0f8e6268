import numpy as np
import pytest


@pytest.mark.parametrize(
    ("program", "value"),
    [
        ("[]", np.zeros(0)),
        ("[1]", np.array([1.0])),
        ("[1, 2,]", np.array([1.0, 2.0])),
        ("[1, 2; 3, 4]", np.array([[1.0, 2.0], [3.0, 4.0]])),
        ("[1, 2;]", np.array([[1.0, 2.0]])),
        ("[1; 2]", np.array([[1.0], [2.0]])),
        ("[\n 1, 2;\n\n 3, # two rows\n 4\n]", np.array([[1.0, 2.0], [3.0, 4.0]])),
        ("[[1, 2]; [3, 4]]", np.array([[1.0, 2.0], [3.0, 4.0]])),
        ("[[1, 2], 3; 4, [5, 6]]", np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])),
        ("[[1, 2; 3, 4]; [5, 6; 7, 8]]", np.arange(1.0, 9.0).reshape(2, 2, 2)),
        ("[[1, 2; 3, 4];]", np.array([[[1.0, 2.0], [3.0, 4.0]]])),
        ("[[1, 2; 3, 4]]", np.array([[1.0, 2.0], [3.0, 4.0]])),
        ("[true, 1 > 2]", np.array([True, False])),
        ("[true; false]", np.array([[True], [False]])),
        ("[true, 2]", np.array([1.0, 2.0])),
        ("[[1, 2] > 1, true]", np.array([False, True, True])),
        ("[sum([1, 2]), -inf, 2 ^ 3]", np.array([3.0, -np.inf, 8.0])),
    ],
)
def test_literals(run, program, value):
    result = run(program)
    np.testing.assert_array_equal(result, value)
    assert result.dtype == value.dtype
    assert result.shape == value.shape


@pytest.mark.parametrize(
    ("program", "place", "message"),
    [
        ("x = [1, 2; 3, 4, 5]", "<input>:1:12", "row 2 has 3 entries, but row 1 has 2"),
        ("[1, 2; 3]", "<input>:1:8", "row 2 has 1 entry, but row 1 has 2"),
        ("[[1, 2; 3, 4]; [5, 6]]", "<input>:1:16", "row 2 is a vector of 2, but row 1 is a 2 by 2 matrix"),
        ("[[1, 2; 3, 4], 5]", "<input>:1:2", "a 2 by 2 matrix can't be joined into a row"),
        ('[1, "a"]', "<input>:1:5", "an array holds numbers, but this is text"),
        ("[(1, 2)]", "<input>:1:2", "an array holds numbers, but this is a tuple of 2"),
    ],
)
def test_what_makes_no_array(fail, program, place, message):
    assert fail(program).startswith(f"{place}: {message}")
