"""Multi-head self-attention, as an opbook plugin."""

from math import prod
from typing import TypedDict

import numpy as np
from opbook_attention_weights.pairs import allowed_pairs, score_scale
from opbook_scaled_dot_product_attention import attend, scaled_dot_product_attention

from opbook import Array, Mask, builtin, hookimpl, workers
from opbook.errors import ArgumentError


class Head(TypedDict):
    """One head's projections. D is the width of x; Dh, the width of the head, may differ from head to head."""

    wq: Array["D Dh"]
    wk: Array["D Dh"]
    wv: Array["D Dh"]
    wo: Array["Dh D"]


# Each head looks at the same rows through projections of its own, so each can attend to something else; what they find
# is added up.
#
# Textbooks put the heads' answers side by side and multiply by one tall matrix. Cut into blocks, that is the same sum:
#
# $$[A_1\; A_2]\begin{bmatrix} B_1 \\ B_2 \end{bmatrix} = A_1 B_1 + A_2 B_2,$$
#
# so giving every head its own `wo`, the block of rows that its answer meets, needs no concatenation, and shows that
# heads do not interact within a layer at all.
#
# Queries, keys and values are all projections of x: this is self-attention. `n_heads` repeats the number of records;
# it is there so that a list that lost a head on its way is noticed rather than computed with.
#
# **The gradient.** Every head sends gradients to its own four matrices, and to x on three ways, as query, as key and as
# value. x is shared by all heads, so all of these are added up.
@builtin(category="Statistics & ML", aliases=("mha", "self-attention", "multihead attention"))
def multi_head_attention(
    x: Array["... N D"],
    heads: tuple[Head, ...],
    n_heads: int,
    mask: Mask["... N N"] | None = None,
    *,
    key_mask: Mask["... N"] | None = None,
    causal: bool = False,
) -> Array["... N D"]:
    r"""Runs several attention heads over the rows of x, each through its own projections, and adds up their answers.

    Args:
        x: The rows that attend to one another.
        heads: A record for each head: wq, wk and wv project x to queries, keys and values, wo projects the answer back.
        n_heads: The number of records in heads, at least 1.
        mask: 1 where a row may attend to another, 0 where it may not; the same for every head.
        key_mask: 1 for rows that may be attended to, 0 for padding, which may hold anything: where it is not finite it
            counts as 0.
        causal: Whether row i may attend to rows 0 to i only.

    Returns:
        An array of x's shape and dtype.

    Raises:
        ArgumentError: n_heads is not the number of records, or a record lacks a field or has one too many.
        ShapeError: A projection that does not fit x, or a mask that does not broadcast.

    Formula:
        $$\sum_{h=1}^{n} \operatorname{Attention}\left(X W^Q_h,\; X W^K_h,\; X W^V_h\right) W^O_h$$

        with wq, wk, wv and wo of head h as its four matrices.

    Source:
        Vaswani et al., *Attention Is All You Need* (2017), section 3.2.2.
    """
    _check_heads(heads, n_heads)
    x = cleared(x, padding_in(x, mask, key_mask, causal))
    answers = [
        scaled_dot_product_attention(
            x @ head["wq"], x @ head["wk"], x @ head["wv"], mask, key_mask=key_mask, causal=causal
        )
        @ head["wo"]
        for head in heads
    ]
    return sum(answers[1:], start=answers[0])


@multi_head_attention.defvjp
def _(x, heads, n_heads, mask=None, *, key_mask=None, causal=False):
    _check_heads(heads, n_heads)
    padding = padding_in(x, mask, key_mask, causal)
    rows = as_rows(cleared(x, padding)).copy()
    # all heads have the same mask; a batch axis of it stays where it was, before that of the heads
    mask = mask if mask is None or mask.ndim < 3 else np.expand_dims(mask, -3)
    key_mask = key_mask if key_mask is None or key_mask.ndim < 2 else np.expand_dims(key_mask, -2)
    with workers.hold_blas():
        packed = PackedHeads(heads)
        shape = (*x.shape[:-1], 3, n_heads, packed.width)
        q, k, v = np.moveaxis(workers.product(rows, packed.inputs).reshape(shape), (-3, -2), (0, -3))
        answers, pull_attention = attend(q, k, v, mask, key_mask=key_mask, causal=causal, scale=1.0)
        answers = as_rows(np.swapaxes(answers, -3, -2), 2)
        value = workers.product(answers, packed.outputs).reshape(x.shape)

    def pullback(g):
        g = as_rows(g)
        with workers.hold_blas():
            d_answers = workers.product(g, packed.outputs.T).reshape(*shape[:-3], n_heads, packed.width)
            d_split = np.empty(shape, g.dtype)
            for i, part in enumerate(pull_attention(np.swapaxes(d_answers, -3, -2))):
                d_split[..., i, :, :] = np.swapaxes(part, -3, -2)
            d_split = as_rows(d_split, 3)
            dx = workers.product(d_split, packed.inputs.T).reshape(x.shape)
            d_heads = packed.unpack(workers.product(rows.T, d_split), workers.product(answers.T, g))
        return cleared(dx, padding), d_heads, None, None  # what was cleared has no part in the value

    return value, pullback


SHARED_FROM = 2**20
"""Copying so many weights takes 1 ms; for fewer, waking a thread takes as long as it saves."""


class PackedHeads:
    """The weights of all heads side by side, so that one product serves all of them.

    Heads of different widths are filled up with zeros, which add nothing to any product. The factor of the scores,
    1/√Dh, goes into the queries' weights: numbers that have to be copied anyway.

    Args:
        heads: The records.
    """

    def __init__(self, heads):
        self._kind = type(heads)
        self._fields = [(list(head), head["wq"].shape[1]) for head in heads]
        self.width = max(width for _, width in self._fields)
        d, dtype = heads[0]["wq"].shape[0], heads[0]["wq"].dtype
        make = np.empty if all(width == self.width for _, width in self._fields) else np.zeros
        inputs, outputs = make((d, 3, len(heads), self.width), dtype), make((len(heads), self.width, d), dtype)

        def pack(cut):
            for h in range(cut.start, cut.stop):
                for i, name in enumerate(("wq", "wk", "wv")):
                    inputs[:, i, h, : self._fields[h][1]] = heads[h][name]
                outputs[h, : self._fields[h][1]] = heads[h]["wo"]

        workers.share(pack, workers.cuts(len(heads), workers.count() if inputs.size >= SHARED_FROM else 1))
        self._scales = np.array([[score_scale(width, None)] for _, width in self._fields], dtype)
        inputs[:, 0] *= self._scales
        self.inputs, self.outputs = as_rows(inputs, 3), outputs.reshape(len(heads) * self.width, d)

    def unpack(self, d_inputs, d_outputs):
        """Take gradients apart.

        Args:
            d_inputs: The gradient of `inputs`.
            d_outputs: The gradient of `outputs`.

        Returns:
            Records, and a tuple or list of them, built as the heads are.
        """
        n_heads = len(self._fields)
        d_inputs = d_inputs.reshape(len(d_inputs), 3, n_heads, self.width)
        d_outputs = d_outputs.reshape(n_heads, self.width, d_outputs.shape[1])
        d_inputs[:, 0] *= self._scales
        found = []
        for h, (names, width) in enumerate(self._fields):
            by_name = {name: d_inputs[:, i, h, :width] for i, name in enumerate(("wq", "wk", "wv"))}
            by_name["wo"] = d_outputs[h, :width]
            found.append({name: by_name[name] for name in names})
        return self._kind(found)


def as_rows(x, axes=1):
    """All rows of a batch below one another.

    Args:
        x: (..., N, D) array, or one whose rows have several axes.
        axes: How many axes a row has.

    Returns:
        (M, D) array; the counts are spelled out, as -1 stands for nothing in an empty array.
    """
    split = x.ndim - axes
    return x.reshape(prod(x.shape[:split]), prod(x.shape[split:]))


def _check_heads(heads, n_heads):
    if len(heads) != n_heads:
        raise ArgumentError(
            f"multi_head_attention: n_heads is {n_heads} but heads has {len(heads)} records; they must agree"
        )
    if n_heads < 1:
        raise ArgumentError("multi_head_attention: n_heads must be at least 1, but is 0")


def padding_in(x, mask, key_mask, causal):
    """Find what is not finite in rows that nobody may attend to.

    Such rows are padding, and may hold anything. They do come in as queries, so a NaN would get into the products that
    make the gradients of the weights, which all rows share.

    Returns:
        A Boolean array of x's shape; None if there is no such entry.
    """
    if np.isfinite(x).all():
        return None
    n = x.shape[-2]
    allowed = allowed_pairs(n, n, x.ndim - 2, mask, key_mask, None, causal)
    if allowed is None:
        return None
    attended = np.broadcast_to(allowed, (*x.shape[:-2], n, n)).any(axis=-2)
    return ~(attended[..., None] | np.isfinite(x))


def cleared(x, padding):
    """Put 0 for what `padding_in` found: in the rows, and in their gradient."""
    return x if padding is None else np.where(padding, 0, x)


@hookimpl
def opbook_builtins():
    """Add multi_head_attention."""
    return [multi_head_attention]


@hookimpl
def opbook_guides():
    """Bring along a guide to what heads and masks do."""
    return ["guides/what-a-head-looks-at.md"]
