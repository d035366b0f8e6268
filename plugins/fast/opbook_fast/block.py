"""A transformer block on some texts of a batch at a time, from one end to the other and back.

Nothing inside is checked again, and sums are added up in memory that is there already. A thread takes its share of the
batch through the whole block, so that threads are woken once and not for every product.
"""

import numpy as np
from opbook_activations import gelu, silu
from opbook_layer_norm import layer_norm

from opbook_fast import blas
from opbook_fast.heads import PackedHeads, as_rows, attended, cleared, padding_unless_finite
from opbook_fast.threads import product, share

PARTS, WORK_OF_A_PART = 4, 2**24
"""Into how many parts a batch is cut at most, and the multiplications of the forward pass that one is worth: they take
about 0.3 ms, and what Python does for a part takes 0.1 ms."""


def block(x, weights, mask=None, *, key_mask=None, causal=False, norm="post", activation="relu", eps=1e-5):
    """The rule, for calls that are right: the builtin's own says what is wrong."""
    is_key_mask_wrong = key_mask is not None and key_mask.ndim not in (1, x.ndim - 1)
    if not weights["heads"] or is_key_mask_wrong:
        return NotImplemented
    padding = padding_unless_finite(x, mask, key_mask, causal)
    x = cleared(x, padding)
    half, w = pre_norm if norm == "pre" else post_norm, weights
    first_norm, second_norm = (w["ln1_gamma"], w["ln1_beta"], eps), (w["ln2_gamma"], w["ln2_beta"], eps)
    parts = parts_of(x, w["w1"])
    matmul = product if len(parts) == 1 else np.matmul  # threads that have parts of the batch have enough to do

    def forward(part):
        masks = batch_part(mask, part, x.ndim), batch_part(key_mask, part, x.ndim - 1)

        def attention(rows):
            return attention_branch(rows, packed, w.get("bo"), *masks, causal, matmul)

        h, pull_h = half(x[part], attention, *first_norm)
        y, pull_y = half(h, lambda rows: feed_forward(rows, w, activation, matmul), *second_norm)
        return y, pull_h, pull_y

    with blas.one_thread:  # for all of it: BLAS threads that have just worked stay awake, and are in the way
        packed = PackedHeads(w["heads"])
        values, pulls_h, pulls_y = zip(*share(forward, parts), strict=True)

    def pullback(g):
        def backward(i):
            dh, of_feed_forward = pulls_y[i](g[parts[i]])
            dx, of_attention = pulls_h[i](dh)
            return dx, of_attention + of_feed_forward

        with blas.one_thread:
            dx, gradients = zip(*share(backward, range(len(parts))), strict=True)
        d_inputs, d_biases, d_outputs, dbo, dgamma1, dbeta1, *of_feed_forward = map(added, zip(*gradients, strict=True))
        dw = {"heads": packed.unpack(d_inputs, d_biases, d_outputs), "bo": dbo}
        dw |= {"ln1_gamma": dgamma1, "ln1_beta": dbeta1}
        dw |= dict(zip(("w1", "b1", "w2", "b2", "ln2_gamma", "ln2_beta"), of_feed_forward, strict=True))
        return cleared(joined(dx), padding), {name: dw[name] for name in w}, None

    return joined(values), pullback


def parts_of(x, w1):
    """Cut a batch, by its size alone.

    Args:
        x: (..., N, D) rows.
        w1: (D, F) weights.

    Returns:
        Indices into x: slices of its first axis, of about one length, or all of it. Each part has gradients of all
        weights, so there are no more parts than take as much memory as the rest.
    """
    if x.ndim < 3 or x.size == 0:
        return [...]
    n_rows, (width, inner) = x.size // x.shape[-1], w1.shape
    work = n_rows * width * (4 * width + 2 * inner)
    wanted = min(PARTS, len(x), work // WORK_OF_A_PART, n_rows // width)
    step = -(-len(x) // (1 << max(0, wanted.bit_length() - 1)))  # a power of two, to deal out among as many threads
    return [slice(start, start + step) for start in range(0, len(x), step)]


def batch_part(mask, part, ndim):
    """The mask of a part of the batch: a cut of its first axis, if that is the batch's."""
    is_shared = mask is None or mask.ndim < ndim or len(mask) == 1
    return mask if is_shared else mask[part]


def joined(parts):
    """Parts of a batch as one array."""
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def added(gradients):
    """The sum of the parts' gradients, in the memory of the first; None if they have none."""
    total, *others = gradients
    for other in others if total is not None else ():
        total += other
    return total


def post_norm(x, branch, gamma, beta, eps):
    """LN(x + f(x)).

    Args:
        x: The rows, which nobody writes into any more.
        branch: Makes f(x), in memory of its own, and a pullback to the gradients of x and a list of those of weights.
        gamma: The norm's scale.
        beta: Its offset.
        eps: Its eps.

    Returns:
        The value; a function from its cotangent to the gradients of x and of a list of weights, the norm's last.
    """
    total, pull_branch = branch(x)
    total += x
    y, pull_norm = normalized(total, gamma, beta, eps)

    def pull(g):
        ds, dgamma, dbeta = pull_norm(g)
        dx, d_weights = pull_branch(ds)
        dx += ds
        return dx, [*d_weights, dgamma, dbeta]

    return y, pull


def pre_norm(x, branch, gamma, beta, eps):
    """x + f(LN(x)), with arguments and results like those of `post_norm`."""
    normed, pull_norm = normalized(x, gamma, beta, eps)
    y, pull_branch = branch(normed)
    y += x

    def pull(g):
        d_normed, d_weights = pull_branch(g)
        dx, dgamma, dbeta = pull_norm(d_normed)
        dx += g
        return dx, [*d_weights, dgamma, dbeta]

    return y, pull


def normalized(x, gamma, beta, eps):
    """A layer norm by the rule that suits it, in the precision of x, and its pullback."""
    value, pull_norm = layer_norm.rule(x, gamma, beta, eps=eps)
    dtype = x.dtype  # all that the pullback needs to know of x, which it would keep alive

    def pull(g):
        dx, dgamma, dbeta = pull_norm(g)
        return dx.astype(dtype, copy=False), dgamma, dbeta

    return value.astype(dtype, copy=False), pull


def attention_branch(x, packed, bo, mask, key_mask, causal, matmul):
    """Attention among the rows of x; its pullback returns the gradients of x and of the heads, packed, and of bo."""
    value, pull_heads = attended(x, packed, mask, key_mask, causal, matmul)
    if bo is not None:
        value += bo

    def pull(g):
        dx, d_packed = pull_heads(g)
        return dx, [*d_packed, None if bo is None else as_rows(g).sum(axis=0)]

    return value, pull


def feed_forward(h, weights, activation, matmul):
    """φ(h @ w1 + b1) @ w2 + b2; its pullback returns the gradients of h and of w1, b1, w2 and b2."""
    rows, w1, w2 = as_rows(h), weights["w1"], weights["w2"]
    inner = matmul(rows, w1)
    inner += weights["b1"]
    active, pull_activation = activated(inner, activation)
    value = matmul(active, w2)
    value += weights["b2"]

    def pull(g):
        g = as_rows(g)
        d_inner = pull_activation(matmul(g, w2.T))
        dh = matmul(d_inner, w1.T).reshape(h.shape)
        return dh, [matmul(rows.T, d_inner), d_inner.sum(axis=0), matmul(active.T, g), g.sum(axis=0)]

    return value.reshape(h.shape), pull


def activated(z, activation):
    """An activation of z, whose memory it may take, and its pullback, which may take that of the cotangent."""
    if activation == "relu":
        return relu_in_place(z)
    op, options = {"gelu": (gelu, ()), "gelu-tanh": (gelu, ("tanh",)), "silu": (silu, ())}[activation]
    dtype, (value, pull) = z.dtype, op.rule(z, *options)
    return value.astype(dtype, copy=False), lambda g: pull(g)[0].astype(dtype, copy=False)


def relu_in_place(z):
    """Relu and its pullback, in the memory of z and of the cotangent."""
    np.maximum(z, 0, out=z)

    def pull(g):
        g *= z > 0
        return g

    return z, pull
