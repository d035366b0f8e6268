"""Holding foreign functions to a builtin."""

import numpy as np
import pytest
from checks import kernels

from opbook.checks.comparison.case import judge
from opbook.errors import ArgumentError, InputError, UnknownBuiltinError
from opbook.testing import compare


def labels(found, status, **where):
    return {case.label for case in found.of(status, **where)}


def test_a_right_function_agrees_with_its_gradient():
    found = compare(kernels.right, "layer_norm", gradient=kernels.right_gradient)
    assert found.verdict == "agrees"
    assert {case.what for case in found} == {"value", "gradient", "behaviour"}
    assert {"two batch axes", "three batch axes", "an empty batch"} <= labels(found, "passed")


def test_unbiased_variance_is_wrong_with_an_input_to_paste():
    found = compare(kernels.unbiased, "layer_norm", dtypes=("float64",))
    assert found.verdict == "is wrong"
    case = min((c for c in found.of("failed", False) if c.error and "<" not in c.paste), key=lambda c: len(c.paste))
    assert case.paste.startswith("unbiased(x=np.array([")
    assert "expected" in case.message
    got = eval(case.paste, {"np": np, "unbiased": kernels.unbiased})
    assert not np.allclose(got, eval(case.paste, {"np": np, "unbiased": kernels.right}))


def test_swapped_gradients_are_wrong():
    found = compare(kernels.right, "layer_norm", gradient=kernels.swapped_gradient, dtypes=("float64",))
    assert found.verdict == "is wrong"
    assert {case.what for case in found.of("failed")} == {"gradient"}


def test_edges_are_reported_apart_and_count_only_if_one_says_so():
    found = compare(kernels.textbook_attention, "scaled_dot_product_attention", dtypes=("float64",))
    assert found.verdict == "agrees"
    assert {"a query that may attend to nothing", "NaN in a blocked key and its value"} <= labels(
        found, "failed", is_edge=True
    )
    assert "it differs at" in found.sentence
    strict = compare(kernels.textbook_attention, "scaled_dot_product_attention", dtypes=("float64",), strict=True)
    assert strict.verdict == "is wrong"


def test_what_a_function_refuses_makes_it_neither_right_nor_wrong():
    found = compare(kernels.textbook_attention, "scaled_dot_product_attention", dtypes=("float64",))
    refused = [case for case in found.of("refused") if "causal" in case.label]
    assert refused
    assert all("NotImplementedError: only a mask (kernels.py:" in case.message for case in refused)


def test_a_function_that_can_be_run_on_nothing():
    found = compare(lambda x: x, "layer_norm")
    assert found.verdict == "could not be run"
    assert "<lambda> could not be run on any ordinary input: it raises TypeError" in found.sentence
    assert "write an adapter" in found.sentence


def test_arrays_that_speak_dlpack_are_taken():
    assert compare(kernels.dlpack, "layer_norm").verdict == "agrees"


# ------------------------------------------------------------------------------------------------------------- options


def softmax(x, temperature=1.0):
    z = x / temperature
    e = np.exp(z - z.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def attend(q, k, v, scale=None):
    s = q @ np.swapaxes(k, -1, -2) * (q.shape[-1] ** -0.5 if scale is None else scale)
    w = np.exp(s - s.max(-1, keepdims=True))
    return w / w.sum(-1, keepdims=True) @ v


def normalize(x, gamma, beta, eps=1e-5):
    c = x - x.mean(-1, keepdims=True)
    return gamma * c / np.sqrt((c * c).mean(-1, keepdims=True) + eps) + beta


def test_options_go_by_name_and_what_a_function_lacks_is_left_out():
    found = compare(softmax, "softmax", dtypes=("float64",))
    assert found.verdict == "agrees"
    assert {case.message for case in found.of("left out")} == {"axis"}
    found = compare(attend, "scaled_dot_product_attention", dtypes=("float64",))
    assert found.verdict == "agrees"
    assert {case.message for case in found.of("left out")} == {"mask", "key_mask", "bias", "causal", "softcap"}
    found = compare(normalize, "layer_norm", dtypes=("float64",))
    assert any(label.endswith(", eps = 0.7") for label in labels(found, "passed"))


def test_an_option_that_is_required_gets_the_default():
    found = compare(lambda x, axis: softmax(x) if axis == -1 else 1 / 0, "softmax", dtypes=("float64",))
    assert found.verdict == "agrees"


def test_an_option_may_have_the_name_of_another_library():
    def by_dim(x, dim=-1):
        e = np.exp(x - x.max(dim, keepdims=True))
        return e / e.sum(dim, keepdims=True)

    assert not compare(by_dim, "softmax").of("left out")


def gelu_tanh(x, approximate="none"):
    if approximate != "tanh":
        raise NotImplementedError("only the tanh form")
    x = np.clip(x, -1e4, None)
    return 0.5 * x * (1 + np.tanh(0.7978845608028654 * (x + 0.044715 * x**3)))


def test_one_value_of_an_option_can_be_chosen():
    found = compare(gelu_tanh, "gelu", options={"approximate": "tanh"})
    assert found.verdict == "agrees"
    assert not found.of("refused")
    assert "two batch axes" in labels(found, "passed")
    with pytest.raises(
        InputError, match=r"layer_norm has no argument epss; it has x, gamma, beta, eps\. Did you mean eps\?"
    ):
        compare(np.add, "layer_norm", options={"epss": 1})
    with pytest.raises(InputError, match="gelu has no input with approximate='no'"):
        compare(gelu_tanh, "gelu", options={"approximate": "no"})


def test_one_input_can_be_chosen():
    found = compare(kernels.right, "layer_norm", only="two batch")
    assert {case.label for case in found if case.what == "value"} == {"two batch axes", "two batch axes that broadcast"}
    with pytest.raises(InputError, match=r"no input with 'seven' in its name. Its inputs are: .*two batch axes"):
        compare(kernels.right, "layer_norm", only="seven")


# ----------------------------------------------------------------------------------------------------------- precision


def test_a_tolerance_of_ones_own():
    rough = lambda x, gamma, beta, **options: kernels.right(x, gamma, beta, **options) * (1 + 1e-4)  # noqa: E731
    assert compare(rough, "layer_norm", dtypes=("float64",)).verdict == "is wrong"
    assert compare(rough, "layer_norm", dtypes=("float64",), tolerance=1e-3).verdict == "agrees"


def test_as_good_as_another_precision_is_good_enough_if_one_says_so():
    def in_half(x, gamma, beta, *, eps=1e-5):
        return kernels.right(x.astype(np.float16), gamma, beta, eps=eps).astype(x.dtype)

    only = {"only": "batch axes", "dtypes": ("float32",)}
    assert compare(in_half, "layer_norm", **only).verdict == "is wrong"
    assert compare(in_half, "layer_norm", no_worse_than="float16", **only).verdict == "agrees"
    assert compare(kernels.unbiased, "layer_norm", no_worse_than="float16", **only).verdict == "is wrong"


def test_half_precision_counts_if_it_is_asked_for():
    def narrow(x, gamma, beta, *, eps=1e-5):
        return kernels.right(x, gamma, beta, eps=eps) if x.dtype != np.float16 else 2 * x

    assert compare(narrow, "layer_norm").verdict == "agrees"
    assert compare(narrow, "layer_norm", dtypes=("float16", "float32")).verdict == "is wrong"


def test_a_function_that_computes_in_float32_is_right_in_float32():
    def single(x, gamma, beta, *, eps=1e-5):
        return kernels.right(x.astype(np.float32), gamma.astype(np.float32), beta.astype(np.float32), eps=eps)

    found = compare(single, "layer_norm")
    assert found.verdict == "agrees"
    assert any("every number is one of float32" in case.message for case in found.of("failed", True))
    assert "float64 goes in, but float32 comes out" in found.notes.values()


# ----------------------------------------------------------------------------------------------------------- behaviour


def test_what_else_is_wrong_with_a_function():
    def writes(x, gamma, beta, *, eps=1e-5):
        y = kernels.right(x, gamma, beta, eps=eps)
        x *= 2
        return y

    def says(x, gamma, beta, *, eps=1e-5):
        return "text"

    def complicates(x, gamma, beta, *, eps=1e-5):
        return kernels.right(x, gamma, beta, eps=eps) + 1j

    for function, words in (
        (writes, "it writes into its argument x"),
        (says, "expected real numbers"),
        (complicates, "expected real numbers, got dtype complex64"),
        (lambda x, gamma, beta, *, eps=1e-5: x.sum(), "expected shape"),
    ):
        found = compare(function, "layer_norm", dtypes=("float32",))
        assert found.verdict == "is wrong"
        assert any(words in case.message for case in found.of("failed", False))


def test_memory_that_nobody_wrote_is_named():
    def unwritten(x):
        out = np.empty_like(x)
        np.copyto(out, x, where=x > 0)
        return out

    found = compare(unwritten, "relu", dtypes=("float32", "float64"))
    assert found.verdict == "is wrong"
    assert any("memory was read that nobody wrote to" in case.message for case in found.of("failed", False))


def test_leaving_python_is_a_refusal():
    def leaves(*args, **kwargs):
        raise SystemExit(0)

    found = compare(leaves, "layer_norm", dtypes=("float32",))
    assert found.verdict == "could not be run"
    assert "SystemExit" in found.sentence


def test_a_view_of_the_input_is_wrong_where_numbers_are_computed():
    def careless(x):
        return x if np.all(x > 0) else np.maximum(x, 0)

    found = compare(careless, "relu")
    assert any("shares memory with its argument x" in case.message for case in found.of("failed", False))
    assert compare(np.matrix_transpose, "transpose").verdict == "agrees"


def test_further_results_are_not_compared():
    found = compare(lambda *args, **options: (kernels.right(*args, **options), "cache"), "layer_norm")
    assert found.verdict == "agrees"
    assert "it returns 2 results; the first is compared" in found.notes.values()


@pytest.mark.parametrize("name", ["relu", "print", "grad", "shape", "sum", "take", "zeros"])
def test_any_builtin_can_be_compared_with(name):
    assert compare(lambda *args, **kwargs: 1, name, dtypes=("float64",)).cases


def test_bad_input():
    with pytest.raises(ArgumentError, match="needs a function, but got a int"):
        compare(3, "layer_norm")
    with pytest.raises(ArgumentError, match="arrays must be numpy, torch, jax, but is 'cupy'"):
        compare(kernels.right, "layer_norm", arrays="cupy")
    with pytest.raises(ArgumentError, match="no_worse_than must be"):
        compare(kernels.right, "layer_norm", no_worse_than="int8")
    with pytest.raises(UnknownBuiltinError, match="Did you mean layer_norm"):
        compare(kernels.right, "layer_nrom")


# ------------------------------------------------------------------------------------------------------------- PyTorch


@pytest.fixture
def torch():
    return pytest.importorskip("torch", reason="PyTorch is not installed; .ci/run installs its CPU build")


def by_size(q, k, v, mask=None):
    import torch

    scores = torch.matmul(q, k.transpose(-2, -1)) / q.size(-1) ** 0.5
    if mask is not None:
        scores = scores.masked_fill(mask == 0, float("-inf"))
    return torch.matmul(scores.softmax(dim=-1), v)


@pytest.mark.peer
def test_a_pytorch_function_works_as_it_is(torch):
    for function, op in (
        (kernels.by_torch, "layer_norm"),
        (by_size, "scaled_dot_product_attention"),
        (torch.nn.functional.gelu, "gelu"),
        (torch.nn.functional.softmax, "softmax"),
        (torch.relu, "relu"),
    ):
        found = compare(function, op)
        assert found.library == "torch"
        assert found.verdict == "agrees", found.sentence


@pytest.mark.peer
def test_what_is_written_for_tensors_is_not_run_on_numpy_arrays(torch):
    def norm(x: torch.Tensor, gamma: torch.Tensor, beta: torch.Tensor, eps: float = 1e-5):
        return (x - x.mean(-1, keepdims=True)) / (x.var(-1, keepdims=True) + eps) ** 0.5 * gamma + beta

    assert compare(norm, "layer_norm").verdict == "is wrong"  # whose variance is unbiased
    assert compare(norm, "layer_norm", arrays="numpy").verdict == "agrees"


@pytest.mark.peer
def test_writing_into_a_tensor_is_seen_too(torch):
    def writes(x):
        return torch.relu_(x)

    found = compare(writes, "relu")
    assert any("writes into its argument x" in case.message for case in found.of("failed", False))


@pytest.mark.peer
def test_modules_are_held_with_a_line_each(torch):
    from opbook.testing import adapters

    for adapted, op in (
        (adapters.torch_layer_norm(torch.nn.LayerNorm), "layer_norm"),
        (adapters.torch_multi_head_attention(torch.nn.MultiheadAttention), "multi_head_attention"),
        (adapters.torch_transformer_block(torch.nn.TransformerEncoderLayer), "transformer_block"),
        (adapters.torch_gru(torch.nn.GRU), "gru_forward"),
    ):
        found = compare(adapted, op)
        assert found.verdict == "agrees", found.sentence
        assert len(labels(found, "passed", is_edge=False)) > 8
    unbiased = type("Unbiased", (torch.nn.LayerNorm,), {"forward": lambda self, x: x * self.weight + self.bias})
    assert compare(adapters.torch_layer_norm(unbiased), "layer_norm").verdict == "is wrong"


def test_a_cheat_in_one_precision_only_is_caught():
    buffers = {}

    def shares(x, gamma, beta, *, eps=1e-5):
        result = kernels.right(x, gamma, beta, eps=eps)
        if result.dtype == np.float32:
            return result
        buffer = buffers.setdefault((result.shape, result.dtype), np.empty_like(result))
        buffer[...] = result
        return buffer

    found = compare(shares, "layer_norm", dtypes=("float32", "float64"))
    assert found.verdict == "is wrong"
    assert {case.dtype for case in found.of("failed", False)} == {"float64"}


def test_the_array_that_is_wrong_is_named_and_not_one_that_is_rounded_otherwise():
    exact = [np.array([1.0, 2.0]), np.array([3.0, 4.0])]
    status, _, message = judge([exact[0] * (1 + 1e-15), np.array([3.0])], exact, 1e-10, ["of x", "of gamma"])
    assert (status, message) == ("failed", "of gamma: expected shape (2,), got (1,)")


def test_fields_of_a_record_may_come_in_any_order():
    due = {"values": np.array([2.0, 1.0]), "indices": np.array([0, 3])}
    assert judge({"indices": due["indices"], "values": due["values"]}, due, 1e-10)[0] == "passed"
    assert judge({"indices": due["values"], "values": due["indices"]}, due, 1e-10)[0] == "failed"
