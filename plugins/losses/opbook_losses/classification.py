"""Losses of scores for classes: of one among many, and of yes or no."""

import numpy as np
from opbook_activations import log_softmax
from opbook_math import sigmoid, softplus

from opbook import Array, Int, builtin, stop_gradient
from opbook.errors import InputError, ShapeError
from opbook_losses.reduction import Reduction, divisor


# A classifier gives each row C scores, its *logits*, one for each class. Softmax would make probabilities of them, and
# the loss of a row is minus the logarithm of the one that the right class got. It is 0 if the model is sure and right,
# and grows without end the surer it is of something else.
#
# The probabilities are never computed. `log_softmax` gives their logarithms, also where a probability itself would be
# rounded to 0, so that the loss of logits hundreds apart is finite and right.
#
# Everything else is a matter of weights. Row by row, let q be the weights that the classes have in the loss:
#
# - 1 for the target and 0 for the others; this is all in the plain case.
# - `label_smoothing` of ε takes ε of the 1 and spreads it evenly over all C classes, the target among them. So the best
#   logits are finite, and the model is not pushed to be ever surer.
# - `weight` multiplies q class by class, for example to count a rare class more.
# - A row whose target is `ignore_index` has no weights at all: its loss is 0, and nothing in its logits matters, NaN
#   included. That is how padding is left out.
#
# The mean divides by the sum of weight[target] over the rows that count; without `weight` that is their number. If no
# row counts, the loss is 0.
#
# **The gradient.** The derivative of log pᵢ with respect to the logit xⱼ is δᵢⱼ − pⱼ, where p is the softmax of the
# row. The loss of a row is −∑ᵢ qᵢ log pᵢ. Let g be its cotangent, divided by the sum of weights if the mean is taken.
# Then
#
# $$\frac{\partial L}{\partial x_j} = -g \sum_i q_i\,(\delta_{ij} - p_j) = g\,\Bigl(p_j \sum_i q_i - q_j\Bigr).$$
#
# In the plain case the q of a row add up to 1, and this is p − q: the probabilities that the model gave, less those
# that it should have given. With `reduction="none"` each row has a cotangent of its own.
@builtin(
    category="Losses",
    aliases=(
        "CrossEntropyLoss", "softmax cross entropy", "SoftmaxCrossEntropyLoss", "nll_loss", "NLLLoss",
        "NegativeLogLikelihoodLoss", "negative log-likelihood", "SparseCategoricalCrossentropy",
        "CategoricalCrossentropy", "softmax_cross_entropy_with_integer_labels", "log loss", "label smoothing",
    ),
)  # fmt: skip
def cross_entropy(
    logits: Array["*B C"],
    targets: Int["*B"],
    *,
    ignore_index: int | None = None,
    label_smoothing: float = 0.0,
    weight: Array["C"] | None = None,
    reduction: Reduction = "mean",
) -> Array["..."]:
    r"""Takes minus the logarithm of the probability that each row of scores gives to the right class.

    It is the loss of models that choose one of several classes, language models among them, whose classes are tokens.
    logits have C scores in each row, before any softmax, and targets a whole number for each row. The result is the
    mean over the rows. Rows of padding are left out with `ignore_index`; if no row is left, the loss is 0.

    Args:
        logits: Scores of the C classes, along the last axis; they need not add up to anything.
        targets: The right class of each row, from 0 to C - 1, or ignore_index.
        ignore_index: The target of rows that do not count; every row counts if it is left out.
        label_smoothing: How much of each row's weight is spread evenly over all classes, from 0 to 1.
        weight: How much each class counts; all the same if it is left out.
        reduction: "mean" for the mean over the rows that count, weighted by the weights of their targets; "sum"; or
            "none" for the loss of each row.

    Returns:
        A number, or with "none" an array of targets' shape. It is 0 where no row counts.

    Raises:
        ShapeError: targets has another shape than logits without its last axis, or weight another length than C.
        InputError: A target is no class and not ignore_index, label_smoothing is not from 0 to 1, or reduction is
            another text.

    Formula:
        $$\begin{gathered}
        L = -\frac{\sum_n \sum_{i=1}^{C} q_{n,i}\,\log p_{n,i}}{\sum_n w_{t_n}}, \\
        q_{n,i} = w_i\left((1 - \varepsilon)\,\delta_{i,t_n} + \frac{\varepsilon}{C}\right), \\
        p_n = \operatorname{softmax}(x_n)
        \end{gathered}$$

        over the rows n whose target t is not ignore_index, with label_smoothing as ε and weight as w.

    Source:
        Bridle, *Training Stochastic Model Recognition Algorithms as Networks* (1989), for softmax with this loss;
        Szegedy and others, *Rethinking the Inception Architecture* (2015), section 7, for label smoothing; operator
        `SoftmaxCrossEntropyLoss` of ONNX opset 13.
    """
    counts = np.asarray(targets != ignore_index)[..., None]
    check_targets(targets, counts[..., 0], logits.shape[-1], ignore_index)
    check_smoothing(label_smoothing)
    is_target = counts & (targets[..., None] == np.arange(logits.shape[-1]))
    w = 1.0 if weight is None else weight
    q = w * ((1 - label_smoothing) * is_target + label_smoothing / logits.shape[-1] * counts)
    log_p = log_softmax(np.where(counts, logits, 0.0))
    losses = np.sum(-q * np.where(q != 0, log_p, 0.0), axis=-1)
    return losses if reduction == "none" else np.sum(losses) / divisor(reduction, np.sum(w * is_target))


@cross_entropy.defvjp
def _(logits, targets, *, ignore_index=None, label_smoothing=0.0, weight=None, reduction="mean"):
    counts = np.asarray(targets != ignore_index)[..., None]
    check_targets(targets, counts[..., 0], logits.shape[-1], ignore_index)
    check_smoothing(label_smoothing)
    is_target = counts & (targets[..., None] == np.arange(logits.shape[-1]))
    w = 1.0 if weight is None else weight
    q = w * ((1 - label_smoothing) * is_target + label_smoothing / logits.shape[-1] * counts)
    log_p = log_softmax(np.where(counts, logits, 0.0).astype(np.float64))
    losses, n = np.sum(-q * np.where(q != 0, log_p, 0.0), axis=-1), divisor(reduction, np.sum(w * is_target))

    def pullback(g):
        g = np.asarray(g / n)[..., None]
        return np.where(counts, g * (np.exp(log_p) * q.sum(axis=-1, keepdims=True) - q), 0.0), None

    return losses if reduction == "none" else np.sum(losses) / n, pullback


def check_smoothing(label_smoothing):
    """Refuse to spread more than there is."""
    if not 0 <= label_smoothing <= 1:
        raise InputError(f"label_smoothing must be from 0 to 1, but is {label_smoothing:g}")


def check_targets(targets, counts, n_classes, ignore_index):
    """Refuse a target that is neither a class nor ignored, and logits of no classes."""
    if n_classes == 0:
        raise InputError("logits must be of at least one class, but their last axis has length 0")
    wrong = counts & ((targets < 0) | (targets >= n_classes))
    if np.any(wrong):
        ignored = "; pass ignore_index= for rows that do not count" if ignore_index is None else f", or {ignore_index}"
        raise InputError(
            f"targets{place_of(wrong)} is {targets[wrong][0]}, but must be at least 0 and below the number of classes, "
            f"{n_classes}{ignored}"
        )


# The model gives each question one score, the *logit* of the answer yes; its probability is σ(x), the sigmoid. Where
# the answer is yes (t = 1) the loss is −log σ(x), and where it is no (t = 0) it is −log(1 − σ(x)). A target between 0
# and 1 mixes the two.
#
# Both are one function: −log σ(x) is softplus(−x), and −log(1 − σ(x)) is softplus(x). So the logarithm of a probability
# that was rounded to 0 is never taken, nothing needs to be clipped, and the loss of a logit of 1000 that should have
# been negative is 1000.
#
# `pos_weight` multiplies the part of the answer yes, for example by the number of noes for each yes.
#
# **The gradient.** The slope of softplus is σ. With w for `pos_weight` and g for the cotangent of an entry, divided by
# the number of entries if the mean is taken,
#
# $$\frac{\partial L}{\partial x} = g\,\bigl((1 - t)\,\sigma(x) - w\,t\,\sigma(-x)\bigr), \qquad
# \frac{\partial L}{\partial t} = g\,\bigl(w \operatorname{softplus}(-x) - \operatorname{softplus}(x)\bigr).$$
#
# Without `pos_weight` the first is g (σ(x) − t), and the second −g x: the prediction less the target, as in
# `cross_entropy`.
@builtin(
    category="Losses",
    aliases=(
        "binary_cross_entropy_with_logits", "BCEWithLogitsLoss", "BCELoss", "bce", "BinaryCrossentropy",
        "sigmoid_binary_cross_entropy", "sigmoid cross entropy", "logistic loss", "log loss", "pos_weight",
    ),
)  # fmt: skip
def binary_cross_entropy(
    logits: Array["*B"],
    targets: Array["*B"],
    *,
    pos_weight: Array["..."] | None = None,
    reduction: Reduction = "mean",
) -> Array["..."]:
    r"""Takes minus the logarithm of the probability that scores give to the right answers to yes-or-no questions.

    It is the loss of models with several yes-or-no answers at once, such as which things a picture shows. It takes the
    scores, before any sigmoid, and targets of the same shape, 1 for yes and 0 for no. Scores of any size are safe: the
    loss of a wrong answer with a score of 1000 is 1000, and not infinite.

    Args:
        logits: Scores of the answer yes, before any sigmoid.
        targets: 1 for yes and 0 for no, or a probability between them.
        pos_weight: What the answer yes counts, such as one number for each column; it broadcasts to logits' shape, and
            is 1 if it is left out.
        reduction: "mean" for the mean over all entries, "sum" for their sum, "none" for the loss of each entry.

    Returns:
        A number, or with "none" an array of logits' shape. The mean over no entries is 0.

    Raises:
        ShapeError: logits and targets have different shapes, or pos_weight does not broadcast to that shape.
        InputError: A target is not from 0 to 1, or reduction is another text.

    Formula:
        $$L = -\frac{1}{n}\sum_{i=1}^{n} \bigl(w\,t_i \log \sigma(x_i) + (1 - t_i) \log(1 - \sigma(x_i))\bigr)$$

        with pos_weight as w.

    Source:
        Cox, *The Regression Analysis of Binary Sequences* (1958); PyTorch's `binary_cross_entropy_with_logits`.
    """
    check_answers(targets, pos_weight)
    w = 1.0 if pos_weight is None else pos_weight
    losses = w * targets * softplus(-logits) + (1 - targets) * softplus(logits)
    return losses if reduction == "none" else np.sum(losses) / divisor(reduction, logits.size)


@binary_cross_entropy.defvjp
def _(logits, targets, *, pos_weight=None, reduction="mean"):
    check_answers(targets, pos_weight)
    w = 1.0 if pos_weight is None else pos_weight
    n = divisor(reduction, logits.size)
    x, t = logits.astype(np.float64), targets.astype(np.float64)
    yes, no = softplus(-x), softplus(x)
    losses = w * t * yes + (1 - t) * no

    def pullback(g):
        g = g / n
        return g * ((1 - t) * sigmoid(x) - w * t * sigmoid(-x)), g * (w * yes - no)

    return losses if reduction == "none" else np.sum(losses) / n, pullback


def check_answers(targets, pos_weight):
    """Refuse targets that are no probabilities, and weights that do not fit them."""
    t = stop_gradient(targets)
    wrong = ~((t >= 0) & (t <= 1))
    if np.any(wrong):
        raise InputError(
            f"targets{place_of(wrong)} is {t[wrong][0]:g}, but must be from 0 to 1, where 1 is yes and 0 is no"
        )
    shape = np.shape(1.0 if pos_weight is None else pos_weight)
    if len(shape) > t.ndim or any(m not in (1, n) for m, n in zip(shape[::-1], t.shape[::-1], strict=False)):
        raise ShapeError(f"pos_weight has shape {shape}, which does not broadcast to that of logits, {t.shape}")


def place_of(wrong):
    """Where the first entry is that is true, written as an index."""
    place = ", ".join(str(i) for i in np.argwhere(wrong)[0])
    return f"[{place}]" if place else ""
