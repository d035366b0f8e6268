"""Builtins as PyTorch's functions: forward and gradients are the book's, also of records and in second order."""

import numpy as np
import pytest
from ops.transformer_inputs import draw, head

import opbook
from opbook import ops, tree, vjp
from opbook.errors import DTypeError, ShapeError

torch = pytest.importorskip("torch", reason="PyTorch is not installed; .ci/run installs its CPU build")

pytestmark = pytest.mark.peer


def tensor(array):
    return torch.from_numpy(np.array(array)).requires_grad_()


def norm_inputs():
    return tensor(draw(2, 3, 5)), tensor(draw(5, seed=1)), tensor(draw(5, seed=2))


def test_gradcheck_passes_in_both_orders():
    norm = opbook.torch.function("layer_norm")

    def function(*args):
        return norm(*args, eps=1e-3)

    assert torch.autograd.gradcheck(function, norm_inputs())
    assert torch.autograd.gradgradcheck(function, norm_inputs())


def test_it_is_pytorchs_own_to_rounding():
    x, gamma, beta = norm_inputs()
    mine = opbook.torch.function("layer_norm")(x, gamma, beta)
    theirs = torch.nn.functional.layer_norm(x, (5,), gamma, beta)
    g = torch.from_numpy(draw(2, 3, 5, seed=3))
    torch.testing.assert_close(mine, theirs)
    for a, b in zip(
        torch.autograd.grad(mine, (x, gamma, beta), g), torch.autograd.grad(theirs, (x, gamma, beta), g), strict=True
    ):
        torch.testing.assert_close(a, b)


def test_records_of_tensors_have_gradients_and_masks_have_none():
    x, arrays, mask = draw(3, 4), (head(4, 2, seed=1), head(4, 2, seed=2)), np.tri(3, dtype=bool)
    rows, heads = tensor(x), tree.map(tensor, arrays)
    value = opbook.torch.function("multi_head_attention")(rows, heads, 2, torch.from_numpy(mask))
    expected, pullback = vjp(ops.multi_head_attention, x, arrays, 2, mask)
    np.testing.assert_allclose(value.detach(), expected, rtol=1e-12)
    g = draw(3, 4, seed=5)
    value.backward(torch.from_numpy(g))
    dx, d_heads, *_ = pullback(g)
    np.testing.assert_allclose(rows.grad, dx, rtol=1e-9, atol=1e-12)
    for mine, theirs in tree.zip(heads, d_heads):
        np.testing.assert_allclose(mine.grad, theirs, rtol=1e-9, atol=1e-12)


def test_keyword_arguments_that_require_a_gradient_get_it():
    loss = opbook.torch.function("cross_entropy")
    logits, targets, weight = tensor(draw(4, 3)), torch.tensor([0, 2, 1, -1]), tensor([0.5, 1.0, 2.0])
    assert torch.autograd.gradcheck(
        lambda x, w: loss(x, targets, ignore_index=-1, weight=w, reduction="none"), (logits, weight)
    )


def test_several_results_and_whole_numbers_among_them():
    x = tensor(draw(5))
    best = opbook.torch.function("top_k")(x, 2)
    assert not best["indices"].requires_grad
    best["values"].sum().backward()
    assert sorted(best["indices"].tolist()) == x.grad.nonzero().ravel().tolist()


def test_precision_device_and_memory_are_the_tensors_own():
    silu = opbook.torch.function("silu")
    x = torch.from_numpy(draw(3).astype("f"))
    value = silu(x)
    assert (value.dtype, value.device, value.requires_grad) == (x.dtype, x.device, False)
    seen = []
    op = type("Op", (), {"name": "op", "__doc__": "", "__call__": lambda self, x: (seen.append(x), 2 * x)[1]})()
    opbook.torch.function(op)(x)
    assert np.shares_memory(seen[0], x.numpy())


def test_functional_transforms_and_compiled_code_call_it():
    silu = opbook.torch.function("silu")
    x = torch.from_numpy(draw(3))
    expected = torch.func.grad(lambda x: torch.nn.functional.silu(x).sum())(x)
    torch.testing.assert_close(torch.func.grad(lambda x: silu(x).sum())(x), expected)
    compiled = torch.compile(lambda x: 2 * silu(x), backend="eager")
    torch.testing.assert_close(compiled(x), 2 * torch.nn.functional.silu(x))


def test_a_training_step_lowers_the_loss():
    linear, loss = (opbook.torch.function(name) for name in ("linear", "cross_entropy"))
    x, targets = torch.from_numpy(draw(8, 4)), torch.tensor([0, 1, 2, 0, 1, 2, 0, 1])
    w, b = tensor(draw(4, 3, seed=1)), tensor(np.zeros(3))
    optimizer = torch.optim.AdamW([w, b], lr=0.1)
    losses = []
    for _ in range(20):
        optimizer.zero_grad()
        losses.append(loss(linear(x, w, b), targets))
        losses[-1].backward()
        optimizer.step()
    assert losses[-1] < losses[0] / 2


def test_what_is_wrong_is_said_in_the_books_words():
    norm = opbook.torch.function("layer_norm")
    x, gamma, beta = norm_inputs()
    with pytest.raises(ShapeError, match="layer_norm: gamma has 4 entries but x has 5 columns"):
        norm(x, gamma[:4], beta)
    with pytest.raises(DTypeError, match=r"NumPy has no bfloat16: convert the tensor with .float\(\)"):
        norm(x.bfloat16(), gamma, beta)
