"""conv2d, max_pool and avg_pool."""

import numpy as np
from zoo.animals import right, wrong, wrong_gradient

CONV, MAX, AVG = "conv2d", "max_pool", "avg_pool"


def _two(value):
    return tuple(int(n) for n in np.broadcast_to(value, 2))


def _places(n, size, stride, padding, dilation, odd_first=False):
    """Where windows stand on one axis: how many there are, and how many places of padding before and after."""
    span = dilation * (size - 1) + 1
    if padding == "valid":
        before = after = 0
    elif padding == "same":
        total = max((-(-n // stride) - 1) * stride + span - n, 0)
        before, after = (total - total // 2, total // 2) if odd_first else (total // 2, total - total // 2)
    else:
        before = after = padding
    return (n + before + after - span) // stride + 1, before, after


def _cut(x, size, stride, padding, dilation=1, fill=0.0, **how):
    """By place in a window: all that windows have there, over (..., P, Q)."""
    (k, l), (s, t), (d, e) = _two(size), _two(stride), _two(dilation)  # noqa: E741 - as in the builtin's formula
    paddings = (padding, padding) if isinstance(padding, str) else _two(padding)
    p, top, bottom = _places(x.shape[-2], k, s, paddings[0], d, **how)
    q, left, right_ = _places(x.shape[-1], l, t, paddings[1], e, **how)
    padded = np.pad(x, [(0, 0)] * (x.ndim - 2) + [(top, bottom), (left, right_)], constant_values=fill)
    return {
        (i, j): padded[..., d * i : d * i + s * p : s, e * j : e * j + t * q : t] for i in range(k) for j in range(l)
    }


def _conv(x, w, b=None, stride=1, padding=0, dilation=1, groups=1, **how):
    if w.ndim == 3:
        sides = padding if isinstance(padding, str) else (0, padding)
        return _conv(x[..., None, :], w[:, :, None], b, (1, stride), sides, (1, dilation), groups, **how)[..., 0, :]
    seen = _cut(x, w.shape[2:], stride, padding, dilation, **how)
    split = [slice(g * len(w) // groups, (g + 1) * len(w) // groups) for g in range(groups)]
    channels = [slice(g * w.shape[1], (g + 1) * w.shape[1]) for g in range(groups)]
    sums = [
        sum(np.einsum("oc,...cpq->...opq", w[o, :, i, j], part[..., c, :, :]) for (i, j), part in seen.items())
        for o, c in zip(split, channels, strict=True)
    ]
    y = np.concatenate(sums, axis=-3)
    return y if b is None else y + b[:, None, None]


@right(CONV, "a sum of shifted images")
def conv(x, w, b=None, *, stride=1, padding=0, dilation=1, groups=1):
    return _conv(x, w, b, stride, padding, dilation, groups)


@right(CONV, "a matrix product of patches")
def by_patches(x, w, b=None, *, stride=1, padding=0, dilation=1, groups=1):
    if w.ndim == 3 or groups > 1:
        return conv(x, w, b, stride=stride, padding=padding, dilation=dilation, groups=groups)
    columns = np.stack(list(_cut(x, w.shape[2:], stride, padding, dilation).values()), axis=-3)
    p, q = columns.shape[-2:]
    columns = columns.reshape(*x.shape[:-3], w[0].size, p * q)
    y = (w.reshape(len(w), w[0].size) @ columns).reshape(*x.shape[:-3], len(w), p, q)
    return y if b is None else y + b[:, None, None]


@wrong(CONV, "the kernel is turned around")
def true_convolution(x, w, b=None, *, stride=1, padding=0, dilation=1, groups=1):
    turned = w[..., ::-1] if w.ndim == 3 else w[..., ::-1, ::-1]
    return _conv(x, turned, b, stride, padding, dilation, groups)


@wrong(CONV, 'the odd place of "same" at the beginning')
def same_lower(x, w, b=None, *, stride=1, padding=0, dilation=1, groups=1):
    return _conv(x, w, b, stride, padding, dilation, groups, odd_first=True)


@wrong(CONV, '"same" pads by half the kernel, whatever the stride')
def same_on_both_sides(x, w, b=None, *, stride=1, padding=0, dilation=1, groups=1):
    kernel = np.array(w.shape[2:])
    if padding == "same" and (kernel % 2).all() and np.all(np.asarray(dilation) == 1):
        padding = kernel // 2 if w.ndim == 4 else int(kernel[0]) // 2
    return _conv(x, w, b, stride, padding, dilation, groups)


@wrong(CONV, "stride and dilation of columns taken for rows")
def axes_exchanged(x, w, b=None, *, stride=1, padding=0, dilation=1, groups=1):
    if w.ndim == 4:
        stride, dilation = _two(stride)[::-1], _two(dilation)[::-1]
    return _conv(x, w, b, stride, padding, dilation, groups)


@wrong(CONV, "kernels dealt out to the groups in turn")
def groups_in_turn(x, w, b=None, *, stride=1, padding=0, dilation=1, groups=1):
    n = int(groups)
    dealt = np.arange(len(w)).reshape(-1, n).T.ravel()
    y = _conv(x, w[dealt], None, stride, padding, dilation, groups)
    y = np.take(y, np.argsort(dealt), axis=1 - w.ndim)
    return y if b is None else y + b.reshape(-1, *[1] * (w.ndim - 2))


@wrong(CONV, "dilation left out where it fits")
def not_spread(x, w, b=None, *, stride=1, padding=0, dilation=1, groups=1):
    return _conv(x, w, b, stride, padding, 1, groups)


@wrong(CONV, "the edge repeated in the place of zeros")
def edge_repeated(x, w, b=None, *, stride=1, padding=0, dilation=1, groups=1):
    if w.ndim == 3 or isinstance(padding, str) or not np.any(padding):
        return _conv(x, w, b, stride, padding, dilation, groups)
    up, left = _two(padding)
    padded = np.pad(x, [(0, 0)] * (x.ndim - 2) + [(up, up), (left, left)], mode="edge")
    return _conv(padded, w, b, stride, 0, dilation, groups)


def _conv_gradient(g, x, w, b, stride, padding, dilation, groups, turned=False, overlap=True):
    """The gradients, one weight and one place of a window after the other."""
    (s, t), (d, e) = _two(stride), _two(dilation)
    paddings = (padding, padding) if isinstance(padding, str) else _two(padding)
    p, top, bottom = _places(x.shape[-2], w.shape[2], s, paddings[0], d)
    q, left, right_ = _places(x.shape[-1], w.shape[3], t, paddings[1], e)
    padded = np.pad(x, [(0, 0)] * (x.ndim - 2) + [(top, bottom), (left, right_)])
    dx, dw = np.zeros(padded.shape, g.dtype), np.zeros(w.shape, g.dtype)
    kernel = w[..., ::-1, ::-1] if turned else w
    rows, channels = len(w) // groups, w.shape[1]
    for group in range(groups):
        outs, ins = slice(group * rows, (group + 1) * rows), slice(group * channels, (group + 1) * channels)
        for i, j in np.ndindex(*w.shape[2:]):
            at = (..., ins, slice(d * i, d * i + s * p, s), slice(e * j, e * j + t * q, t))
            own = g[..., outs, :, :]
            dw[outs, :, i, j] = np.einsum("nopq,ncpq->oc", *(a.reshape(-1, *a.shape[-3:]) for a in (own, padded[at])))
            said = np.einsum("...opq,oc->...cpq", own, kernel[outs, :, i, j])
            dx[at] = dx[at] + said if overlap else said
    dx = dx[..., top : top + x.shape[-2], left : left + x.shape[-1]]
    shared = tuple(a for a in range(g.ndim) if a != g.ndim - 3)
    return (dx, dw) if b is None else (dx, dw, g.sum(shared))


def _as_images(gradient):
    """Rows are images of height 1 to it."""

    def either(g, x, w, b=None, *, stride=1, padding=0, dilation=1, groups=1):
        if w.ndim == 4:
            return gradient(g, x, w, b, stride, padding, dilation, int(groups))
        sides = padding if isinstance(padding, str) else (0, padding)
        rest = (b, (1, stride), sides, (1, dilation), int(groups))
        dx, dw, *db = gradient(g[..., None, :], x[..., None, :], w[:, :, None], *rest)
        return dx[..., 0, :], dw[:, :, 0], *db

    return either


@wrong_gradient(CONV, "gradient: the kernel turned around once too often", conv)
@_as_images
def turned_in_the_pullback(g, x, w, b, *options):
    return _conv_gradient(g, x, w, b, *options, turned=True)


@wrong_gradient(CONV, "gradient: what is written over and not added up", conv)
@_as_images
def written_over(g, x, w, b, *options):
    return _conv_gradient(g, x, w, b, *options, overlap=False)


@wrong_gradient(CONV, "gradient: the mean over the places for the offset", conv)
@_as_images
def mean_for_the_offset(g, x, w, b, *options):
    dx, dw, *db = _conv_gradient(g, x, w, b, *options)
    return dx, dw, *(one / (g.shape[-1] * g.shape[-2]) for one in db)


# -------------------------------------------------------------------------------------------------------------- pooling


def _stacked(x, size, stride, padding, **how):
    return np.stack(list(_cut(x, size, size if stride is None else stride, padding, **how).values()))


@right(MAX, "the largest of shifted images")
def largest(x, size, *, stride=None, padding=0):
    return _stacked(x, size, stride, padding, fill=-np.inf).max(axis=0)


@wrong(MAX, "padding counts as 0")
def zeros_for_padding(x, size, *, stride=None, padding=0):
    return _stacked(x, size, stride, padding).max(axis=0)


@wrong(MAX, "the stride is 1 unless given")
def stride_of_one(x, size, *, stride=None, padding=0):
    return largest(x, size, stride=1 if stride is None else stride, padding=padding)


@wrong(MAX, "the largest absolute value")
def largest_size(x, size, *, stride=None, padding=0):
    stacked = _stacked(x, size, stride, padding)
    return np.take_along_axis(stacked, np.abs(stacked).argmax(axis=0)[None], axis=0)[0]


@wrong(MAX, "height and width exchanged")
def transposed_window(x, size, *, stride=None, padding=0):
    size = _two(size)
    turned = size[::-1] if max(size) <= min(x.shape[-2:]) else size
    return largest(x, turned, stride=size if stride is None else stride, padding=padding)


@wrong(MAX, 'the odd place of "same" at the beginning')
def same_lower_max(x, size, *, stride=None, padding=0):
    return _stacked(x, size, stride, padding, fill=-np.inf, odd_first=True).max(axis=0)


@wrong(MAX, "a window that is smooth, by logsumexp")
def smooth(x, size, *, stride=None, padding=0):
    stacked = _stacked(x, size, stride, padding, fill=-np.inf)
    top = stacked.max(axis=0)
    return top + np.log(np.exp(stacked - np.where(np.isfinite(top), top, 0)).sum(axis=0))


def _pool_gradient(g, x, size, stride, padding, shares):
    """Give each place of each window its share of the cotangent, and add up."""
    stride = size if stride is None else stride
    (s, t), paddings = _two(stride), (padding, padding) if isinstance(padding, str) else _two(padding)
    p, top, bottom = _places(x.shape[-2], _two(size)[0], s, paddings[0], 1)
    q, left, right_ = _places(x.shape[-1], _two(size)[1], t, paddings[1], 1)
    dx = np.zeros((*x.shape[:-2], top + x.shape[-2] + bottom, left + x.shape[-1] + right_), g.dtype)
    for (i, j), share in zip(np.ndindex(*_two(size)), shares, strict=True):
        dx[..., i : i + s * p : s, j : j + t * q : t] += share * g
    return dx[..., top : top + x.shape[-2], left : left + x.shape[-1]]


@wrong_gradient(MAX, "gradient: to all entries alike", largest)
def to_all(g, x, size, *, stride=None, padding=0):
    n = np.prod(_two(size))
    return _pool_gradient(g, x, size, stride, padding, [1 / n] * n)


@wrong_gradient(MAX, "gradient: all of it to each of equal entries", largest)
def to_each(g, x, size, *, stride=None, padding=0):
    """Right but for a factor: twice as much where the window is even."""
    stacked = _stacked(x, size, stride, padding, fill=-np.inf)
    return _pool_gradient(g, x, size, stride, padding, (stacked == stacked.max(axis=0)) * np.float64(1.01))


@right(AVG, "the mean of shifted images")
def mean(x, size, *, stride=None, padding=0, count_padding=True):
    stacked = _stacked(x, size, stride, padding)
    there = 1.0 if count_padding else _stacked(np.ones(x.shape[-2:], x.dtype), size, stride, padding).mean(axis=0)
    return (stacked.mean(axis=0) / there).astype(x.dtype)


@wrong(AVG, "padding is never counted")
def never_counted(x, size, *, stride=None, padding=0, count_padding=True):
    return mean(x, size, stride=stride, padding=padding, count_padding=False)


@wrong(AVG, "padding is always counted")
def always_counted(x, size, *, stride=None, padding=0, count_padding=True):
    return mean(x, size, stride=stride, padding=padding)


@wrong(AVG, "the sum")
def summed(x, size, *, stride=None, padding=0, count_padding=True):
    return mean(x, size, stride=stride, padding=padding, count_padding=count_padding) * np.prod(_two(size))


@wrong(AVG, "divided by the square of the height")
def square_windows(x, size, *, stride=None, padding=0, count_padding=True):
    k, l = _two(size)  # noqa: E741
    return mean(x, size, stride=stride, padding=padding, count_padding=count_padding) * l / k


@wrong(AVG, "the stride is 1 unless given")
def mean_stride_of_one(x, size, *, stride=None, padding=0, count_padding=True):
    return mean(x, size, stride=1 if stride is None else stride, padding=padding, count_padding=count_padding)


@wrong(AVG, "the median")
def median(x, size, *, stride=None, padding=0, count_padding=True):
    return np.median(_stacked(x, size, stride, padding), axis=0).astype(x.dtype)


@wrong_gradient(AVG, "gradient: divided by the number of windows", mean)
def by_windows(g, x, size, *, stride=None, padding=0, count_padding=True):
    n = np.prod(_two(size))
    return _pool_gradient(g, x, size, stride, padding, [1 / max(g.shape[-1] * g.shape[-2], 1)] * n)
