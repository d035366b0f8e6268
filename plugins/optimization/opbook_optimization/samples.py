"""What the steps of optimizers and clipping are verified on, and what is true of them.

The known answers are PyTorch's, computed in float64, unless another source is named.
"""

import numpy as np

from opbook import Property, hookimpl, tree
from opbook_optimization import adamw_step, clip_by_global_norm, cosine_schedule, sgd_step

# three gradients one after the other, of which two have an entry that stays small, or starts at 0
PARAMS = np.array([[1.0, -2.0], [0.5, 3.0]])
FIRST, THIRD = np.array([[0.1, -0.2], [0.0, 4.0]]), np.array([[0.2, 0.4], [1.0, -1.0]])


def model(draw):
    """The weights of a little model, built of records, tuples and lists."""
    return {"w": draw.normal(3, 2), "layers": ({"b": draw.normal(2)}, {"b": draw.normal(4)}), "scale": draw.normal(1)}


@adamw_step.samples
def _(draw):
    m, v = np.array([[0.01, -0.02], [0.0, 0.4]]), np.array([[1e-5, 4e-5], [0.0, 0.016]])
    params = np.array([[0.900000009999999, -1.9000000049999999], [0.5, 2.90000000025]])
    stepped = {"params": params, "state": {"m": m, "v": v, "step": 1}}
    yield draw.known("PyTorch's first step", stepped, PARAMS, FIRST, lr=0.1)
    options = {"lr": 0.1, "beta1": 0.8, "beta2": 0.95, "eps": 1e-3, "weight_decay": 0.2}
    two = {
        "m": np.array([[-0.04399999999999999, -0.05199999999999999], [0.009999999999999998, 1.0399999999999998]]),
        "v": np.array([[0.004975000000000005, 0.002400000000000002], [0.0001250000000000001, 0.9600000000000009]]),
        "step": np.array(2),
    }
    three = {
        "m": np.array([[0.0048, 0.0384], [0.208, 0.632]]),
        "v": np.array([[0.00672625, 0.01028], [0.05011875, 0.962]]),
        "step": 3,
    }
    before = np.array([[0.9172391315069408, -1.7318050211598446], [0.404728687688792, 2.6911881947003358]])
    after = np.array([[0.8943857926505805, -1.7263699409685584], [0.32485316125284835, 2.587517277817919]])
    stepped = {"params": after, "state": three}
    yield draw.known("PyTorch's third step, with decay", stepped, before, THIRD, two, **options)
    params, grads = model(draw), model(draw)
    yield draw.call(params, grads, lr=0.01, weight_decay=0.1)
    yield draw.large("many parameters", [draw.normal(90, 99)], [draw.normal(90, 99)], lr=0.01, weight_decay=0.1)
    state = {"m": model(draw), "v": tree.map(lambda leaf: leaf**2, model(draw)), "step": np.array(7)}
    yield draw.call(params, grads, state, lr=0.01, eps=0.1)
    yield draw.call(params, grads, state, lr=0.0)
    yield draw.call([draw.normal(0, 3)], [draw.normal(0, 3)], lr=0.1)
    zeros = tree.map(np.zeros_like, params)
    same = {"params": params, "state": {"m": zeros, "v": zeros, "step": 1}}
    yield draw.known("a gradient of 0", same, params, zeros, lr=0.1).at_edge()
    negative = {**state, "v": tree.map(lambda leaf: -leaf, state["v"])}
    yield draw.refused("a state with m and v exchanged", params, grads, negative, lr=0.1).saying(
        "state.v holds means of squares"
    )
    yield draw.refused("a gradient that is missing", params, {"w": grads["w"]}, lr=0.1).saying("grads")
    yield draw.refused("a negative lr", params, grads, lr=-0.1).saying("lr must be at least 0, but is -0.1")
    yield draw.refused("beta2 = 1", params, grads, lr=0.1, beta2=1.0).saying("below 1, but is 1")
    yield draw.refused("a negative step count", params, grads, {**state, "step": -1}, lr=0.1).saying("at least 0")


@sgd_step.samples
def _(draw):
    yield draw.known("by hand", stepped(np.array([[0.99, -1.98], [0.5, 2.6]]), FIRST), PARAMS, FIRST, lr=0.1)
    options = {"lr": 0.1, "momentum": 0.9, "weight_decay": 0.05}
    before = np.array([[0.996575, -1.92315], [0.4877625, 1.998575]])
    two = {"momentum": np.array([[-0.11575, -0.4685], [0.097375, 5.86425]])}
    after = np.array([[0.982009625, -1.91136925], [0.3765599375, 1.560799625]])
    b = np.array([[0.14565375, -0.1178075], [1.112025625, 4.37775375]])
    yield draw.known("PyTorch's third step", stepped(after, b), before, THIRD, two, **options)
    before = np.array([[1.00712075, -1.8812415], [0.479020125, 1.47434075]])
    two = {"momentum": np.array([[-0.116425, -0.46715], [0.0972625, 5.845575]])}
    after = np.array([[0.968983527875, -1.90153055575], [0.2765911713125, 1.176842937875]])
    b = np.array([[0.1455735375, -0.114497075], [1.11148725625, 4.3347345375]])
    yield draw.known("PyTorch's, Nesterov", stepped(after, b), before, THIRD, two, nesterov=True, **options)
    params, grads = model(draw), model(draw)
    yield draw.call(params, grads, lr=0.01)
    for nesterov in (False, True):
        state = {"momentum": model(draw)}
        yield draw.call(params, grads, state, lr=0.3, momentum=0.8, nesterov=nesterov, weight_decay=0.1)
    yield draw.call(params, grads, lr=0.3, momentum=0.8, nesterov=True)
    yield draw.refused("a gradient that is missing", params, {"w": grads["w"]}, lr=0.1).saying("grads")
    yield draw.refused("a negative lr", params, grads, lr=-0.1).saying("lr must be at least 0, but is -0.1")
    yield draw.refused("nesterov without momentum", params, grads, lr=0.1, nesterov=True).saying(
        "momentum, which must be above 0"
    )


def stepped(params, momentum):
    """What sgd_step returns."""
    return {"params": params, "state": {"momentum": momentum}}


@clip_by_global_norm.samples
def _(draw):
    grads = {"w": np.array([[3.0, -4.0], [1.0, 0.5]]), "b": np.array([2.0, -6.0])}
    n = 8.139410298049853  # torch.nn.utils.get_total_norm; √66.25
    clipped = tree.map(lambda g: g * 2 / n, grads)
    yield draw.known("PyTorch's norm", {"grads": clipped, "norm": np.array(n)}, grads, 2.0)
    yield draw.known("short enough", {"grads": grads, "norm": np.array(n)}, grads, 8.2)
    yield model(draw), 0.5
    yield model(draw), 100.0
    yield [draw.normal(3, 4), draw.normal(0, 2), draw.normal(2, 3, 2)], 1.0
    zeros = tree.map(np.zeros_like, grads)
    yield draw.known("gradients of 0", {"grads": zeros, "norm": np.array(0.0)}, zeros, 1.0).at_edge()
    tiny = tree.map(lambda g: 1e-30 * g, grads)
    yield draw.known("gradients of 1e-30", {"grads": tiny, "norm": np.array(1e-30 * n)}, tiny, 1.0).at_edge()
    huge = tree.map(lambda g: 1e30 * g, grads)
    yield draw.known("gradients of 1e30", {"grads": clipped, "norm": np.array(1e30 * n)}, huge, 2.0).at_edge()
    bad = {**grads, "b": np.array([2.0, np.nan])}
    yield draw.refused("a gradient of NaN", bad, 1.0).saying("grads.b has the entry nan")
    yield draw.refused("an infinite gradient", [grads["w"], np.array([-np.inf])], 1.0).saying(
        "grads[1] has the entry -inf"
    )
    yield draw.refused("max_norm = 0", grads, 0.0).saying("max_norm must be above 0, but is 0")


@cosine_schedule.samples
def _(draw):
    lrs = [0.4, 0.25 + 0.15 / 2**0.5, 0.25, 0.25 - 0.15 / 2**0.5, 0.1, 0.1]  # 0°, 45°, 90°, ..., 180° of the wave
    yield draw.known("by hand, and beyond the end", np.array(lrs), [0, 2, 4, 6, 8, 99], steps=8, lr=0.4, floor=0.1)
    lrs = [0.25, 0.5, 0.75, 1.0, 0.75, 0.25, 0.0]  # 60° and 120° of the wave
    yield draw.known("a warmup, by hand", np.array(lrs), np.arange(7), steps=6, warmup=3, lr=1.0)
    yield draw.known("PyTorch's CosineAnnealingLR", np.array(0.07938926261462367), 3, steps=10, lr=0.1)
    yield draw.call(draw.integers(0, 20, 3, 4), steps=17, warmup=5, lr=0.3, floor=0.02)
    yield draw.call(draw.integers(0, 20, 2, 3, 5), steps=1, lr=2.0)
    yield draw.call(np.arange(4), steps=3, warmup=1, lr=0.5, floor=0.5)
    yield draw.refused("a negative step", [0, -1], steps=4, lr=0.1).saying("step[1] is -1, but must be at least")
    yield draw.refused("a step that is not a whole number", 0.5, steps=4, lr=0.1).saying("whole number")
    yield draw.refused("steps = 0", 0, steps=0, lr=0.1).saying("below steps, but is 0 of 0 steps")
    yield draw.refused("as many steps of warmup as steps", 0, steps=5, warmup=5, lr=0.1).saying("is 5 of 5 steps")
    yield draw.refused("a negative warmup", 0, steps=5, warmup=-1, lr=0.1).saying("at least 0")
    yield draw.refused("a negative lr", 0, steps=5, lr=-0.1).saying("lr must be at least 0, but is -0.1")
    yield draw.refused("a negative floor", 0, steps=5, lr=0.1, floor=-1.0).saying("floor must be at least 0")
    yield draw.refused("a floor above the peak", 0, steps=5, lr=0.1, floor=0.2).saying("at most lr = 0.1, but is 0.2")


@hookimpl
def opbook_properties():
    """State what optimizers do to all arrays alike, and what clipping keeps."""

    def without_gradient(op, params, grads, state=None, *, lr, weight_decay=0.0, **options):
        if state is not None:
            return None
        nothing = tree.map(np.zeros_like, grads)
        found = op(params, nothing, lr=lr, weight_decay=weight_decay, **options)["params"]
        return flat(found), (1 - lr * weight_decay) * flat(params)

    def first_step(op, params, grads, state=None, *, lr, **options):
        if state is not None:
            return None
        found = op(params, grads, lr=lr, **{**options, "eps": 0.0, "weight_decay": 0.0})["params"]
        return flat(found) - flat(params), -lr * np.sign(flat(grads))

    def larger_gradients(op, params, grads, state=None, **options):
        options["eps"] = 0.0
        if state is not None:
            state = {**state, "m": tree.map(lambda m: 8 * m, state["m"]), "v": tree.map(lambda v: 64 * v, state["v"])}
        before = None if state is None else {**state, **tree_over(state, 8, 64)}
        larger = op(params, tree.map(lambda g: 8 * g, grads), state, **options)["params"]
        return flat(larger), flat(op(params, grads, before, **options)["params"])

    def plain(op, params, grads, state=None, *, lr, momentum=0.0, nesterov=False, weight_decay=0.0):
        found = op(params, grads, state, lr=lr, weight_decay=weight_decay)["params"]
        return flat(found), flat(params) - lr * (flat(grads) + weight_decay * flat(params))

    def in_one_array(op, grads, max_norm):
        found, together = op(grads, max_norm), op(flat(grads), max_norm)
        return flat(found["grads"]), together["grads"]

    def twice(op, grads, max_norm):
        once = op(grads, max_norm)["grads"]
        return flat(op(once, 2 * max_norm)["grads"]), flat(once)

    def ends_at_floor(op, step, *, steps, lr, floor=0.0, warmup=0):
        ends = [op(last, steps=steps, lr=lr, floor=floor, warmup=warmup) for last in (steps, steps + 7)]
        return np.array(ends), np.array([floor, floor])

    def peak_after_warmup(op, step, *, steps, warmup=0, lr, **options):
        return np.asarray(op(warmup, steps=steps, warmup=warmup, lr=lr, **options)), np.array(lr)

    def later(op, step, *, steps, warmup=0, **options):
        falling = op(np.asarray(step) + warmup, steps=steps, warmup=warmup, **options)
        return falling, op(step, steps=steps - warmup, **options)

    step_of_lr = "Without eps, every entry moves by lr at the first step, whatever the size of its gradient."
    scaled = "Without eps, gradients 8 times as large from the beginning give the same step."
    decayed = "Without a gradient, all that happens to params is the decay."
    straight = "Without momentum it is params - lr * (grads + weight_decay * params)."
    return [
        Property("adamw_step", "without gradient", decayed, without_gradient),
        Property("adamw_step", "first step", step_of_lr, first_step),
        Property("adamw_step", "larger gradients", scaled, larger_gradients),
        Property("cosine_schedule", "end", "At step = steps and after, it is the floor.", ends_at_floor),
        Property("cosine_schedule", "peak", "At step = warmup it is lr.", peak_after_warmup),
        Property("cosine_schedule", "later", "A warmup moves what comes after it, and leaves less room.", later),
        Property("sgd_step", "plain", straight, plain),
        Property("clip_by_global_norm", "one array", "In one array the entries are clipped alike.", in_one_array),
        Property("clip_by_global_norm", "twice", "What is clipped is short enough for twice the limit.", twice),
    ]


def flat(params):
    """All entries in one row."""
    return np.concatenate([np.ravel(leaf) for leaf in tree.leaves(params)])


def tree_over(state, m, v):
    """The running means of an Adam, divided."""
    return {"m": tree.map(lambda leaf: leaf / m, state["m"]), "v": tree.map(lambda leaf: leaf / v, state["v"])}
