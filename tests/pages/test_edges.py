"""What the table of edge cases says of a result."""

import numpy as np
import pytest

from opbook.pages.edges import outcome


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (np.array([[1.0, np.nan], [0.0, -np.inf]]), "[[1, nan], [0, -inf]]"),
        (np.zeros((0, 3)), "no entries"),
        (None, "accepted; it returns nothing"),
        (np.full((4, 3), np.nan), "all NaN"),
        (np.where(np.eye(4) == 1, np.inf, 1.0), "4 of 16 entries infinite"),
        (np.zeros((2, 5)), "all 0"),
        (np.vstack([np.ones((2, 4)), np.zeros((1, 4))]), "1 of 3 rows 0, the others finite"),
        ({"y": np.ones((2, 4)), "z": np.zeros((1, 4))}, "all finite"),
    ],
)
def test_a_result_in_a_few_words(value, words):
    assert outcome(value) == words
