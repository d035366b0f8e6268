"""Sliding windows: sliding_window_mask."""

from typing import Literal

import numpy as np

from opbook import Mask, builtin
from opbook.errors import InputError


# With a window, a query looks at the keys near its own only, so that the work grows with the length of a text, and not
# with its square. What is further away comes in through the layers before, each of which reaches one window further.
#
# Does "a window of w" hold w keys or w + 1? Libraries differ, so there are two counts here, and neither includes the
# query's own key: `left` keys before it and `right` after it. Together these are left + 1 + right keys. Mistral's
# `sliding_window=w` holds w keys with the query's own: `left = w - 1`. FlashAttention's `window_size=(left, right)`
# counts as it is done here, and so does ONNX. −1 is no limit on that side, so `left = -1, right = 0` is a causal mask.
#
# With different numbers of queries and keys, `align` must say which key is a query's own, as for `causal_mask`.
#
# **The gradient.** There is none: the mask is made from whole numbers.
@builtin(
    category="Positions",
    aliases=(
        "sliding window attention",
        "local attention",
        "window_size",
        "local_window_size",
        "sliding_window",
        "banded mask",
        "Longformer",
        "left_window_size",
    ),
)
def sliding_window_mask(
    n_queries: int,
    n_keys: int | None = None,
    *,
    left: int,
    right: int = 0,
    align: Literal["lower-right", "upper-left"] | None = None,
) -> Mask["Nq Nk"]:
    r"""A mask that lets each query attend to the keys near its own only.

    With it the work of attention grows with the length of a text, and not with its square. The result has Nq rows and
    Nk columns, and is passed as the `mask` of attention. A query's own key is always allowed and is not counted, so
    `left=2` lets it attend to 3 keys; some libraries would call that a window of 3. For no limit on a side, write -1.

    Args:
        n_queries: The number of queries, Nq, at least 0.
        n_keys: The number of keys, Nk; as many as queries unless given.
        left: How many keys before its own a query may attend to, -1 for all of them.
        right: How many keys after its own a query may attend to, -1 for all of them.
        align: Whether the last query stands at the last key, or the first at the first; needed only where Nq ≠ Nk.

    Returns:
        A Boolean array, true where query i may attend to key j.

    Raises:
        InputError: A count below -1, a negative number, more than 10⁸ entries, or different numbers without align.

    Formula:
        $$m_{ij} = \begin{cases} 1 & -\text{left} \le j - (i + \Delta) \le \text{right} \\ 0 & \text{otherwise}
        \end{cases}$$

        with Δ = Nk − Nq for "lower-right" and Δ = 0 for "upper-left"; a side of −1 has no bound.

    Source:
        Beltagy, Peters and Cohan, *Longformer: The Long-Document Transformer* (2020), section 3.1; operator
        `Attention` of ONNX opset 25.
    """
    if left < -1 or right < -1:
        raise InputError(f"left and right must be counts of keys, or -1 for no limit, but are {left} and {right}")
    away = distances("sliding_window_mask", n_queries, n_keys, align)
    return in_window(away, left, right)


def in_window(away, left, right):
    """Which keys, given how far after a query each stands, are in its window; -1 is no limit on that side."""
    return ((left < 0) | (away >= -left)) & ((right < 0) | (away <= right))


def distances(name, n_queries, n_keys, align, times=1):
    """How far key j stands after query i, as a matrix of whole numbers; refused where that would have to be guessed."""
    n_keys = n_queries if n_keys is None else n_keys
    if n_queries < 0 or n_keys < 0:
        raise InputError(f"{name}: sizes must be at least 0, but are {n_queries} and {n_keys}")
    if times * n_queries * n_keys > 10**8:
        what = f"{times} × {n_queries} × {n_keys}" if times > 1 else f"{n_queries} × {n_keys}"
        raise InputError(f"{name}: {what} is more than 10⁸ entries")
    if align is None and n_queries != n_keys:
        raise InputError(
            f"{name}: with {n_queries} queries and {n_keys} keys, say where the queries stand: "
            'align="lower-right" (the last query at the last key) or align="upper-left" (the first at the first)'
        )
    offset = n_keys - n_queries if align == "lower-right" else 0
    return np.arange(n_keys) - np.arange(n_queries)[:, None] - offset
