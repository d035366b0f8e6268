"""What transformer_block is verified on."""

import numpy as np

from opbook_transformer_block import transformer_block


@transformer_block.samples
def _(draw):
    rng = np.random.default_rng(0)

    def normal(*shape):
        return rng.normal(size=shape)

    def weights(d, width, inner, count=1):
        head = {"wq": (d, width), "wk": (d, width), "wv": (d, width), "wo": (width, d)}
        return {
            "heads": tuple({name: normal(*shape) for name, shape in head.items()} for _ in range(count)),
            **{name: normal(d) for name in ("ln1_gamma", "ln1_beta", "ln2_gamma", "ln2_beta", "b2")},
            **{"w1": normal(d, inner), "b1": normal(inner), "w2": normal(inner, d)},
        }

    # heads as most libraries have them: equal ones that fill the width
    for batch, width, count in (((), 6, 2), ((7,), 6, 3), ((4, 7), 6, 2)):
        yield normal(*batch, 5, width), weights(width, width // count, 11, count)
    yield draw.large("three batch axes, equal heads", normal(4, 7, 5, 11, 6), weights(6, 2, 13, 3))
    yield draw.large("larger sizes, equal heads", normal(2, 37, 20), weights(20, 4, 33, 5))
    x = normal(4, 3)
    dirty = x.copy()
    dirty[2, 1] = np.nan
    apart = np.outer([1, 1, 0, 1], [1, 1, 0, 1])
    for norm in ("post", "pre"):
        yield draw.edge(f"NaN in padding, mask, {norm}", dirty, weights(3, 2, 4), apart, norm=norm)
        yield draw.edge(f"NaN in padding, key_mask, {norm}", dirty, weights(3, 2, 4), key_mask=[1, 1, 0, 1], norm=norm)
    late = np.where(np.arange(4)[:, None] == 0, np.inf, x)
    yield draw.edge("inf in padding, causal", late, weights(3, 2, 4), key_mask=[0, 1, 1, 1], causal=True)
    yield from _with_biases(draw)


def _with_biases(draw):
    def numbers(*shape, start):
        return np.cos(start + 1.7 * np.arange(np.prod(shape))).reshape(shape)

    head = {"wq": (4, 2), "wk": (4, 2), "wv": (4, 2), "wo": (2, 4), "bq": (2,), "bv": (2,)}
    starts = {"wq": 0, "wk": 1, "wv": 2, "wo": 3, "bq": 4, "bv": 6}  # bk, at 5, changes nothing, and is left out
    weights = {
        "heads": tuple({n: numbers(*s, start=10 * h + starts[n]) for n, s in head.items()} for h in range(2)),
        "bo": numbers(4, start=30),
        "ln1_gamma": numbers(4, start=31),
        "ln1_beta": numbers(4, start=32),
        "w1": numbers(4, 5, start=33),
        "b1": numbers(5, start=34),
        "w2": numbers(5, 4, start=35),
        "b2": numbers(4, start=36),
        "ln2_gamma": numbers(4, start=37),
        "ln2_beta": numbers(4, start=38),
    }
    x = numbers(3, 4, start=0.3)
    # by torch.nn.TransformerEncoderLayer(4, 2, 5, dropout=0.0), PyTorch 2.13, in float64
    post_relu = [
        [1.182819337362, 0.396476211685, -0.093134979295, 0.93296022552],
        [1.200812094, 0.389955901058, -0.091397154992, 0.935872223337],
        [1.144009307572, 0.409909261318, -0.098422589859, 0.926842161244],
    ]
    post_gelu = [
        [1.189833932473, 0.394458019505, -0.075269865575, 0.928568729429],
        [1.20953868014, 0.387288077191, -0.072659999885, 0.931501723361],
        [1.147837072198, 0.409041065208, -0.081438216355, 0.922126286598],
    ]
    pre_gelu = [
        [4.435924028785, 2.337604405154, -5.038298943675, -1.03929024614],
        [3.822367989923, 2.071996562456, -4.356298688466, -0.949426359425],
        [2.831614338609, 2.102320766272, -3.373359250564, -1.23304323284],
    ]
    yield draw.known("biases, by PyTorch", np.array(post_relu), x, weights)
    yield draw.known("gelu, by PyTorch", np.array(post_gelu), x, weights, activation="gelu")
    yield draw.known("pre-norm and gelu, by PyTorch", np.array(pre_gelu), x, weights, activation="gelu", norm="pre")
    without = {name: value for name, value in weights.items() if name != "bo"}
    yield draw.call(np.stack([x, 2 * x**2]), without, causal=True, norm="pre", activation="gelu-tanh")
