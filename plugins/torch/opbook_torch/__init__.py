"""PyTorch as a second engine, as a plugin of accelerators: its kernels compute, and its autograd differentiates.

What PyTorch has no answer for, or another one than the definition, is left to the next rule: `opbook verify` finds
out. Importing this module does not import PyTorch, which takes a second or two; the first call of a rule does.
"""

from opbook import Rule, hookimpl
from opbook_torch import activations, attention, convolution, lookup, losses, norms, recurrence

BEFORE_FAST = 5
"""Asked before the rules of opbook-fast: who installs PyTorch's engine wants it used. Other plugins' rules, whose
default is 10, are asked before it."""


@hookimpl
def opbook_rules():
    """Add a rule called `torch` for each op that PyTorch has a kernel for."""
    functions = {
        "layer_norm": norms.layer_norm,
        "rms_norm": norms.rms_norm,
        "softmax": activations.softmax,
        "log_softmax": activations.log_softmax,
        "gelu": activations.gelu,
        "silu": activations.silu,
        "scaled_dot_product_attention": attention.scaled_dot_product_attention,
        "multi_head_attention": attention.multi_head_attention,
        "transformer_block": attention.transformer_block,
        "cross_entropy": losses.cross_entropy,
        "embedding": lookup.embedding,
        "conv2d": convolution.conv2d,
        "gru_forward": recurrence.gru_forward,
    }
    return [Rule(name, "torch", function, BEFORE_FAST) for name, function in functions.items()]
