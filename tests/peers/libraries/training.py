"""Training: what the page on disagreements says of optimizers and losses."""

from types import SimpleNamespace

import numpy as np
from peers.libraries.tools import functional, jax, numpy, onnx, tensor, torch

ONE = np.ones(1)


def step_of_pytorch(name, w, g, *, steps=1, lrs=None, **options):
    parameter = torch().nn.Parameter(tensor(w))
    optimizer = getattr(torch().optim, name)([parameter], **options)
    for i in range(steps):
        optimizer.param_groups[0]["lr"] = lrs[i] if lrs else options["lr"]
        parameter.grad = tensor(g)
        optimizer.step()
    return numpy(parameter)


def step_of_keras(name, w, g, *, steps=1, lrs=None, **options):
    import keras

    variable = keras.Variable(np.asarray(w, "float32"))
    optimizer = getattr(keras.optimizers, name)(**options)
    for i in range(steps):
        if lrs:
            optimizer.learning_rate = lrs[i]
        optimizer.apply([np.asarray(g, "float32")], [variable])
    return np.array(variable.value)


def step_of_optax(transformation, w, g):
    import jax
    import optax

    with jax.enable_x64(True):
        updates, _ = transformation(optax).update(
            np.asarray(g), transformation(optax).init(np.asarray(w)), np.asarray(w)
        )
        return optax.apply_updates(np.asarray(w), updates)


def momentum_of_optax(make):
    """Two steps, with the learning rate of each outside, as optax has schedules."""
    import jax
    import optax

    with jax.enable_x64(True):
        rule = make(optax)
        w, state = np.zeros(1), rule.init(np.zeros(1))
        for lr in (0.1, 0.01):
            updates, state = rule.update(np.ones(1), state)
            w = w - lr * np.asarray(updates)
    return w


def adam_of_onnx(w, g, **attributes):
    inputs = [np.array(0.1), np.array(1, np.int64), np.asarray(w), np.asarray(g), np.zeros(len(w)), np.zeros(len(w))]
    domain = "ai.onnx.preview.training"
    return onnx("Adam", inputs, outputs=3, domain=domain, alpha=0.9, beta=0.999, **attributes)[0]


def momentum_of_onnx():
    w, v = np.zeros(1), np.zeros(1)
    for count, lr in enumerate((0.1, 0.01)):
        inputs = [np.array(lr), np.array(count, np.int64), w, np.ones(1), v]
        options = {"alpha": 0.9, "beta": 1.0, "mode": "standard", "norm_coefficient": 0.0}
        w, v = onnx("Momentum", inputs, outputs=2, domain="ai.onnx.preview.training", **options)
    return w


DECAYING = ([4.0, 1.0], [0.5, -0.1])


WEIGHTED = SimpleNamespace(
    logits=np.array([[1.0, 0.0], [0.0, 2.0]]), targets=np.array([0, 0]), weight=np.array([0.25, 1])
)
SMOOTHED = (np.array([[2.0, 0.0, -1.0]]), np.array([0]))


def loss_of_keras(name, y, guess, *, weights=None, **options):
    import keras

    loss = getattr(keras.losses, name)(**options)
    return np.ravel(numpy(loss(np.asarray(y, "float32"), np.asarray(guess, "float32"), sample_weight=weights)))


def cross_entropy_of_keras(logits, targets, **options):
    return loss_of_keras("SparseCategoricalCrossentropy", targets, logits, from_logits=True, **options)


def smoothing_of_optax():
    def call(jax):
        import optax

        labels = optax.smooth_labels(np.eye(3)[SMOOTHED[1]], 0.3)
        return optax.softmax_cross_entropy(SMOOTHED[0], labels)

    return jax(call)


def optax(name, *arguments, **options):
    def call(jax):
        import optax

        return getattr(optax, name)(*arguments, **options)

    return np.ravel(jax(call))


FIRST, SECOND = np.array([0.5, 0.5]), np.array([0.9, 0.1])
ROWS = np.array([[0.5, 0.5], [0.2, 0.8]]), np.array([[0.9, 0.1], [0.6, 0.4]])
ERROR = np.array([0.1, 2.0])


def scipy(name, *arguments):
    import scipy.special

    return getattr(scipy.special, name)(*arguments)


def divergences_of_jax():
    def call(jax):
        import jax.scipy.special

        return [jax.scipy.special.rel_entr(FIRST, SECOND).sum()]

    return jax(call)


CHECKS = {
    "Where eps stands in Adam": [
        ("PyTorch", "after the correction", lambda: step_of_pytorch("Adam", ONE, ONE / 100, lr=0.1, eps=0.01)),
        ("Optax", "after the correction", lambda: step_of_optax(lambda o: o.adam(0.1, eps=0.01), ONE, ONE / 100)),
        ("ONNX", "before the correction", lambda: adam_of_onnx(ONE, ONE / 100, epsilon=0.01)),
        (
            "Keras",
            "before the correction",
            lambda: step_of_keras("Adam", ONE, ONE / 100, learning_rate=0.1, epsilon=0.01),
        ),
    ],
    "What decays in Adam": [
        ("PyTorch", "beside the step", lambda: step_of_pytorch("AdamW", *DECAYING, lr=0.1, weight_decay=0.2)),
        (
            "Keras",
            "beside the step",
            lambda: step_of_keras("AdamW", *DECAYING, learning_rate=0.1, weight_decay=0.2),
        ),
        (
            "Optax",
            "beside the step",
            lambda: step_of_optax(lambda o: o.adamw(0.1, weight_decay=0.2), *map(np.array, DECAYING)),
        ),
        ("PyTorch", "in the gradient", lambda: step_of_pytorch("Adam", *DECAYING, lr=0.1, weight_decay=0.2)),
        ("ONNX", "in the gradient", lambda: adam_of_onnx(*DECAYING, norm_coefficient=0.2, epsilon=1e-8)),
    ],
    "Three meanings of momentum": [
        (
            "PyTorch",
            "a sum of gradients",
            lambda: step_of_pytorch("SGD", [0.0], [1.0], steps=2, lrs=(0.1, 0.01), lr=0.1, momentum=0.9),
        ),
        ("Optax", "a sum of gradients", lambda: momentum_of_optax(lambda o: o.trace(0.9))),
        ("ONNX", "a sum of gradients", momentum_of_onnx),
        (
            "Keras",
            "a sum of steps",
            lambda: step_of_keras("SGD", [0.0], [1.0], steps=2, lrs=(0.1, 0.01), learning_rate=0.1, momentum=0.9),
        ),
        ("Optax", "an average", lambda: momentum_of_optax(lambda o: o.ema(0.9, debias=False))),
    ],
    "A mean with weights": [
        (
            "PyTorch",
            "by the weights",
            lambda: functional("cross_entropy", WEIGHTED.logits, WEIGHTED.targets, weight=WEIGHTED.weight),
        ),
        (
            "ONNX",
            "by the weights",
            lambda: np.ravel(onnx("SoftmaxCrossEntropyLoss", [WEIGHTED.logits, WEIGHTED.targets, WEIGHTED.weight])[0]),
        ),
        (
            "Keras",
            "by the rows",
            lambda: cross_entropy_of_keras(
                WEIGHTED.logits, WEIGHTED.targets, weights=WEIGHTED.weight[WEIGHTED.targets].astype("float32")
            ),
        ),
    ],
    "A cross entropy that ignores every row": [
        ("Keras", "zero", lambda: cross_entropy_of_keras([[1.0, 0.0]], [-1], ignore_class=-1)),
        (
            "PyTorch",
            "nan",
            lambda: functional("cross_entropy", np.array([[1.0, 0.0]]), np.array([-1]), ignore_index=-1),
        ),
        (
            "ONNX",
            "nan",
            lambda: np.ravel(onnx("SoftmaxCrossEntropyLoss", [[[1.0, 0.0]], np.array([-1])], ignore_index=-1)[0]),
        ),
    ],
    "Where label smoothing puts it": [
        ("PyTorch", "to all", lambda: functional("cross_entropy", *SMOOTHED, label_smoothing=0.3)),
        (
            "Keras",
            "to all",
            lambda: loss_of_keras(
                "CategoricalCrossentropy", np.eye(3)[SMOOTHED[1]], SMOOTHED[0], from_logits=True, label_smoothing=0.3
            ),
        ),
        ("Optax", "to all", smoothing_of_optax),
    ],
    "Whose divergence from whom": [
        ("SciPy", "the first is true", lambda: [scipy("rel_entr", FIRST, SECOND).sum()]),
        ("Keras", "the first is true", lambda: loss_of_keras("KLDivergence", FIRST[None], SECOND[None])),
        ("JAX", "the first is true", divergences_of_jax),
        ("PyTorch", "the second is true", lambda: functional("kl_div", np.log(FIRST), SECOND, reduction="sum")),
        ("Optax", "the second is true", lambda: optax("kl_divergence", np.log(FIRST), SECOND)),
    ],
    "The mean of a divergence": [
        ("Keras", "by the rows", lambda: loss_of_keras("KLDivergence", *ROWS)),
        ("PyTorch", "by the rows", lambda: functional("kl_div", np.log(ROWS[1]), ROWS[0], reduction="batchmean")),
        ("PyTorch", "by the entries", lambda: functional("kl_div", np.log(ROWS[1]), ROWS[0])),
    ],
    "Huber and smooth L1": [
        ("PyTorch", "huber", lambda: functional("huber_loss", ERROR, np.zeros(2), delta=0.5, reduction="none")),
        ("SciPy", "huber", lambda: scipy("huber", 0.5, ERROR)),
        (
            "Keras",
            "huber",
            lambda: loss_of_keras("Huber", np.zeros((2, 1)), ERROR[:, None], delta=0.5, reduction="none"),
        ),
        ("Optax", "huber", lambda: optax("huber_loss", ERROR, np.zeros(2), delta=0.5)),
        ("PyTorch", "smooth L1", lambda: functional("smooth_l1_loss", ERROR, np.zeros(2), beta=0.5, reduction="none")),
    ],
    "The square of an error, or half of it": [
        ("PyTorch", "the square", lambda: functional("mse_loss", np.array([1.0, 3]), np.zeros(2), reduction="none")),
        (
            "Keras",
            "the square",
            lambda: loss_of_keras("MeanSquaredError", np.zeros((2, 1)), [[1.0], [3.0]], reduction="none"),
        ),
        ("Optax", "the square", lambda: optax("squared_error", np.array([1.0, 3.0]))),
        ("Optax", "half of it", lambda: optax("l2_loss", np.array([1.0, 3.0]))),
    ],
}
