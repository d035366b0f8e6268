"""PyTorch as a second engine, as a plugin of accelerators: its kernels compute, and its autograd differentiates.

What PyTorch gets wrong, or has no kernel for, is left to the next rule: `opbook verify` finds out. Importing this
module does not import PyTorch, which takes a second or two; the first call of a rule does.
"""

import importlib.util

from opbook import Rule, hookimpl
from opbook.errors import MissingPackageError
from opbook_torch import activations, attention, convolution, lookup, losses, norms

PRIORITY = 5
"""The priority: these rules are tried before those of opbook-fast, as whoever installs PyTorch's engine wants it used,
and after those of other plugins, whose default is 10."""


@hookimpl
def opbook_rules():
    """Add a rule called `torch` for each op that PyTorch has a kernel for.

    Raises:
        MissingPackageError: PyTorch is not installed.
    """
    if importlib.util.find_spec("torch") is None:
        raise MissingPackageError(
            "opbook-torch needs PyTorch, which is not installed. Install it with python -m pip install torch, or as "
            "https://pytorch.org says for your machine"
        )
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
    }
    return [Rule(name, "torch", function, PRIORITY) for name, function in functions.items()]
