"""Windows that slide over the last two axes of an array, and the way back from them.

Convolution and pooling differ only in what they do with a window: here is where the windows stand.
"""

from typing import NamedTuple

import numpy as np

from opbook.errors import ShapeError


class Grid(NamedTuple):
    """Where windows stand: a number for the rows of an image and one for its columns, in each field."""

    size: tuple[int, int]
    stride: tuple[int, int]
    dilation: tuple[int, int]
    before: tuple[int, int]
    after: tuple[int, int]


def grid_of(name, image, size, stride=1, padding=0, dilation=1):
    """Work out how far each side of an image is padded, and refuse windows that do not fit in.

    Args:
        name: The builtin's name, for messages.
        image: The height and width of the images.
        size: That of a window, without the gaps of a dilation; each at least 1.
        stride: How far the next window stands, each way or both ways alike; at least 1.
        padding: How far both sides are padded, "same", or "valid" for nowhere.
        dilation: The distance of neighbours within a window; at least 1.
    """
    size, stride, dilation = pair(size), pair(stride), pair(dilation)
    spans = [d * (k - 1) + 1 for k, d in zip(size, dilation, strict=True)]
    if isinstance(padding, str):
        before, after = (0, 0), (0, 0)
        if padding == "same":
            # as many windows as the stride has room for, and an odd place of padding at the end
            missing = [max((-(-n // s) - 1) * s + k - n, 0) for n, s, k in zip(image, stride, spans, strict=True)]
            before, after = tuple(m // 2 for m in missing), tuple(m - m // 2 for m in missing)
    else:
        before = after = pair(padding)
    padded = [n + b + a for n, b, a in zip(image, before, after, strict=True)]
    if padded[0] < spans[0] or padded[1] < spans[1]:
        gaps = "" if dilation == (1, 1) else f", at a dilation of {shown(dilation)}"
        raise ShapeError(
            f"{name}: a window of {shown(size)}{gaps} covers {shown(spans)} places, but an image of {shown(image)} "
            f"has {shown(padded)} with its padding; take a smaller window or more padding"
        )
    return Grid(size, stride, dilation, before, after)


def windows(x, grid):
    """Every window of images (..., H, W), as (..., P, Q, K, L): places of windows, then places within; 0 outside."""
    edges = [(0, 0)] * (x.ndim - 2) + list(zip(grid.before, grid.after, strict=True))
    spans = tuple(d * (k - 1) + 1 for k, d in zip(grid.size, grid.dilation, strict=True))
    everywhere = np.lib.stride_tricks.sliding_window_view(np.pad(x, edges), spans, axis=(-2, -1))
    (s, t), (d, e) = grid.stride, grid.dilation
    return everywhere[..., ::s, ::t, ::d, ::e]


def inside(image, grid):
    """Which places of each window lie in the image and not in its padding."""
    return windows(np.ones(image, bool), grid)


def put_back(g, image, grid):
    """Add up, for each place of an image, what the windows say of it: the transpose of `windows`."""
    (s, t), (d, e), (top, left) = grid.stride, grid.dilation, grid.before
    padded = [b + n + a for b, n, a in zip(grid.before, image, grid.after, strict=True)]
    rows, columns = g.shape[-4:-2]
    dx = np.zeros((*g.shape[:-4], *padded), g.dtype)
    for k, l in np.ndindex(grid.size):  # noqa: E741 - the letters of the formula
        at = slice(d * k, d * k + s * rows, s), slice(e * l, e * l + t * columns, t)
        dx[..., *at] += g[..., k, l]
    return dx[..., top : top + image[0], left : left + image[1]]


def pair(value):
    """A number for each of the two axes, of one for both or of two."""
    first, second = np.broadcast_to(value, 2)
    return int(first), int(second)


def shown(sizes):
    """Two sizes as people write them."""
    return f"{sizes[0]} × {sizes[1]}"
