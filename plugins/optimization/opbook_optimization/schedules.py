"""How long the steps of a training are: cosine_schedule."""

import numpy as np

from opbook import Array, Int, builtin
from opbook.errors import InputError
from opbook_optimization.options import check_not_negative


# At the beginning a network is far from everything, and long steps help; at the end they throw it out of the valley
# that it has found. So lr falls, along half a wave of the cosine: slowly at first, fastest in the middle, slowly again.
#
# Before that lr may rise, in a straight line over `warmup` steps, as the first gradients are of little use, and so are
# the means that Adam has of them. Steps are counted from 0, and the line begins at lr / (warmup + 1), not at 0, where
# the first step would move nothing. At step = warmup the peak is reached, exactly.
#
# `steps` counts all of them, those of the warmup too. At step = steps, and ever after, lr is exactly the floor. It does
# not rise again: PyTorch's `CosineAnnealingLR` does, if it is asked for more steps.
#
# **The gradient.** Steps are whole numbers, and have none. The result is a mean of lr and floor, with the weights s and
# 1 − s, and these are the derivatives by lr and by floor; in the warmup, (t + 1) / (warmup + 1) and 0.
@builtin(
    category="Optimization",
    aliases=(
        *("cosine annealing", "CosineAnnealingLR", "cosine decay", "CosineDecay", "cosine_decay_schedule", "SGDR"),
        *("warmup_cosine_decay_schedule", "get_cosine_schedule_with_warmup", "learning rate schedule", "lr_scheduler"),
        "warmup",
    ),
)
def cosine_schedule(
    step: Int["...", "0:"], *, steps: int, warmup: int = 0, lr: float, floor: float = 0.0
) -> Array["..."]:
    r"""Gives the learning rate of a step: it rises in a line, then falls along half a cosine.

    It is what most large models are trained with. Its value is the `lr` of `adamw_step` or `sgd_step`.

    Args:
        step: Which step, from 0 on, or several of them.
        steps: How many steps there are, those of the warmup too; above warmup.
        warmup: How many steps come before the peak.
        lr: The learning rate at the peak.
        floor: The learning rate at step = steps and after; at most lr.

    Returns:
        A learning rate for each step.

    Raises:
        InputError: A step or a number of steps is negative, warmup is not below steps, or floor is above lr or
            negative.

    Formula:
        $$y_t = \begin{cases}
        \dfrac{t + 1}{w + 1}\,\text{lr} & t < w \\[1ex]
        s\,\text{lr} + (1 - s)\,\text{floor} & t \ge w
        \end{cases}, \qquad s = \frac{1}{2}\left(1 + \cos\left(\pi\,\frac{\min(t, T) - w}{T - w}\right)\right)$$

        with step as t, steps as T and warmup as w.

    Source:
        Loshchilov and Hutter, *SGDR: Stochastic Gradient Descent with Warm Restarts* (2017), equation 5; the warmup of
        Goyal et al., *Accurate, Large Minibatch SGD* (2017), section 2.2.
    """
    check_not_negative("cosine_schedule", lr=lr, floor=floor)
    if not 0 <= warmup < steps:
        raise InputError(
            f"cosine_schedule: warmup must be at least 0 and below steps, but is {warmup} of {steps} steps"
        )
    if floor > lr:
        raise InputError(f"cosine_schedule: floor must be at most lr = {lr:g}, but is {floor:g}")
    share = (1 + np.cos(np.pi * (np.minimum(step, steps) - warmup) / (steps - warmup))) / 2
    return np.where(step < warmup, lr * (step + 1) / (warmup + 1), lr * share + floor * (1 - share))
