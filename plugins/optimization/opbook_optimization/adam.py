"""Steps that are as large for small gradients as for large ones: adamw_step."""

from typing import TypedDict

import numpy as np

from opbook import Int, Tree, builtin, tree
from opbook.errors import InputError
from opbook_optimization.options import check_not_negative, check_share


class AdamState(TypedDict):
    """What Adam remembers: running means of the gradients and of their squares, and how many steps it has taken."""

    m: Tree["P"]
    v: Tree["P"]
    step: Int["", "0:"]


class AdamStepped(TypedDict):
    """The parameters after a step, and what the next one starts from."""

    params: Tree["P"]
    state: AdamState


# A plain step is as large as the gradient. So one lr has to serve weights whose gradients differ by a factor of a
# thousand. Adam divides: each entry moves by about lr, whatever the size of its gradient, and by less if the gradient
# keeps changing its sign. The parameters may be built in any way, of records, tuples and lists; grads and state are
# built as they are.
#
# For each entry there are two running means: m of its gradients, and v of their squares. The step is m / √v. Both start
# at 0, and would be too small at first; with a constant gradient, m is 1 − β₁ᵗ of it after t steps. So they are divided
# by that, the *bias correction*. The first step is then lr · g / |g|.
#
# `weight_decay` shrinks the weights a little at every step, by lr · weight_decay of what they were *before* it. It is
# *decoupled*: it does not go through m and v, as it would if it were added to the gradient, which Adam with decay used
# to do. With weight_decay = 0, AdamW is Adam.
#
# Three things differ silently between implementations.
#
# - eps is added to √v after the bias correction, here, in PyTorch and in Keras. ONNX has it without the correction,
#   which is a much larger eps in the first steps.
# - The decay is multiplied by lr, here and in PyTorch. In the paper it is multiplied by the schedule alone, so that
#   weight decays of papers are about lr times as large.
# - The default of weight_decay is 0 here, and 0.01 in `torch.optim.AdamW`.
#
# **The gradient.** One rarely trains through a step, so there is no rule by hand. For that, for example to learn a
# learning rate, the tape differentiates the definition. With respect to its own gradient g, the step has two parts, one
# through m and one through v, which almost cancel at the first step: lr · g / |g| does not depend on the size of g.
@builtin(
    category="Optimization",
    aliases=("AdamW", "Adam", "torch.optim.AdamW", "torch.optim.Adam", "optax.adamw", "optimizer", "weight decay"),
)
def adamw_step(
    params: Tree["P"],
    grads: Tree["P"],
    state: AdamState | None = None,
    *,
    lr: float,
    beta1: float = 0.9,
    beta2: float = 0.999,
    eps: float = 1e-8,
    weight_decay: float = 0.0,
) -> AdamStepped:
    r"""Moves parameters against their gradients, every entry by about lr, and makes them decay.

    It is what nearly all transformers are trained with: each entry has a step size of its own, made from the mean and
    the size of its gradients so far. params and grads are arrays or records of arrays, built alike; the new params come
    back, and nothing is changed in place. Pass the returned `state` to the next step. Weight decay acts on the
    parameters directly, not through the gradient.

    Args:
        params: The parameters: an array, or records, tuples and lists of arrays.
        grads: The gradient of the loss by each of them.
        state: What the last step returned as its state; without it, this is the first step.
        lr: The learning rate, about how far an entry moves; at least 0.
        beta1: How much of the running mean of the gradients is kept, from 0 to below 1.
        beta2: How much of the running mean of their squares is kept, from 0 to below 1.
        eps: Added to the root of that mean; at least 0.
        weight_decay: By what share, times lr, the parameters shrink; at least 0.

    Returns:
        A record of the new params, and of the state for the next step.

    Raises:
        ArgumentError: grads, or the state, is built differently from params.
        ShapeError: An array of them has another shape.
        InputError: An option is outside its range, or v in the state has an entry below 0.

    Formula:
        $$\begin{aligned}
        m_t &= \beta_1 m_{t-1} + (1 - \beta_1)\,g, &
        v_t &= \beta_2 v_{t-1} + (1 - \beta_2)\,g^2, \\
        \hat m &= \frac{m_t}{1 - \beta_1^t}, &
        \hat v &= \frac{v_t}{1 - \beta_2^t}, \\
        \theta_t &= \theta_{t-1} - \text{lr}\left(\frac{\hat m}{\sqrt{\hat v} + \varepsilon}
        + \lambda\,\theta_{t-1}\right)
        \end{aligned}$$

        with eps as ε and weight_decay as λ.

    Source:
        Kingma and Ba, *Adam: A Method for Stochastic Optimization* (2014), algorithm 1; Loshchilov and Hutter,
        *Decoupled Weight Decay Regularization* (2019), algorithm 2, with the decay times lr, as in PyTorch.
    """
    check_not_negative("adamw_step", lr=lr, eps=eps, weight_decay=weight_decay)
    check_share("adamw_step", beta1=beta1, beta2=beta2)
    if state is None:
        zeros = tree.map(np.zeros_like, params)
        state = {"m": zeros, "v": zeros, "step": 0}
    _check_squares(state["v"])
    t = int(state["step"]) + 1
    m = tree.map(lambda old, g: beta1 * old + (1 - beta1) * g, state["m"], grads)
    v = tree.map(lambda old, g: beta2 * old + (1 - beta2) * g**2, state["v"], grads)

    def moved(theta, m, v):
        m_hat, v_hat = m / (1 - beta1**t), v / (1 - beta2**t)
        not_zero = max(eps, float(np.finfo(theta.dtype).tiny))  # 1e-8 would be 0 in float16
        return theta - lr * (m_hat / (np.sqrt(v_hat) + not_zero) + weight_decay * theta)

    return {"params": tree.map(moved, params, m, v), "state": {"m": m, "v": v, "step": np.asarray(t)}}


def _check_squares(v):
    least = min((np.min(leaf, initial=0) for leaf in tree.leaves(v)), default=0)
    if least < 0:
        raise InputError(f"adamw_step: state.v holds means of squares, at least 0, but has the entry {least:g}")
