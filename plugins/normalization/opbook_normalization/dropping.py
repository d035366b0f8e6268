"""Dropout with a mask that one can see: dropout and dropout_mask."""

import math

import numpy as np

from opbook import Array, Mask, builtin
from opbook.errors import InputError


# Dropout sets entries to 0 at random while a network learns, so that no entry can rely on a certain other one. What is
# kept is divided by the share 1 − rate of what is kept on average. So the mean of an entry over many masks is the entry
# itself, and at inference nothing has to be rescaled: without a mask, x comes back as it is.
#
# In other libraries dropout draws the mask itself, from a hidden generator. Here the mask is an argument, so that the
# same call gives the same result, and can be differentiated. `dropout_mask` makes one.
#
# With `rate=1` everything is dropped, and the result is 0, not 0/0. The value of a dropped entry changes nothing, even
# if it is NaN.
#
# **The gradient.** A kept entry was divided by 1 − rate, a dropped one is not used. With g for the cotangent, the
# gradient of some number L by y, and k for the mask,
#
# $$\frac{\partial L}{\partial x} = \frac{k\,g}{1 - \text{rate}}.$$
#
# The mask is the same as in the forward pass. A new one there would be the gradient of another function.
@builtin(category="Normalization", aliases=("Dropout", "inverted dropout", "drop out"))
def dropout(x: Array["..."], keep: Mask["..."] | None = None, *, rate: float) -> Array["..."]:
    r"""Sets entries of x to 0 where a mask is false, and scales the others up to make up for them.

    A network that is trained with it can't rely on a single entry, and learns the training data less by heart. The
    entries that are kept are divided by 1 - rate, so that the mean stays the same. The mask comes from
    [`dropout_mask`](dropout_mask.md); without one nothing is dropped, as is right after training.

    Args:
        x: Numbers.
        keep: True where an entry is kept; without it nothing is dropped, as is right at inference.
        rate: The share of entries that are dropped on average, from 0 to 1: what the mask was drawn with.

    Returns:
        An array of x's shape and dtype.

    Raises:
        ShapeError: keep does not broadcast to x's shape.
        InputError: rate is below 0 or above 1, or keep has other values than 0 and 1.

    Formula:
        $$y_i = \frac{k_i\,x_i}{1 - \text{rate}}$$

        where kᵢ is 1 for an entry that is kept, and 0 for one that is dropped.

    Source:
        Srivastava et al., *Dropout: A Simple Way to Prevent Neural Networks from Overfitting* (2014), section 10;
        operator `Dropout` of ONNX opset 13.
    """
    _check_rate("dropout", rate)
    return x if keep is None else np.where(keep, x, 0.0) * _scale(rate)


@dropout.defvjp
def _(x, keep=None, *, rate):
    _check_rate("dropout", rate)
    if keep is None:
        return x, lambda g: (g, None)
    scale = _scale(rate)
    return np.where(keep, x, 0) * scale, lambda g: (np.where(keep, g, 0) * scale, None)


# A number between 0 and 1 is drawn for each entry, and the entry is kept if the number is at least `rate`. The seed
# decides all of them: the same seed and shape give the same mask, on every machine. In training, count it up from step
# to step.
@builtin(category="Normalization", aliases=("Bernoulli mask", "random mask", "drop mask"))
def dropout_mask(shape: tuple[int, ...], rate: float, seed: int) -> Mask["..."]:
    r"""Draws a mask that keeps each entry with probability 1 - rate.

    The same seed gives the same mask, so that a training run can be repeated.

    Args:
        shape: The length of each axis.
        rate: The probability that an entry is dropped, from 0 to 1.
        seed: A whole number, at least 0, that decides what is drawn.

    Returns:
        A Boolean array of that shape, true for entries that are kept.

    Raises:
        InputError: rate is below 0 or above 1, seed or a length is negative, or there would be more than 10⁸ entries.

    Formula:
        $$\begin{gathered}
        k_i = [u_i \ge \text{rate}], \\
        u_i \text{ uniform in } [0, 1)
        \end{gathered}$$

    Source:
        NumPy's `np.random.default_rng(seed).random(shape)`, whose generator is PCG64.
    """
    _check_rate("dropout_mask", rate)
    if seed < 0 or any(length < 0 for length in shape):
        raise InputError(f"dropout_mask: seed and lengths must be at least 0, but are {seed} and {shape}")
    if math.prod(shape) > 10**8:
        raise InputError(f"dropout_mask: {' × '.join(map(str, shape))} is more than 10⁸ entries")
    return np.random.default_rng(seed).random(shape) >= rate


def _scale(rate):
    """What kept entries are multiplied with; where all are dropped, 0."""
    return 1 / (1 - rate) if rate < 1 else 0.0


def _check_rate(name, rate):
    if not 0 <= rate <= 1:
        raise InputError(f"{name}: rate must be between 0 and 1, but is {rate:g}")
