"""Which call does the same elsewhere, and what differs.

The code of a call is an expression with the builtin's arguments in it, and the tests evaluate it. The opset of an
operator is the first in which it does what the note says.
"""

from typing import NamedTuple


class Call(NamedTuple):
    """A call of a library for Python: its code, and what differs, without a full stop."""

    code: str
    note: str = ""


class Operator(NamedTuple):
    """An operator of ONNX: its name, the opset, and what differs, without a full stop."""

    name: str
    opset: int
    note: str = ""


def _same(name, opset, note=""):
    """A function that all of them have under one name, with an operator of ONNX."""
    return {
        "numpy": Call(f"np.{name}(x)"),
        "torch": Call(f"torch.{name}(x)"),
        "jax": Call(f"jnp.{name}(x)"),
        "onnx": Operator(name.capitalize(), opset, note),
    }


def _reduction(name, operator, opset, torch, numpy_note="", jax_note=""):
    return {
        "numpy": Call(f"np.{name}(x, axis=axis, keepdims=keepdims)", numpy_note),
        "torch": torch,
        "jax": Call(f"jnp.{name}(x, axis=axis, keepdims=keepdims)", jax_note),
        "onnx": Operator(operator, opset, "The axes are an input, and `keepdims` is 1 unless it is set to 0"),
    }


def _choice(name):
    ties = "Among ties, the gradient is shared out, as here"
    lone = f"`torch.{name}(x, dim)` returns a pair, with the places, and sends the gradient to one of them"
    torch = Call(f"torch.a{name}(x, dim=axis, keepdim=keepdims)", f"{ties}; {lone}")
    return _reduction(name, f"Reduce{name.capitalize()}", 18, torch, jax_note=ties)


def _larger(name):
    shared = "Where both are equal, each gets half of the gradient, as here"
    return {
        "numpy": Call(f"np.{name}imum(x, y)"),
        "torch": Call(f"torch.{name}imum(x, y)", shared),
        "jax": Call(f"jnp.{name}imum(x, y)", shared),
        "onnx": Operator(name.capitalize(), 8, "It takes any number of arrays"),
    }


def _made_of(name, note=""):
    return {
        "numpy": Call(f"np.{name}(shape)"),
        "torch": Call(f"torch.{name}(shape)", "float32 unless `dtype` says otherwise"),
        "jax": Call(f"jnp.{name}(shape)", "float32 unless 64 bits are enabled"),
        "onnx": Operator("ConstantOfShape", 9, "The shape is an array of int64, the value an attribute"),
    }


_MATH = {
    "abs": _same("abs", 6) | {"jax": Call("jnp.abs(x)", "The gradient at 0 is 1, where here it is 0")},
    "cos": _same("cos", 7),
    "erf": {
        "numpy": "It has none; `math.erf` takes one number, `scipy.special.erf` an array",
        "torch": Call("torch.erf(x)"),
        "jax": Call("jax.scipy.special.erf(x)"),
        "onnx": Operator("Erf", 9),
    },
    "exp": _same("exp", 6),
    "log": _same("log", 6),
    "maximum": _larger("max"),
    "minimum": _larger("min"),
    "round": {
        "numpy": Call("np.round(x, digits)", "Halves go to the even neighbour, as here"),
        "torch": Call("torch.round(x, decimals=digits)", "`decimals` is a keyword"),
        "jax": Call("jnp.round(x, digits)"),
        "onnx": Operator("Round", 11, "It knows no decimals; halves go to the even neighbour"),
    },
    "sin": _same("sin", 7),
    "sqrt": _same("sqrt", 6),
    "tanh": _same("tanh", 6),
}

_ACTIVATIONS = {
    "gelu": {
        "numpy": "It has none; `scipy.special.ndtr(x) * x` is the same",
        "torch": Call("F.gelu(x)", '`approximate="tanh"` is the other form, with the same names as here'),
        "jax": Call("jax.nn.gelu(x, approximate=False)", "The tanh form is the default there"),
        "onnx": Operator("Gelu", 20, '`approximate` is `"none"` unless it is `"tanh"`'),
    },
    "log_softmax": {
        "numpy": "It has none; `scipy.special.log_softmax(x, axis)` is the same, with all entries together by default",
        "torch": Call(
            "F.log_softmax(x, dim=axis)", "Say `dim`: what is taken without it depends on the number of axes"
        ),
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

_REDUCTIONS = {
    "max": _choice("max"),
    "mean": _reduction(
        "mean",
        "ReduceMean",
        18,
        Call(
            "torch.mean(x, dim=axis, keepdim=keepdims)",
            "It refuses integers. The mean of nothing is NaN, where here it is an error",
        ),
        "The mean of nothing is NaN with a warning, where here it is an error",
    ),
    "min": _choice("min"),
    "sum": _reduction("sum", "ReduceSum", 13, Call("torch.sum(x, dim=axis, keepdim=keepdims)")),
}

_ARRAYS = {
    "arange": {
        "numpy": Call("np.arange(stop)", "Integers give integers, where here they give float64"),
        "torch": Call("torch.arange(stop)", "Integers give int64"),
        "jax": Call("jnp.arange(stop)", "Integers give integers"),
        "onnx": Operator("Range", 11, "Start, limit and delta are all needed"),
    },
    "concatenate": {
        "numpy": Call("np.concatenate(arrays, axis=axis)"),
        "torch": Call("torch.cat(arrays, dim=axis)", "`torch.concatenate` is another name"),
        "jax": Call("jnp.concatenate(arrays, axis=axis)"),
        "onnx": Operator("Concat", 4, "`axis` has no default"),
    },
    "eye": {
        "numpy": Call("np.eye(n)"),
        "torch": Call("torch.eye(n)", "float32 unless `dtype` says otherwise"),
        "jax": Call("jnp.eye(n)", "float32 unless 64 bits are enabled"),
        "onnx": Operator("EyeLike", 9, "It takes a matrix for its shape"),
    },
    "linspace": {
        "numpy": Call("np.linspace(start, stop, count)", "50 numbers unless a count is given"),
        "torch": Call("torch.linspace(start, stop, count)", "float32 unless `dtype` says otherwise"),
        "jax": Call("jnp.linspace(start, stop, count)", "50 numbers unless a count is given"),
        "onnx": "It has none; `Range`, `Mul` and `Add` make one",
    },
    "ones": _made_of("ones"),
    "reshape": {
        "numpy": Call("np.reshape(x, shape)"),
        "torch": Call("torch.reshape(x, shape)"),
        "jax": Call("jnp.reshape(x, shape)"),
        "onnx": Operator("Reshape", 5, "A 0 in the shape keeps that axis, unless `allowzero` (opset 14) is set"),
    },
    "shape": {
        "numpy": Call("np.shape(x)"),
        "torch": Call("x.shape"),
        "jax": Call("jnp.shape(x)"),
        "onnx": Operator("Shape", 1),
    },
    "take": {
        "numpy": Call("np.take(x, indices, axis=axis)", "Without an axis it counts through all entries"),
        "torch": Call(
            "torch.index_select(x, axis, indices)",
            "The axis comes first, and negative numbers are refused; `torch.take` counts through all entries",
        ),
        "jax": Call(
            "jnp.take(x, indices, axis=axis)", "A number that is too large gives NaN, where here it is an error"
        ),
        "onnx": Operator("Gather", 11, "Negative numbers count from the end"),
    },
    "transpose": {
        "numpy": Call("np.matrix_transpose(x)", "`np.transpose` turns the order of all axes around"),
        "torch": Call("x.mT", "`torch.transpose` takes the two axes"),
        "jax": Call("jnp.matrix_transpose(x)", "`jnp.transpose` turns the order of all axes around"),
        "onnx": Operator("Transpose", 1, "Without `perm` it turns the order of all axes around"),
    },
    "where": {
        "numpy": Call("np.where(condition, x, y)"),
        "torch": Call(
            "torch.where(condition, x, y)",
            "The condition must be Boolean; if the branch not taken has an infinite slope, the gradient is NaN, where "
            "here it is 0",
        ),
        "jax": Call(
            "jnp.where(condition, x, y)",
            "If the branch not taken has an infinite slope, the gradient is NaN, where here it is 0",
        ),
        "onnx": Operator("Where", 9),
    },
    "zeros": _made_of("zeros"),
}

_TRANSFORMER = {
    "attention_weights": {
        "numpy": "It has none; the [definition](#definition) is NumPy",
        "torch": Call(
            "torch.softmax((q @ k.mT / q.shape[-1] ** 0.5).masked_fill(~mask, -torch.inf), dim=-1)",
            "A query that may attend to nothing gets NaN, where here it gets 0. `torch.nn.MultiheadAttention` returns "
            "the mean of its heads' weights",
        ),
        "jax": Call(
            "jax.nn.softmax(q @ jnp.matrix_transpose(k) / q.shape[-1] ** 0.5, axis=-1, where=mask)",
            "`where` takes the mask as it is here",
        ),
        "onnx": "`qk_matmul_output` of `Attention`, opset 25, with `qk_matmul_output_mode` 3. `left_window_size` and "
        "`right_window_size` are the two numbers of `window`, and a `softcap` of 0 means none",
    },
    "causal_mask": {
        "numpy": Call(
            "np.tri(n_queries, dtype=bool)", 'With other numbers of keys, `np.tri(n_queries, n_keys)` is `"upper-left"`'
        ),
        "torch": Call(
            "torch.ones(n_queries, n_queries, dtype=torch.bool).tril()",
            "`torch.nn.Transformer.generate_square_subsequent_mask` gives numbers to be added instead: 0 and −∞",
        ),
        "jax": Call("jnp.tri(n_queries, dtype=bool)"),
        "onnx": Operator("Trilu", 14, "With `upper=0`, of a matrix of ones"),
    },
    "layer_norm": {
        "numpy": Call(
            "(x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + eps) * gamma + beta",
            "`np.var` divides by N, as here",
        ),
        "torch": Call(
            "F.layer_norm(x, gamma.shape, gamma, beta, eps)",
            "The second argument is the shape of the last axes, which are taken together; eps is 1e-5 as well. "
            "`torch.var` divides by N − 1 unless `correction=0`, but this function divides by N, as here",
        ),
        "jax": Call(
            "jax.nn.standardize(x, axis=-1, epsilon=eps) * gamma + beta",
            "It takes the mean square less the squared mean, and loses digits where the mean is large, unless "
            '`algorithm="stable"`. Flax\'s `LayerNorm` has an epsilon of 1e-6',
        ),
        "onnx": Operator(
            "LayerNormalization",
            17,
            "All axes from `axis` on are taken together, by default the last; `epsilon` is 1e-5",
        ),
    },
    "multi_head_attention": {
        "numpy": "It has none; the [definition](#definition) is NumPy",
        "torch": Call(
            "torch.nn.MultiheadAttention(x.shape[-1], n_heads, bias=False, batch_first=True)",
            "In its Boolean `attn_mask` and `key_padding_mask`, true means *blocked*, the opposite of `mask` and "
            "`key_mask` here. All heads are as wide as x's width divided by their number. `in_proj_weight` holds the "
            "transposes of all wq, then all wk, then all wv; biases are there unless `bias=False`, and the length "
            "comes before the batch unless `batch_first=True`. A row that may attend to nothing gets NaN, where here "
            "it gets 0",
        ),
        "jax": "It has none; Flax has `MultiHeadAttention`, whose mask is true where a query may attend, as here",
        "onnx": "`Attention`, opset 23, takes the heads side by side with `q_num_heads` and `kv_num_heads`, "
        "already projected",
    },
    "scaled_dot_product_attention": {
        "numpy": "It has none; the [definition](#definition) is NumPy",
        "torch": Call(
            "F.scaled_dot_product_attention(q, k, v, attn_mask=mask)",
            "A Boolean `attn_mask` is true where a query may attend, as here, and the opposite of that of "
            "`torch.nn.MultiheadAttention`; one of numbers is added to the scores, so 0 and 1 block nothing: that is "
            "`bias` here. `is_causal=True` allows no mask beside it, and with other numbers of queries and keys it "
            "lets the first query see the first key only, where here that must be said. It has neither window nor "
            "softcap. FlashAttention has both: `window_size=(left, right)` counts as `window` does here, while "
            "`sliding_window=w` in models of transformers lets a query see w keys, its own among them",
        ),
        "jax": Call(
            "jax.nn.dot_product_attention(q[:, None], k[:, None], v[:, None], mask=mask[None])[:, 0]",
            "The axis of the heads comes behind that of the length, and is needed; values must be as wide as keys, "
            "and the weights are computed in float32. The mask is Boolean and true where a query may attend. A query "
            "that may attend to nothing gets the mean of all values, where here it gets 0. `local_window_size=(l, r)` "
            "is `window=(l, r)`",
        ),
        "onnx": Operator(
            "Attention",
            25,
            "Four axes, or three and the number of heads. A Boolean `attn_mask` is true where a query may attend, one "
            "of numbers is added to the scores; `is_causal` may stand beside either. `softcap=0` means none",
        ),
    },
    "transformer_block": {
        "numpy": "It has none; the [definition](#definition) is NumPy",
        "torch": Call(
            "torch.nn.TransformerEncoderLayer(x.shape[-1], n_heads, width, dropout=0.0, batch_first=True)",
            '`norm_first=True` is `norm="pre"`. Dropout is 0.1 and the length comes first unless told otherwise; '
            "attention has biases; in its Boolean masks, true means *blocked*",
        ),
        "jax": "It has none",
        "onnx": "It has none: it is written with `Attention`, `MatMul`, `Relu` and `LayerNormalization`",
    },
}

_CALCULUS = {
    "grad": {
        "numpy": "It has none",
        "torch": Call("torch.func.grad(f)", "`argnums` rather than `argnum`"),
        "jax": Call("jax.grad(f)", "`argnums` rather than `argnum`"),
        "onnx": "It has none",
    },
}

TABLE = _MATH | _ACTIVATIONS | _REDUCTIONS | _ARRAYS | _TRANSFORMER | _CALCULUS
