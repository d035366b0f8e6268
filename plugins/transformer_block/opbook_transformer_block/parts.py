"""What the blocks with layer norms have in common."""

from opbook_activations import gelu, relu, silu
from opbook_layer_norm import layer_norm


def with_residual(rows, branch, gamma, beta, *, norm, eps):
    """The rows plus what a branch makes of them; the norm comes after the sum, or before the branch."""
    if norm == "pre":
        return rows + branch(layer_norm(rows, gamma, beta, eps=eps))
    return layer_norm(rows + branch(rows), gamma, beta, eps=eps)


def activated(z, activation):
    """An activation of each entry, by its name."""
    if activation == "gelu-tanh":
        return gelu(z, approximate="tanh")
    return {"relu": relu, "gelu": gelu, "silu": silu}[activation](z)
