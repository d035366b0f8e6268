"""Pooling: max_pool and avg_pool."""

from typing import Literal

import numpy as np

from opbook import Array, Int, builtin
from opbook.errors import InputError
from opbook_convolution.windows import grid_of, inside, put_back, shown, windows


# An image is cut into windows, and of each only the largest entry is kept. So an image of half the height and width
# tells *that* something was found, and no longer at which pixel: what moves a little within its window changes nothing.
#
# Windows stand side by side, unless `stride` says how far the next one is. What is left over at the bottom and at the
# right, where no whole window fits, is not seen at all. Each channel is pooled by itself; so is each image of a batch.
# A row of places is an image of height 1, with windows of `size=(1, k)`.
#
# Padding counts as −∞ here, never as 0, which would be the largest where all entries are negative. It must be smaller
# than a window, so that every window has at least one entry of the image. `"same"` and `"valid"` are those of `conv2d`.
#
# **The gradient.** In each window the cotangent g goes back to the entry that was the largest, and all others get
# nothing. If several are equal, they share it, so that the parts add up to it: PyTorch gives all of it to the first.
# After relu ties are common, as windows of zeros are. Where windows overlap, an entry gets the sum over its windows,
#
# $$\frac{\partial L}{\partial x_{ij}} = \sum_{(p, q)\,\ni\,(i, j)} \frac{[x_{ij} = y_{pq}]}{n_{pq}}\,g_{pq},$$
#
# where n is the number of entries of window (p, q) that are equal to y, and […] is 1 or 0.
@builtin(
    category="Convolution & pooling",
    aliases=(
        *("MaxPool", "MaxPool1d", "MaxPool2d", "MaxPooling1D", "MaxPooling2D", "max_pool1d", "max_pool2d"),
        *("max pooling", "pooling", "reduce_window", "downsampling", "subsampling"),
        "GlobalMaxPool",
    ),
)
def max_pool(
    x: Array["... H W"],
    size: Int["", "1:"] | Int["2", "1:"],
    *,
    stride: Int["", "1:"] | Int["2", "1:"] | None = None,
    padding: Int["", "0:"] | Int["2", "0:"] | Literal["same", "valid"] = 0,
) -> Array["... P Q"]:
    r"""Keeps the largest entry of each window of an image.

    It makes images smaller between the layers of a convolutional network. x has images of H rows and W columns, each
    pooled by itself; windows do not overlap unless `stride` is smaller than `size`. Padding never wins, so it is not
    the same as zeros around the image. The gradient goes to the largest entry of each window.

    Args:
        x: Images; the axes before the last two are channels and batches.
        size: How large a window is: one number, or two for its height and its width.
        stride: How far the next window stands: one number, or two for down and right; the size of a window unless
            given.
        padding: How many places there are on each side that no window chooses: one number, or two for above and below
            and for left and right, or `"same"` or `"valid"`.

    Returns:
        An image for each of x, of ⌊(H + padding − height) / stride⌋ + 1 rows, and of columns likewise.

    Raises:
        ShapeError: A window is larger than an image with its padding.
        InputError: The padding is as large as a window, or the images have no entries.

    Formula:
        $$y_{pq} = \max_{k, l}\ \tilde x_{sp + k,\,sq + l}$$

        for the image x̃, padded with −∞, with stride as s, k below the height of a window and l below its width.

    Source:
        Ranzato, Huang, Boureau and LeCun, *Unsupervised Learning of Invariant Feature Hierarchies* (2007); operator
        `MaxPool` of ONNX opset 12.
    """
    grid = _grid_of("max_pool", x, size, stride, padding)
    return np.max(windows(x, grid), axis=(-2, -1), where=inside(x.shape[-2:], grid), initial=-np.inf)


@max_pool.defvjp
def _(x, size, *, stride=None, padding=0):
    grid, image = _grid_of("max_pool", x, size, stride, padding), x.shape[-2:]
    seen, real = windows(x, grid), inside(x.shape[-2:], grid)
    y = np.max(seen, axis=(-2, -1), where=real, initial=-np.inf)
    largest = ((seen == y[..., None, None]) | np.isnan(seen)) & real
    n = np.maximum(largest.sum(axis=(-2, -1)), 1)

    def pullback(g):
        shares = np.where(largest, (g / n)[..., None, None], 0)
        return put_back(shares, image, grid), None

    return y, pullback


# An image is cut into windows, and of each only the mean is kept: the image becomes smaller, and blurred. It is a
# convolution of each channel with a kernel of equal weights that add up to 1.
#
# Does a window that hangs over the edge divide by its size, or by the number of places that lie in the image? With
# `count_padding=True`, as in PyTorch, padding counts as zeros, and the edges of an image get darker. With
# `count_padding=False`, as in ONNX, and as Keras and TensorFlow have it for `"same"`, only entries of the image count,
# and an image of one colour keeps its colour. Without padding there is no difference.
#
# Everything else is as in `max_pool`. There is no rounding up of the number of windows, `ceil_mode`: libraries do not
# agree by what a window divides that reaches beyond even the padding.
#
# **The gradient.** Each window sends its cotangent g back in equal parts to the n entries that it was the mean of. An
# entry gets the sum over its windows,
#
# $$\frac{\partial L}{\partial x_{ij}} = \sum_{(p, q)\,\ni\,(i, j)} \frac{g_{pq}}{n_{pq}},$$
#
# and what is sent to the padding is dropped.
@builtin(
    category="Convolution & pooling",
    aliases=(
        *("AveragePool", "AvgPool1d", "AvgPool2d", "AveragePooling1D", "AveragePooling2D", "avg_pool1d", "avg_pool2d"),
        *("average pooling", "mean pooling", "count_include_pad", "box filter", "blur", "GlobalAveragePool"),
    ),
)
def avg_pool(
    x: Array["... H W"],
    size: Int["", "1:"] | Int["2", "1:"],
    *,
    stride: Int["", "1:"] | Int["2", "1:"] | None = None,
    padding: Int["", "0:"] | Int["2", "0:"] | Literal["same", "valid"] = 0,
    count_padding: bool = True,
) -> Array["... P Q"]:
    r"""Gives the mean of each window of an image.

    It makes images smaller between layers. With a window as large as the image, it is the step from the last image of a
    network to its classifier. x has images of H rows and W columns, each pooled by itself; windows do not overlap
    unless `stride` is smaller than `size`. Whether the zeros of the padding count is said by `count_padding`, and
    libraries disagree on it.

    Args:
        x: Images; the axes before the last two are channels and batches.
        size: How large a window is: one number, or two for its height and its width.
        stride: How far the next window stands: one number, or two for down and right; the size of a window unless
            given.
        padding: How many zeros there are on each side: one number, or two for above and below and for left and right,
            or `"same"` or `"valid"`.
        count_padding: Whether a mean counts the zeros of the padding, or only what lies in the image.

    Returns:
        An image for each of x, of ⌊(H + padding − height) / stride⌋ + 1 rows, and of columns likewise.

    Raises:
        ShapeError: A window is larger than an image with its padding.
        InputError: The padding is as large as a window, or the images have no entries.

    Formula:
        $$y_{pq} = \frac{1}{n_{pq}} \sum_{k, l} \tilde x_{sp + k,\,sq + l}$$

        for the padded image x̃, with stride as s; n is the size of a window, K L, or how many of its places lie in x.

    Source:
        LeCun, Bottou, Bengio and Haffner, *Gradient-Based Learning Applied to Document Recognition* (1998), section II;
        operator `AveragePool` of ONNX opset 11.
    """
    grid = _grid_of("avg_pool", x, size, stride, padding)
    counted = True if count_padding else inside(x.shape[-2:], grid)
    return np.mean(windows(x, grid), axis=(-2, -1), where=counted)


@avg_pool.defvjp
def _(x, size, *, stride=None, padding=0, count_padding=True):
    grid, image = _grid_of("avg_pool", x, size, stride, padding), x.shape[-2:]
    seen, real = windows(x, grid), inside(image, grid)
    counted = np.ones_like(real) if count_padding else real
    n = counted.sum(axis=(-2, -1))

    def pullback(g):
        shares = np.where(counted, (g / n)[..., None, None], 0)
        return put_back(shares, image, grid), None

    return np.mean(seen, axis=(-2, -1), where=counted), pullback


def _grid_of(name, x, size, stride, padding):
    """Where the windows stand; refused where one might have nothing of the image in it."""
    image = x.shape[-2:]
    grid = grid_of(name, image, size, size if stride is None else stride, padding)
    if 0 in image:
        raise InputError(f"{name}: an image of {shown(image)} has no entries to pool")
    if any(p >= k for p, k in zip(grid.before, grid.size, strict=True)):
        raise InputError(
            f"{name}: padding of {shown(grid.before)} is as large as the window of {shown(grid.size)}, which would see "
            "nothing but padding at the edge; padding must be smaller"
        )
    return grid
