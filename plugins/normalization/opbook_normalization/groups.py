"""Normalization of channels in groups: group_norm."""

import numpy as np

from opbook import Array, builtin
from opbook.errors import InputError, ShapeError


# The channels of x are put into groups of neighbours, and the entries of one group, all channels and all places
# together, are moved and divided so that their mean is 0 and their variance 1. Then each *channel* gets a scale and an
# offset, gamma and beta. No example of a batch depends on another, so a batch of 1 is as good as one of 100. That is
# the difference from `batch_norm`.
#
# The number of groups connects it with other norms: with `groups=1` all channels are normalized together, a
# `layer_norm` over channels and places. With as many groups as channels, each channel is on its own: *instance norm*.
#
# The last axis holds the places. An image has two axes of places, which are put into one before, with `reshape`.
#
# The variance is the biased one, `eps` stands under the root, and the first entry of a group is subtracted before the
# mean is taken, as in `layer_norm`.
#
# **The gradient.** Within a group it is that of `layer_norm`: write s = √(σ² + ε) for what the group is divided by, x̂
# for the normalized entries, g for the cotangent, the gradient of some number L by y, and h = g · γ. Then
#
# $$\frac{\partial L}{\partial x} =
# \frac{1}{s}\left(h - \operatorname{mean}(h) - \hat x\,\operatorname{mean}(h\,\hat x)\right),$$
#
# where mean(…) is the mean over all entries of the group. As γ stands for a channel and not for an entry, h has
# different scales within one group, and the gradient of γ is the sum of g · x̂ over the places and the batch; that of β
# is the sum of g.
@builtin(
    category="Normalization",
    aliases=("GroupNorm", "GroupNormalization", "instance norm", "InstanceNorm", "InstanceNormalization"),
)
def group_norm(
    x: Array["... C L"], gamma: Array["C"], beta: Array["C"], groups: int, *, eps: float = 1e-5
) -> Array["... C L"]:
    r"""Normalizes groups of channels to mean 0 and variance 1, then scales and shifts each channel.

    It is the norm of convolutional networks whose batches are too small for `batch_norm`: each example is normalized on
    its own, by statistics of several channels at all places.

    Args:
        x: For each channel a row of places; an image's places are put into one row.
        gamma: A scale for each channel.
        beta: An offset for each channel.
        groups: How many groups the C channels are split into; it must divide C.
        eps: Added to the variance, under the root; at least 0.

    Returns:
        An array of x's shape and dtype.

    Raises:
        ShapeError: gamma or beta has not one entry for each channel, or groups does not divide their number.
        InputError: eps is negative, or it is 0 and a group is constant, or a group has no entries, or groups is below
            1.

    Formula:
        $$y_{cl} = \gamma_c\,\frac{x_{cl} - \mu}{\sqrt{\sigma^2 + \varepsilon}} + \beta_c$$

        with eps as ε, and the mean μ and variance σ² of all entries in the group of channel c.

    Source:
        Wu and He, *Group Normalization* (2018), section 3; operator `GroupNormalization` of ONNX opset 21.
    """
    *batch, channels, places = x.shape
    _check_groups(x, groups)
    members = x.reshape(*batch, groups, channels // groups * places)
    shifted = members - members[..., :1]
    centred = shifted - shifted.mean(axis=-1, keepdims=True)
    variance = (centred**2).mean(axis=-1, keepdims=True)
    _check_eps(eps, variance)
    x_hat = (centred / np.sqrt(variance + eps)).reshape(x.shape)
    return gamma[:, None] * x_hat + beta[:, None]


@group_norm.defvjp
def _(x, gamma, beta, groups, *, eps=1e-5):
    *batch, channels, places = x.shape
    _check_groups(x, groups)
    x, gamma = x.astype(np.float64), gamma.astype(np.float64)
    members = x.reshape(*batch, groups, channels // groups * places)
    shifted = members - members[..., :1]
    centred = shifted - shifted.mean(axis=-1, keepdims=True)
    variance = (centred**2).mean(axis=-1, keepdims=True)
    _check_eps(eps, variance)
    s = np.sqrt(variance + eps)
    x_hat, shape = centred / s, x.shape
    y, shared = x_hat.reshape(shape), (*range(x.ndim - 2), x.ndim - 1)  # all axes but that of the channels

    def pullback(g):
        h = (g * gamma[:, None]).reshape(x_hat.shape)
        dx = (h - h.mean(axis=-1, keepdims=True) - x_hat * (h * x_hat).mean(axis=-1, keepdims=True)) / s
        return dx.reshape(shape), (g * y).sum(axis=shared), g.sum(axis=shared), None

    return gamma[:, None] * y + beta[:, None], pullback


def _check_groups(x, groups):
    """Refuse groups that do not divide the channels, or have no entries."""
    channels, places = x.shape[-2:]
    if groups < 1:
        raise InputError(f"group_norm: groups must be at least 1, but is {groups}")
    if channels % groups:
        counts = ", ".join(str(n) for n in range(1, channels + 1) if channels % n == 0)
        raise ShapeError(f"group_norm: {groups} groups do not divide the {channels} channels of x; {counts} would")
    if channels * places == 0:
        raise InputError(f"group_norm: a group has no entries to normalize; the shape of x is {x.shape}")


def _check_eps(eps, variance):
    """Refuse an eps that is negative, or 0 where a group is constant."""
    if not eps >= 0:
        raise InputError(f"group_norm: eps must be at least 0, but is {eps:g}")
    if eps == 0 and np.any(variance == 0):
        raise InputError(
            "group_norm: a group of x is constant, so its variance is 0 and can't be divided by; pass eps > 0"
        )
