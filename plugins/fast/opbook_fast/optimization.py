"""Steps of an optimizer on all parameters at once, joined into one row of numbers."""

import numpy as np
from opbook_optimization import adamw_step
from opbook_optimization.options import check_not_negative, check_share

from opbook import tree, vjp

BLOCK = 2**14
"""So many numbers of float64 and what is computed of them stay in the cache."""


def adamw(params, grads, state=None, *, lr, beta1=0.9, beta2=0.999, eps=1e-8, weight_decay=0.0):
    """The rule, for parameters in one precision: the definition's own steps, in float64, block by block."""
    options = {"lr": lr, "beta1": beta1, "beta2": beta2, "eps": eps, "weight_decay": weight_decay}
    leaves = leaves_in_one_precision(params, grads, state, options)
    if leaves is None:
        return NotImplemented
    theta, g, m, v = (np.concatenate([leaf.reshape(leaf.size) for leaf in part]) for part in leaves)
    if v.size and v.min() < 0:
        return NotImplemented  # the builtin's own definition says what is wrong
    t, smallest = number_of(state), least(eps, theta.dtype)
    with np.errstate(over="ignore"):
        for start in range(0, theta.size, BLOCK):
            at = slice(start, start + BLOCK)
            old, slope = theta[at].astype(np.float64), g[at].astype(np.float64)
            mean = beta1 * m[at].astype(np.float64) + (1 - beta1) * slope
            square = beta2 * v[at].astype(np.float64) + (1 - beta2) * slope**2
            step = mean / (1 - beta1**t) / (np.sqrt(square / (1 - beta2**t)) + smallest)
            theta[at], m[at], v[at] = old - lr * (step + weight_decay * old), mean, square
    return answer([apart(part, params) for part in (theta, m, v)], t, (params, grads, state), options)


def leaves_in_one_precision(params, grads, state, options):
    """Check a call of adamw_step, and lay out its arrays.

    Args:
        params: The parameters, a tree.
        grads: Their gradients.
        state: The optimizer's state, or None before the first step.
        options: The options.

    Returns:
        The leaves of the parameters, of the gradients, of m and of v, each in the order of the first; None if they are
        not all arrays in the same precision.
    """
    check_not_negative("adamw_step", **{name: options[name] for name in ("lr", "eps", "weight_decay")})
    check_share("adamw_step", beta1=options["beta1"], beta2=options["beta2"])
    parts = [params, grads, *((state["m"], state["v"]) if state else ())]
    leaves = [tree.leaves_like(params, part) for part in parts]
    if len({getattr(leaf, "dtype", None) for part in leaves for leaf in part}) != 1:
        return None
    return leaves if state else [*leaves, *([np.zeros_like(leaf) for leaf in leaves[0]] for _ in "mv")]


def number_of(state):
    """Which step comes after a state, from 1."""
    return 1 if state is None else int(state["step"]) + 1


def least(eps, dtype):
    """What is added to the root of the mean square, so that nothing is divided by 0."""
    return max(eps, float(np.finfo(dtype).tiny))


def answer(new, step, given, options):
    """What the rule returns for new parameters, m and v: the record, and a pullback.

    Hardly anybody trains through a step: the definition is recorded for those who do.
    """

    def pullback(cotangent):
        return vjp(lambda *given: adamw_step.definition(*given, **options), *tree.map(precise, given))[1](cotangent)

    return {"params": new[0], "state": {"m": new[1], "v": new[2], "step": np.asarray(step)}}, pullback


def precise(leaf):
    """A leaf in float64, if it is an array of floats."""
    return leaf.astype(np.float64) if isinstance(leaf, np.ndarray) and leaf.dtype.kind == "f" else leaf


def apart(row, like):
    """The numbers of a row in a tree built as another is."""
    leaves = tree.leaves(like)
    ends = np.cumsum([leaf.size for leaf in leaves])[:-1]
    parts = np.split(row, ends)
    return tree.unflatten(like, [part.reshape(leaf.shape) for part, leaf in zip(parts, leaves, strict=True)])
