"""What convolution and pooling are verified on, and what is true of them.

The known answers are PyTorch's, computed in float64, unless another source is named.
"""

import numpy as np

from opbook import Property, hookimpl
from opbook_convolution import avg_pool, conv2d, max_pool

IMAGE = np.array([[1.0, 2, 0, -1, 3], [0, 1, -2, 2, 1], [4, -1, 0.5, 0, 2], [1, 0, 3, -2, 1]])
PAIR = np.stack([IMAGE, IMAGE[::-1, ::-1]])

EDGE = [[1.0, 0, -1], [2, 0, -2], [1, 0, -1]]
SPOT = [[0.0, 1, 0], [1, -4, 1], [0, 1, 0]]
DIAGONAL = [[1.0, 0, 0], [0, 0.5, 0], [0, 0, -1]]


@conv2d.samples
def _(draw):
    kernel = np.array([[1.0, 2], [-1, 0.5]])
    by_scipy = np.array([[[5.5, 0, 1, 3.5], [-2.5, -1.75, 1.5, 5], [1, 1.5, -3.5, 6.5]]])
    yield draw.known("scipy.signal.correlate2d", by_scipy, IMAGE[None], kernel[None, None])
    by_scipy = np.array([[[-0.5, 1, -1, 1.5], [6, 1, -2, 2], [5, 2, 4.25, -5]]])
    turned = kernel[::-1, ::-1][None, None]
    yield draw.known("scipy.signal.convolve2d, of a kernel that is turned", by_scipy, IMAGE[None], turned)
    kernels, b = np.array([[EDGE], [SPOT], [np.transpose(EDGE)], [DIAGONAL]]), np.array([0.5, -1, 2, 0])
    channels = [
        [[4.5, -8.5], [9, -10], [7.5, -3.5], [0, 3]],
        [[-7, 8], [-6, -11], [8.5, 1.5], [2, 11]],
        [[-0.5, -0.5], [-1, 6], [3.5, -0.5], [5, 2]],
        [[-1.5, -4], [3, 2.5], [3, 0], [0.5, -1]],
    ]
    options = {"stride": (1, 2), "padding": (1, 0), "groups": 2}
    yield draw.known("PyTorch, two groups", np.array(channels), PAIR, kernels, b, **options)
    w = np.array([[[[1.0, 2], [0, -1]], [[0.5, 0], [1, 1]]]])
    same = [[6.5, 3.5, -3, 7, 7.5], [7, -3.5, 1.25, 2.5, 3], [4.5, -3, 3.5, 6.5, 3], [2.5, 5.5, -1, 1, 1.5]]
    yield draw.known('PyTorch, padding="same"', np.array([same]), PAIR, w, padding="same")
    yield draw.known("PyTorch, spread", np.array([[[1.5, 7], [12, 2]]]), PAIR, w, dilation=(2, 3))
    rows, w = np.stack([IMAGE[0], IMAGE[2]]), np.array([[[1.0, -1, 2], [0, 1, 0.5]]])
    ends = {"stride": 2, "padding": 1}
    yield draw.known("PyTorch's F.conv1d", np.array([[16.5, 10.5, 8]]), rows, w, np.array([10.0]), **ends)

    yield draw.normal(3, 6, 7), draw.normal(5, 3, 2, 3), draw.normal(5)
    yield draw.call(draw.normal(2, 5, 4, 7, 6), draw.normal(6, 2, 3, 2), draw.normal(6), stride=(2, 1), groups=2)
    yield draw.call(draw.normal(3, 4, 6, 5), draw.normal(8, 1, 2, 2), padding="same", groups=4)
    yield draw.call(draw.normal(3, 8, 7), draw.normal(2, 3, 3, 4), padding="same", stride=(3, 2))
    yield draw.call(draw.normal(2, 8, 6), draw.normal(3, 2, 3, 3), padding="same", stride=2)
    yield draw.call(draw.normal(2, 3, 5, 6), draw.normal(4, 3, 2, 3), padding=(2, 1), dilation=(3, 2))
    yield draw.normal(2, 3, 4, 5), draw.normal(6, 3, 1, 1), draw.normal(6)
    yield draw.normal(2, 3, 11), draw.normal(4, 3, 3), draw.normal(4)
    rows = draw.normal(2, 4, 9)
    yield draw.call(rows, draw.normal(6, 2, 4), stride=2, padding="same", dilation=2, groups=2)
    yield draw.normal(0, 3, 5, 6), draw.normal(4, 3, 2, 3), draw.normal(4)
    yield draw.large("a larger image", draw.normal(2, 3, 16, 17), draw.normal(4, 3, 5, 5), draw.normal(4))

    x, w = draw.normal(4, 6, 5), draw.normal(6, 4, 3, 3)
    yield draw.refused("kernels for fewer channels", x, w[:, :3]).saying("must have 4 entries, but has 3")
    yield draw.refused("kernels for all channels, in groups", x, w, groups=2).saying("must have 2 entries, but has 4")
    yield draw.refused("groups that do not divide the channels", x, w, groups=3).saying(
        "3 groups do not divide the 4 channels of x"
    )
    odd = draw.normal(5, 2, 3, 3)
    yield draw.refused("groups that do not divide the kernels", x, odd, groups=2).saying(
        "the 5 kernels of w; 1, 5 would"
    )
    large = draw.normal(1, 4, 7, 3)
    yield draw.refused("a kernel that is too large", x, large).saying("covers 7 × 3 places, but an image of 6 × 5")
    yield draw.refused("a dilated kernel that is too large", x, w, dilation=3, padding=(1, 0)).saying(
        "has 8 × 5 with its padding"
    )
    yield draw.refused("a bias for each channel of x", x, w, draw.normal(4)).saying("b has 4 entries but w has")
    yield draw.refused("stride = 0", x, w, stride=0).saying("at least 1, but is 0")
    yield draw.refused("three strides", x, w, stride=(1, 1, 1)).saying("(1, 1, 1)")
    yield draw.refused("a negative padding", x, w, padding=-1).saying("at least 0")
    yield draw.refused("padding by another word", x, w, padding="full").saying('must be "same" or "valid"')
    yield draw.refused("groups = 0", x, w, groups=0).saying("groups is 0, but must be at least 1")
    yield draw.refused("a kernel of height 0", x, draw.normal(6, 4, 0, 3)).saying("w has 0 × 3")
    yield draw.refused("an image without a channel axis", x[0], w).saying("(..., C, H, W) array")


@max_pool.samples
def _(draw):
    yield draw.known("PyTorch's F.max_pool2d", np.array([[2.0, 2], [4, 3]]), IMAGE, 2)
    negative = np.array([[-1.0, -1, -2], [-1, -1, -1]])
    yield draw.known("PyTorch, all negative", negative, -np.abs(IMAGE) - 1, 3, stride=2, padding=1)
    overlapping = np.array([[2.0, 2, 3], [4, 2, 2], [4, 3, 3]])
    yield draw.known("PyTorch, windows that overlap", overlapping, IMAGE, (2, 3), stride=1)
    yield draw.call(draw.normal(2, 3, 7, 6), 3, stride=(1, 2), padding=(1, 2))
    yield draw.call(draw.normal(3, 7, 8), (2, 3), padding="same")
    yield draw.call(draw.normal(5, 9), (1, 3), stride=2)
    yield draw.normal(2, 0, 4, 5), 2
    yield draw.edge("equal entries in a window", np.array([[1.0, 1, 0, 0], [1, 0, 0, 0], [2, 3, 5, 5]]), 2)
    yield draw.edge("equal entries in windows that overlap", np.ones((3, 4, 4)), 2, stride=1, padding=1)
    yield draw.edge("-inf at the border", np.full((3, 3), -np.inf), 2, padding=1)
    with_nan = IMAGE.copy()
    with_nan[1, 1] = np.nan
    yield draw.known("PyTorch, with a NaN", np.array([[np.nan, 2], [4, 3]]), with_nan, 2)
    yield from _refused(draw)


@avg_pool.samples
def _(draw):
    yield draw.known("PyTorch's F.avg_pool2d", np.array([[1.0, -0.25], [1, 0.375]]), IMAGE, 2)
    counted = np.array([[4.0, 2, 5], [5, 1.5, 4]]) / 9
    yield draw.known("PyTorch, padding counted", counted, IMAGE, 3, stride=2, padding=1)
    inside = np.array([[1, 1 / 3, 1.25], [5 / 6, 1 / 6, 2 / 3]])
    options = {"stride": 2, "padding": 1, "count_padding": False}
    yield draw.known("PyTorch, padding left out", inside, IMAGE, 3, **options)
    yield draw.call(draw.normal(2, 3, 7, 6), 3, stride=(1, 2), padding=(1, 2))
    yield draw.call(draw.normal(3, 7, 8), (2, 3), padding="same", count_padding=False)
    yield draw.call(draw.normal(5, 9), (1, 3), stride=2)
    yield draw.normal(2, 0, 4, 5), 2
    yield draw.edge("a sum larger than float16 can hold", np.full((4, 6), 3e4), (4, 3))
    yield from _refused(draw)


def _refused(draw):
    x = draw.normal(2, 4, 5)
    yield draw.refused("a window that is too large", x, 6).saying("covers 6 × 6 places, but an image of 4 × 5")
    yield draw.refused("padding as large as a window", x, 2, padding=(1, 2)).saying("padding of 1 × 2 is as large as")
    yield draw.refused("size = 0", x, 0).saying("at least 1")
    yield draw.refused("size = 1.5", x, 1.5).saying("whole number")
    yield draw.refused("stride = 0", x, 2, stride=0).saying("at least 1")
    yield draw.refused("a negative padding", x, 2, padding=(0, -1)).saying("at least 0")
    yield draw.refused("an image of 0 rows", np.zeros((0, 3)), (2, 1), padding=1).saying("0 × 3 has no entries")
    yield draw.refused("a vector for an image", draw.normal(4), 2).saying("(..., H, W) array")


@hookimpl
def opbook_properties():
    """State what convolution is, what moves with its input, and how pooling and convolution belong together."""

    def is_plain(x, w, options):
        """Whether x has images, and kernels move on by one place at a time."""
        return w.ndim == 4 and set(options) <= {"dilation", "groups"}

    def moved_down(op, x, w, b=None, **options):
        if not is_plain(x, w, options):
            return None
        down = np.concatenate([0 * x[..., :1, :], x], axis=-2)
        return op(down, w, b, **options)[..., 1:, :], op(x, w, b, **options)

    def moved_right(op, x, w, b=None, **options):
        if not is_plain(x, w, options):
            return None
        right = np.concatenate([0 * x[..., :1], x], axis=-1)
        return op(right, w, b, **options)[..., 1:], op(x, w, b, **options)

    def offset(op, x, w, b=None, **options):
        if b is None:
            return None
        return op(x, w, b, **options), op(x, w, **options) + b.reshape(-1, *[1] * (w.ndim - 2))

    def each_place_alone(op, x, w, b=None, **options):
        if w.shape[2:] != (1, 1) or options:
            return None
        rows = np.moveaxis(x, -3, -1) @ w[:, :, 0, 0].T
        return np.moveaxis(op(x, w, b), -3, -1), rows if b is None else rows + b

    def mirrored(op, x, w, b=None, **options):
        if not is_plain(x, w, options):
            return None
        return op(x[..., ::-1], w[..., ::-1], b, **options), op(x, w, b, **options)[..., ::-1]

    def in_every_group(op, x, w, b=None, **options):
        n = int(options.get("groups", 1))
        if n == 1 or w.ndim != 4 or len(w) % n or x.shape[-3] % n:
            return None
        own = {name: value for name, value in options.items() if name != "groups"}
        parts = [op(part, kernels, **own) for part, kernels in zip(np.split(x, n, -3), np.split(w, n), strict=True)]
        return op(x, w, **options), np.concatenate(parts, axis=-3)

    def raised(op, x, size, **options):
        return (op(x + 4.0, size, **options), op(x, size, **options) + 4.0) if is_whole(options) else None

    def is_whole(options):
        """Whether each mean or maximum is one of entries of the image alone."""
        return "padding" not in options

    def equal_weights(op, x, size, *, stride=None, padding=0, count_padding=True):
        if not count_padding:
            return None
        k, l = np.broadcast_to(size, 2)  # noqa: E741 - as in the formula
        kernel = np.full((1, 1, k, l), 1 / (k * l), x.dtype)
        means = conv2d(x[..., None, :, :], kernel, stride=size if stride is None else stride, padding=padding)
        return op(x, size, stride=stride, padding=padding), means[..., 0, :, :]

    def one_colour(op, x, size, *, count_padding=True, **options):
        grey = 0 * x + 2.0
        return op(grey, size, count_padding=False, **options), 0 * op(x, size, count_padding=False, **options) + 2.0

    def never_padding(op, x, size, **options):
        low = op(x - 100.0, size, **options)
        return low, op(x, size, **options) - 100.0

    return [
        Property("conv2d", "moved down", "An image that is moved down gives a result that is moved down.", moved_down),
        Property("conv2d", "moved right", "And one that is moved to the right, one moved to the right.", moved_right),
        Property("conv2d", "offset", "b is added to all places of a channel, and does nothing else.", offset),
        Property("conv2d", "one place", "A kernel of 1 × 1 is one linear layer for each place.", each_place_alone),
        Property("conv2d", "mirrored", "A mirrored image and a mirrored kernel give the mirror image.", mirrored),
        Property("conv2d", "groups", "Groups are convolutions side by side.", in_every_group),
        Property("avg_pool", "raised", "Without padding, a number added to all is added to each mean.", raised),
        Property("avg_pool", "weights", "It is a convolution whose weights are all 1 / size.", equal_weights),
        Property("avg_pool", "one colour", "Of one colour, and without the padding counted, it stays so.", one_colour),
        Property("max_pool", "below 0", "Moved far below 0, no window gives a 0 of the padding.", never_padding),
    ]
