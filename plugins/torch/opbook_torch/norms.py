"""Layer and root-mean-square normalization."""

from opbook_torch.engine import by_torch, differentiated, refuse_unless, torch

LARGEST_MEAN = 30.0
"""How many standard deviations a mean may be away from 0: PyTorch subtracts it after it has multiplied, which loses
digits where it is larger, and all of them on constant rows."""

LARGEST_SQUARE = 1e30
"""Beyond it a sum of squares may overflow in float32."""

LARGEST_FACTOR = 1e12
"""Beyond it the third power of what a row is multiplied by overflows in float32, which is in gradients: without `eps`
rows of tiny numbers have such a factor."""


@by_torch
def layer_norm(x, gamma, beta, *, eps=1e-5):
    """The rule, for rows whose mean is not large beside their spread."""
    refuse_unless(eps >= 0)
    return differentiated(lambda x, gamma, beta: normed(x, gamma, beta, eps), x, gamma, beta)


def normed(x, gamma, beta, eps):
    """PyTorch's layer norm of tensors.

    Raises:
        HandOn: Its statistics show that it is not precise.
    """
    value, mean, reciprocal = torch().native_layer_norm(x, gamma.shape, gamma, beta, eps)
    is_precise = (reciprocal > 0) & (mean.abs() * reciprocal <= LARGEST_MEAN)  # false for infinity and NaN
    refuse_unless((is_precise & (reciprocal <= LARGEST_FACTOR)).all())
    return value


@by_torch
def rms_norm(x, gamma, *, eps=1e-5):
    """The rule, for rows whose squares fit into the precision."""

    def forward(x, gamma):
        squares = x.square()
        refuse_unless(squares.sum() < LARGEST_SQUARE and squares.mean(-1).min() + eps >= LARGEST_FACTOR**-2)
        return torch().nn.functional.rms_norm(x, gamma.shape, gamma, eps)

    refuse_unless(eps >= 0 and x.shape[-1] > 1)  # of one column the gradient is what little is left of a difference
    return differentiated(forward, x, gamma)
