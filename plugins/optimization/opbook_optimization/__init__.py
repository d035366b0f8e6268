"""What moves the weights of a model, as an opbook plugin: steps of optimizers, and the clipping of gradients."""

from opbook import Family, hookimpl
from opbook_optimization.adam import adamw_step
from opbook_optimization.clipping import clip_by_global_norm
from opbook_optimization.descent import sgd_step


@hookimpl
def opbook_builtins():
    """Add the steps of optimizers and clip_by_global_norm."""
    return [adamw_step, clip_by_global_norm, sgd_step]


@hookimpl
def opbook_families():
    """Say what the category has in common."""
    return [Family("Optimization", "family.md")]
