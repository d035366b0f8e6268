"""Normalization beside layer norm, and dropout: what does the same elsewhere."""

from opbook_elsewhere.table.entries import Call, Operator

NORMALIZATION = {
    "batch_norm": {
        "numpy": "It has none; the [definition](#definition) is NumPy",
        "torch": Call(
            "F.batch_norm(x, mean, var, gamma, beta, training, momentum, eps)",
            "It returns y alone, and writes the new statistics into mean and var. The channels are the second axis",
        ),
        "jax": "It has none; Flax has `BatchNorm`, whose `momentum` is the weight of the *old* statistics, 0.99, and "
        "whose running variance is biased. Keras does the same, with an epsilon of 1e-3",
        "onnx": Operator(
            "BatchNormalization",
            14,
            "`momentum` is the weight of the *old* statistics, 0.9; the running variance is biased; the channels are "
            "the second axis",
        ),
    },
    "dropout": {
        "numpy": Call("np.where(keep, x, 0) / (1 - rate)"),
        "torch": Call(
            "keep * x / (1 - rate)",
            "`F.dropout(x, rate)` draws the mask itself, and drops nothing with `training=False`. What is dropped is "
            "multiplied by 0 there, so that NaN stays NaN",
        ),
        "jax": Call("jnp.where(keep, x, 0) / (1 - rate)", "Flax has `Dropout`, which draws the mask from a key"),
        "onnx": Operator("Dropout", 12, "It draws the mask and returns it as well, in training only; `ratio` is 0.5"),
    },
    "dropout_mask": {
        "numpy": Call("np.random.default_rng(seed).random(shape) >= rate"),
        "torch": "`torch.bernoulli` of an array of 1 − rate draws one, with other numbers",
        "jax": "`jax.random.bernoulli(key, 1 - rate, shape)` draws one, with other numbers",
        "onnx": "`Bernoulli` of an array of 1 − rate draws one, with other numbers",
    },
    "group_norm": {
        "numpy": "It has none; the [definition](#definition) is NumPy",
        "torch": Call(
            "F.group_norm(x[None], groups, gamma, beta, eps)[0]",
            "The channels are always the second axis, and all axes behind it are places",
        ),
        "jax": "It has none; Flax has `GroupNorm`, whose channels are the last axis, and whose epsilon is 1e-6",
        "onnx": Operator(
            "GroupNormalization",
            21,
            "The channels are the second axis. In opset 18, scale and bias had an entry for each group, not channel",
        ),
    },
    "rms_norm": {
        "numpy": Call("x / np.sqrt((x**2).mean(-1, keepdims=True) + eps) * gamma"),
        "torch": Call(
            "F.rms_norm(x, gamma.shape, gamma, eps)",
            "Without eps it takes the distance of 1 to the next number, 1.2e-7 in float32. Llama and T5 have 1e-6. "
            "Gemma's layer multiplies by 1 + its weight",
        ),
        "jax": "It has none; Flax has `RMSNorm`, whose epsilon is 1e-6",
        "onnx": Operator("RMSNormalization", 23, "All axes from `axis` on are taken together, by default the last"),
    },
}
