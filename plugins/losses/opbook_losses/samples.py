"""What the losses are verified on, and what is true of them.

Known answers are from PyTorch 2.13 in float64, and from scipy.special's `huber` and `rel_entr`, which agree with it.
"""

import numpy as np

from opbook import Property, hookimpl
from opbook_losses import (
    binary_cross_entropy,
    cosine_similarity,
    cross_entropy,
    huber_loss,
    kl_divergence,
    mse_loss,
)

X = np.array([[0.5, -1.25, 2.0], [3.0, 0.25, -0.5]])
Y = np.array([[0.75, 1.0, -1.5], [0.0, 0.25, -2.25]])


@mse_loss.samples
def _(draw):
    yield draw.known("the mean", 4.90625, X, Y)
    yield draw.known("the sum", 29.4375, X, Y, reduction="sum")
    yield draw.known("one by one", np.array([[0.0625, 5.0625, 12.25], [9, 0, 3.0625]]), X, Y, reduction="none")
    yield draw.known("no entries", 0.0, np.zeros((0, 3)), np.zeros((0, 3))).at_edge()
    yield draw.edge("errors of 1e20", 1e20 * X, Y)
    yield draw.refused("a column of scores and a row of targets", np.ones((3, 1)), np.ones(3)).saying(
        "target has batch axes (3,) but x has (3, 1); they must be equal"
    )
    yield draw.refused("another reduction", X, Y, reduction="average").saying('reduction must be "mean" or "sum"')


@huber_loss.samples
def _(draw):
    each = np.array([[0.03125, 2.25, 4.125], [3.375, 0.0, 1.5]])
    yield draw.known("the mean", 1.8802083333333333, X, Y, delta=1.5)
    yield draw.known("the sum", 11.28125, X, Y, delta=1.5, reduction="sum")
    yield draw.known("one by one", each, X, Y, delta=1.5, reduction="none")
    yield draw.known("no entries", 0.0, np.zeros((0, 3)), np.zeros((0, 3))).at_edge()
    yield draw.edge("an error of exactly delta", np.array([2.0, 0.0, 0.5]), np.array([0.0, 2.0, 0.5]), delta=2.0)
    yield draw.edge("errors of 1e30", 1e30 * X, Y)
    yield draw.refused("delta = 0", X, Y, delta=0.0).saying("delta must be above 0, but is 0")
    yield draw.refused("a negative delta", X, Y, delta=-1.0).saying("delta must be above 0, but is -1")
    yield draw.refused("a target with more rows", np.ones((2, 3)), np.ones((3, 3))).saying(
        "target has batch axes (3, 3)"
    )


P = np.array([[0.5, 0.25, 0.25], [0.125, 0.0, 0.875]])
Q = np.array([[0.25, 0.5, 0.25], [0.25, 0.25, 0.5]])


def logs(scores, axis=-1):
    """Logarithms of probabilities."""
    return scores - np.log(np.exp(scores).sum(axis=axis, keepdims=True))


@kl_divergence.samples
def _(draw):
    with np.errstate(divide="ignore"):
        log_p, log_q = np.log(P), np.log(Q)
    rows = np.array([0.17328679513998632, 0.40302041687350165])
    columns = np.array([0.25993019270997947, -0.17328679513998632, 0.4896638144434948])
    for p_shape, q_shape, axis in (((4,), (4,), 0), ((5, 3), (5, 3), -1), ((5, 3), (5, 3), 0), ((3, 2, 5), (2, 5), -1)):
        yield logs(draw.normal(*p_shape), axis), logs(draw.normal(*q_shape), axis), axis
    yield logs(draw.normal(3, 1, 4)), logs(draw.normal(1, 2, 4))
    yield draw.large("many outcomes", logs(draw.normal(3, 533)), logs(draw.normal(3, 533)))
    yield draw.known("the first row", rows[0], log_p[0], log_q[0])
    yield draw.known("a probability of 0 in p", rows, log_p, log_q).at_edge()
    yield draw.known("along axis 0", columns, log_p, log_q, 0).at_edge()
    yield draw.known("a probability of 0 in both", 0.0, log_p[1], log_p[1]).at_edge()
    yield draw.known("a probability of 0 in q alone", np.inf, log_q[1], log_p[1]).at_edge()
    yield draw.edge("a sure p and an even q", np.array([0.0, -np.inf]), np.log([0.5, 0.5]))
    yield draw.edge("probabilities that underflow", np.array([-1000.0, 0.0]), np.array([-800.0, -1e-3]))
    yield draw.refused("probabilities in place of logarithms", P, Q).saying("log_p has an entry of 0.5")
    yield draw.refused("different numbers of outcomes", log_p, log_q[:, :1]).saying(
        "log_p has 3 entries along axis -1 but log_q has 1"
    )
    yield draw.refused("no such axis", log_p, log_q, 2)


@cosine_similarity.samples
def _(draw):
    yield draw.known("rows", np.array([-0.8231619697333572, 0.17189115926507556]), X, Y)
    columns = np.array([0.1643989873053573, -0.9037378388935388, -0.3363363969981561])
    yield draw.known("columns", columns, X, Y, 0)
    below = np.array([-0.4305555555555556, 0.12971172074884807])
    yield draw.known("vectors shorter than a large eps", below, X, Y, eps=3.0).at_edge()
    yield draw.normal(4, 1, 3), draw.normal(5, 3)
    yield draw.edge("a vector of zeros", np.zeros(3), Y[0]).in_pytorch("0")
    yield draw.edge("two vectors of zeros", np.zeros((2, 3)), np.zeros((2, 3)))
    yield draw.edge("a vector shorter than eps", 1e-9 * X, Y)
    yield draw.edge("lengths of 1e-30", 1e-30 * X, 1e-30 * Y, eps=1e-40)
    yield draw.edge("lengths of 1e30", 1e30 * X, 1e30 * Y)
    yield draw.edge("the same direction", X, 3 * X)
    yield draw.call(X, Y, eps=0.0)
    yield draw.refused("zeros and eps = 0", np.zeros(3), Y[0], eps=0.0).saying("a vector is zero")
    yield draw.refused("a negative eps", X, Y, eps=-1e-9).saying("eps must be at least 0, but is -1e-09")
    yield draw.refused("vectors of different lengths", X, Y[:, :1]).saying("x has 3 entries along axis -1 but y has 1")


LOGITS = np.array([[[1.5, -0.5, 0.25], [0.0, 2.0, -1.0]], [[3.0, -2.0, 0.5], [-0.75, 0.125, 1.0]]])
TARGETS = np.array([[0, 2], [1, 2]])
WEIGHT = np.array([0.5, 2.0, 1.25])


@cross_entropy.samples
def _(draw):
    yield LOGITS, TARGETS
    yield draw.normal(3), np.array(1)
    yield draw.normal(5, 3), np.array([0, 2, 2, 1, 0])
    yield draw.call(draw.normal(5, 3, 7), np.arange(15).reshape(5, 3) % 7, ignore_index=3)
    yield draw.call(draw.normal(4, 5), np.array([4, -100, 0, -100]), ignore_index=-100, label_smoothing=0.2)
    yield draw.call(draw.normal(4, 3), np.array([2, 0, 1, 2]), weight=draw.positive(3), reduction="none")
    yield draw.call(draw.normal(2, 2, 3), TARGETS, weight=draw.positive(3), label_smoothing=0.3, reduction="sum")
    many = draw.normal(33, 18, 35), np.arange(33 * 18).reshape(33, 18) % 35
    yield draw.large("many rows", *many)
    yield draw.large("many rows, some of which do not count", *many, ignore_index=3, reduction="none")
    yield from _known_cross_entropies(draw)
    nothing = np.array([[9, 9], [9, 9]])
    yield draw.known("every row ignored", 0.0, LOGITS, nothing, ignore_index=9).at_edge()
    yield draw.known("no rows", 0.0, np.zeros((0, 3)), np.zeros(0, int)).at_edge().in_pytorch("nan")
    dirty = np.array([[np.nan, np.inf, -np.inf], [0.0, 2.0, -1.0]])
    ignored = np.array([-1, 2])
    yield (
        draw.known("NaN in an ignored row", 3.1698460195562856, dirty, ignored, ignore_index=-1)
        .at_edge()
        .in_pytorch("3.17")
    )
    impossible = np.array([[0.5, -np.inf, 1.0]])
    yield draw.edge("a class with score -inf", impossible, np.array([2])).in_pytorch("0.4741")
    yield draw.edge("the target has score -inf", impossible, np.array([1])).in_pytorch("inf")
    yield from _refused_cross_entropies(draw)


def _known_cross_entropies(draw):
    each = np.array([[0.3519518638028018, 3.1698460195562856], [5.08509724636431, 0.4641339130734014]])
    yield draw.known("the mean", 2.2677572606991996, LOGITS, TARGETS)
    yield draw.known("one by one", each, LOGITS, TARGETS, reduction="none")
    smoothed = {"label_smoothing": 0.1, "reduction": "sum"}
    yield draw.known("smoothed, and the sum", 8.8835290427968, LOGITS, TARGETS, **smoothed)
    yield draw.known("two rows ignored", 2.7185245550835555, LOGITS, TARGETS, ignore_index=2)
    yield draw.known("weights", 2.977729068083426, LOGITS, TARGETS, weight=WEIGHT)
    options = {"weight": WEIGHT, "label_smoothing": 0.25}
    yield draw.known("all at once", 1.6416889407171782, LOGITS, TARGETS, ignore_index=1, **options)
    partly = np.array([[0.7055085730310928, 0.0], [8.74798875903531, 0.0]])
    yield draw.known("all, one by one", partly, LOGITS, TARGETS, ignore_index=2, reduction="none", **options)
    yield draw.known("logits far apart", 710.0, np.array([[431.0, -279.0, 0.0]]), np.array([1]))


def _refused_cross_entropies(draw):
    outside = "targets[1, 0] is 3, but must be at least 0 and below the number of classes, 3"
    wrong = np.array([[0, 2], [3, 2]])
    yield draw.refused("a target that is no class", LOGITS, wrong).saying(f"{outside}; pass ignore_index=")
    yield draw.refused("a target that is neither a class nor ignored", LOGITS, wrong, ignore_index=-100).saying(
        f"{outside}, or -100"
    )
    yield draw.refused("a negative target", LOGITS, -TARGETS).saying("targets[0, 1] is -2")
    yield draw.refused("one target for two rows", LOGITS[0], np.array([1])).saying("targets has batch axes (1,)")
    yield draw.refused("probabilities for targets", LOGITS[0], np.full((2, 3), 0.5)).saying("must be a whole number")
    yield draw.refused("fewer weights than classes", LOGITS, TARGETS, weight=WEIGHT[:2]).saying("weight has 2 entries")
    smoothing = draw.refused("label_smoothing above 1", LOGITS, TARGETS, label_smoothing=1.5)
    yield smoothing.saying("label_smoothing must be from 0 to 1, but is 1.5")


CHANCES = np.array([[1.0, 0.0, 1.0], [0.0, 0.25, 0.875]])


@binary_cross_entropy.samples
def _(draw):
    for shape in ((), (4,), (5, 3), (2, 3, 5)):
        yield np.asarray(draw.normal(*shape)), np.asarray(draw.positive(*shape) / 2.5)
    yield draw.call(draw.normal(4, 3), draw.positive(4, 3) / 2.5, pos_weight=WEIGHT)
    yield draw.call(draw.normal(4, 3), draw.positive(4, 3) / 2.5, pos_weight=WEIGHT, reduction="none")
    yield draw.call(draw.normal(2, 4, 3), draw.positive(2, 4, 3) / 2.5, pos_weight=draw.positive(4, 1), reduction="sum")
    yield draw.large("many entries", draw.normal(33, 18), draw.mask(33, 18) * 0.9)
    each = np.array(
        [
            [0.4740769841801067, 0.25192908134537295, 0.1269280110429725],
            [3.048587351573742, 0.7634394198788436, 0.9115769841801067],
        ]
    )
    yield draw.known("the mean", 0.929422972033524, X, CHANCES)
    yield draw.known("the sum", 5.576537832201144, X, CHANCES, reduction="sum")
    yield draw.known("one by one", each, X, CHANCES, reduction="none")
    yield draw.known("pos_weight", 0.954715923021824, X, CHANCES, pos_weight=WEIGHT)
    far, sure = np.array([1000.0, -1000.0, -1000.0, 1000.0]), np.array([0.0, 1.0, 0.0, 1.0])
    yield draw.known(
        "sure and wrong, sure and right", np.array([1000.0, 1000.0, 0.0, 0.0]), far, sure, reduction="none"
    )
    yield draw.known("no entries", 0.0, np.zeros((0, 3)), np.zeros((0, 3))).at_edge()
    yield draw.refused("a target of -1", X, 2 * CHANCES - 1).saying("targets[0, 1] is -1, but must be from 0 to 1")
    yield draw.refused("a column of scores and a row of targets", np.ones((3, 1)), np.ones(3)).saying(
        "targets has batch axes (3,)"
    )
    yield draw.refused("pos_weight for each row", X, CHANCES, pos_weight=np.ones(2)).saying(
        "pos_weight has shape (2,), which does not broadcast to that of logits, (2, 3)"
    )


@hookimpl
def opbook_properties():
    """State what the losses have in common with each other, and what does not matter to them."""

    def exchanged(op, x, target, **options):
        return op(target, x, **options), op(x, target, **options)

    def never_far(op, x, target, *, delta=1.0, reduction="mean"):
        return op(x, target, delta=1e40, reduction=reduction), mse_loss(x, target, reduction=reduction) / 2

    def itself(op, log_p, log_q, axis=-1):
        value = op(log_p, log_p, axis)
        return value, np.zeros_like(value)

    def stretched(op, x, y, axis=-1, *, eps=1e-8):
        squares = np.sum(x**2, axis=axis)
        return (op(4 * x, y, axis, eps=eps), op(x, y, axis, eps=eps)) if np.all(squares > eps**2) else None

    def moved(op, logits, targets, **options):
        return op(logits + 8.0, targets, **options), op(logits, targets, **options)

    def picked(op, logits, targets, **options):
        if options:
            return None
        each = op(logits, targets, reduction="none")
        return op(logits, targets), each.mean() if each.size else 0.0

    def no_for_yes(op, logits, targets, *, pos_weight=None, reduction="mean"):
        if pos_weight is not None:
            return None
        return op(-logits, 1 - targets, reduction=reduction), op(logits, targets, reduction=reduction)

    symmetric = "Exchanging x and target changes nothing."
    half = "With a delta that no error reaches, it is half of mse_loss."
    return [
        Property("mse_loss", "symmetric", symmetric, exchanged),
        Property("huber_loss", "symmetric", symmetric, exchanged),
        Property("huber_loss", "never far", half, never_far),
        Property("kl_divergence", "itself", "The divergence of a distribution from itself is 0.", itself),
        Property("cosine_similarity", "stretched", "Multiplying x by a positive number changes nothing.", stretched),
        Property("cross_entropy", "moved logits", "Adding a number to all logits of a row changes nothing.", moved),
        Property("cross_entropy", "the mean", "Without options it is the mean over the rows' losses.", picked),
        Property(
            "binary_cross_entropy",
            "no for yes",
            "With -x and 1 - t, which swap yes and no, it is the same.",
            no_for_yes,
        ),
    ]
