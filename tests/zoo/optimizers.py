"""adamw_step, sgd_step and clip_by_global_norm."""

import numpy as np
from zoo.animals import right, wrong, wrong_gradient

from opbook import tree


def _adam(params, grads, state, lr, beta1, beta2, eps, decay, late=1.0, corrected=True, coupled=0.0, rooted=False):
    zeros = tree.map(np.zeros_like, params)
    state = state or {"m": zeros, "v": zeros, "step": 0}
    t = int(state["step"]) + 1
    grads = tree.map(lambda g, p: g + coupled * p, grads, params)
    m = tree.map(lambda m, g: m + (1 - beta1) * (g - m), state["m"], grads)
    v = tree.map(lambda v, g: v + (1 - beta2) * (g * g - v), state["v"], grads)
    first, second = (1 - beta1**t, 1 - beta2**t) if corrected else (1.0, 1.0)

    def moved(p, m, v):
        size = np.sqrt(v / second + eps) if rooted else np.sqrt(v / second) + eps
        step = m / first / np.where(size == 0, 1, size)
        return p * (1 - decay) - lr * step if late == 1 else (p - lr * step) * (1 - decay)

    return {"params": tree.map(moved, params, m, v), "state": {"m": m, "v": v, "step": np.asarray(t)}}


@right("adamw_step", "the decay first, then the step")
def adam(params, grads, state=None, *, lr, beta1=0.9, beta2=0.999, eps=1e-8, weight_decay=0.0):
    return _adam(params, grads, state, lr, beta1, beta2, eps, lr * weight_decay)


@wrong("adamw_step", "without the correction of the bias")
def uncorrected(params, grads, state=None, *, lr, beta1=0.9, beta2=0.999, eps=1e-8, weight_decay=0.0):
    return _adam(params, grads, state, lr, beta1, beta2, eps, lr * weight_decay, corrected=False)


@wrong("adamw_step", "the decay added to the gradient")
def coupled(params, grads, state=None, *, lr, beta1=0.9, beta2=0.999, eps=1e-8, weight_decay=0.0):
    return _adam(params, grads, state, lr, beta1, beta2, eps, 0.0, coupled=weight_decay)


@wrong("adamw_step", "the decay not times lr")
def strong_decay(params, grads, state=None, *, lr, beta1=0.9, beta2=0.999, eps=1e-8, weight_decay=0.0):
    return _adam(params, grads, state, lr, beta1, beta2, eps, weight_decay)


@wrong("adamw_step", "the new weights decay, not the old")
def late_decay(params, grads, state=None, *, lr, beta1=0.9, beta2=0.999, eps=1e-8, weight_decay=0.0):
    return _adam(params, grads, state, lr, beta1, beta2, eps, lr * weight_decay, late=2.0)


@wrong("adamw_step", "eps under the root")
def eps_under_the_root(params, grads, state=None, *, lr, beta1=0.9, beta2=0.999, eps=1e-8, weight_decay=0.0):
    return _adam(params, grads, state, lr, beta1, beta2, eps, lr * weight_decay, rooted=True)


@wrong("adamw_step", "every step is the first one")
def forgets_the_step(params, grads, state=None, *, lr, beta1=0.9, beta2=0.999, eps=1e-8, weight_decay=0.0):
    state = None if state is None else {**state, "step": np.asarray(0)}
    return _adam(params, grads, state, lr, beta1, beta2, eps, lr * weight_decay)


def _sgd(params, grads, state, lr, mu, nesterov, decay, damp=1.0, first=None, after=0.0):
    g = tree.map(lambda g, p: g + decay * p, grads, params)
    b = tree.map(np.zeros_like, params) if state is None else state["momentum"]
    b = tree.map(lambda b, g: mu * b + damp * g, b, g)
    step = tree.map(lambda b, g: g + mu * b, b, g) if nesterov else b
    new = tree.map(lambda p, s: p - lr * s - after * p, params, step)
    return {"params": new, "state": {"momentum": b}}


@right("sgd_step", "leaf by leaf")
def sgd(params, grads, state=None, *, lr, momentum=0.0, nesterov=False, weight_decay=0.0):
    return _sgd(params, grads, state, lr, momentum, nesterov, weight_decay)


@wrong("sgd_step", "a running mean for the sum")
def running_mean(params, grads, state=None, *, lr, momentum=0.0, nesterov=False, weight_decay=0.0):
    return _sgd(params, grads, state, lr, momentum, nesterov, weight_decay, damp=1 - momentum)


@wrong("sgd_step", "uphill")
def uphill(params, grads, state=None, *, lr, momentum=0.0, nesterov=False, weight_decay=0.0):
    return _sgd(params, grads, state, -lr, momentum, nesterov, weight_decay)


@wrong("sgd_step", "Nesterov's form is left out")
def heavy_ball(params, grads, state=None, *, lr, momentum=0.0, nesterov=False, weight_decay=0.0):
    return _sgd(params, grads, state, lr, momentum, False, weight_decay)


@wrong("sgd_step", "the decay does not go through the momentum")
def decoupled(params, grads, state=None, *, lr, momentum=0.0, nesterov=False, weight_decay=0.0):
    return _sgd(params, grads, state, lr, momentum, nesterov, 0.0, after=lr * weight_decay)


@wrong("sgd_step", "lr inside the sum, as in Keras")
def lr_inside(params, grads, state=None, *, lr, momentum=0.0, nesterov=False, weight_decay=0.0):
    scaled = tree.map(lambda g, p: lr * (g + weight_decay * p), grads, params)
    return _sgd(params, scaled, state, 1.0, momentum, nesterov, 0.0)


def _norm(grads):
    leaves = [np.ravel(leaf).astype(np.float64) for leaf in tree.leaves(grads)]
    return np.linalg.norm(np.concatenate(leaves)) if leaves else 0.0


def _scaled(grads, factor, norm):
    dtype = next(leaf.dtype for leaf in tree.leaves(grads))
    return {"grads": tree.map(lambda g: (g * factor).astype(g.dtype), grads), "norm": np.asarray(norm, dtype)}


@right("clip_by_global_norm", "one long row")
def clip(grads, max_norm):
    norm = _norm(grads)
    return _scaled(grads, max_norm / norm if norm > max_norm else 1.0, norm)


@wrong("clip_by_global_norm", "every array by its own norm")
def array_by_array(grads, max_norm):
    clipped = tree.map(lambda g: clip([g], max_norm)["grads"][0], grads)
    return {"grads": clipped, "norm": clip(grads, max_norm)["norm"]}


@wrong("clip_by_global_norm", "every entry by itself")
def entry_by_entry(grads, max_norm):
    return {"grads": tree.map(lambda g: np.clip(g, -max_norm, max_norm), grads), "norm": clip(grads, max_norm)["norm"]}


@wrong("clip_by_global_norm", "short gradients are made longer")
def always_scaled(grads, max_norm):
    norm = _norm(grads)
    return _scaled(grads, max_norm / norm if norm else 1.0, norm)


@wrong("clip_by_global_norm", "the norm after clipping")
def norm_after(grads, max_norm):
    found = clip(grads, max_norm)
    return {**found, "norm": np.minimum(found["norm"], np.asarray(max_norm, found["norm"].dtype))}


@wrong("clip_by_global_norm", "the root forgotten")
def squared(grads, max_norm):
    norm = _norm(grads) ** 2
    return _scaled(grads, max_norm / norm if norm > max_norm else 1.0, norm)


@wrong_gradient("clip_by_global_norm", "gradient: the norm taken as a constant", clip)
def constant_norm(g, grads, max_norm):
    norm = _norm(grads)
    factor = max_norm / norm if norm > max_norm else 1.0
    return (tree.map(lambda c: c * factor, g["grads"]),)
