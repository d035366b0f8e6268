"""Builtins in PyTorch: forward and gradient are the book's, and training is PyTorch's."""

import functools
import importlib.util
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from opbook.autodiff.flat import FlatFunction, flat_pullback, flat_vjp, through_flat
from opbook.builtins.builtin import Builtin
from opbook.errors import DTypeError, MissingPackageError
from opbook.plugins.catalogue import catalogue


def function(builtin: str | Builtin) -> Callable[..., Any]:
    """Make a PyTorch function of a builtin.

    Args:
        builtin: The builtin, or its name.

    Returns:
        A function of the builtin's arguments that takes tensors in the place of arrays, also in records, tuples and
        lists, and returns tensors on the device of the first one that came. Tensors that require a gradient get one,
        as keyword arguments too, and gradients can be differentiated again. Tensors on the CPU are not copied on the
        way to NumPy and back.

    Raises:
        MissingPackageError: PyTorch is not installed.
        UnknownBuiltinError: No builtin has that name.
    """
    if importlib.util.find_spec("torch") is None:
        raise MissingPackageError(
            "opbook.torch needs PyTorch, which is not installed. Install it with python -m pip install torch, or as "
            "https://pytorch.org says for your machine"
        )
    import torch

    op = catalogue()[builtin] if isinstance(builtin, str) else builtin
    call = through_flat(op, op.name, lambda leaf: isinstance(leaf, torch.Tensor), _apply)
    # PyTorch's compiler would take what NumPy does for its own
    return torch.compiler.disable(call)  # type: ignore[no-any-return]


def _apply(function: FlatFunction, tensors: Sequence[Any]) -> tuple[Any, ...]:
    """Evaluate a flat function of tensors, as one step of PyTorch's graph."""
    import torch

    wanted = [i for i, tensor in enumerate(tensors) if tensor.requires_grad and torch.is_grad_enabled()]
    return _step()(_Step(function, wanted), *tensors)


class _Step:
    """A flat function that is called once: what it leaves behind for the way back."""

    def __init__(self, function: FlatFunction, wanted: list[int]) -> None:
        self._function = function
        self._wanted = wanted
        self._pullback: FlatFunction

    def forward(self, tensors: Sequence[Any]) -> tuple[Any, ...]:
        arrays = tuple(map(_array, tensors))
        if self._wanted:
            values, self._pullback = flat_vjp(self._function, self._wanted, arrays)
        else:
            values = self._function(*arrays)
        return _tensors(values, tensors)

    def backward(self, tensors: Sequence[Any], cotangents: Sequence[Any]) -> list[Any]:
        import torch

        if torch.is_grad_enabled():  # the gradients are differentiated in their turn
            found = _apply(flat_pullback(self._function, self._wanted, len(tensors)), [*tensors, *cotangents])
        else:
            found = _tensors(self._pullback(*map(_array, cotangents)), tensors)
        gradients = dict(zip(self._wanted, found, strict=True))
        return [gradients.get(i) for i in range(len(tensors))]


@functools.cache
def _step() -> Callable[..., tuple[Any, ...]]:
    """PyTorch's side of a step."""
    import torch

    class Step(torch.autograd.Function):
        @staticmethod
        def forward(step: _Step, *tensors: Any) -> tuple[Any, ...]:
            return step.forward(tensors)

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            ctx.step, *tensors = inputs
            ctx.save_for_backward(*tensors)
            ctx.mark_non_differentiable(*(tensor for tensor in output if not tensor.is_floating_point()))

        @staticmethod
        def backward(ctx: Any, *cotangents: Any) -> tuple[Any, ...]:
            return None, *ctx.step.backward(ctx.saved_tensors, cotangents)

    return Step.apply  # type: ignore[no-any-return,no-untyped-call,unused-ignore]


def _array(tensor: Any) -> Any:
    if str(tensor.dtype) == "torch.bfloat16":
        raise DTypeError("NumPy has no bfloat16: convert the tensor with .float() before, and the result back after")
    return tensor.numpy(force=True)


def _tensors(values: Sequence[Any], given: Sequence[Any]) -> tuple[Any, ...]:
    """Arrays as tensors, on the device of those that were given."""
    import torch

    device = given[0].device if given else "cpu"
    return tuple(torch.from_numpy(np.asarray(value)).to(device) for value in values)
