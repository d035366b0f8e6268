"""Who takes part: opbook, the peers that are installed, and the limit that the machine sets."""

import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from opbook import ops, vjp
from speed import limits, textbook
from speed.cases import HEAD_FIELDS, Case, normal
from speed.timing import Contender, Work

BLOCKED = -1e9


@dataclass(frozen=True)
class Task:
    """A case as a peer gets it.

    Attributes:
        case: The case.
        arrays: What is differentiated; the weights of all heads are packed, as peers like them best.
        names: What the arrays are called.
        function: Makes the op, as a function of the arrays, for a library like NumPy.
        cotangent: The cotangent of the value.
    """

    case: Case
    arrays: tuple[Any, ...]
    names: tuple[str, ...]
    function: Callable[[Any], Callable[..., Any]]
    cotangent: Any


def ready(case: Case) -> list[Contender]:
    """Prepare everybody who takes part in a case.

    Args:
        case: The case.

    Returns:
        opbook, the installed peers, and the limit.
    """
    args = case.inputs(case.dtype)
    task = task_of(case, args)
    work = {"opbook": opbook(case, args, task.cotangent)}
    for name, make in PEERS.items():
        # for the longest sequences these two take up to half a minute a round, whatever the mask
        too_slow = case.slow and name in ("autograd", "mygrad") and (case.dtype, case.variant) != ("float32", "plain")
        if importlib.util.find_spec(name) and not too_slow:
            work[name] = make(task)
    if case.n_heads and importlib.util.find_spec("torch"):
        work["torch.nn"] = module(case, args, task.cotangent)
    work |= limits.work(case, args)
    return [Contender(name, found) for name, found in work.items()]


def _both(forward: Work, with_vjp: Work) -> dict[str, Work]:
    return {"forward": forward, "forward+VJP": with_vjp}


def opbook(case: Case, args: tuple[Any, ...], cotangent: Any) -> dict[str, Work]:
    """What opbook does in a case.

    Args:
        case: The case.
        args: The op's arguments.
        cotangent: The cotangent of the value.

    Returns:
        Its work.
    """
    op = getattr(ops, case.op)
    options: dict[str, Any] = {
        "plain": lambda: {},
        "causal": lambda: {"causal": True},
        "padded": lambda: {"key_mask": case.key_mask(args[1].shape[-2])},
    }[case.variant]()

    def with_vjp() -> Any:
        value, pullback = vjp(op, *args, **options)
        return value, pullback(cotangent)

    return _both(lambda: op(*args, **options), with_vjp)


def task_of(case: Case, args: tuple[Any, ...]) -> Task:
    """Make of a case what a peer gets.

    Args:
        case: The case.
        args: The op's arguments.

    Returns:
        The task.
    """
    cotangent = normal(*args[0].shape, dtype=case.dtype, seed=99)
    if case.op == "layer_norm":
        return Task(case, args, ("x", "gamma", "beta"), lambda np: lambda *a: textbook.layer_norm(np, *a), cotangent)
    if case.op == "scaled_dot_product_attention":
        bias = _bias(case, args[1].shape[-2])
        return Task(case, args, ("q", "k", "v"), lambda np: lambda *a: textbook.attention(np, *a, bias), cotangent)
    weights: dict[str, Any] = {"heads": args[1]} if case.op == "multi_head_attention" else dict(args[1])
    heads = weights.pop("heads")
    wqkv = np.concatenate([head[name] for name in HEAD_FIELDS[:3] for head in heads], axis=1)
    packed = {"wqkv": wqkv, "wo": np.concatenate([head["wo"] for head in heads]), **weights}

    def function(np: Any) -> Callable[..., Any]:
        if case.op == "multi_head_attention":
            return lambda x, wqkv, wo: textbook.multi_head_attention(np, x, wqkv, wo, case.n_heads)
        return lambda x, *w: textbook.transformer_block(np, x, dict(zip(packed, w, strict=True)), case.n_heads)

    return Task(case, (args[0], *packed.values()), ("x", *packed), function, cotangent)


def _bias(case: Case, n_keys: int) -> Any:
    if case.variant == "plain":
        return None
    allowed = np.tri(n_keys, dtype=bool) if case.variant == "causal" else case.key_mask(n_keys)[None]
    return np.where(allowed, 0, BLOCKED).astype(case.dtype)


def pytorch(task: Task) -> dict[str, Work]:
    """What PyTorch does in a case.

    Args:
        task: The case.

    Returns:
        Its work.
    """
    from speed.pytorch import function

    return _by_torch(function(task.case, task.names), task.arrays, [], task.cotangent)


def module(case: Case, args: tuple[Any, ...], cotangent: Any) -> dict[str, Work]:
    """What PyTorch's own module for the op does in a case.

    Args:
        case: The case, one with heads.
        args: The op's arguments.
        cotangent: The cotangent of the value.

    Returns:
        Its work.
    """
    from speed.pytorch import module as made

    f, weights = made(case, args)
    return _by_torch(f, args[:1], weights, cotangent)


def _by_torch(f: Callable[..., Any], arrays: tuple[Any, ...], weights: list[Any], cotangent: Any) -> dict[str, Work]:
    """A function of arrays, differentiated by them and by weights that it holds."""
    import torch

    leaves, g = [torch.tensor(a, requires_grad=True) for a in arrays], torch.tensor(cotangent)

    def forward() -> Any:
        with torch.no_grad():
            return f(*leaves)

    return _both(forward, lambda: torch.autograd.grad(f(*leaves), [*leaves, *weights], g))


def _jax(task: Task) -> dict[str, Work]:
    import jax

    f = task.function(jax.numpy)
    on_device = [jax.numpy.asarray(a) for a in (task.cotangent, *task.arrays)]

    def with_vjp(cotangent: Any, *arrays: Any) -> Any:
        value, pullback = jax.vjp(f, *arrays)
        return value, pullback(cotangent)

    forward, both = jax.jit(f), jax.jit(with_vjp)
    return _both(
        lambda: jax.block_until_ready(forward(*on_device[1:])), lambda: jax.block_until_ready(both(*on_device))
    )


def _autograd(task: Task) -> dict[str, Work]:
    import autograd
    import autograd.numpy

    f = task.function(autograd.numpy)

    def with_vjp() -> Any:
        pullback, value = autograd.make_vjp(lambda arrays: f(*arrays))(task.arrays)
        return value, pullback(task.cotangent)

    return _both(lambda: f(*task.arrays), with_vjp)


def _mygrad(task: Task) -> dict[str, Work]:
    import mygrad

    f = task.function(mygrad)

    def forward() -> Any:
        with mygrad.no_autodiff:
            return f(*(mygrad.tensor(a, copy=False) for a in task.arrays))

    def with_vjp() -> Any:
        leaves = [mygrad.tensor(a, copy=False) for a in task.arrays]
        value = f(*leaves)
        value.backward(task.cotangent)
        return value, [leaf.grad for leaf in leaves]

    return _both(forward, with_vjp)


PEERS = {"torch": pytorch, "jax": _jax, "autograd": _autograd, "mygrad": _mygrad}
