"""What grad is verified on."""

from opbook_calculus import grad


@grad.samples
def _(draw):
    yield (lambda x: x * x,)
    yield (lambda x, y: x * y**2), 1
    yield draw.refused("no function", 3.0)
