"""Linear layers, and the gated feed-forward network that is made of them, as an opbook plugin."""

from typing import TypedDict

import numpy as np
from opbook_activations import silu

from opbook import Array, builtin, hookimpl, vjp


# Every row of x is multiplied by the matrix w, and b is added to it: entry j of the result is a weighted sum of the
# entries of the row, with the weights in column j of w. All rows are treated alike, whatever batch axes there are.
#
# Here w has a row for each input and a column for each output, so that it stands on the right as in `x @ w`. PyTorch
# stores the transpose of it, with a row for each output. If w is square, nothing tells the two apart but the result.
#
# **The gradient.** Let g be the cotangent, the gradient of some number L by y. An input is used once for each output,
# with the weight w, and a weight once for each row, with the input x. So
#
# $$\frac{\partial L}{\partial x} = g\,w^\top, \qquad \frac{\partial L}{\partial w} = \sum_{\text{rows}} x^\top g,
# \qquad \frac{\partial L}{\partial b} = \sum_{\text{rows}} g.$$
#
# The shapes leave no other choice: of x, w and g, only these products fit together.
@builtin(
    category="Arrays",
    aliases=("Linear", "Dense", "dense layer", "fully connected layer", "affine", "Gemm", "addmm", "MatMul"),
)
def linear(x: Array["... Din"], w: Array["Din Dout"], b: Array["Dout"] | None = None) -> Array["... Dout"]:
    r"""Multiplies every row of x by a matrix, and adds an offset.

    It is what a network learns with: every projection of attention, every layer of a feed-forward network and every
    classifier is one. A row of Din entries becomes a row of Dout.

    Args:
        x: The rows.
        w: The weights, with a row for each entry of x's rows and a column for each entry of the result's.
        b: An offset for each column of the result; none if it is left out.

    Returns:
        An array with x's batch axes, and rows as long as w has columns.

    Raises:
        ShapeError: w has not a row for each column of x, or b not an entry for each column of w.

    Formula:
        $$y_j = \sum_i x_i\,w_{ij} + b_j$$

        for each row x, or y = x w + b.

    Source:
        Operator `Gemm` of ONNX opset 13.
    """
    y = x @ w
    return y if b is None else y + b


@linear.defvjp
def _(x, w, b=None):
    y = x @ w
    rows = tuple(range(x.ndim - 1))  # all axes but the last

    def pullback(g):
        return g @ w.T, np.tensordot(x, g, axes=(rows, rows)), None if b is None else g.sum(axis=rows)

    return y if b is None else y + b, pullback


class GatedWeights(TypedDict):
    """The matrices of a gated feed-forward network. D is the width of x, H the width inside."""

    w_gate: Array["D H"]
    w_up: Array["D H"]
    w_down: Array["H D"]


# In an ordinary feed-forward network a row is made wider, bent by an activation, and made narrow again. Here it is made
# wider twice. One of the two, u = x w_up, is not bent at all: it is multiplied, entry by entry, by `silu` of the other,
# a = x w_gate. So the network can switch its own entries on and off. The blocks of Llama, Mistral and Gemma have such a
# network; its H is often 8/3 of D, as three matrices of that width are as large as two of the usual 4 D.
#
# Which half goes through `silu` is the classic mistake. Many libraries keep both matrices in one, and some put the gate
# first, others last: with the halves swapped, nothing fails but the model. Here the fields have names.
#
# **The gradient.** Write a = x w_gate, u = x w_up, z = silu(a) ∘ u and y = z w_down, where ∘ multiplies entry by entry.
# Let g be the cotangent, the gradient of some number L by y, and silu* the pullback of silu. The last product sends
# back dz = g w_downᵀ, and by the product rule each factor of z gets dz times the other:
#
# $$\mathrm da = \operatorname{silu}^*(\mathrm dz \circ u), \qquad
# \mathrm du = \mathrm dz \circ \operatorname{silu}(a).$$
#
# From there, with sums over all rows,
#
# $$\begin{gathered}
# \mathrm dw_{gate} = \textstyle\sum x^\top \mathrm da, \qquad \mathrm dw_{up} = \sum x^\top \mathrm du, \qquad
# \mathrm dw_{down} = \sum z^\top g, \\
# \mathrm dx = \mathrm da\,w_{gate}^\top + \mathrm du\,w_{up}^\top.
# \end{gathered}$$
@builtin(
    category="Elementwise & activations",
    aliases=(
        "SwiGLU",
        "gated linear unit",
        "GLU",
        "SiLU and mul",
        "Llama MLP",
        "gated feed-forward network",
        "LlamaMLP",
        "GEGLU",
    ),
)
def swiglu(x: Array["... D"], weights: GatedWeights, *, beta: float = 1.0) -> Array["... D"]:
    r"""Runs a feed-forward network in which one half, bent by silu, gates the other.

    It is the second half of a transformer block in Llama and its relatives. Each row is worked on by itself: it is made
    wider, gated, and brought back to its width.

    Args:
        x: The rows.
        weights: The three matrices: `w_gate` goes through silu, `w_up` does not, `w_down` leads back.
        beta: How fast the gate opens, as in `silu`.

    Returns:
        An array of x's shape.

    Raises:
        ShapeError: The matrices do not fit x or one another.

    Formula:
        $$y = \bigl(\operatorname{silu}(x\,W_{gate}) \circ (x\,W_{up})\bigr)\,W_{down}$$

    Source:
        Shazeer, *GLU Variants Improve Transformer* (2020), equation 6; the part between the products is operator
        `SwiGLU` of ONNX opset 28, whose first input is the gate.
    """
    return (silu(x @ weights["w_gate"], beta=beta) * (x @ weights["w_up"])) @ weights["w_down"]


@swiglu.defvjp
def _(x, weights, *, beta=1.0):
    w_gate, w_up, w_down = (weights[name] for name in ("w_gate", "w_up", "w_down"))
    gate, of_silu = vjp(silu, x @ w_gate, beta=beta)
    u, rows = x @ w_up, tuple(range(x.ndim - 1))
    z = gate * u

    def over_rows(left, right):
        return np.tensordot(left, right, axes=(rows, rows))

    def pullback(g):
        dz = g @ w_down.T
        (da,), du = of_silu(dz * u), dz * gate
        dw = {"w_gate": over_rows(x, da), "w_up": over_rows(x, du), "w_down": over_rows(z, g)}
        return da @ w_gate.T + du @ w_up.T, {name: dw[name] for name in weights}

    return z @ w_down, pullback


@hookimpl
def opbook_builtins():
    """Add linear and swiglu."""
    return [linear, swiglu]
