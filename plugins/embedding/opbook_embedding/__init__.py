"""Rows of a table by number, and the vectors that do the same by a product, as an opbook plugin."""

import numpy as np

from opbook import Array, Family, Int, builtin, hookimpl, stop_gradient
from opbook.errors import InputError


# A model does not compute with words but with vectors. The table has one row for each token of the vocabulary; looking
# up is indexing, and the rows are learned. The result is the same as the product of `one_hot` vectors and the table,
# without the many multiplications by 0.
#
# An id without a row in the table is an error, and so is a negative one, which NumPy would count from the end.
#
# **The gradient.** A row of the table was used as often as its id occurs, so its gradient is the sum of the cotangents
# of all these places. With e for the result and g = ∂L/∂e for its cotangent,
#
# $$\frac{\partial L}{\partial T_v} = \sum_{n\,:\,i_n = v} g_n.$$
#
# Rows that were not used get 0. `dT[ids] += g` would be wrong: NumPy reads all rows first and writes them afterwards,
# so that of several equal ids only the last one counts. `np.add.at` adds them one after the other.
#
# The row `padding_id` is looked up as any other, but its gradient is 0, so training never changes it.
@builtin(
    category="Embedding & indexing",
    aliases=("Embedding", "nn.Embed", "lookup table", "embedding_lookup", "token embedding", "Gather", "wte", "lookup"),
)
def embedding(table: Array["V D"], ids: Int["...", "0:V"], *, padding_id: int | None = None) -> Array["... D"]:
    r"""Looks rows up in a table by their number: the vectors that a model has for tokens.

    It is the first step of a language model: from numbers that only name tokens to vectors that say what they are like.
    The table has V rows of width D; ids of any shape give a row for each, so a batch of B sentences of N tokens becomes
    an array of shape (B, N, D). A token that occurs twice collects both gradients. An id outside the table is an error,
    -1 too.

    Args:
        table: One row of D numbers for each of V tokens.
        ids: The tokens, from 0 to V - 1, in any shape.
        padding_id: The token whose row gets the gradient 0; none if it is left out.

    Returns:
        The rows, with ids' axes in front.

    Raises:
        InputError: An id or padding_id is negative, or V or more.

    Formula:
        $$e_n = T_{i_n}$$

        with table as T and ids as i.

    Source:
        Bengio and others, *A Neural Probabilistic Language Model* (2003), section 2; operator `Gather` of ONNX opset
        13.
    """
    check_padding(table, padding_id)
    is_padding = ids[..., None] == padding_id
    return np.where(is_padding, stop_gradient(table[ids]), table[ids])


@embedding.defvjp
def _(table, ids, *, padding_id=None):
    check_padding(table, padding_id)

    def pullback(g):
        d_table = np.zeros(table.shape)
        np.add.at(d_table, ids, g)
        if padding_id is not None:
            d_table[padding_id] = 0
        return d_table, None

    return table[ids], pullback


def check_padding(table, padding_id):
    """Refuse a padding_id that the table has no row for."""
    if padding_id is not None and not 0 <= padding_id < len(table):
        raise InputError(f"padding_id is {padding_id}, but must be at least 0 and below V = {len(table)}")


# The vector of a class is 0 but for a 1 at its place. So a product with a matrix picks a row, a sum of such vectors
# counts, and `mse_loss` or a comparison with `softmax` can be taken entry by entry.
#
# A class outside the range is an error. Some libraries return a vector of zeros for it, a class that silently counts
# for nothing.
#
# **The gradient.** There is none: classes are whole numbers, which can't change a little.
@builtin(
    category="Embedding & indexing",
    aliases=(
        "OneHot",
        "to_categorical",
        "indicator",
        "dummy variables",
        "one-hot encoding",
        "OneHotEncoder",
        "CategoryEncoding",
    ),
)
def one_hot(ids: Int["..."], n: int) -> Array["... N"]:
    r"""Makes a vector for each number, with a 1 at that place and 0 at all others.

    Classes become rows that can be multiplied, added up and compared with probabilities. Numbers of any shape get one
    more axis, as long as there are classes: a vector of N numbers becomes a matrix of N rows. A product of such a row
    with a table picks a row of the table, which [`embedding`](embedding.md) does without the product.

    Args:
        ids: Whole numbers from 0 to n - 1, in any shape.
        n: How long the vectors are.

    Returns:
        The vectors, along a new last axis, in float64.

    Raises:
        InputError: An id is negative, or n or more; n is negative; or there would be more than 10⁸ entries.

    Formula:
        $$y_{j} = \begin{cases} 1 & \text{if } j = i \\ 0 & \text{otherwise} \end{cases} \qquad j = 0, \dots, n - 1$$

        for each number i of ids.

    Source:
        Operator `OneHot` of ONNX opset 11.
    """
    if n < 0:
        raise InputError(f"n must be at least 0, but is {n}")
    wrong = (ids < 0) | (ids >= n)
    if np.any(wrong):
        place = ", ".join(str(i) for i in np.argwhere(wrong)[0])
        raise InputError(
            f"ids{f'[{place}]' if place else ''} is {ids[wrong][0]}, but must be at least 0 and below n = {n}"
        )
    if ids.size * n > 10**8:
        raise InputError(f"{ids.size:,} vectors of {n:,} would be more than 100,000,000 entries, the most there may be")
    return (ids[..., None] == np.arange(n)).astype(np.float64)


@hookimpl
def opbook_builtins():
    """Add embedding and one_hot."""
    return [embedding, one_hot]


@hookimpl
def opbook_families():
    """Say what the category has in common."""
    return [Family("Embedding & indexing", "family.md")]
