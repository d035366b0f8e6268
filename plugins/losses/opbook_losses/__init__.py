"""What training makes small, and how alike two vectors or distributions are, as an opbook plugin."""

from opbook import Family, hookimpl
from opbook_losses.classification import binary_cross_entropy, cross_entropy
from opbook_losses.regression import huber_loss, mse_loss
from opbook_losses.similarity import cosine_similarity, kl_divergence

__all__ = ["binary_cross_entropy", "cosine_similarity", "cross_entropy", "huber_loss", "kl_divergence", "mse_loss"]


@hookimpl
def opbook_builtins():
    """Add the losses."""
    return [binary_cross_entropy, cosine_similarity, cross_entropy, huber_loss, kl_divergence, mse_loss]


@hookimpl
def opbook_families():
    """Say what the category has in common."""
    return [Family("Losses", "family.md")]
