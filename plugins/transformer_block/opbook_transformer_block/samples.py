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
