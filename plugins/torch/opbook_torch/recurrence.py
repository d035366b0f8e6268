"""The gated recurrent unit."""

import numpy as np

from opbook_torch.engine import by_torch, differentiated, refuse_unless, torch


@by_torch
def gru_forward(x, weights, h0=None, *, reset="after"):
    """The rule, for the form that PyTorch and cuDNN have."""
    refuse_unless(reset == "after")
    refuse_unless(h0 is None or np.broadcast_shapes(x.shape[:-2], h0.shape[:-1]) == x.shape[:-2])

    def forward(x, w, h0):
        size = w["ur"].shape[0]
        zero = x.new_zeros(size)
        matrices = [torch().cat([w[f"{of}{gate}"] for gate in "rzn"], dim=1).T for of in "wu"]
        offsets = [torch().cat([w.get(name, zero) for name in names]) for names in (("br", "bz", "bn"), ("", "", "cn"))]
        batch = x.shape[:-2]
        before = x.new_zeros(*batch, size) if h0 is None else h0.expand(*batch, size)
        rows, before = x.reshape(-1, *x.shape[-2:]), before.reshape(1, -1, size)
        options = (True, 1, 0.0, False, False, True)  # biases, layers, dropout, training, both ways, batch first
        states, _ = torch().gru(rows, before, [*matrices, *offsets], *options)
        return states.reshape(*batch, *states.shape[-2:])

    return differentiated(forward, x, weights, h0)
