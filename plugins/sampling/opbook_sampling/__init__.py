"""From scores to a choice: the largest ones, those worth keeping, and one at random, as an opbook plugin."""

from typing import TypedDict

import numpy as np
from numpy.lib.array_utils import normalize_axis_index
from opbook_activations import softmax

from opbook import Array, Family, Int, builtin, hookimpl, stop_gradient
from opbook.errors import InputError


class Largest(TypedDict):
    """The largest entries, and where they were."""

    values: Array["..."]
    indices: Int["..."]


# The entries are sorted in descending order, and the first k are kept, with their places. The sort is stable: of equal
# entries the one with the lower index comes first, so the result does not depend on how the sort is made. NaN counts as
# smaller than everything.
#
# In a model that writes text this is *top-k sampling*: all scores but the k largest are given up, so that a word that
# nearly never fits is never drawn.
#
# **The gradient.** The values are entries of x, picked by their indices. So each cotangent goes back to the place where
# its value came from, and every other entry gets 0. The indices are whole numbers, and have no gradient.
@builtin(
    category="Sampling",
    aliases=("topk", "TopK", "k largest", "lax.top_k", "TopKLogitsWarper", "top-k sampling", "argpartition", "beam"),
)
def top_k(x: Array["..."], k: int, axis: int = -1) -> Largest:
    r"""Finds the k largest entries along an axis, the largest first, and where they are.

    The best answers of a classifier, and the tokens that are worth drawing from, are found with it. The result is a
    record of `values` and `indices`, each with k entries along `axis` in the place of all. Gradients go back to the
    chosen entries only; indices have none.

    Args:
        x: The entries.
        k: How many to find, from 0 to the number of entries along axis.
        axis: The axis to look along; the last if it is left out.

    Returns:
        A record with values, of x's shape but for k entries along axis, and their indices along it.

    Raises:
        InputError: x has no such axis, or k is negative or more than the entries along it.

    Source:
        Fan, Lewis and Dauphin, *Hierarchical Neural Story Generation* (2018), section 5.4, for sampling with it;
        operator `TopK` of ONNX opset 11.
    """
    n = np.shape(x)[normalize_axis_index(axis, np.ndim(x))]
    if not 0 <= k <= n:
        raise InputError(f"k must be from 0 to {n}, the entries of x along axis {axis}, but is {k}")
    order = np.argsort(-stop_gradient(x), axis=axis, kind="stable")
    indices = np.take(order, np.arange(k), axis=axis)
    return {"values": np.take_along_axis(x, indices, axis=axis), "indices": indices}


# Also called *nucleus sampling*. How many of the scores are worth keeping depends on the row: one if the model is sure,
# many if it is not. So the total probability of the kept classes is fixed, not their number. The classes are taken in
# the order of their probability, and the first that are kept have a probability of at least p together.
#
# The class that *crosses* p is kept: one is kept as long as those before it have less than p. So there is always one,
# also for p = 0, and with p = 1 all are kept, whatever the sum of the probabilities is rounded to. Of equal classes the
# one with the lower index comes first.
#
# Scores that are not kept become −∞, and softmax then gives them no weight.
#
# **The gradient.** Kept scores pass unchanged, so their cotangent does too. The others no longer depend on anything,
# and get 0. Which ones are kept changes in jumps, and has no gradient:
#
# $$\frac{\partial L}{\partial x_i} = \begin{cases} g_i & \text{if } x_i \text{ is kept} \\ 0 & \text{otherwise.}
# \end{cases}$$
@builtin(
    category="Sampling",
    aliases=("nucleus sampling", "top-p sampling", "TopPLogitsWarper", "top_p", "nucleus", "truncation sampling"),
)
def top_p_filter(logits: Array["... V"], p: float) -> Array["... V"]:
    r"""Keeps the scores of the most probable classes, up to a total probability of p, and drops the others.

    It removes the long tail of tokens that almost never fit, but could still be drawn from a language model's scores.
    Dropped scores become -inf, so `softmax` and [`sample`](sample.md) give them no weight. The class that crosses p is
    kept, so at least one is left. How many are kept depends on the row: few if the model is sure.

    Args:
        logits: Scores of V classes.
        p: How probable the classes that are kept must be together, from 0 to 1.

    Returns:
        An array of logits' shape, in which those that are dropped are -inf; at least one of each row is kept.

    Raises:
        InputError: p is not from 0 to 1, or a score is +inf.

    Formula:
        $$y_i = \begin{cases} x_i & \text{if } \sum_{j \text{ before } i} p_j < p, \text{ or } i \text{ is the first} \\
        -\infty & \text{otherwise} \end{cases}$$

        where the p with an index are the softmax of the row, in descending order.

    Source:
        Holtzman and others, *The Curious Case of Neural Text Degeneration* (2019), section 3.1.
    """
    x, p = stop_gradient(logits), stop_gradient(p)
    if not 0 <= p <= 1:
        raise InputError(f"p must be from 0 to 1, but is {p:g}")
    order = np.argsort(-x, axis=-1, kind="stable")
    in_order = np.take_along_axis(softmax(x), order, axis=-1)
    before = np.cumsum(in_order, axis=-1) - in_order
    belongs = (before < p) | (np.arange(x.shape[-1]) == 0) | (p == 1)
    kept = np.take_along_axis(belongs, np.argsort(order, axis=-1), axis=-1)  # back where the scores were
    return np.where(kept, logits, -np.inf)


# The random number u is an argument, and the same u gives the same choice. So there is no hidden state, a run can be
# repeated, and what is drawn can be tested.
#
# Lay the probabilities of a row side by side, so that they fill the line from 0 to 1. The class on whose piece u falls
# is the one that is chosen: the first whose piece ends *beyond* u. If u is equally likely to be anywhere, every class
# is chosen as often as its probability says, and one of probability 0 never.
#
# The pieces are measured against where the last one ends, which is rounded and may be a little below 1; so u always
# falls on one.
#
# Scores are divided by `temperature` first. Below 1 the most probable class takes more of the line, above 1 all become
# more alike.
#
# **The gradient.** There is none: the choice is a whole number, which stays the same or jumps.
@builtin(
    category="Sampling",
    aliases=("categorical", "multinomial", "random.categorical", "Multinomial", "temperature", "inverse CDF", "draw"),
)
def sample(logits: Array["*B V"], u: Array["*B"], *, temperature: float = 1.0) -> Int["*B"]:
    r"""Chooses one class for each row of scores, with the probabilities that softmax gives them.

    It is the last step of a model that writes: from scores to the next token. logits have V scores in each row, and u a
    random number for each, which the caller draws: so the same u gives the same choice. A low `temperature` makes
    likely classes more likely, a high one evens them out. Choices have no gradient.

    Args:
        logits: Scores of V classes; -inf for one that must not be chosen.
        u: A random number for each row, at least 0 and below 1, such as `numpy.random.Generator.random` draws.
        temperature: What scores are divided by; above 0.

    Returns:
        The index of the chosen class, for each row.

    Raises:
        ShapeError: u has another shape than logits without its last axis.
        InputError: A number in u is not from 0 to 1, temperature is not above 0, a row has nothing to choose from, or a
            score is +inf.

    Formula:
        $$\begin{gathered}
        \min\,\Bigl\{\, i : \sum_{j \le i} p_j > u \,\Bigr\}, \\
        p = \operatorname{softmax}(x / \tau)
        \end{gathered}$$

        with temperature as τ.

    Source:
        Devroye, *Non-Uniform Random Variate Generation* (1986), section III.2, inversion; operator `Multinomial` of
        ONNX opset 7, without its seed.
    """
    logits, u = stop_gradient(logits), stop_gradient(u)
    check_choice(logits, u, temperature)
    highest = np.max(logits, axis=-1, keepdims=True)
    ends = np.cumsum(softmax((logits - highest) / temperature), axis=-1)
    return np.sum(ends <= u[..., None] * ends[..., -1:], axis=-1)


def check_choice(logits, u, temperature):
    """Refuse what nothing can be chosen with, or from."""
    if not temperature > 0:
        raise InputError(f"temperature must be above 0, but is {temperature:g}; top_k(logits, 1) is the limit")
    if np.any(outside := ~((u >= 0) & (u < 1))):
        raise InputError(f"u must be at least 0 and below 1, but has the value {u[outside][0]:g}")
    if np.any(logits == np.inf):
        raise InputError("logits must be finite or -inf, but has an entry of inf")
    if np.any(np.all(logits == -np.inf, axis=-1)):
        raise InputError("a row of logits has nothing to choose from: it is empty, or every score is -inf")


@hookimpl
def opbook_builtins():
    """Add what chooses."""
    return [sample, top_k, top_p_filter]


@hookimpl
def opbook_families():
    """Say what the category has in common."""
    return [Family("Sampling", "family.md")]
