"""Twenty steps of every optimizer, and the clipping of gradients, against PyTorch in float64."""

import numpy as np
import pytest
from ops.transformer_inputs import draw

from opbook import ops, vjp
from opbook.autodiff import tree

torch = pytest.importorskip("torch", reason="PyTorch is not installed; .ci/run installs its CPU build")

pytestmark = pytest.mark.peer

SHAPES = ((3, 4), (4,), (2, 3, 2))
PARAMS = {"w": draw(3, 4), "layers": [{"b": draw(4, seed=1)}, (draw(2, 3, 2, seed=2),)]}


def grads_at(step):
    """Gradients of very different sizes, the same for both sides; some are exactly 0."""
    leaves = [draw(*shape, seed=100 * step + i) * 10.0 ** (i - 2) for i, shape in enumerate(SHAPES)]
    leaves[0][0] = 0
    return tree.unflatten(PARAMS, leaves)


@pytest.mark.parametrize(
    ("step", "optimizer", "options", "theirs"),
    [
        ("adamw_step", torch.optim.AdamW, {"lr": 0.03}, {"lr": 0.03, "weight_decay": 0.0}),
        ("adamw_step", torch.optim.Adam, {"lr": 0.03, "eps": 1e-2}, {"lr": 0.03, "eps": 1e-2}),
        (
            "adamw_step",
            torch.optim.AdamW,
            {"lr": 0.1, "beta1": 0.7, "beta2": 0.95, "weight_decay": 0.3},
            {"lr": 0.1, "betas": (0.7, 0.95), "weight_decay": 0.3},
        ),
        *(
            ("sgd_step", torch.optim.SGD, options, options)
            for options in (
                {"lr": 0.1},
                {"lr": 0.1, "weight_decay": 0.2},
                {"lr": 0.1, "momentum": 0.9, "weight_decay": 0.2},
                {"lr": 0.1, "momentum": 0.6, "nesterov": True, "weight_decay": 0.2},
            )
        ),
    ],
)
def test_twenty_steps(step, optimizer, options, theirs):
    params, state = PARAMS, None
    tensors = [torch.nn.Parameter(torch.tensor(leaf)) for leaf in tree.leaves(PARAMS)]
    peer = optimizer(tensors, **theirs)
    for i in range(20):
        params, state = getattr(ops, step)(params, grads_at(i), state, **options).values()
        for tensor, g in zip(tensors, tree.leaves(grads_at(i)), strict=True):
            tensor.grad = torch.tensor(g)
        peer.step()
        for got, want in zip(tree.leaves(params), tensors, strict=True):
            np.testing.assert_allclose(got, want.detach(), rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize(("steps", "lr", "floor"), [(1, 0.1, 0.0), (10, 0.1, 0.01), (37, 3.0, 0.2)])
def test_cosine_schedule(steps, lr, floor):
    optimizer = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=lr)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=steps, eta_min=floor)
    theirs = []
    for _ in range(steps + 1):
        theirs += scheduler.get_last_lr()
        optimizer.step()
        scheduler.step()
    mine = ops.cosine_schedule(np.arange(steps + 1), steps=steps, lr=lr, floor=floor)
    np.testing.assert_allclose(mine, theirs, rtol=1e-12, atol=1e-15)
    assert mine[-1] == floor


@pytest.mark.parametrize("max_norm", [0.5, 3.0, 1e6])
def test_clipping(max_norm):
    grads = grads_at(3)
    value, pullback = vjp(ops.clip_by_global_norm, grads, max_norm)
    cotangent = tree.map(lambda leaf: np.asarray(draw(*np.shape(leaf), seed=9)), value)
    tensors = [torch.tensor(leaf, requires_grad=True) for leaf in tree.leaves(grads)]
    norm = torch.linalg.vector_norm(torch.cat([g.ravel() for g in tensors]))  # torch.nn.utils' own has no gradient
    clipped = [g * torch.clamp(max_norm / norm, max=1.0) for g in tensors]
    for got, want in zip(tree.leaves(value), [*clipped, norm], strict=True):
        np.testing.assert_allclose(got, want.detach(), rtol=1e-13)
    pairs = zip([*clipped, norm], tree.leaves(cotangent), strict=True)
    slopes = torch.autograd.grad(sum((want * torch.tensor(c)).sum() for want, c in pairs), tensors)
    for got, want in zip(tree.leaves(pullback(cotangent)[0]), slopes, strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-12, atol=1e-14)
