"""How far one distribution is from another, and how alike the directions of two vectors are."""

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from opbook import Array, builtin, stop_gradient, unbroadcast
from opbook.errors import InputError, ShapeError


# Something is drawn from a distribution p, but its message is encoded for another distribution q. The divergence says
# how much longer the messages are on average: in nats, which become bits if they are divided by log 2. It is 0 if the
# two are the same, positive otherwise, and not symmetric: **the first argument is the true distribution**, the one that
# the mean is taken with. If q says that something is impossible and it happens, that costs infinitely much; if q allows
# something that never happens, that costs little.
#
# Both arguments are *logarithms* of probabilities, such as `log_softmax` gives. So a probability of 1e-400 is nothing
# special, and gradients arrive at the scores without a division by a small number. Probabilities themselves are
# refused, as none of their logarithms is positive.
#
# An entry with p = 0, whose logarithm is −∞, adds nothing, whatever q is there: p log p goes to 0 with p. Computed as
# it stands it would be 0 · (−∞), so both logarithms are replaced there before they are subtracted.
#
# **The gradient.** Write a for log p and b for log q, and let g be the cotangent of the sum over a row. Each entry adds
# eᵃ (a − b), so by the product rule
#
# $$\frac{\partial L}{\partial a_i} = g\,p_i\,(a_i - b_i + 1), \qquad \frac{\partial L}{\partial b_i} = -g\,p_i.$$
#
# Where p is 0, both are 0. If b comes from `log_softmax` of scores, its gradient there becomes g (q − p), as p adds up
# to 1: the same difference as in `cross_entropy`.
@builtin(
    category="Losses",
    aliases=(
        "kl_div", "KLDivLoss", "KL divergence", "Kullback-Leibler divergence", "relative entropy", "rel_entr",
        "KLDivergence", "information gain", "distillation loss",
    ),
)  # fmt: skip
def kl_divergence(log_p: Array["..."], log_q: Array["..."], axis: int = -1) -> Array["..."]:
    r"""Measures how far a distribution q is from the true one p, both given by their logarithms.

    A small model that learns from a large one is trained with it, and so is a policy that must stay near an older one.
    Both arguments are logarithms of probabilities, as `log_softmax` gives them. It is 0 if the two are equal, and
    exchanging them changes it.

    Args:
        log_p: Logarithms of the true probabilities, which add up to 1 along axis.
        log_q: Logarithms of the probabilities that are compared with them; they broadcast against log_p, but
            for axis.
        axis: The axis of the outcomes, summed over; the last if it is left out.

    Returns:
        One divergence for each row, in nats, without the axis. Infinite if p allows what q does not.

    Raises:
        InputError: There is no such axis, or an entry of log_p is above 0, as no logarithm of a probability is.
        ShapeError: The shapes do not broadcast, or differ along axis.

    Formula:
        $$D(p \,\|\, q) = \sum_i p_i\,(\log p_i - \log q_i)$$

    Source:
        Kullback and Leibler, *On Information and Sufficiency* (1951), equation 2.4.
    """
    check_sizes(log_p, log_q, axis, ("log_p", "log_q"))
    check_logarithms(log_p)
    a, b = np.broadcast_arrays(log_p, log_q)
    p = np.exp(a)
    return np.sum(p * (np.where(p > 0, a, 0.0) - np.where(p > 0, b, 0.0)), axis=axis)


@kl_divergence.defvjp
def _(log_p, log_q, axis=-1):
    check_sizes(log_p, log_q, axis, ("log_p", "log_q"))
    check_logarithms(log_p)
    a, b = np.broadcast_arrays(log_p, log_q)
    p = np.exp(a)
    difference = np.where(p > 0, a, 0.0) - np.where(p > 0, b, 0.0)

    def pullback(g):
        g = np.expand_dims(g, axis)
        da, db = g * p * (difference + 1), -g * p
        return unbroadcast(da, log_p.shape), unbroadcast(db, log_q.shape), None

    return np.sum(p * difference, axis=axis), pullback


# The cosine of the angle between two vectors: 1 if they point in the same direction, 0 if they are at right angles, −1
# if they are opposite. Their lengths play no part, so x may be scaled by any positive number.
#
# It is the scalar product of the two unit vectors. A vector of zeros has no direction, and its length can't be divided
# by. So a length below eps counts as eps, and the similarity of zeros to anything is 0.
#
# That is done to the *square* of the length, before the root is taken. The slope of the root is infinite at 0, and
# would turn the gradient at a vector of zeros into NaN. The squares are taken in float64, since in float32 the square
# of 1e-30 is 0, and so is that of an eps of 1e-23.
#
# **The gradient.** Let x̂ and ŷ be the unit vectors, c = x̂ · ŷ the value and g its cotangent. Moving x along itself
# changes nothing, so the part of ŷ along x̂ is taken out, and what is left is divided by the length of x:
#
# $$\frac{\partial L}{\partial x} = g\,\frac{\hat y - c\,\hat x}{\lVert x \rVert}, \qquad
# \frac{\partial L}{\partial y} = g\,\frac{\hat x - c\,\hat y}{\lVert y \rVert}.$$
#
# Where a length counts as eps it is a constant. There x̂ is x / eps, so the gradient is g ŷ / eps, large but finite.
@builtin(
    category="Losses",
    aliases=(
        "CosineSimilarity", "cosine distance", "cosine_distance", "CosineEmbeddingLoss", "cosine", "angular similarity",
    ),
)  # fmt: skip
def cosine_similarity(x: Array["..."], y: Array["..."], axis: int = -1, *, eps: float = 1e-8) -> Array["..."]:
    r"""Measures how alike the directions of two vectors are, from -1 to 1.

    It is how one finds the text or the picture whose vector is closest in meaning to that of a question. x and y
    broadcast, and the axis of the vectors is gone in the result. Lengths play no part; a vector of zeros has the
    similarity 0 with everything.

    Args:
        x: The vectors.
        y: Those that they are compared with; they broadcast against x, but for axis.
        axis: The axis along which an array is a vector; the last if it is left out.
        eps: The smallest length that is divided by; at least 0.

    Returns:
        One cosine for each pair of vectors, without the axis; 0 where a vector is zero.

    Raises:
        ShapeError: The shapes do not broadcast, or differ along axis.
        InputError: There is no such axis, eps is negative, or it is 0 and a vector is zero.

    Formula:
        $$\begin{gathered}
        c = \frac{\sum_i x_i y_i}{\max(\lVert x \rVert, \varepsilon)\,\max(\lVert y \rVert, \varepsilon)}, \\
        \lVert x \rVert = \sqrt{\textstyle\sum_i x_i^2}
        \end{gathered}$$

        with eps as ε.

    Source:
        Salton, Wong and Yang, *A Vector Space Model for Automatic Indexing* (1975); PyTorch's `cosine_similarity`.
    """
    check_sizes(x, y, axis, ("x", "y"))
    x, y = np.broadcast_arrays(x, y)
    x_squares, y_squares = (np.sum(vectors**2, axis=axis, keepdims=True) for vectors in (x, y))
    check_eps(eps, x_squares, y_squares)
    x_hat = x / np.sqrt(np.maximum(x_squares, eps**2))
    y_hat = y / np.sqrt(np.maximum(y_squares, eps**2))
    return np.sum(x_hat * y_hat, axis=axis)


@cosine_similarity.defvjp
def _(x, y, axis=-1, *, eps=1e-8):
    shapes = x.shape, y.shape
    check_sizes(x, y, axis, ("x", "y"))
    x, y = np.broadcast_arrays(x.astype(np.float64), y.astype(np.float64))
    x_squares, y_squares = (np.sum(vectors**2, axis=axis, keepdims=True) for vectors in (x, y))
    check_eps(eps, x_squares, y_squares)
    x_length, y_length = (np.sqrt(np.maximum(squares, eps**2)) for squares in (x_squares, y_squares))
    x_hat, y_hat = x / x_length, y / y_length
    c = np.sum(x_hat * y_hat, axis=axis, keepdims=True)

    def pullback(g):
        g = np.expand_dims(g, axis)
        dx = g * (y_hat - np.where(x_length > eps, c * x_hat, 0.0)) / x_length
        dy = g * (x_hat - np.where(y_length > eps, c * y_hat, 0.0)) / y_length
        return unbroadcast(dx, shapes[0]), unbroadcast(dy, shapes[1]), None

    return np.squeeze(c, axis), pullback


def check_logarithms(log_p):
    """Refuse what can't be logarithms of probabilities, but for rounding."""
    wrong = stop_gradient(log_p) > 1e-3
    if np.any(wrong):
        raise InputError(
            f"log_p has an entry of {stop_gradient(log_p)[wrong][0]:g}, but logarithms of probabilities are at most 0; "
            "pass the logarithm of p, or log_softmax of scores"
        )


def check_sizes(x, y, axis, names):
    """Refuse arrays that would be broadcast along axis itself."""
    ndim = max(np.ndim(x), np.ndim(y))
    from_the_end = normalize_axis_index(axis, ndim) - ndim
    n, m = (np.shape(array)[from_the_end] if np.ndim(array) >= -from_the_end else 1 for array in (x, y))
    if n != m:
        raise ShapeError(f"{names[0]} has {n} entries along axis {axis} but {names[1]} has {m}; they must be equal")


def check_eps(eps, *squares):
    """Refuse an eps that is negative, or 0 where a vector is zero."""
    if not eps >= 0:
        raise InputError(f"eps must be at least 0, but is {eps:g}")
    if eps == 0 and any(np.any(one == 0) for one in squares):
        raise InputError("a vector is zero, so its length can't be divided by; pass eps > 0")
