"""Activations."""

from opbook_torch.engine import by_torch, differentiated, refuse_unless, torch

LARGEST = 1e9
"""Beyond it the third power of an entry overflows in float32, and PyTorch's gradient of gelu is NaN."""

LARGEST_EXPONENT = 80.0
"""Beyond it an exponential overflows in float32, and PyTorch's silu is -0."""


@by_torch
def softmax(x, axis=-1):
    """The rule; rows of nothing but -inf have no finite value in PyTorch."""
    refuse_unless(-x.ndim <= axis < x.ndim)
    return differentiated(torch().softmax, x, axis)


@by_torch
def log_softmax(x, axis=-1):
    """The rule, for scores that are finite."""
    refuse_unless(-x.ndim <= axis < x.ndim)
    return differentiated(torch().log_softmax, x, axis)


@by_torch
def gelu(x, approximate="none"):
    """The rule, for entries whose third power fits into the precision."""
    return differentiated(bounded_gelu, x, approximate)


@by_torch
def silu(x, *, beta=1.0):
    """The rule, for the curve that PyTorch has, and entries whose exponential fits."""
    refuse_unless(beta == 1)
    return differentiated(bounded_silu, x)


def bounded_gelu(x, approximate="none"):
    """PyTorch's gelu of a tensor, where it is right."""
    refuse_unless(x.detach().abs().max() <= LARGEST)  # false for NaN
    return torch().nn.functional.gelu(x, approximate=approximate)


def bounded_silu(x):
    """PyTorch's silu of a tensor, where it is right."""
    refuse_unless(x.detach().abs().max() <= LARGEST_EXPONENT)
    return torch().nn.functional.silu(x)
