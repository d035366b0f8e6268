"""Sinusoidal positions."""

from typing import Literal

import numpy as np

from opbook import Array, builtin
from opbook.errors import InputError


# Each position gets a row that is added to what stands there, so that a model can tell the first word from the fifth.
# Column by column the sines get slower: the first pair turns by one radian per position, the last by about 1/base. It
# is a clock with many hands. Hands that turn fast tell neighbours apart, hands that turn slowly tell far from near.
#
# A row k places further on is a fixed rotation of this one, whatever the position. So the dot product of two rows
# depends on their distance only.
#
# - `layout="interleaved"`: sine, cosine, sine, cosine, ..., as in the paper.
# - `layout="halves"`: all sines, then all cosines, as in the authors' own code.
#
# They are the same columns in another order, but a model that was trained with one does not work with the other. If d
# is odd, the last sine has no cosine.
#
# **The gradient.** There is none: positions are whole numbers, and nothing here is learned.
@builtin(
    category="Positions",
    aliases=(
        "PositionalEncoding",
        "positional encoding",
        "sinusoidal embedding",
        "SinusoidalPositionalEmbedding",
        "SinePositionEncoding",
        "position embedding",
        "timing signal",
        "Fourier features",
    ),
)
def sinusoidal_positions(
    n: int, d: int, *, base: float = 10000.0, layout: Literal["interleaved", "halves"] = "interleaved"
) -> Array["N D"]:
    r"""Makes a row of sines and cosines for each position, which is added to the vectors of tokens.

    Attention by itself does not know the order of its rows; these numbers tell it. The result has n rows of d entries,
    for n tokens of width d. Nothing is learned, so n may be larger than in training. Two orders of the columns are in
    use, and a trained model works with one of them only: `layout` says which.

    Args:
        n: How many positions, from 0 on.
        d: How long the rows are.
        base: How much slower the last sines are than the first; above 0.
        layout: Whether each sine is followed by its cosine, or all sines by all cosines.

    Returns:
        The rows, in float64.

    Raises:
        InputError: n or d is negative, or base is not above 0.

    Formula:
        $$\begin{gathered}
        y_{m, 2i} = \sin\left(m\,\text{base}^{-2i/d}\right), \\
        y_{m, 2i+1} = \cos\left(m\,\text{base}^{-2i/d}\right)
        \end{gathered}$$

        for the positions m from 0 to n − 1. `"halves"` moves the even columns in front of the odd ones.

    Source:
        Vaswani et al., *Attention Is All You Need* (2017), section 3.5.
    """
    if n < 0 or d < 0:
        raise InputError(f"n and d must be at least 0, but are {n} and {d}")
    if not base > 0:
        raise InputError(f"base must be above 0, but is {base:g}")
    angles = np.arange(n)[:, None] * base ** (-np.arange(0, d, 2) / max(d, 1))
    sines, cosines = np.sin(angles), np.cos(angles)[:, : d // 2]
    if layout == "halves":
        return np.concatenate([sines, cosines], axis=-1)
    rows = np.zeros((n, d))
    rows[:, ::2], rows[:, 1::2] = sines, cosines
    return rows
