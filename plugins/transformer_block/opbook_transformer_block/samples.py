"""What transformer_block is verified on."""

import numpy as np

from opbook_transformer_block import transformer_block


@transformer_block.samples
def _(draw):
    rng = np.random.default_rng(0)

    def normal(*shape):
        return rng.normal(size=shape)

    def weights(d, width, inner):
        return {
            "heads": ({name: normal(d, width) for name in ("wq", "wk", "wv")} | {"wo": normal(width, d)},),
            **{name: normal(d) for name in ("ln1_gamma", "ln1_beta", "ln2_gamma", "ln2_beta", "b2")},
            **{"w1": normal(d, inner), "b1": normal(inner), "w2": normal(inner, d)},
        }

    x = normal(4, 3)
    dirty = x.copy()
    dirty[2, 1] = np.nan
    apart = np.outer([1, 1, 0, 1], [1, 1, 0, 1])
    for norm in ("post", "pre"):
        yield draw.edge(f"NaN in padding, mask, {norm}", dirty, weights(3, 2, 4), apart, norm=norm)
        yield draw.edge(f"NaN in padding, key_mask, {norm}", dirty, weights(3, 2, 4), key_mask=[1, 1, 0, 1], norm=norm)
    late = np.where(np.arange(4)[:, None] == 0, np.inf, x)
    yield draw.edge("inf in padding, causal", late, weights(3, 2, 4), key_mask=[0, 1, 1, 1], causal=True)
