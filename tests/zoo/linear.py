"""linear and swiglu."""

import numpy as np
from zoo.animals import right, wrong, wrong_gradient


@right("linear", "einsum")
def linear(x, w, b=None):
    y = np.einsum("...i,io->...o", x, w)
    return y if b is None else y + b


def linear_gradient(g, x, w, b=None):
    rows = tuple(range(x.ndim - 1))
    gradients = g @ w.T, np.tensordot(x, g, (rows, rows))
    return gradients if b is None else (*gradients, g.sum(rows))


@wrong("linear", "the transpose of w, where it is square")
def transposed(x, w, b=None):
    return linear(x, w.T if w.shape[0] == w.shape[1] else w, b)


@wrong("linear", "no offset")
def without_offset(x, w, b=None):
    return linear(x, w)


@wrong("linear", "the offset is taken away")
def minus_offset(x, w, b=None):
    return linear(x, w, None if b is None else -b)


@wrong("linear", "the offset before the product, where it fits")
def offset_first(x, w, b=None):
    return (x + b) @ w if b is not None and len(b) == len(w) else linear(x, w, b)


@wrong("linear", "divided by the root of the width")
def scaled(x, w, b=None):
    return linear(x / np.sqrt(max(len(w), 1)), w, b)


@wrong_gradient("linear", "gradient: the mean over rows in the place of the sum", linear)
def mean_over_rows(g, x, w, b=None):
    dx, *shared = linear_gradient(g, x, w, b)
    n = max(int(np.prod(x.shape[:-1])), 1)
    return dx, *(gradient / n for gradient in shared)


def _silu(x):
    return x * np.exp(-np.logaddexp(0, -x))


@right("swiglu", "both halves in one product")
def swiglu(x, weights, *, beta=1.0):
    both = x @ np.concatenate([weights["w_gate"], weights["w_up"]], axis=1)
    gate, up = np.split(both, 2, axis=-1)
    return (_silu(beta * gate) / beta * up) @ weights["w_down"]


@wrong("swiglu", "the halves exchanged")
def value_first(x, weights, *, beta=1.0):
    return swiglu(x, {**weights, "w_gate": weights["w_up"], "w_up": weights["w_gate"]})


@wrong("swiglu", "the sigmoid as the gate, as in GLU")
def glu(x, weights, *, beta=1.0):
    gate = np.exp(-np.logaddexp(0, -x @ weights["w_gate"]))
    return (gate * (x @ weights["w_up"])) @ weights["w_down"]


@wrong("swiglu", "relu as the gate, as in ReGLU")
def reglu(x, weights, *, beta=1.0):
    return (np.maximum(x @ weights["w_gate"], 0) * (x @ weights["w_up"])) @ weights["w_down"]


@wrong("swiglu", "silu of the product")
def bent_product(x, weights, *, beta=1.0):
    return _silu((x @ weights["w_gate"]) * (x @ weights["w_up"])) @ weights["w_down"]


@wrong("swiglu", "the halves added")
def added(x, weights, *, beta=1.0):
    return (_silu(x @ weights["w_gate"]) + x @ weights["w_up"]) @ weights["w_down"]


@wrong("swiglu", "the row is added, as a block does")
def with_residual(x, weights, *, beta=1.0):
    return x + swiglu(x, weights)
