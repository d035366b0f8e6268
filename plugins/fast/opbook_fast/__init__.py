"""Everything that makes opbook's ops fast, as a plugin of accelerators.

The rules called `numpy` work in tiles, blocks and threads. Those called `numba` are compiled loops, and are asked
before them where Numba is installed. A call that is small, or that a rule was not written for, is left to the
builtin's own.
"""

from opbook import Rule, hookimpl
from opbook_fast import (
    activations,
    attention,
    block,
    compiled,
    convolution,
    embedding,
    heads,
    layer_norm,
    linear,
    losses,
    memory,
    optimization,
)

IN_NUMPY, COMPILED = 1, 2
"""Priorities: compiled rules are asked first, and rules of other plugins, whose default is 10, before either."""


@hookimpl
def opbook_rules():
    """Add rules in NumPy and, where Numba is installed, compiled ones."""
    memory.keep_for_the_next_step()
    rules = [
        Rule("layer_norm", "numpy", layer_norm.layer_norm, IN_NUMPY),
        Rule("gelu", "numpy", activations.gelu, IN_NUMPY),
        Rule("linear", "numpy", linear.linear, IN_NUMPY),
        Rule("cross_entropy", "numpy", losses.cross_entropy, IN_NUMPY),
        Rule("conv2d", "numpy", convolution.conv2d, IN_NUMPY),
        Rule("embedding", "numpy", embedding.embedding, IN_NUMPY),
        Rule("adamw_step", "numpy", optimization.adamw, IN_NUMPY),
        Rule("scaled_dot_product_attention", "numpy", attention.attention, IN_NUMPY),
        Rule("multi_head_attention", "numpy", heads.packed_heads, IN_NUMPY),
        Rule("transformer_block", "numpy", block.block, IN_NUMPY),
    ]
    if compiled.is_installed():
        rules += [
            Rule("layer_norm", "numba", compiled.layer_norm, COMPILED),
            Rule("rms_norm", "numba", compiled.rms_norm, COMPILED),
            Rule("gelu", "numba", compiled.gelu, COMPILED),
            Rule("adamw_step", "numba", compiled.adamw, COMPILED),
        ]
    return rules
