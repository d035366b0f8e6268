"""Normalization beside layer norm, and dropout, as an opbook plugin."""

from opbook import Family, hookimpl
from opbook_normalization.batches import batch_norm
from opbook_normalization.dropping import dropout, dropout_mask
from opbook_normalization.groups import group_norm
from opbook_normalization.root_mean_square import rms_norm


@hookimpl
def opbook_builtins():
    """Add the normalizations and dropout."""
    return [batch_norm, dropout, dropout_mask, group_norm, rms_norm]


@hookimpl
def opbook_families():
    """Say what the category has in common."""
    return [Family("Normalization", "family.md")]
