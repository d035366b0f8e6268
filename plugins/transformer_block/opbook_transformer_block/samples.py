"""What the blocks are verified on, and what is true of them."""

import numpy as np

from opbook import Property, hookimpl
from opbook_transformer_block import decoder_block, llama_block, transformer_block


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
    yield draw.call(normal(5, 6), weights(6, 3, 11, 2), norm="pre")
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


def numbers(*shape, start):
    """Numbers between -1 and 1 that a formula gives, for answers that were computed elsewhere."""
    return np.cos(start + 1.7 * np.arange(np.prod(shape))).reshape(shape)


def _with_biases(draw):
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


@decoder_block.samples
def _(draw):
    head = {"wq": (4, 2), "wk": (4, 2), "wv": (4, 2), "wo": (2, 4), "bq": (2,), "bv": (2,)}
    rest = {"bo": (4,), "ln1_gamma": (4,), "ln1_beta": (4,), "cross_bo": (4,), "ln2_gamma": (4,), "ln2_beta": (4,)}
    rest |= {"w1": (4, 5), "b1": (5,), "w2": (5, 4), "b2": (4,), "ln3_gamma": (4,), "ln3_beta": (4,)}

    def heads(start):
        each = (start, start + 10)
        return tuple({n: numbers(*s, start=at + i) for i, (n, s) in enumerate(head.items())} for at in each)

    weights = {"heads": heads(0), "cross_heads": heads(5)}
    weights |= {name: numbers(*shape, start=30 + i) for i, (name, shape) in enumerate(rest.items())}
    # by torch.nn.TransformerDecoderLayer(4, 2, 5, dropout=0.0) with a causal mask, PyTorch 2.13, in float64
    post_relu = [
        [-0.907970023062, 1.212947498189, 1.036909253502, 0.090057363419],
        [-0.945364687724, 1.205028049197, 0.961224831493, 0.099871981136],
        [-0.955295732726, 1.200403056276, 0.935790563445, 0.103583806979],
    ]
    pre_gelu = [
        [5.295398127405, -5.44814328164, -3.89147159546, 6.450932661205],
        [4.229999206323, -5.533516495017, -2.80407293737, 6.256095214184],
        [1.881402415686, -4.818250277979, -0.639792374775, 4.983117727943],
    ]
    x, memory = numbers(3, 4, start=0.3), numbers(5, 4, start=0.6)
    yield draw.known("by PyTorch", np.array(post_relu), x, memory, weights)
    yield draw.known(
        "pre-norm and gelu, by PyTorch", np.array(pre_gelu), x, memory, weights, norm="pre", activation="gelu"
    )
    dirty_x = np.where(np.arange(3)[:, None] == 1, np.nan, x)
    dirty = np.where(np.arange(5)[:, None] == 2, np.inf, memory)
    masks = {"key_mask": np.arange(3) != 1, "memory_key_mask": np.arange(5) != 2}
    yield draw.edge("NaN and infinity in padding", dirty_x, dirty, weights, **masks)
    yield draw.edge("a memory of no rows", x, memory[:0], weights)


@llama_block.samples
def _(draw):
    shapes = {
        "rms1_gamma": (4,),
        "wq": (2, 4, 4),
        "wk": (1, 4, 4),
        "wv": (1, 4, 4),
        "wo": (2, 4, 4),
        "rms2_gamma": (4,),
    }
    weights = {name: numbers(*shape, start=i) for i, (name, shape) in enumerate(shapes.items())}
    inner = {"w_gate": (4, 5), "w_up": (4, 5), "w_down": (5, 4)}
    weights["ffn"] = {name: numbers(*shape, start=10 + i) for i, (name, shape) in enumerate(inner.items())}
    # by LlamaDecoderLayer of transformers 5.24 with its norms and angles in float64, PyTorch 2.13
    by_transformers = [
        [2.11936801088, -1.137280989178, -1.826303223034, 1.607899219583],
        [2.025106363416, -1.452383915614, -1.650843021156, 1.877787984059],
        [1.520333107629, -1.528543075048, -1.126444388602, 1.818815390251],
    ]
    x = numbers(3, 4, start=0.3)
    yield draw.known("two heads that share a key, by transformers", np.array(by_transformers), x, weights)
    for batch, heads, key_heads in (((), 4, 2), ((2,), 3, 3), ((3, 2), 6, 2)):
        yield draw.call(draw.normal(*batch, 5, 6), llama_weights(draw, heads, key_heads), window=(2, 0), base=100.0)
    dirty = np.where(np.arange(5)[:, None] == 3, np.nan, draw.normal(2, 5, 6))
    two = llama_weights(draw, 4, 2)
    yield draw.edge("NaN in padding", dirty, two, key_mask=np.arange(5) != 3)
    yield draw.edge(
        "NaN in padding, a key_mask for each batch", dirty, two, key_mask=[np.arange(5) != 3] * 2, window=(1, 0)
    )
    yield draw.edge("NaN in padding, a mask for each batch", dirty, two, [np.tri(5) * (np.arange(5) != 3)] * 2)
    yield draw.edge("every key is padding", x, weights, key_mask=[0, 0, 0], causal=False)
    uneven = {**two, "wq": draw.normal(3, 6, 4), "wo": draw.normal(3, 4, 6)}
    yield draw.refused("3 query heads for 2 heads of keys", draw.normal(5, 6), uneven).saying("Hk*G")
    odd = {name: array[..., :3] if name in ("wq", "wk", "wv") else array for name, array in two.items()}
    yield draw.refused("heads of an odd width", draw.normal(5, 6), odd).saying("2*P")


def llama_weights(draw, heads, key_heads):
    """Weights for rows of width 6, with heads of width 4."""
    shapes = {"rms1_gamma": (6,), "wq": (heads, 6, 4), "wk": (key_heads, 6, 4), "wv": (key_heads, 6, 4)}
    shapes |= {"wo": (heads, 4, 6), "bq": (heads, 4), "bv": (key_heads, 4), "rms2_gamma": (6,)}
    inner = {"w_gate": (6, 7), "w_up": (6, 7), "w_down": (7, 6)}
    ffn = {name: draw.normal(*shape) for name, shape in inner.items()}
    return {name: draw.normal(*shape) for name, shape in shapes.items()} | {"ffn": ffn}


@hookimpl
def opbook_properties():
    """State what sharing means, and that nothing written back leaves the rows as they are."""

    def copies(op, x, weights, *args, **options):
        size = len(weights["wq"]) // max(len(weights["wk"]), 1)
        shared = {name: np.repeat(weights[name], size, axis=0) for name in ("wk", "wv", "bk", "bv") if name in weights}
        return op(x, weights | shared, *args, **options), op(x, weights, *args, **options)

    def identity(op, x, weights, *args, **options):
        if not np.isfinite(x).all():
            return None
        nothing = {"wo": 0 * weights["wo"], "ffn": weights["ffn"] | {"w_down": 0 * weights["ffn"]["w_down"]}}
        return op(x, weights | nothing, *args, **options), x

    sentence = (
        "A head of keys that is shared answers as copies of it would, one for each query head, next to each other."
    )
    return [
        Property("llama_block", "shared heads", sentence, copies),
        Property("llama_block", "identity", "With zeros for wo and w_down, x comes back.", identity),
    ]
