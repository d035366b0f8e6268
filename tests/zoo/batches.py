"""batch_norm."""

import numpy as np
from zoo.animals import right, wrong, wrong_gradient

OP = "batch_norm"


def _over_rows(x):
    return tuple(range(x.ndim - 1))


@right(OP, "textbook")
def batch_norm(x, gamma, beta, mean, var, *, training=False, momentum=0.1, eps=1e-5, running="unbiased"):
    if not training:
        return {"y": (x - mean) / np.sqrt(var + eps) * gamma + beta, "mean": mean.copy(), "var": var.copy()}
    wide, rows = x.astype(np.float64), _over_rows(x)
    mu, n = wide.mean(rows), x[..., 0].size
    variance = wide.var(rows)
    spread = wide.var(rows, ddof=running == "unbiased") if n > 1 else variance
    found = {
        "y": (wide - mu) / np.sqrt(variance + eps) * gamma + beta,
        "mean": mean + momentum * (mu - mean),
        "var": var + momentum * (spread - var),
    }
    return {name: array.astype(x.dtype) for name, array in found.items()}


@wrong(OP, "momentum of the old statistics, as in Keras")
def old_momentum(x, gamma, beta, mean, var, *, momentum=0.1, **options):
    return batch_norm(x, gamma, beta, mean, var, momentum=1 - momentum, **options)


@wrong(OP, "running variance biased whatever is asked for")
def always_biased(x, gamma, beta, mean, var, *, running="unbiased", **options):
    return batch_norm(x, gamma, beta, mean, var, running="biased", **options)


@wrong(OP, "unbiased variance for y too")
def unbiased_y(x, gamma, beta, mean, var, *, training=False, eps=1e-5, **options):
    found = batch_norm(x, gamma, beta, mean, var, training=training, eps=eps, **options)
    n = x[..., 0].size
    if training and n > 1:
        spread = x.var(_over_rows(x), ddof=1)
        found["y"] = (x - x.mean(_over_rows(x))) / np.sqrt(spread + eps) * gamma + beta
    return found


@wrong(OP, "running statistics in training")
def running_in_training(x, gamma, beta, mean, var, *, training=False, eps=1e-5, **options):
    found = batch_norm(x, gamma, beta, mean, var, training=training, eps=eps, **options)
    return {**found, "y": batch_norm(x, gamma, beta, mean, var, eps=eps)["y"]}


@wrong(OP, "the batch's statistics in use")
def batch_in_use(x, gamma, beta, mean, var, *, training=False, **options):
    found = batch_norm(x, gamma, beta, mean, var, training=True, **options)
    return found if training else {"y": found["y"], "mean": mean.copy(), "var": var.copy()}


@wrong(OP, "the running variance taken for a standard deviation")
def no_root(x, gamma, beta, mean, var, *, training=False, eps=1e-5, **options):
    found = batch_norm(x, gamma, beta, mean, var, training=training, eps=eps, **options)
    return found if training else {**found, "y": (x - mean) / (var + eps) * gamma + beta}


@wrong_gradient(OP, "gradient: the batch's statistics taken for constants", batch_norm)
def constant_statistics(g, x, gamma, beta, mean, var, *, training=False, momentum=0.1, eps=1e-5, running="unbiased"):
    rows = _over_rows(x)
    mu, variance = (x.mean(rows), x.var(rows)) if training else (mean, var)
    s = np.sqrt(variance + eps)
    x_hat, g_y = (x - mu) / s, g["y"]
    return g_y * gamma / s, (g_y * x_hat).sum(rows), g_y.sum(rows), 0 * mean, 0 * var
