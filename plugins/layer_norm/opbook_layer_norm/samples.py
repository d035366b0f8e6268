"""What layer_norm is verified on, and what is true of it."""

import numpy as np

from opbook import Property, hookimpl
from opbook_layer_norm import layer_norm


@layer_norm.samples
def _(draw):
    gamma, beta = draw.normal(4), draw.normal(4)
    yield draw.edge("constant rows", np.array([[0.1] * 4, [0.0] * 4, [1e4] * 4]), gamma, beta)
    yield draw.large("a large mean and a small spread", 4096 + np.array([[-4.0, 0.0, 4.0, 8.0]]), gamma, beta)
    yield draw.large("a mean a hundred times the spread", 100 + draw.normal(5, 7), draw.normal(7), draw.normal(7))
    far = 1e6 + np.array([[-0.4, 0.1, 0.5, 0.8]])
    yield draw.edge("a mean a million times the spread", far, gamma, beta).in_pytorch(
        "[[0.7598, 2.548, -0.399, -1.721]]"
    )
    yield draw.edge("values of 1e30", 1e30 * draw.normal(2, 4), gamma, beta)
    yield draw.edge("values of 1e30 that add up to 0", 1e30 * np.array([[1.0, -1.0, 2.0, -2.0]]), gamma, beta)
    yield draw.call(draw.normal(2, 4), gamma, beta, eps=0.0)
    # beyond what is worked off at a time: by threads and compiled loops too, where there are any
    rows = np.arange(1100)[:, None]
    kinds = np.where(rows < 1000, 0, rows % 3)  # the first half can be worked off in the fast way, the second can't
    mixed = np.choose(kinds, [draw.normal(1100, 120), 0.1 + np.zeros((1100, 120)), 64 + draw.normal(1100, 120)])
    yield draw.large("more rows than a block has", draw.normal(1100, 120), draw.normal(120), draw.normal(120))
    yield draw.edge("many rows, the last of other kinds", mixed, draw.normal(120), draw.normal(120))
    yield draw.refused("a constant row and eps = 0", np.array([[1.0] * 4, [1, 2, 3, 4]]), gamma, beta, eps=0.0)
    yield draw.refused("a row of zeros and eps = 0", np.array([[0.0] * 4, [1, 2, 3, 4]]), gamma, beta, eps=0.0)
    yield draw.refused("a negative eps", draw.normal(2, 4), gamma, beta, eps=-1e-9)
    yield draw.refused("rows without entries", np.zeros((2, 0)), np.zeros(0), np.zeros(0))


@hookimpl
def opbook_properties():
    """State what the normalization takes out, and what is put in again."""

    def moved(op, x, gamma, beta, **options):
        return op(x + 8.0, gamma, beta, **options), op(x, gamma, beta, **options)

    def offset(op, x, gamma, beta, **options):
        return op(x, gamma, beta, **options) - beta, op(x, gamma, 0 * beta, **options)

    return [
        Property("layer_norm", "moved rows", "Adding a number to a whole row changes nothing.", moved),
        Property("layer_norm", "beta", "beta is added, and does nothing else.", offset),
    ]
