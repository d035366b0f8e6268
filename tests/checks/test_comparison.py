"""Holding foreign functions to a builtin."""

from pathlib import Path

import numpy as np
import pytest
from checks import kernels

from opbook.errors import ArgumentError, UnknownBuiltinError
from opbook.testing import compare

KERNELS = Path(__file__).with_name("kernels.py")


def failures(found):
    return {comparison.case for comparison in found if comparison.status == "failed"}


def test_a_right_function_passes_with_its_gradient():
    found = compare(kernels.right, "layer_norm", gradient=kernels.right_gradient)
    assert not failures(found)
    assert {comparison.what for comparison in found} == {"value", "gradient"}
    cases = " | ".join(comparison.case for comparison in found)
    for edge in (
        "a large mean and a small spread, float32",
        "constant rows, float16",
        "an empty batch",
        "two batch axes",
    ):
        assert edge in cases


def test_unbiased_variance_fails_with_an_input_to_paste():
    found = compare(kernels.unbiased, "layer_norm", dtypes=("float64",))
    failed = [comparison for comparison in found if comparison.status == "failed"]
    assert failed
    shortest = min((c for c in failed if "<" not in c.paste), key=lambda c: len(c.paste))
    assert shortest.paste.startswith("unbiased(np.array([")
    assert "expected" in shortest.message
    with np.errstate(all="ignore"), pytest.warns(RuntimeWarning):
        got = eval(shortest.paste, {"np": np, "unbiased": kernels.unbiased})
    assert not np.allclose(got, eval(shortest.paste, {"np": np, "unbiased": kernels.right}))


def test_swapped_gradients_fail():
    found = compare(kernels.right, "layer_norm", gradient=kernels.swapped_gradient, dtypes=("float64",))
    assert {comparison.what for comparison in found if comparison.status == "failed"} == {"gradient"}


def test_edges_of_attention_are_named():
    failed = failures(compare(kernels.textbook_attention, "scaled_dot_product_attention", dtypes=("float64",)))
    assert "a query that may attend to nothing, float64" in failed
    assert "NaN in a blocked slot, float64" in failed
    assert "no batch axes, float64" not in failed


def test_what_a_function_refuses_counts_as_refused():
    found = compare(kernels.textbook_attention, "scaled_dot_product_attention", dtypes=("float64",))
    refused = [comparison for comparison in found if comparison.status == "refused"]
    assert any("causal" in comparison.case for comparison in refused)
    assert all(
        "NotImplementedError: only a mask" in comparison.message
        for comparison in refused
        if "causal" in comparison.case
    )


def test_arrays_that_speak_dlpack_are_taken():
    assert not failures(compare(kernels.dlpack, "layer_norm"))


@pytest.mark.peer
def test_a_pytorch_function_works_as_it_is():
    pytest.importorskip("torch", reason="PyTorch is not installed; .ci/run installs its CPU build")
    # PyTorch 2.13 has edges of its own: constant rows in half precision, squares beyond float32, means far from 0
    edges = {
        "constant rows, float16",
        "values of 1e30, float32",
        "values of 1e30 that add up to 0, float32",
        "a mean a million times the spread, float32",
    }
    found = compare(kernels.by_torch, "layer_norm")
    assert failures(found) <= edges
    assert len({comparison.case for comparison in found if comparison.status == "passed"}) >= 25


def test_a_tolerance_of_ones_own():
    rough = lambda *args, **kwargs: kernels.right(*args, **kwargs) * (1 + 1e-4)  # noqa: E731
    assert failures(compare(rough, "layer_norm", dtypes=("float64",)))
    assert not failures(compare(rough, "layer_norm", dtypes=("float64",), tolerance=1e-3))


def test_a_wrong_shape_is_said():
    found = compare(lambda x, gamma, beta, *, eps=1e-5: x.sum(), "layer_norm", dtypes=("float64",))
    assert any("expected shape" in comparison.message for comparison in found)


def test_what_else_is_wrong_with_a_kernel():
    def writes(x, gamma, beta, *, eps=1e-5):
        y = kernels.right(x, gamma, beta, eps=eps)
        x *= 2
        return y

    def widens(x, gamma, beta, *, eps=1e-5):
        return kernels.right(x, gamma, beta, eps=eps).astype(np.float64)

    def leaves(*args, **kwargs):
        raise SystemExit(0)

    def says(*args, **kwargs):
        return "text"

    def complicates(x, gamma, beta, *, eps=1e-5):
        return kernels.right(x, gamma, beta, eps=eps) + 1j

    for function, status, words in (
        (writes, "failed", "writes into its argument"),
        (widens, "failed", "float32 went in, but float64 came out"),
        (leaves, "refused", "SystemExit"),
        (says, "failed", "expected real numbers"),
        (complicates, "failed", "expected real numbers, got dtype complex64"),
    ):
        found = compare(function, "layer_norm", dtypes=("float32",))
        assert any(c.status == status and words in c.message for c in found), function.__name__


@pytest.mark.parametrize("name", ["relu", "print", "grad", "shape", "sum", "take", "zeros"])
def test_any_builtin_can_be_compared_with(name):
    assert compare(lambda *args, **kwargs: 1, name, dtypes=("float64",))


def test_bad_input():
    with pytest.raises(ArgumentError, match="needs a function, but got a int"):
        compare(3, "layer_norm")
    with pytest.raises(UnknownBuiltinError, match="Did you mean layer_norm"):
        compare(kernels.right, "layer_nrom")
