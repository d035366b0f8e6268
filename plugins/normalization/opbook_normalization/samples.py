"""What the normalizations and dropout are verified on, and what is true of them.

The known answers are PyTorch's, computed in float64.
"""

import numpy as np
from opbook_layer_norm import layer_norm

from opbook import Property, hookimpl
from opbook_normalization import batch_norm, dropout, dropout_mask, group_norm, rms_norm


@rms_norm.samples
def _(draw):
    gamma = draw.normal(4)
    x, scale = np.array([[3.0, -4.0, 0.5, 1.0], [0.2, 0.1, -0.3, 0.0]]), np.array([1.0, 2.0, -0.5, 3.0])
    first = [1.1710791952877644, -3.1228778541007047, -0.09758993294064702, 1.1710791952877644]
    second = [1.0688922796581097, 1.0688922796581097, 0.8016692097435821, 0.0]
    yield draw.known("PyTorch's F.rms_norm", np.array([first, second]), x, scale)
    first = [1.1493915422653815, -3.0650441127076844, -0.09578262852211514, 1.1493915422653815]
    second = [0.3746343246326776, 0.3746343246326776, 0.28097574347450816, 0.0]
    yield draw.large("many rows", 2 * draw.normal(90, 99), draw.normal(99))
    yield draw.known("a large eps, PyTorch's F.rms_norm", np.array([first, second]), x, scale, eps=0.25)
    yield draw.edge("rows of zeros", np.array([[0.0] * 4, [1.0, 2.0, 3.0, 4.0]]), gamma)
    large = np.array([[300.0, -400.0, 50.0, 100.0]])
    yield draw.edge("float16 entries whose squares overflow", large, gamma).in_pytorch(
        "[[1.924, -0.3566, -0.2271, -0.2282]]"
    )
    yield draw.edge("values of 1e30", 1e30 * draw.normal(2, 4), gamma)
    yield draw.edge("rows much smaller than eps", 1e-4 * draw.normal(2, 4), gamma)
    yield draw.call(draw.normal(2, 4), gamma, eps=0.0)
    yield draw.refused("a row of zeros and eps = 0", np.zeros((1, 4)), gamma, eps=0.0).saying("all zeros")
    yield draw.refused("a negative eps", draw.normal(2, 4), gamma, eps=-1e-9).saying("at least 0, but is -1e-09")
    yield draw.refused("rows without entries", np.zeros((2, 0)), np.zeros(0)).saying("no entries")
    yield draw.refused("gamma of another length", draw.normal(2, 4), draw.normal(3)).saying("3 entries")


@group_norm.samples
def _(draw):
    gamma, beta = draw.normal(6), draw.normal(6)
    for groups in (1, 2, 3, 6):
        yield draw.normal(6, 5), gamma, beta, groups
    yield draw.normal(2, 3, 6, 4), gamma, beta, 2
    yield draw.call(draw.normal(3, 6, 7), gamma, beta, 3, eps=0.1)
    yield draw.large("many places", draw.normal(2, 6, 150), gamma, beta, 3)
    yield draw.normal(0, 6, 5), gamma, beta, 3
    x = np.array([[1.0, 3.0, 2.0], [0.0, -1.0, 4.0], [2.0, 2.5, 1.0], [-3.0, 0.5, 0.0]])
    scale, offset = np.array([1.0, 2.0, -1.0, 0.5]), np.array([0.0, 0.1, -0.2, 0.3])
    pairs = [
        [-0.2927695199943844, 0.8783085599831534, 0.2927695199943845],
        [-1.6566171199663067, -2.8276951999438444, 3.027695199943844],
        [-1.0429258994889445, -1.3239011993185927, -0.48097529982964826],
        [-0.6834135494037686, 0.3, 0.15951235008517592],
    ]
    yield draw.known("PyTorch's F.group_norm", np.array(pairs), x, scale, offset, 2)
    alone = [
        [-1.2247356859083902, 1.2247356859083902, 0.0],
        [-0.8258191078240388, -1.7516382156480774, 2.8774573234721164],
        [-0.46725780576272546, -1.2690312230509015, 1.1362890288136267],
        [-0.40091155879969215, 0.7313301900305798, 0.5695813687691124],
    ]
    yield draw.known("PyTorch's F.instance_norm", np.array(alone), x, scale, offset, 4)
    yield draw.edge("constant groups", np.full((6, 2), 0.1), gamma, beta, 3)
    yield draw.edge("a mean a million times the spread", 1e6 + draw.normal(6, 3), gamma, beta, 2)
    yield draw.edge("values of 1e30", 1e30 * draw.normal(6, 3), gamma, beta, 2)
    six = draw.normal(2, 6, 3)
    yield draw.refused("groups that do not divide the channels", six, gamma, beta, 4).saying(
        "4 groups do not divide the 6 channels"
    )
    yield draw.refused("groups = 0", six, gamma, beta, 0).saying("at least 1, but is 0")
    yield draw.refused("gamma for each group, not each channel", six, gamma[:2], beta[:2], 2).saying("2 entries")
    yield draw.refused("a constant group and eps = 0", np.ones((6, 3)), gamma, beta, 2, eps=0.0).saying("pass eps > 0")
    yield draw.refused("a negative eps", six, gamma, beta, 2, eps=-1e-9).saying("at least 0, but is -1e-09")
    yield draw.refused("channels without entries", np.zeros((6, 0)), gamma, beta, 2).saying("no entries")


@batch_norm.samples
def _(draw):
    gamma, beta, mean, var = draw.normal(4), draw.normal(4), draw.normal(4), draw.positive(4)
    for shape in ((4,), (5, 4), (3, 2, 4), (2, 3, 5, 4)):
        yield draw.normal(*shape), gamma, beta, mean, var
        if len(shape) > 1:
            for running in ("unbiased", "biased"):
                yield draw.call(
                    *(draw.normal(*shape), gamma, beta, mean, var), training=True, momentum=0.3, running=running
                )
    yield draw.call(draw.normal(3, 4), gamma, beta, mean, var, training=True, eps=0.2)
    yield draw.normal(0, 4), gamma, beta, mean, var
    yield draw.large("many rows", 3 + draw.normal(500, 4), gamma, beta, mean, var, training=True)
    x, scale, offset = np.array([[1.0, 10.0], [2.0, 30.0], [4.0, 20.0]]), np.array([1.0, 2.0]), np.array([0.5, -1.0])
    kept = {"mean": np.array([1.0, 18.0]), "var": np.array([2.0, 50.0])}
    y = [[0.5, -3.262741473522816], [1.2071050134262236, 2.3941122102842245], [2.621315040278671, -0.43431463161929584]]
    yield draw.known("PyTorch's F.batch_norm in use", {"y": np.array(y), **kept}, x, scale, offset, *kept.values())
    y = [
        [-0.5690415314502978, -3.449489559071468],
        [0.23273961713742541, 1.4494895590714678],
        [1.8363019143128718, -1.0],
    ]
    new = {"y": np.array(y), "mean": np.array([1.1333333333333333, 18.2]), "var": np.array([2.033333333333333, 55.0])}
    yield draw.known("PyTorch's F.batch_norm in training", new, x, scale, offset, *kept.values(), training=True)
    # a tenth of the variances 14/9 and 200/3 of the columns (1, 2, 4) and (10, 30, 20)
    new = {**new, "var": np.array([1.8 + 1.4 / 9, 45 + 20 / 3])}
    yield draw.known("biased, as ONNX", new, x, scale, offset, *kept.values(), training=True, running="biased")
    constant = np.array([[0.1, 1.0, 2.0, 0.0], [0.1, 2.0, 2.0, 0.0], [0.1, 4.0, 2.0, 0.0]])
    yield draw.edge("constant columns", constant, gamma, beta, mean, var, training=True)
    yield draw.edge("values of 1e30", 1e30 * draw.normal(3, 4), gamma, beta, mean, var, training=True)
    yield draw.edge("a mean a million times the spread", 1e6 + draw.normal(5, 4), gamma, beta, mean, var, training=True)
    row = draw.normal(1, 4)
    yield draw.refused("training on a single row", row, gamma, beta, mean, var, training=True).saying("but x has 1")
    yield draw.refused("momentum = 10", row, gamma, beta, mean, var, momentum=10.0).saying("between 0 and 1, but is 10")
    yield draw.refused("a negative variance", row, gamma, beta, mean, -var).saying("var must be at least 0")
    yield draw.refused("a negative eps", row, gamma, beta, mean, var, eps=-1e-9).saying("at least 0, but is -1e-09")
    yield draw.refused("a constant column and eps = 0", row, gamma, beta, mean, 0 * var, eps=0.0).saying("pass eps > 0")
    yield draw.refused("statistics for another number of columns", row, gamma, beta, mean[:3], var).saying("3 entries")


@dropout.samples
def _(draw):
    for shape in ((5,), (3, 4), (2, 5, 3)):
        yield draw.call(draw.normal(*shape), draw.mask(*shape), rate=0.4)
    x = draw.normal(3, 4)
    yield draw.call(x, draw.mask(4), rate=0.25)
    yield draw.call(x, np.array([1, 0, 1, 1]), rate=0.25)
    yield draw.call(x, rate=0.5)
    yield draw.call(draw.normal(0, 3), draw.mask(0, 3), rate=0.5)
    row, keep = np.array([1.0, -2.0, 3.0, 0.5]), np.array([True, False, True, True])
    yield draw.known("by hand", np.array([2.0, 0.0, 6.0, 1.0]), row, keep, rate=0.5)
    yield draw.known("at inference", row, row, rate=0.5)
    yield draw.known("a rate of 1", np.zeros(4), row, np.zeros(4, bool), rate=1.0).at_edge()
    yield draw.known("a rate of 0", row, row, np.ones(4, bool), rate=0.0).at_edge()
    dirty = np.array([np.nan, np.inf, 3.0])
    yield draw.known("NaN and infinity in dropped entries", np.array([0.0, 0, 6]), dirty, [0, 0, 1], rate=0.5).at_edge()
    yield draw.refused("a rate in per cent", x, draw.mask(3, 4), rate=50.0).saying("between 0 and 1, but is 50")
    yield draw.refused("a negative rate", x, rate=-0.1).saying("between 0 and 1, but is -0.1")
    yield draw.refused("a mask of another shape", x, draw.mask(3), rate=0.5).saying("not broadcast to (3, 4)")
    yield draw.refused("a mask of 0 and 2", x, np.full(4, 2.0), rate=0.5).saying(
        "keep must be Boolean or 0/1, but has the value 2"
    )


@dropout_mask.samples
def _(draw):
    for shape in ((5,), (3, 4), (2, 0), ()):
        yield shape, 0.5, 7
    yield draw.known("a rate of 0", np.ones((2, 3), bool), (2, 3), 0.0, 1)
    yield draw.known("a rate of 1", np.zeros((2, 3), bool), (2, 3), 1.0, 1)
    yield draw.refused("a rate in per cent", (3,), 50.0, 1).saying("between 0 and 1, but is 50")
    yield draw.refused("a negative seed", (3,), 0.5, -1).saying("at least 0, but are -1")
    yield draw.refused("a negative length", (3, -2), 0.5, 1).saying("(3, -2)")
    yield draw.refused("too many entries", (10**5, 10**4), 0.5, 1).saying("more than 10⁸")


@hookimpl
def opbook_properties():
    """State what the normalizations take out, which other ones they hold, and what dropout keeps on average."""

    def stretched(op, x, gamma, *, eps=1e-5):
        return op(8.0 * x, gamma, eps=64.0 * eps), op(x, gamma, eps=eps)

    def one_group(op, x, gamma, beta, groups, *, eps=1e-5):
        channels, places = x.shape[-2:]
        row = x.reshape(*x.shape[:-2], channels * places)
        normed = layer_norm(row, np.ones(channels * places), np.zeros(channels * places), eps=eps)
        wide = gamma[:, None] * normed.reshape(x.shape) + beta[:, None]
        return op(x, gamma, beta, 1, eps=eps), wide

    def lone_channels(op, x, gamma, beta, groups, *, eps=1e-5):
        places = x.shape[-1]
        normed = layer_norm(x, np.ones(places), np.zeros(places), eps=eps)
        return op(x, gamma, beta, x.shape[-2], eps=eps), gamma[:, None] * normed + beta[:, None]

    def turned(op, x, gamma, beta, mean, var, *, training=False, eps=1e-5, **options):
        if not training or x.ndim != 2 or len(x) < 2:
            return None
        ours = op(x, gamma, beta, mean, var, training=True, eps=eps, **options)["y"]
        return ours, gamma * layer_norm(x.T, np.ones(len(x)), np.zeros(len(x)), eps=eps).T + beta

    def kept(op, x, gamma, beta, mean, var, *, training=False, momentum=0.1, eps=1e-5, **options):
        if not training or np.max(np.abs(x), initial=0) > 1e6:
            return None
        moved = op(x, gamma, beta, mean, var, training=True, momentum=1.0, eps=eps, running="biased")
        return op(x, gamma, beta, moved["mean"], moved["var"], eps=eps)["y"], moved["y"]

    def both_halves(op, x, keep=None, *, rate):
        if keep is None or rate == 1:
            return None
        finite = np.where(np.isfinite(x), x, 0.0)
        kept = np.asarray(keep) != 0
        return (1 - rate) * (op(finite, kept, rate=rate) + op(finite, ~kept, rate=rate)), finite

    def lower_rate(op, shape, rate, seed):
        kept = op(shape, rate, seed)
        return kept & op(shape, rate / 2, seed), kept

    return [
        Property("rms_norm", "stretched rows", "Rows 8 times as large change nothing if eps is 64 times.", stretched),
        Property("group_norm", "one group", "One group is layer norm over channels and places together.", one_group),
        Property("group_norm", "lone channels", "As many groups as channels is instance norm.", lone_channels),
        Property("batch_norm", "turned", "In training it is layer norm of the columns.", turned),
        Property("batch_norm", "kept", "With the batch's own statistics as running ones, use equals training.", kept),
        Property("dropout", "halves", "What a mask keeps and what it drops add up to x, before scaling.", both_halves),
        Property("dropout_mask", "lower rate", "At a lower rate, a seed keeps all that it keeps anyhow.", lower_rate),
    ]
