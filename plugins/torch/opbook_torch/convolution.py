"""Convolution."""

from opbook_convolution.windows import grid_of

from opbook_torch.engine import by_torch, differentiated, refuse_unless, torch


@by_torch
def conv2d(x, w, b=None, *, stride=1, padding=0, dilation=1, groups=1):
    """The rule, for images, and kernels that fit them."""
    refuse_unless(w.ndim == 4 and w.size and w.shape[1] * groups == x.shape[-3] and len(w) % groups == 0)
    grid = grid_of("conv2d", x.shape[-2:], w.shape[2:], stride, padding, dilation)

    def forward(x, w, b):
        (top, left), (bottom, right) = grid.before, grid.after
        images = torch().nn.functional.pad(x.reshape(-1, *x.shape[-3:]), (left, right, top, bottom))
        y = torch().nn.functional.conv2d(images, w, b, grid.stride, 0, grid.dilation, groups)
        return y.reshape(*x.shape[:-3], *y.shape[1:])

    return differentiated(forward, x, w, b)
