"""Functions that someone else wrote: right ones and wrong ones."""

import numpy as np


def right(x, gamma, beta, *, eps=1e-5):
    wide = x.astype(np.float64)
    centred = wide - wide.mean(-1, keepdims=True)
    return (centred / np.sqrt((centred**2).mean(-1, keepdims=True) + eps) * gamma + beta).astype(x.dtype)


def right_gradient(g, x, gamma, beta, *, eps=1e-5):
    g, x, gamma = (a.astype(np.float64) for a in (g, x, gamma))
    centred = x - x.mean(-1, keepdims=True)
    r = 1 / np.sqrt((centred**2).mean(-1, keepdims=True) + eps)
    normed, h = centred * r, g * gamma
    dx = r * (h - h.mean(-1, keepdims=True) - normed * (h * normed).mean(-1, keepdims=True))
    rows = tuple(range(x.ndim - 1))
    return dx, (g * normed).sum(rows), g.sum(rows)


def swapped_gradient(g, x, gamma, beta, *, eps=1e-5):
    dx, d_gamma, d_beta = right_gradient(g, x, gamma, beta, eps=eps)
    return dx, d_beta, d_gamma


def unbiased(x, gamma, beta, *, eps=1e-5):
    variance = x.var(-1, ddof=1, keepdims=True)
    return (x - x.mean(-1, keepdims=True)) / np.sqrt(variance + eps) * gamma + beta


def textbook_attention(q, k, v, mask=None, *, key_mask=None, bias=None, causal=False, scale=None):
    """What many write: -1e9 added, no thought for a row that may attend to nothing."""
    if key_mask is not None or bias is not None or causal or scale is not None:
        raise NotImplementedError("only a mask")
    scores = q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])
    if mask is not None:
        scores = scores + np.where(mask, 0, -1e9)
    e = np.exp(scores - scores.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True) @ v


def by_torch(x, gamma, beta, *, eps=1e-5):
    import torch

    return torch.nn.functional.layer_norm(x, gamma.shape, gamma, beta, eps)


class Speaks:
    """An array of a library of its own that speaks DLPack."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **kwargs):
        return self.array.__dlpack__(**kwargs)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


def dlpack(x, gamma, beta, *, eps=1e-5):
    return Speaks(np.array(right(x, gamma, beta, eps=eps)))
