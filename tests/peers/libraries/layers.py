"""Layers: what the page on disagreements says of recurrences, normalizations, activations, convolution and pooling."""

import numpy as np
from peers.libraries.tools import functional, jax, numpy, onnx, tensor, torch

ONE, NONE = np.ones(1), np.zeros(1)
BATCH = np.array([[1.0], [2.0], [6.0]])
GRU_X = np.array([[1.0], [-2.0]])
GRU = {
    **{"wr": np.array([[2.0, -1.0]]), "wz": np.array([[0.5, 0.5]]), "wn": np.array([[1.0, 0.5]])},
    **{"ur": np.eye(2), "uz": np.eye(2), "un": np.array([[0.0, 2.0], [-2.0, 0.0]])},
}


def gru_of_pytorch():
    layer = torch().nn.GRU(1, 2, bias=False, batch_first=True).double()
    packed = [np.concatenate([GRU[f"{part}{gate}"].T for gate in "rzn"]) for part in "wu"]
    layer.load_state_dict({"weight_ih_l0": tensor(packed[0]), "weight_hh_l0": tensor(packed[1])})
    return numpy(layer(tensor(GRU_X))[0])[-1]


def gru_of_keras():
    import keras

    layer = keras.layers.GRU(2, use_bias=False)
    layer.build((1, 2, 1))
    layer.set_weights([np.concatenate([GRU[f"{part}{gate}"] for gate in "zrn"], axis=1) for part in "wu"])
    return numpy(layer(GRU_X[None].astype("float32")))[0]


def gru_of_flax():
    import jax
    from flax import linen

    cell = linen.GRUCell(2)
    carry = np.zeros(2, "float32")
    shapes = cell.init(jax.random.key(0), carry, np.zeros(1, "float32"))["params"]
    values = {}
    for name, leaves in shapes.items():
        kernel = GRU[("w" if name[0] == "i" else "u") + name[1]]
        values[name] = {key: kernel.astype("float32") if key == "kernel" else np.zeros(2, "float32") for key in leaves}
    for row in GRU_X.astype("float32"):
        carry, _ = cell.apply({"params": values}, carry, row)
    return carry


def gru_of_onnx():
    w, r = (np.concatenate([GRU[f"{part}{gate}"].T for gate in "zrn"])[None] for part in "wu")
    return onnx("GRU", [GRU_X[:, None], w, r], outputs=2, hidden_size=2)[1].ravel()


def statistics_of_pytorch(momentum):
    layer = torch().nn.BatchNorm1d(1, momentum=momentum).double()
    layer(tensor(BATCH))
    return layer.running_mean, layer.running_var


def statistics_of_keras(momentum):
    import keras

    layer = keras.layers.BatchNormalization(momentum=momentum)
    layer(BATCH.astype("float32"), training=True)
    return np.array(layer.moving_mean.value), np.array(layer.moving_variance.value)


def statistics_of_flax(momentum):
    import jax
    from flax import linen

    layer = linen.BatchNorm(use_running_average=False, momentum=momentum)
    values = layer.init(jax.random.key(0), BATCH.astype("float32"))
    _, changed = layer.apply(values, BATCH.astype("float32"), mutable=["batch_stats"])
    return changed["batch_stats"]["mean"], changed["batch_stats"]["var"]


def statistics_of_onnx(momentum):
    options = {"outputs": 3, "training_mode": 1, "momentum": momentum}
    return onnx("BatchNormalization", [BATCH, ONE, NONE, NONE, ONE], **options)[1:]


ROW = np.array([[0.001, 0.003]])


def layer_norm_of_flax():
    import jax
    from flax import linen

    layer = linen.LayerNorm(use_fast_variance=False)
    values = layer.init(jax.random.key(0), ROW.astype("float32"))
    return layer.apply(values, ROW.astype("float32"))[0]


def layer_norm_of_keras():
    import keras

    return numpy(keras.layers.LayerNormalization()(ROW.astype("float32")))[0]


def layer_norm_of_bert():
    from transformers import BertConfig

    layer = torch().nn.LayerNorm(2, eps=BertConfig().layer_norm_eps).double()
    return numpy(layer(tensor(ROW)))[0]


GELU_X = np.array([-2.0, 1.0, 2.5])


def gelu_of_transformers(config):
    import transformers
    from transformers.activations import ACT2FN

    made = getattr(transformers, config)()
    name = made.hidden_act if hasattr(made, "hidden_act") else made.activation_function
    return numpy(ACT2FN[name](tensor(GELU_X)))


def gelu_of_keras():
    import keras

    return numpy(keras.activations.gelu(GELU_X.astype("float32")))


def slope_of_abs_of_pytorch():
    x = tensor([0.0], requires_grad=True)
    x.abs().sum().backward()
    return x.grad


IMAGE = np.array([1.0, 2, 3, 4]).reshape(1, 1, 1, 4)
EVEN, ODD = np.array([1.0, 10]).reshape(1, 1, 1, 2), np.array([1.0, 10, 100]).reshape(1, 1, 1, 3)


def convolution_of_keras(kernel, **options):
    import keras

    x, w = (np.moveaxis(one, (0, 1), axes).astype("float32") for one, axes in ((IMAGE, (0, 3)), (kernel, (3, 2))))
    return numpy(keras.ops.conv(x, w, padding="same", data_format="channels_last", **options)).ravel()


def convolution_of_jax(kernel, strides=(1, 1)):
    return jax(lambda jax: jax.lax.conv_general_dilated(IMAGE, kernel, strides, "SAME")).ravel()


def convolution_of_onnx(kernel, side, **attributes):
    return onnx("Conv", [IMAGE, kernel], auto_pad=side, **attributes)[0].ravel()


TIES = np.array([[2.0, 2.0, 1.0, 2.0]])


def ties_of_pytorch(f):
    x = tensor(TIES, requires_grad=True)
    f(x).sum().backward()
    return x.grad


def ties_of_jax(f):
    return jax(lambda jax: jax.grad(lambda x: f(jax, x).sum())(TIES))


def pooled(jax, x):
    return jax.lax.reduce_window(x, -np.inf, jax.lax.max, (1, 4), (1, 4), "VALID")


CHECKS = {
    "The reset of a GRU": [
        ("PyTorch", "after", gru_of_pytorch),
        ("Keras", "after", gru_of_keras),
        ("Flax", "after", gru_of_flax),
        ("ONNX", "before", gru_of_onnx),
    ],
    "The running variance of a batch norm": [
        ("PyTorch", "unbiased", lambda: statistics_of_pytorch(1.0)[1]),
        ("Keras", "biased", lambda: statistics_of_keras(0.0)[1]),
        ("Flax", "biased", lambda: statistics_of_flax(0.0)[1]),
        ("ONNX", "biased", lambda: statistics_of_onnx(0.0)[1]),
    ],
    "The momentum of a batch norm": [
        ("PyTorch", "0.9 for the new", lambda: statistics_of_pytorch(0.9)[0]),
        ("Keras", "0.9 for the old", lambda: statistics_of_keras(0.9)[0]),
        ("Flax", "0.9 for the old", lambda: statistics_of_flax(0.9)[0]),
        ("ONNX", "0.9 for the old", lambda: statistics_of_onnx(0.9)[0]),
    ],
    "The eps of a layer norm": [
        ("Keras", "0.001", layer_norm_of_keras),
        ("PyTorch", "1e-05", lambda: numpy(torch().nn.LayerNorm(2).double()(tensor(ROW)))[0]),
        ("ONNX", "1e-05", lambda: onnx("LayerNormalization", [ROW, np.ones(2), np.zeros(2)])[0][0]),
        ("Flax", "1e-06", layer_norm_of_flax),
        ("transformers", "1e-12", layer_norm_of_bert),
    ],
    "The form of gelu": [
        ("PyTorch", "erf", lambda: numpy(torch().nn.functional.gelu(tensor(GELU_X)))),
        ("Keras", "erf", gelu_of_keras),
        ("ONNX", "erf", lambda: onnx("Gelu", [GELU_X])[0]),
        ("transformers", "erf", lambda: gelu_of_transformers("BertConfig")),
        ("JAX", "tanh", lambda: jax(lambda jax: jax.nn.gelu(GELU_X))),
        ("Flax", "tanh", lambda: jax(lambda jax: __import__("flax.linen").linen.gelu(GELU_X))),
        ("transformers", "tanh", lambda: gelu_of_transformers("GPT2Config")),
    ],
    "The slope of abs at 0": [
        ("PyTorch", "0", slope_of_abs_of_pytorch),
        ("JAX", "1", lambda: jax(lambda jax: [jax.grad(jax.numpy.abs)(0.0)])),
    ],
    'The side of "same"': [
        ("PyTorch", "at the end", lambda: functional("conv2d", IMAGE, EVEN, padding="same")),
        ("Keras", "at the end", lambda: convolution_of_keras(EVEN)),
        ("JAX", "at the end", lambda: convolution_of_jax(EVEN)),
        ("ONNX", "at the end", lambda: convolution_of_onnx(EVEN, "SAME_UPPER")),
        ("ONNX", "at the beginning", lambda: convolution_of_onnx(EVEN, "SAME_LOWER")),
        ("Keras", "same, stride 2", lambda: convolution_of_keras(ODD, strides=(1, 2))),
        ("JAX", "same, stride 2", lambda: convolution_of_jax(ODD, (1, 2))),
        ("ONNX", "same, stride 2", lambda: convolution_of_onnx(ODD, "SAME_UPPER", strides=[1, 2])),
        ("PyTorch", "padding 1, stride 2", lambda: functional("conv2d", IMAGE, ODD, padding=(0, 1), stride=(1, 2))),
    ],
    "Equal entries in a pool": [
        ("PyTorch", "shared", lambda: ties_of_pytorch(lambda x: torch().amax(x, dim=1))),
        ("JAX", "shared", lambda: ties_of_jax(lambda jax, x: jax.numpy.max(x, axis=1))),
        (
            "PyTorch",
            "the first",
            lambda: ties_of_pytorch(lambda x: torch().nn.functional.max_pool2d(x[None], (1, 4))),
        ),
        ("JAX", "the first", lambda: ties_of_jax(pooled)),
    ],
}
