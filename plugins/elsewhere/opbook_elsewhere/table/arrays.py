"""Making, joining and rearranging arrays: what does the same elsewhere."""

from opbook_elsewhere.table.entries import Call, Operator


def _made_of(name, note=""):
    return {
        "numpy": Call(f"np.{name}(shape)"),
        "torch": Call(f"torch.{name}(shape)", "float32 unless `dtype` says otherwise"),
        "jax": Call(f"jnp.{name}(shape)", "float32 unless 64 bits are enabled"),
        "onnx": Operator("ConstantOfShape", 9, "The shape is an array of int64, the value an attribute"),
    }


ARRAYS = {
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
    "cumsum": {
        "numpy": Call("np.cumsum(x, axis=axis)", "Without an axis it counts through all entries"),
        "torch": Call("torch.cumsum(x, axis)", "`dim` has no default, and no sum is exclusive or runs backwards"),
        "jax": Call(
            "jnp.cumsum(x, axis=axis)", "Without an axis it counts through all entries; `jax.lax.cumsum` has `reverse`"
        ),
        "onnx": Operator(
            "CumSum", 11, "`exclusive` and `reverse` are 1 and 0; the axis is an input and has no default"
        ),
    },
    "einsum": {
        "numpy": Call("np.einsum(spec, *arrays)", "An axis of length 1 broadcasts, where here it is an error"),
        "torch": Call("torch.einsum(spec, *arrays)", "An axis of length 1 broadcasts, where here it is an error"),
        "jax": Call("jnp.einsum(spec, *arrays)"),
        "onnx": Operator("Einsum", 12),
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
    "sort": {
        "numpy": Call("np.sort(x, axis=axis)"),
        "torch": Call(
            "torch.sort(x, dim=axis, stable=True).values",
            "It returns a pair, with the places; without `stable=True` the order of equal entries is open, and so is "
            "which of them gets whose gradient",
        ),
        "jax": Call("jnp.sort(x, axis=axis)", "It is stable unless told otherwise"),
        "onnx": "It has none; `TopK` of all entries, with `largest` 0, sorts, and equal entries come in their order",
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
