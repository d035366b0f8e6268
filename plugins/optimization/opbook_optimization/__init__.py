"""What moves the weights of a model, as an opbook plugin: steps of optimizers, schedules and clipping."""

from opbook import Family, hookimpl
from opbook_optimization.adam import adamw_step
from opbook_optimization.clipping import clip_by_global_norm
from opbook_optimization.descent import sgd_step
from opbook_optimization.schedules import cosine_schedule


@hookimpl
def opbook_builtins():
    """Add the steps of optimizers, clip_by_global_norm and cosine_schedule."""
    return [adamw_step, clip_by_global_norm, cosine_schedule, sgd_step]


@hookimpl
def opbook_families():
    """Say what the category has in common."""
    return [Family("Optimization", "family.md")]
