"""Convolution: conv2d."""

from math import prod
from typing import Literal

import numpy as np

from opbook import Array, Int, builtin
from opbook.errors import ShapeError
from opbook_convolution.windows import grid_of, put_back, windows


# A kernel is a small image that slides over a large one. At each place it is multiplied, entry by entry, with what lies
# under it, and the products are added up: the sum is large where the image looks like the kernel. The same few weights
# are used at all places, so what is learned in one corner holds in all others.
#
# An image has C *channels*, such as red, green and blue, and a kernel sees all of them at once: it is C × K × L. Each
# of the O kernels makes one channel of the result. So w is O × C × K × L, in the order of PyTorch and ONNX.
#
# - `stride` is how far the kernel moves on. With 2, the result has half as many rows and columns.
# - `padding` puts zeros around the image: a number on all sides, or two, above and below and then left and right.
#   `"valid"` is 0. `"same"` is as much as a result needs that is as large as x, or, with a stride s, as ⌈H / s⌉. Where
#   that is an odd number, as for kernels of even size, the odd row goes to the *bottom*, and the odd column to the
#   *right*.
# - `dilation` spreads the kernel: with 2, it looks at every second row and column.
# - `groups` splits the channels: each group of C / groups channels has its own O / groups kernels, which see no others.
#   With as many groups as channels it is the *depthwise* convolution of mobile networks.
#
# In mathematics this is a *correlation*. A convolution turns the kernel upside down and left to right before; networks
# learn their kernels, so they need not care, but whoever takes a kernel from a book on images should turn it.
#
# For a kernel of 1 × 1 there is nothing to slide: each place goes through one `linear` layer by itself.
#
# **The gradient.** The same weight is used at all places (p, q) and for all images n of the batch, each time times the
# entry of x that it meets there. Let g be the cotangent, the gradient of some number L by y. Then
#
# $$\frac{\partial L}{\partial w_{ockl}} = \sum_{n, p, q} g_{nopq}\,\tilde x_{n, c, sp + dk, sq + dl}, \qquad
# \frac{\partial L}{\partial b_o} = \sum_{n, p, q} g_{nopq},$$
#
# with x̃ for the padded image. An entry of x is seen by several windows, in each at another place (k, l). The part of
# window (p, q) in the gradient of its entries is
#
# $$\sum_o g_{opq}\,w_{ockl}.$$
#
# These numbers are put back where the windows stand, and added up where they overlap. What comes to lie on the padding
# is dropped. A network that uses this step to make images *larger* calls it a transposed convolution.
@builtin(
    category="Convolution & pooling",
    aliases=(
        *("Conv", "Conv1d", "Conv2d", "Conv1D", "Conv2D", "conv1d", "conv_general_dilated", "convolution"),
        *("convolutional layer", "cross-correlation", "correlate", "correlate2d", "convolve2d"),
        *(
            "depthwise convolution",
            "DepthwiseConv2D",
            "grouped convolution",
            "dilated convolution",
            "atrous convolution",
        ),
    ),
)
def conv2d(
    x: Array["... C H W"],
    w: Array["O I K L"],
    b: Array["O"] | None = None,
    *,
    stride: Int["", "1:"] | Int["2", "1:"] = 1,
    padding: Int["", "0:"] | Int["2", "0:"] | Literal["same", "valid"] = 0,
    dilation: Int["", "1:"] | Int["2", "1:"] = 1,
    groups: Int["", "1:"] = 1,
) -> Array["... O P Q"]:
    r"""Slides kernels over images, and gives at each place the sum of the products of a kernel with what lies under it.

    It is the layer of networks for images: the first layers find edges and spots, later ones shapes made of them. x has
    C channels of H rows and W columns, and each of O kernels gives one channel of the result. Without padding the
    result is smaller than x. If w has three axes, x has rows in the place of images, as in sound.

    Args:
        x: Images, with a height and a width for each of C channels.
        w: For each of O channels of the result a kernel, with a height and a width for each channel of its group.
        b: An offset for each channel of the result; none if it is left out.
        stride: How far a kernel moves on: one number, or two for down and right.
        padding: How many zeros there are on each side: one number, or two for above and below and for left and right,
            or `"same"` or `"valid"`.
        dilation: The distance of neighbours under a kernel: one number, or two.
        groups: How many groups the channels are split into, each with its own kernels.

    Returns:
        An image with O channels for each of x, of ⌊(H + padding − d (K − 1) − 1) / stride⌋ + 1 rows, and as many
            columns as follow from W and L.

    Raises:
        ShapeError: The kernels are for another number of channels, groups do not divide the channels or the kernels, or
            a kernel is larger than an image with its padding.

    Formula:
        $$y_{opq} = b_o + \sum_{c, k, l} w_{ockl}\,\tilde x_{c,\,sp + dk,\,sq + dl}$$

        for the padded image x̃, with stride as s and dilation as d, and with the channels c of the group of o.

    Source:
        LeCun et al., *Backpropagation Applied to Handwritten Zip Code Recognition* (1989); Dumoulin and Visin, *A guide
        to convolution arithmetic for deep learning* (2016); operator `Conv` of ONNX opset 11.
    """
    _check(x, w, groups)
    *batch, channels, height, width = x.shape
    grid = grid_of("conv2d", (height, width), w.shape[2:], stride, padding, dilation)
    images = x.reshape(prod(batch), groups, channels // groups, height, width)
    kernels = w.reshape(groups, len(w) // groups, *w.shape[1:])
    y = np.einsum("ngcpqkl,gockl->ngopq", windows(images, grid), kernels)
    y = y.reshape(*batch, len(w), *y.shape[-2:])
    return y if b is None else y + b[:, None, None]


@conv2d.defvjp
def _(x, w, b=None, *, stride=1, padding=0, dilation=1, groups=1):
    _check(x, w, groups)
    *batch, channels, height, width = x.shape
    grid = grid_of("conv2d", (height, width), w.shape[2:], stride, padding, dilation)
    seen = windows(x.reshape(prod(batch), groups, channels // groups, height, width), grid)
    kernels = w.reshape(groups, len(w) // groups, *w.shape[1:])
    y = np.einsum("ngcpqkl,gockl->ngopq", seen, kernels)
    value = y.reshape(*batch, len(w), *y.shape[-2:])

    def pullback(g):
        g = g.reshape(y.shape)
        dw = np.einsum("ngopq,ngcpqkl->gockl", g, seen)
        dx = put_back(np.einsum("ngopq,gockl->ngcpqkl", g, kernels), (height, width), grid)
        return dx.reshape(x.shape), dw.reshape(w.shape), None if b is None else g.sum(axis=(0, 3, 4)).ravel()

    return value if b is None else value + b[:, None, None], pullback


# A row of places is an image of height 1, and so is its kernel.
@conv2d.overload
def conv1d(
    x: Array["... C N"],
    w: Array["O I K"],
    b: Array["O"] | None = None,
    *,
    stride: Int["", "1:"] = 1,
    padding: Int["", "0:"] | Literal["same", "valid"] = 0,
    dilation: Int["", "1:"] = 1,
    groups: Int["", "1:"] = 1,
) -> Array["... O P"]:
    r"""Slides kernels over rows of places.

    Args:
        x: A row of places for each of C channels.
        w: For each of O channels of the result a kernel, with a row for each channel of its group.
        b: An offset for each channel of the result; none if it is left out.
        stride: How far a kernel moves on.
        padding: How many zeros there are at both ends, or `"same"` or `"valid"`.
        dilation: The distance of neighbours under a kernel.
        groups: How many groups the channels are split into, each with its own kernels.

    Returns:
        A row for each of O channels.
    """
    sides = padding if isinstance(padding, str) else (0, padding)
    options = {"stride": (1, stride), "padding": sides, "dilation": (1, dilation), "groups": groups}
    return conv2d(x[..., None, :], w[:, :, None, :], b, **options)[..., 0, :]


def _check(x, w, groups):
    """Refuse kernels that hold nothing or are for other channels, and groups that do not divide."""
    channels, (kernels, seen, height, width) = x.shape[-3], w.shape
    if min(height, width) < 1:
        raise ShapeError(f"conv2d: a kernel has at least 1 × 1 places, but w has {height} × {width}")
    for count, what in ((channels, "channels of x"), (kernels, "kernels of w")):
        if count % groups:
            divisors = ", ".join(str(n) for n in range(1, count + 1) if count % n == 0)
            raise ShapeError(f"conv2d: {groups} groups do not divide the {count} {what}; {divisors} would")
    if seen * groups != channels:
        raise ShapeError(
            f"conv2d: x has {channels} channels and groups is {groups}, so the second axis of w must have "
            f"{channels // groups} entries, but has {seen}; w is (kernels, channels of a group, height, width)"
        )
