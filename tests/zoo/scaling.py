"""rms_norm, group_norm and dropout."""

import numpy as np
from zoo.animals import right, right_gradient, wrong, wrong_gradient


def _rms(x, eps):
    return np.sqrt((x * x).mean(-1, keepdims=True) + eps)


@right("rms_norm", "textbook")
def rms_norm(x, gamma, *, eps=1e-5):
    return x / _rms(x.astype(np.float64), eps) * gamma


@right_gradient("rms_norm", "gradient", rms_norm)
def rms_gradient(g, x, gamma, *, eps=1e-5):
    wide = x.astype(np.float64)
    s, h = _rms(wide, eps), g * gamma
    dx = h / s - wide * (h * wide).mean(-1, keepdims=True) / s**3
    return dx.astype(x.dtype), (g * wide / s).sum(tuple(range(x.ndim - 1))).astype(x.dtype)


@wrong("rms_norm", "the mean is taken away")
def centred(x, gamma, *, eps=1e-5):
    return rms_norm(x - x.mean(-1, keepdims=True), gamma, eps=eps)


@wrong("rms_norm", "eps beside the root")
def rms_eps_outside(x, gamma, *, eps=1e-5):
    return x / (_rms(x, 0.0) + eps) * gamma


@wrong("rms_norm", "the sum of squares in the place of their mean")
def by_length(x, gamma, *, eps=1e-5):
    return x / np.sqrt((x * x).sum(-1, keepdims=True) + eps) * gamma


@wrong("rms_norm", "Gemma's scale, plus one")
def one_more(x, gamma, *, eps=1e-5):
    return rms_norm(x, 1 + gamma, eps=eps)


@wrong("rms_norm", "eps of Llama")
def other_eps(x, gamma, *, eps=1e-6):
    return rms_norm(x, gamma, eps=eps)


@wrong_gradient("rms_norm", "gradient: the row's size taken for a constant", rms_norm)
def constant_size(g, x, gamma, *, eps=1e-5):
    s = _rms(x, eps)
    return g * gamma / s, (g * x / s).sum(tuple(range(x.ndim - 1)))


@right("group_norm", "textbook")
def group_norm(x, gamma, beta, groups, *, eps=1e-5):
    *batch, channels, places = x.shape
    members = x.reshape(*batch, groups, channels // groups, places)
    mean, variance = members.mean((-2, -1), keepdims=True), members.var((-2, -1), keepdims=True)
    normed = ((members - mean) / np.sqrt(variance + eps)).reshape(x.shape)
    return normed * gamma[:, None] + beta[:, None]


@wrong("group_norm", "channels of a group taken at a distance, not side by side")
def strided(x, gamma, beta, groups, *, eps=1e-5):
    order = np.arange(x.shape[-2]).reshape(-1, groups).T.ravel()
    normed = np.empty_like(x)
    normed[..., order, :] = group_norm(x[..., order, :], np.ones_like(gamma), np.zeros_like(beta), groups, eps=eps)
    return normed * gamma[:, None] + beta[:, None]


@wrong("group_norm", "as many channels to a group as there should be groups")
def exchanged(x, gamma, beta, groups, *, eps=1e-5):
    return group_norm(x, gamma, beta, x.shape[-2] // groups, eps=eps)


@wrong("group_norm", "statistics over the places only")
def instance_norm(x, gamma, beta, groups, *, eps=1e-5):
    return group_norm(x, gamma, beta, x.shape[-2], eps=eps)


@wrong("group_norm", "unbiased variance")
def unbiased(x, gamma, beta, groups, *, eps=1e-5):
    n = max(x.shape[-2] // groups * x.shape[-1], 2)
    return group_norm(x, gamma * np.sqrt((n - 1) / n), beta, groups, eps=eps * (n - 1) / n)


@wrong("group_norm", "a scale for each group")
def scale_of_group(x, gamma, beta, groups, *, eps=1e-5):
    first = gamma.reshape(groups, -1)[:, :1]
    return group_norm(x, np.repeat(first, len(gamma) // groups, axis=1).ravel(), beta, groups, eps=eps)


@right("dropout", "textbook")
def dropout(x, keep=None, *, rate):
    if keep is None:
        return x.copy()
    return np.where(keep, x, 0) * (1 / (1 - rate) if rate < 1 else 0.0)


@wrong("dropout", "nothing is scaled")
def unscaled(x, keep=None, *, rate):
    return x.copy() if keep is None else np.where(keep, x, 0)


@wrong("dropout", "scaled by the rate")
def scaled_by_rate(x, keep=None, *, rate):
    return x.copy() if keep is None else np.where(keep, x, 0) / max(rate, 1e-3)


@wrong("dropout", "scaled by the share that this mask keeps")
def scaled_by_share(x, keep=None, *, rate):
    return x.copy() if keep is None else np.where(keep, x, 0) / max(np.mean(keep), 1e-3)


@wrong("dropout", "what the mask keeps is dropped")
def turned_round(x, keep=None, *, rate):
    return dropout(x, None if keep is None else np.logical_not(keep), rate=rate)


@wrong("dropout", "rescaled at inference, as in 2014")
def scaled_at_inference(x, keep=None, *, rate):
    return x * (1 - rate) if keep is None else np.where(keep, x, 0)


@wrong_gradient("dropout", "gradient: a mask of its own", dropout)
def another_mask(g, x, keep=None, *, rate):
    return (dropout(g, None if keep is None else np.random.default_rng(0).random(x.shape) >= rate, rate=rate),)


@right("dropout_mask", "textbook")
def dropout_mask(shape, rate, seed):
    return np.random.default_rng(seed).random(shape) >= rate


@wrong("dropout_mask", "true where an entry is dropped")
def drop_mask(shape, rate, seed):
    return ~dropout_mask(shape, rate, seed)


@wrong("dropout_mask", "kept at the rate")
def rate_of_keeping(shape, rate, seed):
    return dropout_mask(shape, 1 - rate, seed)


@wrong("dropout_mask", "another generator")
def older_generator(shape, rate, seed):
    return np.random.RandomState(seed).uniform(size=shape) >= rate


@wrong("dropout_mask", "one seed for all")
def seed_ignored(shape, rate, seed):
    return dropout_mask(shape, rate, 0)


@wrong("dropout_mask", "whole rows")
def whole_rows(shape, rate, seed):
    return np.broadcast_to(dropout_mask((*shape[:-1], 1), rate, seed), shape).copy()
