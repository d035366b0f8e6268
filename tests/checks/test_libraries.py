"""Which arrays a function takes is decided from what is written in it."""

from functools import partial, wraps
from types import SimpleNamespace

import numpy as np
import pytest

from opbook.checks.comparison.libraries import Library, library_of


def by_numpy(x):
    return np.tanh(x)


def by_methods(x):
    return x.mean()


def annotated(x: "torch.Tensor"):
    return x


def annotated_for_numpy(x: np.ndarray):
    import torch

    return torch.tensor(x)


def inside(x):
    import torch

    return torch.tanh(x)


def behind(x):
    return inside(x)


def from_numpy(x):
    import torch

    return torch.from_numpy(x).numpy()


def by_jax(x):
    import jax.numpy as jnp

    return jnp.tanh(x)


@wraps(inside)
def decorated(*args):
    return inside(*args)


class Callable:
    def __call__(self, x):
        return inside(x)


@pytest.mark.parametrize(
    ("function", "name"),
    [
        (by_numpy, "numpy"),
        (by_methods, "numpy"),
        (np.tanh, "numpy"),
        (annotated, "torch"),
        (annotated_for_numpy, "numpy"),
        (inside, "torch"),
        (behind, "torch"),
        (from_numpy, "numpy"),
        (by_jax, "jax"),
        (partial(inside), "torch"),
        (decorated, "torch"),
        (Callable(), "torch"),
        (Callable().__call__, "torch"),
    ],
)
def test_whose_arrays_a_function_takes(function, name):
    assert library_of(function).name == name


def test_an_adapter_says_it_itself():
    assert library_of(SimpleNamespace(arrays="torch")).name == "torch"


def test_arrays_that_are_not_contiguous_have_the_same_numbers():
    array = np.arange(24.0).reshape(2, 3, 4)
    laid = Library("numpy", "").laid_out(array)
    np.testing.assert_array_equal(laid, array)
    assert not laid.flags.c_contiguous
    assert not laid.flags.f_contiguous


@pytest.mark.peer
def test_the_same_for_tensors():
    pytest.importorskip("torch", reason="PyTorch is not installed; .ci/run installs its CPU build")
    array = np.arange(24.0).reshape(2, 3, 4)
    laid = Library("torch", "").laid_out(array)
    np.testing.assert_array_equal(laid.numpy(), array)
    assert not laid.is_contiguous()
