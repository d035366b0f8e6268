"""Rotary positions: rope."""

from typing import Literal

import numpy as np

from opbook import Array, Int, builtin, unbroadcast
from opbook.errors import InputError, ShapeError


# Attention alone does not know in which order its rows come. Here each query and each key is turned by an angle that
# grows with its position. Two entries of a row make up a plane, and plane i turns by θᵢ = base^(−i/P) per position, for
# P planes: the first by one radian, the last hardly at all. Turning both of two rows by the same angle does not change
# their dot product. So the dot product of a turned query and a turned key depends on how far apart the two are, and not
# on where they are. Values are not turned.
#
# Which two entries make up a plane differs between models, and with the wrong pairing nothing fails: the results are
# just bad.
#
# - `pairing="halves"`: entries i and i + P, as in GPT-NeoX and in the Llama of the library transformers.
# - `pairing="interleaved"`: entries 2i and 2i + 1, as in the paper, in GPT-J and in Llama as Meta published it.
#
# A new token that is written after t others stands at position t: pass `positions=[t]`, as the count starts at 0
# without it. With `width` only the first entries of a row are turned, and θᵢ counts the planes of these only.
#
# Angles are taken in float64. In float32, at position 100,000, an angle is off by up to 0.004.
#
# **The gradient.** Each plane is multiplied by a rotation matrix R, so its cotangent is multiplied by Rᵀ. The transpose
# of a rotation turns back, by the same angle, so for rows at the positions m
#
# $$\frac{\partial L}{\partial x} = R_m^\top g = R_{-m}\, g.$$
#
# The pullback is the same function with the positions −m. Positions are whole numbers and have no gradient.
@builtin(
    category="Positions",
    aliases=(
        "rotary position embedding",
        "rotary embedding",
        "RotaryEmbedding",
        "RoPE",
        "apply_rotary_pos_emb",
        "apply_rotary_emb",
        "RotaryPositionalEmbeddings",
        "RoFormer",
        "rotate_half",
    ),
)
def rope(
    x: Array["... N D"],
    positions: Int["... N"] | None = None,
    *,
    base: float = 10000.0,
    pairing: Literal["halves", "interleaved"] = "halves",
    width: int | None = None,
) -> Array["... N D"]:
    r"""Turns each row by angles that grow with its position: rotary positions, for queries and keys.

    The columns are taken in pairs, and each pair is a point in a plane that is turned, fast in the first pair and
    slowly in the last. Lengths stay the same. The dot product of two turned rows depends on how far apart they stand,
    and not on where: so attention learns of distances.

    Args:
        x: The rows, queries or keys.
        positions: Where each row stands, 0 to N - 1 unless given; for all batches alike, or with all batch axes of x,
            which may be 1.
        base: How slowly the last plane turns; above 0.
        pairing: Which entries make up a plane: i and i + P ("halves"), or 2i and 2i + 1 ("interleaved").
        width: How many entries of a row are turned, an even number, 2P; all D unless given.

    Returns:
        An array of x's shape and dtype.

    Raises:
        ShapeError: positions does not fit x, or has some of its batch axes only.
        InputError: width is odd, negative or more than D, or base is not above 0.

    Formula:
        $$\begin{gathered}
        \begin{pmatrix} y_a \\ y_b \end{pmatrix} =
        \begin{pmatrix} \cos m\theta_i & -\sin m\theta_i \\ \sin m\theta_i & \cos m\theta_i \end{pmatrix}
        \begin{pmatrix} x_a \\ x_b \end{pmatrix}, \\
        \theta_i = \text{base}^{-i/P}, \quad i = 0, \dots, P - 1
        \end{gathered}$$

        for the row at position m, where a and b are the two entries of plane i.

    Source:
        Su et al., *RoFormer: Enhanced Transformer with Rotary Position Embedding* (2021), section 3.2; operator
        `RotaryEmbedding` of ONNX opset 23.
    """
    P = planes_of(x, width, base)
    angles = positions_of(x, positions)[..., None] * base ** (-np.arange(P) / max(P, 1))
    turned = turn(x[..., : 2 * P], np.cos(angles), np.sin(angles), pairing)
    rest = np.broadcast_to(x[..., 2 * P :], (*turned.shape[:-1], x.shape[-1] - 2 * P))
    return np.concatenate([turned, rest], axis=-1)


@rope.defvjp
def _(x, positions=None, *, base=10000.0, pairing="halves", width=None):
    m, options = positions_of(x, positions), {"base": base, "pairing": pairing, "width": width}

    def pullback(g):
        return unbroadcast(rope.definition(g, -m, **options), x.shape), None

    return rope.definition(x, m, **options), pullback


def turn(x, cos, sin, pairing):
    """Each plane of each row, turned by its angle."""
    P = x.shape[-1] // 2
    a, b = (x[..., :P], x[..., P:]) if pairing == "halves" else (x[..., ::2], x[..., 1::2])
    turned = a * cos - b * sin, b * cos + a * sin
    if pairing == "halves":
        return np.concatenate(turned, axis=-1)
    pairs = np.stack(turned, axis=-1)
    return pairs.reshape(*pairs.shape[:-2], 2 * P)


def positions_of(x, positions):
    """The positions, counted from 0 unless they are given; refused where a batch axis would have to be guessed."""
    if positions is None:
        return np.arange(x.shape[-2])
    if positions.ndim not in (1, x.ndim - 1):
        raise ShapeError(
            f"positions has {positions.ndim} axes, but must have 1 (the rows) or {x.ndim - 1} (one for each batch axis "
            "of x, which may be 1, and the rows), so that no axis has to be guessed"
        )
    return positions


def planes_of(x, width, base):
    """How many planes are turned, P."""
    D = x.shape[-1]
    if width is None and D % 2:
        raise InputError(f"the rows of x have {D} entries, which do not pair up; pass an even width= below {D}")
    if width is not None and (width % 2 or not 0 <= width <= D):
        raise InputError(f"width must be an even number from 0 to {D}, the entries of a row, but is {width}")
    if not base > 0:
        raise InputError(f"base must be above 0, but is {base:g}")
    return (D if width is None else width) // 2
