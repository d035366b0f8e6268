"""embedding, one_hot, top_k, top_p_filter and sample at their edges."""

import numpy as np
import pytest

from opbook import grad, ops, vjp
from opbook.errors import InputError


def test_equal_ids_add_up():
    ids = np.array([[2, 0], [2, 2]])
    g = np.arange(8.0).reshape(2, 2, 2)
    d_table, d_ids = vjp(ops.embedding, np.zeros((4, 2)), ids)[1](g)
    assert d_table.tolist() == [[2, 3], [0, 0], [0 + 4 + 6, 1 + 5 + 7], [0, 0]]
    assert d_ids is None


def test_padding_is_looked_up_and_never_learned():
    table = np.array([[1.0], [2.0]])
    for function in (ops.embedding, ops.embedding.definition):
        value, pullback = vjp(lambda t, f=function: f(t, np.array([0, 1, 1]), padding_id=1), table)
        assert value.tolist() == [[1], [2], [2]]
        assert pullback(np.ones((3, 1)))[0].tolist() == [[1], [0]]


@pytest.mark.parametrize("ids", [[0, 2], np.array([0, 2], np.uint8), np.array([0.0, 2.0])])
def test_ids_of_any_kind(ids):
    assert ops.embedding(np.eye(3), ids).tolist() == ops.one_hot(ids, 3).tolist() == [[1, 0, 0], [0, 0, 1]]


def test_an_embedding_in_a_model_is_differentiated():
    table = np.array([[1.0, 2.0], [3.0, 4.0]])
    loss = grad(lambda t: (ops.embedding(t, [1, 1]) ** 2).sum())(table)
    assert loss.tolist() == [[0, 0], [12, 16]]


def test_top_k_of_ties_and_of_nan():
    found = ops.top_k([1.0, 3.0, np.nan, 3.0, 1.0], 3)
    assert found["indices"].tolist() == [1, 3, 0]
    assert found["values"].tolist() == [3, 3, 1]
    assert found["indices"].dtype.kind == "i"
    assert ops.top_k(np.array([0.5, 2.0], np.float16), 1)["values"].dtype == np.float16
    assert grad(lambda x: ops.top_k(x, 1)["values"].sum())(np.array([3.0, 3.0])).tolist() == [1, 0]


def test_top_p_keeps_the_class_that_crosses_p():
    logits = np.log([0.2, 0.5, 0.3])
    for p, kept in ((0.0, [1]), (0.49, [1]), (0.51, [1, 2]), (0.79, [1, 2]), (0.81, [0, 1, 2]), (1.0, [0, 1, 2])):
        assert np.flatnonzero(np.isfinite(ops.top_p_filter(logits, p))).tolist() == kept
    gradient = vjp(ops.top_p_filter, logits, 0.6)[1](np.array([5.0, 6.0, 7.0]))[0]
    assert gradient.tolist() == [0, 6, 7]


def test_top_p_of_one_keeps_all_whatever_is_rounded():
    logits = np.random.default_rng(0).normal(size=(20, 500)) * 30
    np.testing.assert_array_equal(ops.top_p_filter(logits, 1.0), logits)


def test_as_often_as_the_probabilities_say():
    """A χ² test with fixed numbers: with 3 degrees of freedom, 16.3 is exceeded once in 1000 times."""
    p = np.array([0.1, 0.2, 0.3, 0.4])
    u = np.random.default_rng(3).random(4000)
    found = np.bincount(ops.sample(np.tile(np.log(p), (4000, 1)), u), minlength=4)
    assert (((found - 4000 * p) ** 2) / (4000 * p)).sum() < 16.3


def test_the_ends_of_the_line():
    thirds = np.zeros(3)
    largest = np.nextafter(1.0, 0.0)
    assert ops.sample(thirds, 0.0) == 0
    assert ops.sample(thirds, largest) == 2
    tenths = np.zeros((7, 10))  # whose running sums are rounded to below 1
    assert ops.sample(tenths, np.full(7, largest)).tolist() == [9] * 7
    off = np.array([-np.inf, 0.0, -np.inf])
    assert ops.sample(off, 0.0) == ops.sample(off, largest) == 1


def test_a_sample_is_a_whole_number_and_depends_on_nothing_else():
    logits, u = np.array([[0.0, 1.0], [2.0, 0.0]], np.float32), np.array([0.5, 0.5], np.float32)
    first = ops.sample(logits, u)
    assert first.dtype.kind == "i"
    assert first.tolist() == ops.sample(logits, u).tolist() == [1, 0]
    assert grad(lambda x: (x * ops.one_hot(ops.sample(x, [0.5, 0.5]), 2)).sum())(logits * 1.0).tolist() == [
        [0, 1],
        [1, 0],
    ]


@pytest.mark.parametrize("temperature", [0.0, -1.0, np.nan])
def test_temperature_is_above_zero(temperature):
    with pytest.raises(InputError, match="sample: temperature must be above 0"):
        ops.sample([0.0, 1.0], 0.5, temperature=temperature)
