"""What slides a window over images, as an opbook plugin: convolution and pooling."""

from opbook import Family, hookimpl
from opbook_convolution.correlation import conv2d
from opbook_convolution.pooling import avg_pool, max_pool


@hookimpl
def opbook_builtins():
    """Add conv2d, max_pool and avg_pool."""
    return [avg_pool, conv2d, max_pool]


@hookimpl
def opbook_families():
    """Say what the category has in common."""
    return [Family("Convolution & pooling", "family.md")]
