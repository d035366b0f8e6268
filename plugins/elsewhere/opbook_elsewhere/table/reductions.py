"""Reductions: what does the same elsewhere."""

from opbook_elsewhere.table.entries import Call, Operator


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


REDUCTIONS = {
    "argmax": {
        "numpy": Call("np.argmax(x, axis=axis, keepdims=keepdims)", "The first of equal entries counts, as here"),
        "torch": Call(
            "torch.argmax(x, dim=axis, keepdim=keepdims)", "Which of several equal entries counts is left open there"
        ),
        "jax": Call("jnp.argmax(x, axis=axis, keepdims=keepdims)", "The first of equal entries counts, as here"),
        "onnx": Operator(
            "ArgMax",
            13,
            "`axis` is 0 and `keepdims` 1 by default; `select_last_index=1`, from opset 12 on, takes the last of equal "
            "entries",
        ),
    },
    "logsumexp": {
        "numpy": "It has none; `scipy.special.logsumexp(x, axis, keepdims=keepdims)` is the same, with all entries "
        "together by default",
        "torch": Call(
            "torch.logsumexp(x, dim=axis, keepdim=keepdims)",
            "`dim` has no default; an entry of +∞ gives +∞, where here it is an error",
        ),
        "jax": Call(
            "jax.nn.logsumexp(x, axis=axis, keepdims=keepdims)",
            "All entries together by default; an entry of +∞ gives +∞, where here it is an error",
        ),
        "onnx": Operator("ReduceLogSumExp", 18, "All entries together by default, and `keepdims` is 1"),
    },
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
    "norm": {
        "numpy": Call(
            "np.linalg.norm(x, axis=axis, keepdims=keepdims)",
            "The squares are taken as they are: 1e200 gives infinity, and 1e-200 gives 0",
        ),
        "torch": Call(
            "torch.linalg.vector_norm(x, dim=axis, keepdim=keepdims)",
            "The squares are taken as they are. The gradient of zeros is 0, as here",
        ),
        "jax": Call(
            "jnp.linalg.norm(x, axis=axis, keepdims=keepdims)",
            "The squares are taken as they are, and the gradient of zeros is NaN, where here it is 0",
        ),
        "onnx": Operator("ReduceL2", 18, "The axes are an input, and `keepdims` is 1 unless it is set to 0"),
    },
    "sum": _reduction("sum", "ReduceSum", 13, Call("torch.sum(x, dim=axis, keepdim=keepdims)")),
}
