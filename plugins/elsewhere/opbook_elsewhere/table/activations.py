"""Activations: what does the same elsewhere."""

from opbook_elsewhere.table.entries import Call, Operator

ACTIVATIONS = {
    "elu": {
        "numpy": Call("np.where(x > 0, x, alpha * np.expm1(np.minimum(x, 0)))"),
        "torch": Call("F.elu(x, alpha)"),
        "jax": Call("jax.nn.elu(x, alpha)"),
        "onnx": Operator("Elu", 6),
    },
    "gelu": {
        "numpy": "It has none; `scipy.special.ndtr(x) * x` is the same",
        "torch": Call("F.gelu(x)", '`approximate="tanh"` is the other form, with the same names as here'),
        "jax": Call("jax.nn.gelu(x, approximate=False)", "The tanh form is the default there"),
        "onnx": Operator("Gelu", 20, '`approximate` is `"none"` unless it is `"tanh"`'),
    },
    "leaky_relu": {
        "numpy": Call("np.where(x > 0, x, slope * x)"),
        "torch": Call("F.leaky_relu(x, slope)", "It is called `negative_slope`, and is 0.01 as well"),
        "jax": Call("jax.nn.leaky_relu(x, slope)", "The gradient at 0 is 1, where here it is the slope"),
        "onnx": Operator("LeakyRelu", 6, "It is called `alpha`, and is 0.01 as well. Keras 3 has 0.3 in its layer"),
    },
    "log_sigmoid": {
        "numpy": Call("-np.logaddexp(0, -x)", "`scipy.special.log_expit` is the same"),
        "torch": Call("F.logsigmoid(x)"),
        "jax": Call("jax.nn.log_sigmoid(x)"),
        "onnx": "It has none; `Softplus` and `Neg` make one",
    },
    "log_softmax": {
        "numpy": "It has none; `scipy.special.log_softmax(x, axis)` is the same, with all entries together by default",
        "torch": Call("F.log_softmax(x, dim=axis)", "Give `dim`: the default axis depends on the number of axes"),
        "jax": Call("jax.nn.log_softmax(x, axis=axis)"),
        "onnx": Operator(
            "LogSoftmax", 13, "Before that, the axes from `axis` on were taken together, and `axis` was 1 by default"
        ),
    },
    "relu": {
        "numpy": Call("np.maximum(x, 0)"),
        "torch": Call("F.relu(x)"),
        "jax": Call("jax.nn.relu(x)"),
        "onnx": Operator("Relu", 6),
    },
    "sigmoid": {
        "numpy": Call(
            "1 / (1 + np.exp(-x))", "It warns of an overflow where x is far below 0; `scipy.special.expit` does not"
        ),
        "torch": Call("torch.sigmoid(x)"),
        "jax": Call("jax.nn.sigmoid(x)"),
        "onnx": Operator("Sigmoid", 6),
    },
    "silu": {
        "numpy": "It has none; `x * scipy.special.expit(beta * x)` is the same",
        "torch": Call("x * torch.sigmoid(beta * x)", "`F.silu(x)` has no beta; −∞ gives NaN, where here it gives 0"),
        "jax": Call("x * jax.nn.sigmoid(beta * x)", "`jax.nn.silu(x)` has no beta, and is `jax.nn.swish` as well"),
        "onnx": Operator("Swish", 24, "Beta is called `alpha`"),
    },
    "softmax": {
        "numpy": "It has none; `scipy.special.softmax(x, axis)` is the same, with all entries together by default",
        "torch": Call("torch.softmax(x, dim=axis)", "`dim` has no default"),
        "jax": Call("jax.nn.softmax(x, axis=axis)"),
        "onnx": Operator(
            "Softmax", 13, "Before that, the axes from `axis` on were taken together, and `axis` was 1 by default"
        ),
    },
    "softplus": {
        "numpy": Call("np.logaddexp(0, x)"),
        "torch": Call(
            "F.softplus(x)", "Above `threshold`, 20 by default, it gives x itself, which is 2e-9 too small at most"
        ),
        "jax": Call("jax.nn.softplus(x)"),
        "onnx": Operator("Softplus", 1),
    },
}
