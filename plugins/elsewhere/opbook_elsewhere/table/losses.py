"""Losses and similarities: what does the same elsewhere."""

from opbook_elsewhere.table.entries import Call, Operator

_ENTRYWISE = "Shapes that differ are broadcast, with a warning, where here they are an error"

LOSSES = {
    "binary_cross_entropy": {
        "numpy": Call(
            "np.mean(np.logaddexp(0, -logits) * targets * pos_weight + np.logaddexp(0, logits) * (1 - targets))"
        ),
        "torch": Call(
            "F.binary_cross_entropy_with_logits(logits, targets, pos_weight=pos_weight)",
            "Targets that are not from 0 to 1 are taken. `F.binary_cross_entropy` takes probabilities, and cuts each "
            "logarithm off at -100. Keras's `BinaryCrossentropy` takes probabilities unless `from_logits=True`, and "
            "clips them",
        ),
        "jax": "It has none; optax has `sigmoid_binary_cross_entropy`, with one loss for each entry",
        "onnx": "It has none: it is written with `Softplus`, `Mul` and `ReduceMean`",
    },
    "cosine_similarity": {
        "numpy": Call(
            "np.sum(x * y, axis) / np.maximum(np.linalg.norm(x, axis=axis), eps) / "
            "np.maximum(np.linalg.norm(y, axis=axis), eps)"
        ),
        "torch": Call(
            "F.cosine_similarity(x, y, dim=axis, eps=eps)",
            "`dim` is 1 unless told otherwise. Where a length is below eps the gradient is as if it were not, and does "
            "not belong to the value. `scipy.spatial.distance.cosine` is 1 less the similarity, and so is the "
            "loss of Keras's `CosineSimilarity` but for the 1: it is *minus* the similarity",
        ),
        "jax": "It has none; optax has `cosine_similarity`, whose epsilon is 0 unless it is given",
        "onnx": "It has none: it is written with `ReduceL2`, `Max`, `Div`, `Mul` and `ReduceSum`",
    },
    "cross_entropy": {
        "numpy": "It has none; `scipy.special.log_softmax` and indexing make it",
        "torch": Call(
            "F.cross_entropy(logits, targets, weight=weight, label_smoothing=label_smoothing)",
            "The classes are axis 1, which is the last one only where there are two axes. `ignore_index` is -100 "
            "unless told otherwise. Where every row is ignored the mean is NaN, where here it is 0. `F.nll_loss` takes "
            "log-probabilities",
        ),
        "jax": "It has none; optax has `softmax_cross_entropy_with_integer_labels`, with one loss for each row",
        "onnx": Operator(
            "SoftmaxCrossEntropyLoss",
            13,
            "The classes are axis 1; there is no smoothing. `NegativeLogLikelihoodLoss` takes log-probabilities",
        ),
    },
    "huber_loss": {
        "numpy": "It has none; `np.mean(scipy.special.huber(delta, x - target))` is the same",
        "torch": Call(
            "F.huber_loss(x, target, delta=delta)",
            f"`F.smooth_l1_loss(x, target, beta=delta)` is this divided by delta. {_ENTRYWISE}",
        ),
        "jax": "It has none; optax has `huber_loss`, with one loss for each entry",
        "onnx": "It has none: it is written with `Clip`, `Sub`, `Mul` and `ReduceMean`",
    },
    "kl_divergence": {
        "numpy": "It has none; `scipy.special.rel_entr(p, q).sum(axis)` is the same, of probabilities",
        "torch": Call(
            'F.kl_div(log_q, log_p, reduction="none", log_target=True).sum(axis)',
            "The true distribution is the *second* argument, `target`, and is no logarithm unless `log_target=True`; "
            'the first is a logarithm always. `reduction` is "mean" unless told otherwise, which divides by the number '
            'of all entries; "batchmean" divides by that of the rows',
        ),
        "jax": Call("jax.scipy.special.rel_entr(jnp.exp(log_p), jnp.exp(log_q)).sum(axis)"),
        "onnx": "It has none: it is written with `Exp`, `Sub`, `Mul` and `ReduceSum`",
    },
    "mse_loss": {
        "numpy": Call("np.mean((x - target) ** 2)"),
        "torch": Call("F.mse_loss(x, target)", _ENTRYWISE),
        "jax": Call(
            "jnp.mean((x - target) ** 2)",
            "optax has `l2_loss`, which is *half* the square, and `squared_error`, both with one loss for each entry",
        ),
        "onnx": "It has none: it is written with `Sub`, `Mul` and `ReduceMean`",
    },
}
