"""What the rules of all recurrences need: the state before the first row, and sums over all rows."""

import numpy as np

from opbook import unbroadcast


def state_before(x, state, size):
    """A state for each sequence of x, of the given size: zeros where there is None."""
    if state is None:
        return np.zeros((*x.shape[:-2], size), x.dtype)
    batch = np.broadcast_shapes(x.shape[:-2], state.shape[:-1])
    return np.broadcast_to(state, (*batch, size))


def over_rows(left, right):
    """The gradient of a matrix that every row of left was multiplied by: leftᵀ right, summed over the batch axes."""
    product = np.swapaxes(left, -1, -2) @ right
    return unbroadcast(product, product.shape[-2:])


def over_biases(right):
    """The gradient of a bias that was added to every row."""
    return unbroadcast(right, right.shape[-1:])
