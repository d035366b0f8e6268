"""Attention weights and causal masks, as an opbook plugin."""

from typing import Literal

import numpy as np
from opbook_activations import softmax
from opbook_positions.windows import in_window

from opbook import Array, Family, Mask, builtin, hookimpl, unbroadcast
from opbook.errors import InputError, ShapeError


# Row i says how much of each key's value goes into the result of query i. The rows of a softmax add up to 1, so the
# result is an average of the values.
#
# Scores are divided by √D because the dot product of two vectors of D random entries has a standard deviation of √D.
# Without the division, for a large D, the softmax would give nearly all the weight to one key, with a gradient close to
# zero.
#
# A pair that is blocked gets the score −∞ *before* the softmax, so it takes no part in the sum that the weights are
# divided by. Setting weights to zero afterwards would leave rows that do not add up to 1. A query that may attend to
# nothing has nothing to average: its row is zero, and so is its gradient.
#
# All masks are combined as Booleans. As numbers that are added to the scores they are less safe: two large negative
# numbers overflow in half precision, and a blocked pair with a large score could still win.
#
# Two options shape the scores before they are masked. `softcap=c` squeezes them between −c and c, by c tanh(S / c), so
# that no key can win by more than that. `window=(left, right)` lets query i look at keys i − left to i + right only:
# left + 1 + right keys, its own among them.
#
# Padding may hold anything, but in a matrix product one NaN spoils whole rows, because 0 · NaN is NaN. So entries that
# are not finite are replaced by 0 in the products. Afterwards the scores of that query or key become NaN, and no
# others.
#
# **The gradient.** Let S be the scores, P the weights, and g = ∂L/∂P the cotangent, for some loss L. Then
#
# $$\begin{gathered}
# \mathrm dS = P \circ \bigl(g - \langle P, g\rangle_{\text{row}}\bigr), \\
# \mathrm dQ = \tfrac{1}{\sqrt D}\,\mathrm dS\,K, \qquad \mathrm dK = \tfrac{1}{\sqrt D}\,\mathrm dS^\top Q,
# \end{gathered}$$
#
# where dS is short for ∂L/∂S, and so on, ∘ multiplies entry by entry, and ⟨P, g⟩ is the sum of P ∘ g along each row. If
# `scale` is given, it stands in the place of 1/√D. dS is 0 wherever P is, so no gradient reaches a key that is blocked.
# With a softcap c, dS is also multiplied by the slope of c tanh(S / c), which is 1 − tanh²(S / c).
@builtin(
    category="Attention",
    aliases=("attention probabilities", "attention scores", "logit softcapping", "local attention"),
)
def attention_weights(
    q: Array["... Nq D"],
    k: Array["... Nk D"],
    mask: Mask["... Nq Nk"] | None = None,
    *,
    key_mask: Mask["... Nk"] | None = None,
    bias: Array["... #Nq #Nk"] | None = None,
    causal: bool = False,
    window: tuple[int, int] | None = None,
    scale: float | None = None,
    softcap: float | None = None,
) -> Array["... Nq Nk"]:
    r"""How much each query attends to each key: the softmax of the scaled dot products, row by row.

    Every row of the result belongs to a query, and adds up to 1. Dot products are divided by √D, as a sum of D
    products grows with √D, and a mask takes keys out before the softmax. A query that may attend to no key has a row
    of zeros.

    Args:
        q: The queries.
        k: The keys.
        mask: 1 where a query may attend to a key, 0 where it may not.
        key_mask: 1 for keys that may be attended to, 0 for padding, the same for every query.
        bias: Added to the scores before the softmax; an axis of length 1 is stretched, and -inf blocks.
        causal: Whether query i may attend to keys 0 to i only; needs Nq = Nk.
        window: How many keys before and after its own a query may attend to, -1 for all of them; needs Nq = Nk.
        scale: The factor of the scores, 1/√D unless given.
        softcap: Keeps the scores between -softcap and softcap, smoothly, before bias and masks; above 0.

    Returns:
        Weights between 0 and 1. Each row adds up to 1, or is 0 where the query may attend to nothing.

    Raises:
        ShapeError: q and k differ in width, a mask does not broadcast, or causal or a window with Nq ≠ Nk.
        InputError: A mask with values other than 0 and 1, a window below -1, or a softcap that is not above 0.

    Formula:
        $$\operatorname{softmax}\left(\frac{Q K^\top}{\sqrt D} + B\right)$$

        row by row, where B is the bias, or −∞ for a pair that is blocked. The factor 1/√D is what `scale` replaces.
        With `softcap=c`, scores S become c tanh(S / c) before B is added.

    Source:
        Vaswani et al., *Attention Is All You Need* (2017), section 3.2.1; the window after Beltagy et al., *Longformer*
        (2020), the softcap after Gemma Team, *Gemma 2* (2024), section 2; operator `Attention` of ONNX opset 25.
    """
    allowed = allowed_pairs(q, k, mask, key_mask, bias, causal, window)
    scores = capped(score_factor(q, scale) * pair_products(q, k), softcap)
    if bias is not None:
        scores = scores + bias
    return softmax(np.where(allowed, scores, -np.inf))


@attention_weights.defvjp
def _(q, k, mask=None, *, key_mask=None, bias=None, causal=False, window=None, scale=None, softcap=None):
    options = {"bias": bias, "causal": causal, "window": window, "scale": scale, "softcap": softcap}
    P = attention_weights.definition(q, k, mask, key_mask=key_mask, **options)
    Q, K, factor = finite(q), finite(k), score_factor(q, scale)

    def pullback(g):
        g = np.where(P == 0, 0, g)  # 0 · ∞ is NaN, and a key with the weight 0 has no part in anything
        dS = P * (g - np.sum(P * g, axis=-1, keepdims=True))
        if softcap is not None:
            dS = np.where(P == 0, 0, dS * slope_of_cap(factor * pair_products(q, k), softcap))
        dQ = factor * dS @ K
        dK = factor * np.swapaxes(dS, -1, -2) @ Q
        return unbroadcast(dQ, Q.shape), unbroadcast(dK, K.shape), None

    return P, pullback


def allowed_pairs(q, k, mask, key_mask, bias=None, causal=False, window=None):
    """Which query may attend to which key, as a Boolean array that broadcasts against the scores."""
    check_masks(q, k, key_mask, causal, window)
    allowed = np.ones((q.shape[-2], k.shape[-2]), bool)
    if mask is not None:
        allowed = allowed & mask
    if key_mask is not None:
        allowed = allowed & key_mask[..., None, :]
    if causal:
        allowed = allowed & np.tri(q.shape[-2], dtype=bool)
    if window is not None:
        places = np.arange(q.shape[-2])
        allowed = allowed & in_window(places - places[:, None], *window)
    if bias is not None:
        allowed = allowed & np.not_equal(bias, -np.inf)
    return allowed


def capped(scores, softcap):
    """The scores, squeezed between −softcap and softcap if there is one."""
    if softcap is None:
        return scores
    if not softcap > 0:
        raise InputError(f"softcap must be above 0, but is {softcap:g}; leave it out for scores as they are")
    return softcap * np.tanh(scores / softcap)


def slope_of_cap(scores, softcap):
    """How much a capped score grows with the score."""
    return 1 - np.tanh(scores / softcap) ** 2


def pair_products(q, k):
    """The dot product of each query with each key; NaN for a query or a key that is not finite, and only for those."""
    is_finite = np.isfinite(q).all(axis=-1)[..., :, None] & np.isfinite(k).all(axis=-1)[..., None, :]
    with np.errstate(over="ignore", invalid="ignore"):  # large numbers in a blocked slot
        return np.where(is_finite, finite(q) @ np.swapaxes(finite(k), -1, -2), np.nan)


def finite(x):
    """x with 0 in the place of what is not finite."""
    return np.where(np.isfinite(x), x, 0)


def score_factor(q, scale):
    """What the scores are multiplied by: 1/√D, unless it is given."""
    if scale is not None:
        return scale
    if q.shape[-1] == 0:
        raise InputError("q and k have 0 columns, so 1 / sqrt(D) is not defined; pass scale=")
    return q.shape[-1] ** -0.5


def check_masks(q, k, key_mask, causal, window=None):
    """Refuse a key_mask, `causal` or a window whose meaning would have to be guessed."""
    n_queries, n_keys, batch_ndim = q.shape[-2], k.shape[-2], max(q.ndim, k.ndim) - 2
    if key_mask is not None and key_mask.ndim not in (1, batch_ndim + 1):
        batches = f" or {batch_ndim + 1} (one for each batch axis, which may be 1, and the keys)" if batch_ndim else ""
        raise ShapeError(
            f"key_mask has {key_mask.ndim} axes, but must have 1 (the keys){batches}, so that no axis has to be guessed"
        )
    if causal and n_queries != n_keys:
        raise ShapeError(
            f"causal=True needs as many queries as keys, but there are {n_queries} and {n_keys}; pass "
            f'mask=causal_mask({n_queries}, {n_keys}, align="lower-right") if the last query sees all keys (cached '
            'keys), or align="upper-left" if the first query sees the first key only'
        )
    if window is not None and min(window) < -1:
        raise InputError(f"window must be two counts of keys, before and after, or -1 for no limit, but is {window}")
    if window is not None and n_queries != n_keys:
        raise ShapeError(
            f"window={window} needs as many queries as keys, but there are {n_queries} and {n_keys}; pass a mask "
            "instead, as only you know which key is a query's own"
        )


# "Causal" means that no position may look at a later one. With as many queries as keys that is the lower triangle. With
# different numbers there are two readings in use, and they differ silently:
#
# - `align="lower-right"`: the last query sees all keys. This is what decoding with cached keys needs, where the queries
#   are the last positions of the sequence.
# - `align="upper-left"`: the first query sees the first key only, as if both counted from the same start.
#
# The sizes do not tell which one is meant, so the caller must say it.
@builtin(
    category="Attention",
    aliases=(
        "mask",
        "triangular mask",
        "attention mask",
        "look-ahead mask",
        "tril",
        "Trilu",
        "generate_square_subsequent_mask",
        "is_causal",
        "use_causal_mask",
        "make_causal_mask",
    ),
)
def causal_mask(
    n_queries: int,
    n_keys: int | None = None,
    *,
    align: Literal["lower-right", "upper-left"] | None = None,
) -> Mask["Nq Nk"]:
    r"""A mask that lets no query attend to a later position.

    A model that predicts the next token must not see it, so each position attends to itself and to earlier ones only.
    The result has Nq rows and Nk columns, and is passed as the `mask` of attention. For a whole sequence it is the
    lower triangle. With fewer queries than keys, as in decoding with a cache, libraries disagree on where the triangle
    lies, so `align` has no default there.

    Args:
        n_queries: The number of queries, Nq, at least 0.
        n_keys: The number of keys, Nk; as many as queries unless given.
        align: Which corner of the mask the diagonal runs through; needed only where Nq ≠ Nk.

    Returns:
        A Boolean array, true where query i may attend to key j.

    Raises:
        InputError: A negative number, more than 10⁸ entries, or different numbers without align.

    Formula:
        $$m_{ij} = \begin{cases} 1 & j \le i + \Delta \\ 0 & \text{otherwise} \end{cases}$$

        with Δ = Nk − Nq for "lower-right" and Δ = 0 for "upper-left".

    Source:
        Vaswani et al., *Attention Is All You Need* (2017), section 3.2.3.
    """
    n_keys = n_queries if n_keys is None else n_keys
    if n_queries < 0 or n_keys < 0:
        raise InputError(f"causal_mask: sizes must be at least 0, but are {n_queries} and {n_keys}")
    if n_queries * n_keys > 10**8:
        raise InputError(f"causal_mask: {n_queries} × {n_keys} is more than 10⁸ entries")
    if align is None and n_queries != n_keys:
        raise InputError(
            f"causal_mask: with {n_queries} queries and {n_keys} keys, say which corner the diagonal runs through: "
            'align="lower-right" (the last query sees all keys) or align="upper-left" (the first sees one key)'
        )
    return np.tri(n_queries, n_keys, n_keys - n_queries if align == "lower-right" else 0, dtype=bool)


@hookimpl
def opbook_builtins():
    """Add attention_weights and causal_mask."""
    return [attention_weights, causal_mask]


@hookimpl
def opbook_families():
    """Say what the category has in common."""
    return [Family("Attention", "family.md")]
