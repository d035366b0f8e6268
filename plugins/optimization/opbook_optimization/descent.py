"""Plain steps, and steps with momentum: sgd_step."""

from typing import TypedDict

import numpy as np

from opbook import Tree, builtin, tree
from opbook.errors import InputError
from opbook_optimization.options import check_not_negative


class SgdState(TypedDict):
    """What momentum remembers: a decaying sum of the gradients."""

    momentum: Tree["P"]


class SgdStepped(TypedDict):
    """The parameters after a step, and what the next one starts from."""

    params: Tree["P"]
    state: SgdState


# The gradient points to where the loss grows fastest, so a step goes the other way, lr times as far. The parameters may
# be built in any way, of records, tuples and lists; grads and state are built as they are.
#
# In a narrow valley such steps jump from one side to the other, and hardly move along it. *Momentum* sums the gradients
# of the past, each μ times as much as the one after it, and steps by the sum b. What changes its sign cancels; what
# keeps its direction becomes up to 1/(1 − μ) times as large. *Nesterov's* form looks one step of that sum ahead: it
# steps by g + μ b.
#
# Three things are called momentum, and differ silently.
#
# - b = μ b + g and θ = θ − lr b, here and in PyTorch. If lr changes, the whole sum is scaled by the new one.
# - v = μ v − lr g and θ = θ + v, in Keras and in the paper by Sutskever et al. It is the same as long as lr is.
# - b = μ b + (1 − μ) g, a running mean, which needs an lr that is 1/(1 − μ) times as large. PyTorch's `dampening` = μ
#   makes one of it, except for its first step, which is g in full.
#
# `weight_decay` is added to the gradient, times the parameter, as in PyTorch, and so goes through the momentum. In
# `adamw_step` it does not.
#
# **The gradient.** Everything is linear: with λ for weight_decay, and without Nesterov, θ' = θ − lr (μ b + g + λ θ). So
# a cotangent c of the new parameters gives −lr c for g, −lr μ c for b and (1 − lr λ) c for θ. The tape finds this by
# itself, and there is no rule by hand.
@builtin(
    category="Optimization",
    aliases=("SGD", "stochastic gradient descent", "torch.optim.SGD", "optax.sgd", "momentum", "Nesterov", "optimizer"),
)
def sgd_step(
    params: Tree["P"],
    grads: Tree["P"],
    state: SgdState | None = None,
    *,
    lr: float,
    momentum: float = 0.0,
    nesterov: bool = False,
    weight_decay: float = 0.0,
) -> SgdStepped:
    r"""Moves parameters against their gradients, with or without momentum.

    It is the simplest way to train, and with momentum still the usual one for convolutional networks. params and grads
    are arrays or records of arrays, built alike; the new params come back, and nothing is changed in place. Pass the
    returned `state` to the next step: without it there is no momentum from before.

    Args:
        params: The parameters: an array, or records, tuples and lists of arrays.
        grads: The gradient of the loss by each of them.
        state: What the last step returned as its state; without it, this is the first step.
        lr: The learning rate: how far to go, as a multiple of the gradient; at least 0.
        momentum: How much of the sum of earlier gradients is kept; at least 0.
        nesterov: Whether to step by what the sum will be, which needs a momentum above 0.
        weight_decay: How much of each parameter is added to its gradient; at least 0.

    Returns:
        A record of the new params, and of the state for the next step.

    Raises:
        ArgumentError: grads, or the state, is built differently from params.
        ShapeError: An array of them has another shape.
        InputError: lr, momentum or weight_decay is negative, or nesterov is asked for without momentum.

    Formula:
        $$\begin{aligned}
        g' &= g + \lambda\,\theta_{t-1}, \\
        b_t &= \mu\,b_{t-1} + g', \\
        \theta_t &= \theta_{t-1} - \text{lr}\;b_t
        \end{aligned}$$

        with momentum as μ and weight_decay as λ; with nesterov the step is by g' + μ b_t.

    Source:
        Sutskever et al., *On the importance of initialization and momentum in deep learning* (2013), section 2, with lr
        outside of the sum, as in PyTorch; operator `Momentum` of ONNX's preview training opset 1.
    """
    check_not_negative("sgd_step", lr=lr, momentum=momentum, weight_decay=weight_decay)
    if nesterov and momentum == 0:
        raise InputError("sgd_step: nesterov looks ahead by the momentum, which must be above 0, but is 0")
    before = tree.map(np.zeros_like, params) if state is None else state["momentum"]
    slopes = tree.map(lambda g, theta: g + weight_decay * theta, grads, params)
    b = tree.map(lambda old, g: momentum * old + g, before, slopes)
    steps = tree.map(lambda g, b: g + momentum * b, slopes, b) if nesterov else b
    return {"params": tree.map(lambda theta, step: theta - lr * step, params, steps), "state": {"momentum": b}}
