"""mse_loss, huber_loss, cross_entropy and binary_cross_entropy."""

import numpy as np
from zoo.animals import right, right_gradient, wrong, wrong_gradient


def _reduced(losses, reduction, count=None):
    if reduction == "none":
        return losses
    count = losses.size if count is None else count
    return losses.sum() / (count or 1) if reduction == "mean" else losses.sum()


@right("mse_loss", "textbook")
def mse(x, target, *, reduction="mean"):
    return _reduced((x - target) ** 2, reduction)


@right_gradient("mse_loss", "gradient", mse)
def mse_gradient(g, x, target, *, reduction="mean"):
    dx = 2 * g * (x - target) / ((x.size or 1) if reduction == "mean" else 1)
    return dx, -dx


@wrong("mse_loss", "half of it")
def half(x, target, *, reduction="mean"):
    return mse(x, target, reduction=reduction) / 2


@wrong("mse_loss", "the mean over the rows")
def over_rows(x, target, *, reduction="mean"):
    rows = len(x) if x.ndim else 1
    return _reduced((x - target) ** 2, reduction, rows)


@wrong("mse_loss", "the root of the mean")
def rooted(x, target, *, reduction="mean"):
    return np.sqrt(mse(x, target, reduction=reduction))


@wrong("mse_loss", "the absolute error")
def absolute(x, target, *, reduction="mean"):
    return _reduced(np.abs(x - target), reduction)


@wrong("mse_loss", "reduction is not used")
def always_mean(x, target, *, reduction="mean"):
    return mse(x, target)


@wrong_gradient("mse_loss", "gradient: the target's has the sign of x's", mse)
def unsigned_gradient(g, x, target, *, reduction="mean"):
    dx, _ = mse_gradient(g, x, target, reduction=reduction)
    return dx, dx


@wrong_gradient("mse_loss", "gradient: not divided by the number of entries", mse)
def undivided_gradient(g, x, target, *, reduction="mean"):
    return mse_gradient(g, x, target, reduction="sum")


@right("huber_loss", "two branches")
def huber(x, target, *, delta=1.0, reduction="mean"):
    e = np.abs(x - target)
    return _reduced(np.where(e <= delta, 0.5 * e**2, delta * (e - 0.5 * delta)), reduction)


@right_gradient("huber_loss", "gradient", huber)
def huber_gradient(g, x, target, *, delta=1.0, reduction="mean"):
    dx = g * np.clip(x - target, -delta, delta) / ((x.size or 1) if reduction == "mean" else 1)
    return dx, -dx


@wrong("huber_loss", "smooth L1, divided by delta")
def smooth_l1(x, target, *, delta=1.0, reduction="mean"):
    return huber(x, target, delta=delta, reduction=reduction) / delta


@wrong("huber_loss", "the line starts with a jump")
def torn(x, target, *, delta=1.0, reduction="mean"):
    e = np.abs(x - target)
    return _reduced(np.where(e <= delta, 0.5 * e**2, delta * e), reduction)


@wrong("huber_loss", "the line has the slope 1")
def slope_one(x, target, *, delta=1.0, reduction="mean"):
    e = np.abs(x - target)
    return _reduced(np.where(e <= delta, 0.5 * e**2, e - delta + 0.5 * delta**2), reduction)


@wrong("huber_loss", "no half")
def doubled(x, target, *, delta=1.0, reduction="mean"):
    return 2 * huber(x, target, delta=delta, reduction=reduction)


@wrong("huber_loss", "delta is not used")
def delta_ignored(x, target, *, delta=1.0, reduction="mean"):
    return huber(x, target, reduction=reduction)


@wrong_gradient("huber_loss", "gradient: the sign beyond delta, without delta", huber)
def sign_gradient(g, x, target, *, delta=1.0, reduction="mean"):
    dx, _ = huber_gradient(g, x, target, delta=1e300, reduction=reduction)
    e = x - target
    dx = np.where(np.abs(e) <= delta, dx, g * np.sign(e) / ((x.size or 1) if reduction == "mean" else 1))
    return dx, -dx


def _log_softmax(x):
    x = x - x.max(-1, keepdims=True, initial=-1e300)
    return x - np.log(np.exp(x).sum(-1, keepdims=True))


@right("cross_entropy", "by picking the targets' logarithms")
def cross_entropy(logits, targets, *, ignore_index=None, label_smoothing=0.0, weight=None, reduction="mean"):
    n = logits.shape[-1]
    counts = np.ones(targets.shape, bool) if ignore_index is None else targets != ignore_index
    safe = np.where(counts, targets, 0)
    log_p = _log_softmax(np.where(counts[..., None], logits, 0).astype(np.float64))
    w = np.ones(n) if weight is None else weight
    picked = np.take_along_axis(log_p, safe[..., None], -1)[..., 0]
    losses = -(1 - label_smoothing) * w[safe] * picked
    if label_smoothing:
        losses = losses - label_smoothing / n * (w * log_p).sum(-1)
    return _reduced(np.where(counts, losses, 0), reduction, (w[safe] * counts).sum())


@right_gradient("cross_entropy", "gradient: p less the targets", cross_entropy)
def softmax_less_targets(
    g, logits, targets, *, ignore_index=None, label_smoothing=0.0, weight=None, reduction="mean", per_row=True
):
    n = logits.shape[-1]
    counts = np.ones(targets.shape, bool) if ignore_index is None else targets != ignore_index
    w = np.ones(n) if weight is None else weight
    hot = np.eye(n)[np.where(counts, targets, 0)] * counts[..., None]
    q = w * ((1 - label_smoothing) * hot + label_smoothing / n * counts[..., None])
    p = np.exp(_log_softmax(np.where(counts[..., None], logits, 0).astype(np.float64)))
    share = 1 / ((hot * w).sum() or 1) if reduction == "mean" else 1.0
    g = np.asarray(g if per_row or reduction != "none" else np.mean(g))
    return ((p * q.sum(-1, keepdims=True) - q) * (g * share)[..., None],)


@wrong("cross_entropy", "the logarithm of a softmax")
def rounded_away(logits, targets, *, ignore_index=None, label_smoothing=0.0, weight=None, reduction="mean"):
    p = np.exp(logits - logits.max(-1, keepdims=True, initial=-1e300))
    logits = np.log(p / p.sum(-1, keepdims=True) + 1e-9)
    options = {"label_smoothing": label_smoothing, "weight": weight, "reduction": reduction}
    return cross_entropy(logits, targets, ignore_index=ignore_index, **options)


@wrong("cross_entropy", "the mean over all rows, ignored ones too")
def mean_over_all(logits, targets, *, ignore_index=None, label_smoothing=0.0, weight=None, reduction="mean"):
    options = {"label_smoothing": label_smoothing, "weight": weight, "ignore_index": ignore_index}
    losses = cross_entropy(logits, targets, reduction="none", **options)
    return _reduced(losses, reduction)


@wrong("cross_entropy", "smoothed over the other classes only")
def smoothed_over_others(logits, targets, *, ignore_index=None, label_smoothing=0.0, weight=None, reduction="mean"):
    n = logits.shape[-1]
    options = {"weight": weight, "ignore_index": ignore_index, "reduction": reduction}
    return cross_entropy(logits, targets, label_smoothing=label_smoothing * n / max(n - 1, 1), **options)


@wrong("cross_entropy", "class weights are not used in the smoothed part")
def unweighted_smoothing(logits, targets, *, ignore_index=None, label_smoothing=0.0, weight=None, reduction="mean"):
    options = {"ignore_index": ignore_index, "reduction": reduction}
    plain = cross_entropy(logits, targets, weight=weight, **options)
    spread = cross_entropy(logits, targets, label_smoothing=1.0, **options)
    return (1 - label_smoothing) * plain + label_smoothing * spread


@wrong("cross_entropy", "smoothing on ignored rows")
def ignored_are_smoothed(logits, targets, *, ignore_index=None, label_smoothing=0.0, weight=None, reduction="mean"):
    options = {"weight": weight, "label_smoothing": label_smoothing, "reduction": reduction}
    value = cross_entropy(logits, targets, ignore_index=ignore_index, **options)
    if ignore_index is None or not label_smoothing:
        return value
    spread = -label_smoothing * _log_softmax(logits).mean(-1) * (targets == ignore_index)
    return value + _reduced(spread, reduction)


@wrong_gradient("cross_entropy", "gradient: one cotangent for all rows", cross_entropy)
def one_cotangent(g, logits, targets, **options):
    return softmax_less_targets(g, logits, targets, per_row=False, **options)


@right("binary_cross_entropy", "by logaddexp")
def binary(logits, targets, *, pos_weight=None, reduction="mean"):
    w = 1.0 if pos_weight is None else pos_weight
    losses = w * targets * np.logaddexp(0, -logits) + (1 - targets) * np.logaddexp(0, logits)
    return _reduced(losses, reduction)


def _sigmoid(x):
    return np.exp(-np.logaddexp(0, -x))


@right_gradient("binary_cross_entropy", "gradient", binary)
def binary_gradient(g, logits, targets, *, pos_weight=None, reduction="mean"):
    w = 1.0 if pos_weight is None else pos_weight
    g = g / (logits.size or 1) if reduction == "mean" else g
    d_logits = g * ((1 - targets) * _sigmoid(logits) - w * targets * _sigmoid(-logits))
    return d_logits, g * (w * np.logaddexp(0, -logits) - np.logaddexp(0, logits))


@wrong("binary_cross_entropy", "of probabilities, which were cut off")
def clipped(logits, targets, *, pos_weight=None, reduction="mean"):
    p = np.clip(_sigmoid(logits), 1e-7, 1 - 1e-7)
    w = 1.0 if pos_weight is None else pos_weight
    return _reduced(-w * targets * np.log(p) - (1 - targets) * np.log(1 - p), reduction)


@wrong("binary_cross_entropy", "the weight on both answers")
def weighted_twice(logits, targets, *, pos_weight=None, reduction="mean"):
    w = 1.0 if pos_weight is None else pos_weight
    return _reduced(w * binary(logits, targets, reduction="none"), reduction)


@wrong("binary_cross_entropy", "the weight on the answer no")
def wrong_side(logits, targets, *, pos_weight=None, reduction="mean"):
    return binary(-logits, 1 - targets, pos_weight=pos_weight, reduction=reduction)


@wrong("binary_cross_entropy", "the sigmoid taken twice")
def twice(logits, targets, *, pos_weight=None, reduction="mean"):
    return binary(_sigmoid(logits), targets, pos_weight=pos_weight, reduction=reduction)


@wrong("binary_cross_entropy", "the answer no costs nothing")
def yes_only(logits, targets, *, pos_weight=None, reduction="mean"):
    w = 1.0 if pos_weight is None else pos_weight
    return _reduced(w * targets * np.logaddexp(0, -logits), reduction)


@wrong_gradient("binary_cross_entropy", "gradient: without pos_weight", binary)
def unweighted_gradient(g, logits, targets, *, pos_weight=None, reduction="mean"):
    return binary_gradient(g, logits, targets, reduction=reduction)
