"""`opbook.tree`: what a training loop does with the weights of a model."""

from collections import namedtuple
from types import MappingProxyType

import numpy as np
import pytest

from opbook import grad, tree
from opbook.errors import ArgumentError

Pair = namedtuple("Pair", "w b")
WEIGHTS = {"layers": [Pair(np.ones((2, 3)), 0.5), Pair(np.ones(3), -1.0)], "scale": 2.0}


def test_one_step_of_gradient_descent():
    def loss(weights):
        return tree.sum_of_squares(weights) / 2

    new = tree.map(lambda w, g: w - 0.25 * g, WEIGHTS, grad(loss)(WEIGHTS))
    assert isinstance(new["layers"][0], Pair)
    for before, after in tree.zip(WEIGHTS, new):
        np.testing.assert_allclose(after, 0.75 * before)


def test_leaves_flatten_and_unflatten():
    items, structure = tree.flatten(WEIGHTS)
    assert [np.shape(x) for x in items] == [(2, 3), (), (3,), (), ()]
    assert tree.same_structure(tree.unflatten(structure, range(5)), WEIGHTS)
    assert tree.unflatten(structure, range(5))["layers"][1] == Pair(2, 3)
    assert tree.leaves(3.0) == [3.0]
    assert tree.sum_of_squares([]) == 0


def test_records_are_matched_by_key_and_not_by_order():
    assert list(tree.zip({"a": 1, "b": [2]}, MappingProxyType({"b": [20], "a": 10}))) == [(1, 10), (2, 20)]
    assert tree.map(lambda x, y: x - y, {"a": 1, "b": 2}, {"b": 2, "a": 1}) == {"a": 0, "b": 0}


def test_trees_that_are_built_differently_are_named():
    with pytest.raises(ArgumentError, match=r"the first has tree\.a, and tree 2 has tree\.b"):
        tree.map(lambda x, y: x, {"a": 1}, {"b": 1})
