"""cosine_schedule."""

import numpy as np
from zoo.animals import right, wrong

OP = "cosine_schedule"


def _falling(progress, lr, floor):
    return floor + (lr - floor) * np.cos(np.pi / 2 * progress) ** 2


@right(OP, "the square of a quarter of the wave")
def schedule(step, *, steps, warmup=0, lr, floor=0.0):
    falling = _falling(np.clip((step - warmup) / (steps - warmup), 0, 1), lr, floor)
    return np.where(step < warmup, lr * (step + 1) / (warmup + 1), falling)


@wrong(OP, "the warmup begins at 0")
def from_zero(step, *, steps, warmup=0, lr, floor=0.0):
    warm = lr * step / max(warmup, 1)
    return np.where(step < warmup, warm, schedule(step, steps=steps, warmup=warmup, lr=lr, floor=floor))


@wrong(OP, "the peak is reached a step early")
def early_peak(step, *, steps, warmup=0, lr, floor=0.0):
    warm = lr * (step + 1) / max(warmup, 1)
    return np.where(step < warmup, warm, schedule(step, steps=steps, warmup=warmup, lr=lr, floor=floor))


@wrong(OP, "it rises again after the end")
def periodic(step, *, steps, warmup=0, lr, floor=0.0):
    falling = _falling((step - warmup) / (steps - warmup), lr, floor)
    return np.where(step < warmup, lr * (step + 1) / (warmup + 1), falling)


@wrong(OP, "the floor a step before the end")
def one_step_short(step, *, steps, warmup=0, lr, floor=0.0):
    if steps - 1 <= warmup:
        return schedule(step, steps=steps, warmup=warmup, lr=lr, floor=floor)
    return schedule(step, steps=steps - 1, warmup=warmup, lr=lr, floor=floor)


@wrong(OP, "the warmup not counted among the steps")
def longer(step, *, steps, warmup=0, lr, floor=0.0):
    return schedule(step, steps=steps + warmup, warmup=warmup, lr=lr, floor=floor)


@wrong(OP, "the floor as a share of lr")
def relative_floor(step, *, steps, warmup=0, lr, floor=0.0):
    return schedule(step, steps=steps, warmup=warmup, lr=lr, floor=floor * lr)


@wrong(OP, "a straight line")
def linear(step, *, steps, warmup=0, lr, floor=0.0):
    left = 1 - np.clip((step - warmup) / (steps - warmup), 0, 1)
    return np.where(step < warmup, lr * (step + 1) / (warmup + 1), floor + (lr - floor) * left)
