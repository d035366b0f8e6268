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
    with blas.one_thread:
        packed = PackedHeads(heads)
        value, pull = attended(cleared(x, padding), packed, mask, key_mask, causal)

    def pullback(g):
        with blas.one_thread:
            dx, d_packed = pull(g)
        return cleared(dx, padding), packed.unpack(*d_packed), None, None, bias_gradient(g, bo)

    return plus(value, bo), pullback


def attended(x, packed, mask, key_mask, causal, matmul=product):
    """What rows take from one another through all heads.

    Args:
        x: (..., N, D) rows, which nobody writes into any more.
        packed: The heads' weights.
        mask: Which row may attend to which.
        key_mask: Which rows may be attended to.
        causal: Whether a row may only attend to rows up to its own.
        matmul: Multiplies two matrices.

    Returns:
        An array of x's shape that is the caller's; a function from its cotangent to the gradient of x and a list of
        those of the packed inputs, biases and outputs.
    """
    # all heads have the same mask; a batch axis of it stays where it was, before that of the heads
    mask = mask if mask is None or mask.ndim < 3 else np.expand_dims(mask, -3)
    key_mask = key_mask if key_mask is None or key_mask.ndim < 2 else np.expand_dims(key_mask, -2)
    rows, shape = as_rows(x), (*x.shape[:-1], 3, packed.n_heads, packed.width)
    projected = matmul(rows, packed.inputs)
    if packed.biases is not None:
        projected += packed.biases
    answers = np.empty((*x.shape[:-1], packed.n_heads, packed.width), x.dtype)
    _, pull_attention = attend(
        *by_head(projected.reshape(shape)),
        mask, key_mask=key_mask, causal=causal, scale=1.0, out=np.swapaxes(answers, -3, -2),
    )  # fmt: skip
    answers = as_rows(answers, 2)

    def pull(g):
        g = as_rows(g)
        d_answers = matmul(g, packed.outputs.T).reshape(*shape[:-3], packed.n_heads, packed.width)
        d_split = np.empty(shape, g.dtype)
        pull_attention(np.swapaxes(d_answers, -3, -2), out=by_head(d_split))
        d_split = as_rows(d_split, 3)
        dx = matmul(d_split, packed.inputs.T).reshape(x.shape)
        d_biases = None if packed.biases is None else d_split.sum(axis=0)
        return dx, [matmul(rows.T, d_split), d_biases, matmul(answers.T, g)]

    return matmul(answers, packed.outputs).reshape(x.shape), pull


def by_head(split):
    """The queries, keys and values in an array of shape (..., N, 3, heads, width), each as (..., heads, N, width)."""
    return np.moveaxis(split, (-3, -2), (0, -3))


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
        n_heads: How many heads there are.
        width: How wide every head is here.
        inputs: (D, 3 · heads · width) array: what x is multiplied by.
        biases: (3 · heads · width,) array: what is added to that; None if no head has a bias.
        outputs: (heads · width, D) array: what the heads' answers are multiplied by.
    """

    def __init__(self, heads):
        self._kind = type(heads)
        self._fields = [(list(head), head["wq"].shape[1]) for head in heads]
        self.n_heads, self.width = len(heads), max(width for _, width in self._fields)
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
        d_inputs = d_inputs.reshape(len(d_inputs), 3, self.n_heads, self.width)
        d_outputs = d_outputs.reshape(self.n_heads, self.width, d_outputs.shape[1])
        d_inputs[:, 0] *= self._scales
        if d_biases is not None:
            d_biases = d_biases.reshape(3, self.n_heads, self.width)
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
