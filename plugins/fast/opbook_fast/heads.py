"""Multi-head attention with the weights of all heads side by side, so that one product serves all of them."""

from math import prod, sqrt

import numpy as np
from opbook_multi_head_attention.heads import bias_gradient, padding_in, plus

from opbook_fast import blas
from opbook_fast.attention import attend
from opbook_fast.threads import cuts, product, share

INPUTS = (("wq", "bq"), ("wk", "bk"), ("wv", "bv"))

WEIGHTS_OF_A_PART = 2**19
"""Copying so many weights takes 0.5 ms; for fewer, waking a thread takes as long as it saves."""


def packed_heads(x, heads, n_heads, mask=None, bo=None, *, key_mask=None, causal=False):
    """The rule, for calls that are right: the builtin's own says what is wrong."""
    is_key_mask_wrong = key_mask is not None and key_mask.ndim not in (1, x.ndim - 1)
    if len(heads) != n_heads or n_heads < 1 or is_key_mask_wrong:
        return NotImplemented
    padding = padding_unless_finite(x, mask, key_mask, causal)
    rows = as_rows(cleared(x, padding))
    # all heads have the same mask; a batch axis of it stays where it was, before that of the heads
    mask = mask if mask is None or mask.ndim < 3 else np.expand_dims(mask, -3)
    key_mask = key_mask if key_mask is None or key_mask.ndim < 2 else np.expand_dims(key_mask, -2)
    with blas.one_thread:
        packed = PackedHeads(heads)
        shape = (*x.shape[:-1], 3, n_heads, packed.width)
        projected = plus(product(rows, packed.inputs), packed.biases)
        q, k, v = np.moveaxis(projected.reshape(shape), (-3, -2), (0, -3))
        answers, pull_attention = attend(q, k, v, mask, key_mask=key_mask, causal=causal, scale=1.0)
        answers = as_rows(np.swapaxes(answers, -3, -2), 2)
        value = plus(product(answers, packed.outputs).reshape(x.shape), bo)

    def pullback(g):
        dbo, g = bias_gradient(g, bo), as_rows(g)
        with blas.one_thread:
            d_answers = product(g, packed.outputs.T).reshape(*shape[:-3], n_heads, packed.width)
            d_split = np.empty(shape, g.dtype)
            for i, part in enumerate(pull_attention(np.swapaxes(d_answers, -3, -2))):
                d_split[..., i, :, :] = np.swapaxes(part, -3, -2)
            d_split = as_rows(d_split, 3)
            dx = product(d_split, packed.inputs.T).reshape(x.shape)
            d_biases = None if packed.biases is None else d_split.sum(axis=0)
            d_heads = packed.unpack(product(rows.T, d_split), d_biases, product(answers.T, g))
        return cleared(dx, padding), d_heads, None, None, dbo

    return value, pullback


def padding_unless_finite(x, mask, key_mask, causal):
    """Find what is not finite in padding, as `padding_in` does, which takes a while.

    Args:
        x: (..., N, D) rows.
        mask: Which row may attend to which.
        key_mask: Which rows may be attended to.
        causal: Whether a row may only attend to rows up to its own.

    Returns:
        A Boolean array of x's shape; None if all of x is finite.
    """
    return None if np.isfinite(x).all() else padding_in(x, mask, key_mask, causal)


def cleared(x, padding):
    """Put 0 for what `padding_unless_finite` found: in the rows, and in their gradient."""
    return x if padding is None else np.where(padding, 0, x)


class PackedHeads:
    """The weights of all heads.

    Heads of different widths are filled up with zeros, which add nothing to any product. The factor of the scores,
    1/√Dh, goes into the queries' weights and biases: numbers that have to be copied anyway.

    Args:
        heads: The records.

    Attributes:
        width: How wide every head is here.
        inputs: (D, 3 · heads · width) array: what x is multiplied by.
        biases: (3 · heads · width,) array: what is added to that; None if no head has a bias.
        outputs: (heads · width, D) array: what the heads' answers are multiplied by.
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
                for i, (name, _) in enumerate(INPUTS):
                    inputs[:, i, h, : self._fields[h][1]] = heads[h][name]
                outputs[h, : self._fields[h][1]] = heads[h]["wo"]

        share(pack, cuts(len(heads), inputs.size // WEIGHTS_OF_A_PART))
        self._scales = np.array([[1 / sqrt(width) if width else 0] for _, width in self._fields], dtype)
        inputs[:, 0] *= self._scales
        self.inputs, self.outputs = as_rows(inputs, 3), outputs.reshape(len(heads) * self.width, d)
        self.biases = self._packed_biases(heads, dtype)

    def _packed_biases(self, heads, dtype):
        if not any(bias in head for head in heads for _, bias in INPUTS):
            return None
        biases = np.zeros((3, len(heads), self.width), dtype)
        for h, head in enumerate(heads):
            for i, (_, bias) in enumerate(INPUTS):
                biases[i, h, : self._fields[h][1]] = head.get(bias, 0)
        biases[0] *= self._scales
        return biases.reshape(biases.size)

    def unpack(self, d_inputs, d_biases, d_outputs):
        """Take gradients apart.

        Args:
            d_inputs: The gradient of `inputs`.
            d_biases: The gradient of `biases`, or None.
            d_outputs: The gradient of `outputs`.

        Returns:
            Records, and a tuple or list of them, built as the heads are.
        """
        n_heads = len(self._fields)
        d_inputs = d_inputs.reshape(len(d_inputs), 3, n_heads, self.width)
        d_outputs = d_outputs.reshape(n_heads, self.width, d_outputs.shape[1])
        d_inputs[:, 0] *= self._scales
        if d_biases is not None:
            d_biases = d_biases.reshape(3, n_heads, self.width)
            d_biases[0] *= self._scales
            d_biases[1] = 0  # any bias of the keys gives the same answer
        found = []
        for h, (names, width) in enumerate(self._fields):
            by_name = {"wo": d_outputs[h, :width]}
            for i, (matrix, bias) in enumerate(INPUTS):
                by_name[matrix] = d_inputs[:, i, h, :width]
                if bias in names:
                    by_name[bias] = d_biases[i, h, :width]
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
