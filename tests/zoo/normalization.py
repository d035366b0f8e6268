"""layer_norm."""

import numpy as np
from zoo.animals import ANIMALS, Animal, right, right_gradient, wrong, wrong_gradient
from zoo.cheats import add_cheats

OP = "layer_norm"


@right(OP, "textbook, two passes")
def textbook(x, gamma, beta, eps=1e-5):
    mean = x.mean(-1, keepdims=True)
    return (x - mean) / np.sqrt(x.var(-1, keepdims=True) + eps) * gamma + beta


@right(OP, "other names of the parameters")
def renamed(inputs, weight, bias, epsilon=1e-5):
    centred = inputs - np.mean(inputs, axis=-1, keepdims=True)
    return weight * centred * (np.mean(centred**2, axis=-1, keepdims=True) + epsilon) ** -0.5 + bias


@right(OP, "einsum")
def by_einsum(x, gamma, beta, *, eps=1e-5):
    centred = x - np.einsum("...d->...", x)[..., None] / x.shape[-1]
    variance = np.einsum("...d,...d->...", centred, centred)[..., None] / x.shape[-1]
    return np.einsum("...d,d->...d", centred / np.sqrt(variance + eps), gamma) + beta


@right(OP, "row by row")
def by_rows(x, gamma, beta, *, eps=1e-5):
    rows = np.reshape(x, (-1, x.shape[-1])).copy()
    for row in rows:
        row -= row.sum() / len(row)
        row /= np.sqrt((row @ row) / len(row) + eps)
    return rows.reshape(x.shape) * gamma + beta


@right(OP, "wide inside, and the statistics returned too")
def with_cache(x, gamma, beta, *, eps=1e-5):
    wide = x.astype(np.float64)
    mean, rstd = wide.mean(-1, keepdims=True), 1 / np.sqrt(wide.var(-1, keepdims=True) + eps)
    return ((wide - mean) * rstd * gamma + beta).astype(x.dtype), (mean, rstd)


@right(OP, "scale and shift folded into one multiplication")
def folded(x, gamma, beta, *, eps=1e-5):
    mean = x.mean(-1, keepdims=True)
    scale = gamma / np.sqrt(x.var(-1, keepdims=True) + eps)
    return (x - mean) * scale + beta


@right_gradient(OP, "gradient, summed over all batch axes", textbook)
def gradient(g, x, gamma, beta, *, eps=1e-5):
    r = 1 / np.sqrt(x.var(-1, keepdims=True) + eps)
    normed, h = (x - x.mean(-1, keepdims=True)) * r, g * gamma
    dx = r * (h - h.mean(-1, keepdims=True) - normed * (h * normed).mean(-1, keepdims=True))
    rows = tuple(range(x.ndim - 1))
    return dx, (g * normed).sum(rows), g.sum(rows)


@wrong(OP, "statistics over all axes but the first")
def image_habit(x, gamma, beta, eps=1e-5):
    axes = tuple(range(1, x.ndim)) or (0,)
    return (x - x.mean(axes, keepdims=True)) / np.sqrt(x.var(axes, keepdims=True) + eps) * gamma + beta


@wrong(OP, "statistics over the batch")
def batch_norm(x, gamma, beta, eps=1e-5):
    axes = tuple(range(x.ndim - 1)) or (0,)
    return (x - x.mean(axes, keepdims=True)) / np.sqrt(x.var(axes, keepdims=True) + eps) * gamma + beta


@wrong(OP, "unbiased variance")
def unbiased(x, gamma, beta, eps=1e-5):
    variance = x.var(-1, ddof=1 if x.shape[-1] > 1 else 0, keepdims=True)
    return (x - x.mean(-1, keepdims=True)) / np.sqrt(variance + eps) * gamma + beta


@wrong(OP, "eps beside the root")
def eps_outside(x, gamma, beta, eps=1e-5):
    return (x - x.mean(-1, keepdims=True)) / (np.sqrt(x.var(-1, keepdims=True)) + eps) * gamma + beta


@wrong(OP, "eps of another default")
def other_eps(x, gamma, beta, eps=1e-6):
    return textbook(x, gamma, beta, eps)


@wrong(OP, "eps is not used")
def eps_ignored(x, gamma, beta, eps=1e-5):
    return textbook(x, gamma, beta)


@wrong(OP, "no mean taken away")
def rms(x, gamma, beta, eps=1e-5):
    return x / np.sqrt((x**2).mean(-1, keepdims=True) + eps) * gamma + beta


@wrong(OP, "divided by the variance")
def no_root(x, gamma, beta, eps=1e-5):
    return (x - x.mean(-1, keepdims=True)) / (x.var(-1, keepdims=True) + eps) * gamma + beta


@wrong(OP, "scale plus one")
def one_more(x, gamma, beta, eps=1e-5):
    return textbook(x, 1 + gamma, beta, eps)


@wrong(OP, "scale and offset exchanged")
def exchanged(x, gamma, beta, eps=1e-5):
    return textbook(x, beta, gamma, eps)


@wrong(OP, "offset before the scale")
def offset_first(x, gamma, beta, eps=1e-5):
    return (textbook(x, 1.0, 0.0, eps) + beta) * gamma


@wrong(OP, "variance as the mean of squares less the square of the mean")
def one_pass(x, gamma, beta, eps=1e-5):
    mean = x.mean(-1, keepdims=True)
    variance = (x * x).mean(-1, keepdims=True) - mean * mean
    return (x - mean) / np.sqrt(np.maximum(variance, 0) + eps) * gamma + beta


@wrong(OP, "the last block of columns left out")
def tail(x, gamma, beta, eps=1e-5):
    result = textbook(x, gamma, beta, eps)
    width = x.shape[-1] // 16 * 16 or x.shape[-1]
    result[..., width:] = 0
    return result


@wrong_gradient(OP, "gradient: the axes behind the first folded into one row", textbook)
def folded_gradient(g, x, gamma, beta, *, eps=1e-5):
    if x.ndim < 3 or not x.size:
        return gradient(g, x, gamma, beta, eps=eps)
    shape, many = (len(x), -1), int(np.prod(x.shape[1:-1]))
    dx, _, _ = gradient(g.reshape(shape), x.reshape(shape), np.tile(gamma, many), np.tile(beta, many), eps=eps)
    return dx.reshape(x.shape), *gradient(g, x, gamma, beta, eps=eps)[1:]


@wrong_gradient(OP, "gradient: without the mean of h", textbook)
def no_mean_gradient(g, x, gamma, beta, *, eps=1e-5):
    r = 1 / np.sqrt(x.var(-1, keepdims=True) + eps)
    normed, h = (x - x.mean(-1, keepdims=True)) * r, g * gamma
    _, d_gamma, d_beta = gradient(g, x, gamma, beta, eps=eps)
    return r * (h - normed * (h * normed).mean(-1, keepdims=True)), d_gamma, d_beta


@wrong_gradient(OP, "gradient: the mean and the variance taken as constants", textbook)
def constant_statistics(g, x, gamma, beta, *, eps=1e-5):
    return g * gamma / np.sqrt(x.var(-1, keepdims=True) + eps), *gradient(g, x, gamma, beta, eps=eps)[1:]


@wrong_gradient(OP, "gradient: scale and offset exchanged", textbook)
def exchanged_gradient(g, x, gamma, beta, *, eps=1e-5):
    dx, d_gamma, d_beta = gradient(g, x, gamma, beta, eps=eps)
    return dx, d_beta, d_gamma


@wrong_gradient(OP, "gradient: the scale's summed over the first axis only", textbook)
def first_axis_only(g, x, gamma, beta, *, eps=1e-5):
    dx, d_gamma, d_beta = gradient(g, x, gamma, beta, eps=eps)
    if x.ndim > 2 and x.size:
        d_beta = g.sum(0)[(0,) * (x.ndim - 2)]
    return dx, d_gamma, d_beta


add_cheats(OP, textbook)

try:
    import torch
except ImportError:
    pass
else:
    from opbook.testing import adapters

    @right(OP, "torch functional")
    def functional(x, gamma, beta, eps=1e-5):
        return torch.nn.functional.layer_norm(x, gamma.shape, gamma, beta, eps)

    @right(OP, "tensor methods")
    def methods(x, gamma, beta, eps=1e-5):
        mean = x.mean(-1, keepdim=True)
        variance = x.var(-1, keepdim=True, unbiased=False)
        return (x - mean) / torch.sqrt(variance + eps) * gamma + beta

    @wrong(OP, "tensor methods, whose variance is unbiased")
    def methods_unbiased(x: torch.Tensor, gamma: torch.Tensor, beta: torch.Tensor, eps: float = 1e-5):
        return (x - x.mean(-1, keepdims=True)) / (x.var(-1, keepdims=True) + eps) ** 0.5 * gamma + beta

    ANIMALS.append(Animal(OP, "torch.nn.LayerNorm", True, adapters.torch_layer_norm(torch.nn.LayerNorm)))
