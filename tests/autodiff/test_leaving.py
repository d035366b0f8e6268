"""Nothing leaves a tape unnoticed: what would lose a gradient is right, or an error that says so."""

import copy
import numbers
import pickle

import numpy as np
import pytest

from opbook import grad, stop_gradient, vjp
from opbook.errors import ArgumentError, TapeError

X = np.array([1.0, 2.0])


def test_copies_stay_on_the_tape():
    assert grad(lambda x: (copy.deepcopy(x) ** 2).sum())(X).tolist() == [2, 4]
    assert grad(lambda x: (copy.copy(x) ** 2).sum())(X).tolist() == [2, 4]
    assert grad(lambda p: (copy.deepcopy(p)["w"] ** 2).sum())({"w": X})["w"].tolist() == [2, 4]


def test_a_value_on_a_tape_can_not_be_pickled():
    with pytest.raises(TapeError, match=r"pickled.*stop_gradient"):
        grad(lambda x: (pickle.loads(pickle.dumps(x)) ** 2).sum())(X)


class Centred:
    def __init__(self):
        self.running = np.zeros(2)

    def loss(self, x):
        self.running = 0.9 * self.running + 0.1 * x.mean(axis=0)
        return ((x - self.running) ** 2).sum()


def test_state_that_was_kept_is_named():
    model, x = Centred(), np.arange(6.0).reshape(3, 2)
    grad(model.loss)(x)
    for use in (
        lambda: grad(model.loss)(x),
        lambda: model.running + 1,
        lambda: vjp(lambda x: model.running, x),
        lambda: vjp(np.sin, model.running),
        lambda: vjp(np.sin, X)[1](model.running),
    ):
        with pytest.raises(TapeError) as error:
            use()
        for words in ("np.add computed", "Centred.loss", "test_leaving.py:", "was kept", "stop_gradient"):
            assert words in str(error.value), str(error.value)
    assert np.isfinite(stop_gradient(model.running)).all()  # what was kept can still be read, and printed
    assert "array" in repr(model.running)


def test_an_inner_value_that_was_kept_is_named_too():
    seen = []

    def inner(y):
        seen.append(y)
        return y * y

    def outer(x):
        grad(inner)(x)
        return x * seen[0]

    with pytest.raises(TapeError, match=r"an input while .*inner.* was differentiated was kept"):
        grad(outer)(1.0)


def test_a_call_that_failed_ends_its_recording():
    seen = []

    def f(x):
        seen.append(x * 1)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        grad(f)(1.0)
    with pytest.raises(TapeError, match="was kept"):
        seen[0] + 1


@pytest.mark.parametrize(
    ("argument", "question"),
    [
        (X, lambda x: isinstance(x, np.ndarray)),
        (3.0, lambda x: isinstance(x, float)),
        (3.0, lambda x: isinstance(x, numbers.Number)),
        (np.float64(3), lambda x: isinstance(x, np.floating)),
        (3.0, lambda x: not isinstance(x, np.ndarray)),
        (np.float32(3), lambda x: isinstance(x, np.float32) and not isinstance(x, float)),
        (np.array(3.0), lambda x: isinstance(x, np.ndarray) and not isinstance(x, float)),
        (X, lambda x: isinstance(x.sum(), float) and isinstance(x[:1], np.ndarray)),
        (X, lambda x: isinstance(x[0], np.float64) and not isinstance(x[0], np.ndarray)),
        (3.0, np.isscalar),
        (X, lambda x: not np.isscalar(x)),
    ],
)
def test_questions_are_answered_as_without_a_tape(argument, question):
    def square(x):
        return (x**2).sum() if question(x) else 0 * np.sum(x)

    assert question(argument)
    np.testing.assert_allclose(grad(square)(argument), 2 * np.asarray(argument))
    np.testing.assert_allclose(grad(lambda x: grad(square)(x).sum())(argument), 2 + 0 * np.asarray(argument))


@pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")
def test_arrays_with_another_arithmetic_are_refused_by_name():
    masked = np.ma.array([1.0, 2.0], mask=[0, 1])
    matrix = np.matrix([[1.0, 2.0], [3.0, 4.0]])
    for call, words in (
        (lambda: vjp(lambda x: (x * x).sum(), masked), "argument 0: a MaskedArray"),
        (lambda: vjp(lambda x: (x * x).sum(), {"w": matrix}), "argument 0.w: a matrix"),
        (lambda: vjp(lambda x: x * masked, X), "a constant on a tape: a MaskedArray"),
        (lambda: vjp(lambda x: x + matrix, X), "a constant on a tape: a matrix"),
        (lambda: vjp(np.sin, X)[1](masked), "the cotangent: a MaskedArray"),
    ):
        with pytest.raises(ArgumentError, match=words):
            call()


def test_array_classes_that_compute_as_arrays_are_taken(tmp_path):
    np.save(tmp_path / "x.npy", X)
    mapped = np.load(tmp_path / "x.npy", mmap_mode="r")
    assert type(mapped) is np.memmap
    assert grad(lambda x: (x * x * mapped).sum())(mapped).tolist() == [2, 8]


def test_a_number_is_added_up_in_place():
    def summed(x):
        loss = 0.0
        for entry in x:
            loss += entry**2
        loss *= 2
        loss -= 1
        return loss

    assert grad(summed)(X).tolist() == [4, 8]


def test_what_numpy_takes_as_well():
    x = np.array([1.0, 2.0, 3.0, 4.0])
    assert grad(lambda x: x[[]].sum() + x.sum())(x).tolist() == [1, 1, 1, 1]
    assert grad(lambda x: x.reshape(2, 2, order="F")[0, 1])(x).tolist() == [0, 0, 1, 0]
    assert grad(lambda x: x.flat[1] + sum(x.flat))(x).tolist() == [1, 2, 1, 1]
    assert grad(lambda x: x[0].item() + x.item(2) + x.reshape(2, 2).item(1, 1))(x).tolist() == [1, 0, 1, 1]
    big = grad(lambda x: (x**2).sum())(x.astype(">f4"))
    assert (big.tolist(), big.dtype) == ([2, 4, 6, 8], np.float32)
    with pytest.raises(ValueError, match="has 4"):
        grad(lambda x: x.item())(x)


@pytest.mark.parametrize("name", ["sort", "fill", "tobytes", "view", "tolist"])
def test_methods_that_write_or_lose_the_gradient_are_refused(name):
    with pytest.raises(TapeError, match=rf"x\.{name}\(\) of a value on a tape"):
        grad(lambda x: getattr(x, name)() or x.sum())(X)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: np.mean(a=x, axis=0),
        lambda x: np.reshape(x, shape=(3, 2)),
        lambda x: x.reshape([3, 2]),
        lambda x: np.interp(0.5, [0, 1], x[0, :2]),
        lambda x: np.percentile(x, 20),
        lambda x: np.linalg.norm(x, 2),
        lambda x: np.linalg.lstsq(x.T, [1.0, 2.0, 4.0])[0],
        lambda x: np.polyval([1, 2, 3], x),
        lambda x: [1, 2, 3] * x,
        lambda x: np.float64(2) * x,
        lambda x: 7 // x,
        lambda x: np.array_split(x, 2)[1],
        lambda x: np.linalg.svd(x, compute_uv=False),
        lambda x: x.sum(1, np.float32),
        lambda x: np.mean(x, where=[True, False, True]),
    ],
)
def test_what_comes_out_is_of_the_kind_that_comes_out_without_a_tape(f):
    x = np.array([[1.0, 2.5, -3.0], [0.5, 2.0, 4.0]])
    seen = []
    vjp(lambda x: (seen.append(f(x)), x)[1], x)
    expected, got = f(x), stop_gradient(seen[0])
    assert type(got) is type(expected)
    assert (got.dtype, got.shape) == (expected.dtype, expected.shape)
    np.testing.assert_allclose(got, expected, rtol=1e-6)
