"""Steps of an optimizer on all parameters at once, joined into one row of numbers."""

import numpy as np
from opbook_optimization import adamw_step
from opbook_optimization.options import check_not_negative, check_share

from opbook import tree, vjp

BLOCK = 2**14
"""So many numbers of float64 and what is computed of them stay in the cache."""


def adamw(params, grads, state=None, *, lr, beta1=0.9, beta2=0.999, eps=1e-8, weight_decay=0.0):
    """The rule, for parameters in one precision: the definition's own steps, in float64, block by block."""
    check_not_negative("adamw_step", lr=lr, eps=eps, weight_decay=weight_decay)
    check_share("adamw_step", beta1=beta1, beta2=beta2)
    leaves = tree.leaves(params)
    everything = [*leaves, *tree.leaves(grads), *(tree.leaves([state["m"], state["v"]]) if state else [])]
    if len({getattr(leaf, "dtype", None) for leaf in everything}) != 1:
        return NotImplemented
    theta, g = (joined(part, params) for part in (params, grads))
    m, v = (np.zeros_like(theta) if state is None else joined(state[name], params) for name in ("m", "v"))
    if v.size and v.min() < 0:
        return NotImplemented  # the builtin's own definition says what is wrong
    t = 1 if state is None else int(state["step"]) + 1
    least = max(eps, float(np.finfo(leaves[0].dtype).tiny))
    with np.errstate(over="ignore"):
        for start in range(0, theta.size, BLOCK):
            at = slice(start, start + BLOCK)
            old, slope = theta[at].astype(np.float64), g[at].astype(np.float64)
            mean = beta1 * m[at].astype(np.float64) + (1 - beta1) * slope
            square = beta2 * v[at].astype(np.float64) + (1 - beta2) * slope**2
            step = mean / (1 - beta1**t) / (np.sqrt(square / (1 - beta2**t)) + least)
            theta[at], m[at], v[at] = old - lr * (step + weight_decay * old), mean, square

    def pullback(cotangent):
        """Hardly anybody trains through a step: the definition is recorded for those who do."""
        options = {"lr": lr, "beta1": beta1, "beta2": beta2, "eps": eps, "weight_decay": weight_decay}
        given = tree.map(precise, (params, grads, state))
        return vjp(lambda *given: adamw_step.definition(*given, **options), *given)[1](cotangent)

    new = [apart(part, params) for part in (theta, m, v)]
    return {"params": new[0], "state": {"m": new[1], "v": new[2], "step": np.asarray(t)}}, pullback


def precise(leaf):
    """A leaf in float64, if it is an array of floats."""
    return leaf.astype(np.float64) if isinstance(leaf, np.ndarray) and leaf.dtype.kind == "f" else leaf


def joined(part, like):
    """The leaves of a tree in one row, in the order of another tree's."""
    leaves = tree.leaves_like(like, part)
    return np.concatenate([leaf.reshape(leaf.size) for leaf in leaves])


def apart(row, like):
    """The numbers of a row in a tree built as another is."""
    leaves = tree.leaves(like)
    ends = np.cumsum([leaf.size for leaf in leaves])[:-1]
    parts = np.split(row, ends)
    return tree.unflatten(like, [part.reshape(leaf.shape) for part, leaf in zip(parts, leaves, strict=True)])
