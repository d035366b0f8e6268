"""Functions of other frameworks where these are not installed; what stands behind both, without them."""

import sys

import numpy as np
import pytest

import opbook
from opbook import ops, tree, vjp
from opbook.autodiff.flat import Flat, flat_pullback, flat_vjp
from opbook.errors import MissingPackageError


@pytest.mark.parametrize(("name", "framework"), [("torch", "PyTorch"), ("jax", "JAX")])
def test_a_framework_that_is_not_installed_is_named(name, framework, monkeypatch):
    monkeypatch.setitem(sys.modules, name, None)
    message = f"opbook.{name} needs {framework}, which is not installed. Install it with python -m pip install {name}"
    with pytest.raises(MissingPackageError, match=message):
        getattr(opbook, name).function("layer_norm")


def test_a_call_becomes_a_function_of_some_of_its_leaves():
    record = {"a": np.array(2.0), "b": (np.array(3.0), 5)}
    flat = Flat(lambda record, by: {"sum": record["a"] + record["b"][0], "by": by}, (record,), {"by": 7.0}, [1, 3])
    assert flat(np.array(10.0), 8.0) == (12.0, 8.0)
    assert tree.unflatten(flat.structure, [1, 2]) == {"sum": 1, "by": 2}


def test_the_pullback_of_a_flat_function_has_one_too():
    x, g = np.array([1.0, -2.0, 0.5]), np.array([3.0, 1.0, 2.0])

    def cubed(x):
        return (x**3,)

    _, pull = flat_vjp(cubed, [0], (x,))
    np.testing.assert_allclose(pull(g)[0], 3 * x**2 * g)
    _, pull_again = flat_vjp(flat_pullback(cubed, [0], 1), [0, 1], (x, g))
    dx, dg = pull_again(np.ones(3))
    np.testing.assert_allclose(dx, 6 * x * g)
    np.testing.assert_allclose(dg, 3 * x**2)


def test_a_cotangent_of_whole_numbers_counts_for_nothing():
    flat = Flat(ops.top_k, (np.array([1.0, 3.0, 2.0]), 1), {}, [0])
    values, pull = flat_vjp(flat, [0], (np.array([1.0, 3.0, 2.0]),))
    named = dict(zip(flat.structure, values, strict=True))
    cotangents = [np.ones(1) if key == "values" else np.array([9]) for key in named]
    np.testing.assert_array_equal(pull(*cotangents)[0], [0, 1, 0])
    assert vjp(ops.top_k, np.array([1.0, 3.0, 2.0]), 1)[0]["indices"] == named["indices"]
