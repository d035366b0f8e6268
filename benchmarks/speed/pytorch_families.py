"""The ops of `families` as one writes them with PyTorch's fused functions and modules. Needs PyTorch."""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch.nn import functional

from opbook import tree
from speed.families import Family
from speed.timing import Work


def work(family: Family, args: tuple[Any, ...], value: Any) -> Work:
    """What PyTorch does: the op and its gradients, for the cotangent that opbook gets, or a step of an optimizer.

    Args:
        family: The op.
        args: opbook's arguments.
        value: What opbook makes of them.

    Returns:
        What to time.

    Raises:
        AssertionError: PyTorch computes something else.
    """
    if family.op == "adamw_step":
        return _adamw(args, family.options)
    leaves = [torch.tensor(leaf) if isinstance(leaf, np.ndarray) else leaf for leaf in tree.leaves(args)]
    wanted = [leaf.requires_grad_() for leaf in leaves if torch.is_tensor(leaf) and leaf.is_floating_point()]
    if family.op == "batch_norm":
        wanted = [leaf.requires_grad_(False) for leaf in wanted][:3]
        wanted = [leaf.requires_grad_() for leaf in wanted]
    if family.op in ("gru_forward", "lstm_forward"):
        f, parameters = _recurrent(family.op, *args)
        wanted = [leaves[0], *parameters]
        leaves = leaves[:1]
    else:
        f = FUNCTIONS[family.op]
    np.testing.assert_allclose(f(*leaves).detach().numpy(), value, rtol=1e-3, atol=1e-3)
    g = torch.tensor(value)

    def both() -> Any:
        y = f(*leaves)
        return y, torch.autograd.grad(y, wanted, g)

    return both


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "layer_norm": lambda x, gamma, beta: functional.layer_norm(x, gamma.shape, gamma, beta),
    "rms_norm": lambda x, gamma: functional.rms_norm(x, gamma.shape, gamma, 1e-6),
    "batch_norm": lambda x, gamma, beta, mean, var: functional.batch_norm(x, mean, var, gamma, beta, True),
    "group_norm": lambda x, gamma, beta, groups: functional.group_norm(x, groups, gamma, beta),
    "gelu": lambda x, approximate: functional.gelu(x, approximate=approximate),
    "cross_entropy": functional.cross_entropy,
    "embedding": lambda table, ids: functional.embedding(ids, table),
    "conv2d": lambda x, w, b: functional.conv2d(x, w, b, padding=1),
}


def _recurrent(op: str, x: Any, weights: dict[str, Any]) -> tuple[Callable[[Any], Any], list[Any]]:
    """PyTorch's module with the same weights, and without biases."""
    gates = "rzn" if op == "gru_forward" else "ifgo"
    make = torch.nn.GRU if op == "gru_forward" else torch.nn.LSTM
    module = make(x.shape[-1], len(weights["u" + gates[0]]), bias=False, batch_first=True)
    for parameter, side in ((module.weight_ih_l0, "w"), (module.weight_hh_l0, "u")):
        parameter.data = torch.from_numpy(np.concatenate([weights[side + gate].T for gate in gates]))
    return lambda x: module(x)[0], list(module.parameters())


def _adamw(args: tuple[Any, ...], options: dict[str, Any]) -> Work:
    params, grads, _ = args
    parameters = [torch.tensor(p, requires_grad=True) for p in params]
    for parameter, gradient in zip(parameters, grads, strict=True):
        parameter.grad = torch.tensor(gradient)
    optimizer = torch.optim.AdamW(parameters, **options)
    return lambda: optimizer.step()
