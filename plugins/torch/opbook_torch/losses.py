"""Cross-entropy."""

import numpy as np
from opbook_losses.classification import check_smoothing, check_targets

from opbook_torch.engine import by_torch, constant, differentiated, refuse_unless, torch

IGNORED = -100
"""The target of rows that do not count, which is no class."""


@by_torch
def cross_entropy(logits, targets, *, ignore_index=None, label_smoothing=0.0, weight=None, reduction="mean"):
    """The rule, for finite logits; the mean of nothing is NaN in PyTorch."""
    counts = np.asarray(targets != ignore_index)
    check_targets(targets, counts, logits.shape[-1], ignore_index)
    check_smoothing(label_smoothing)
    targets, weight = constant(np.where(counts, targets, IGNORED).ravel()), constant(weight)

    def forward(logits, _):
        refuse_unless(logits.isfinite().all())  # a row that does not count has gradient NaN if it is not
        losses = torch().nn.functional.cross_entropy(
            logits.flatten(0, -2) if logits.ndim > 1 else logits[None],
            targets,
            weight,
            ignore_index=IGNORED,
            label_smoothing=label_smoothing,
            reduction=reduction,
        )
        return losses.reshape(logits.shape[:-1]) if reduction == "none" else losses

    return differentiated(forward, logits, None)
