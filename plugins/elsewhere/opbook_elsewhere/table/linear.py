"""Linear layers: what does the same elsewhere."""

from opbook_elsewhere.table.entries import Call, Operator

LINEAR = {
    "linear": {
        "numpy": Call("x @ w + b"),
        "torch": Call(
            "F.linear(x, w.mT, b)",
            "The weight of `F.linear` and `torch.nn.Linear` has a row for each output: it is the transpose of w",
        ),
        "jax": Call("x @ w + b", "Flax's `Linear` keeps w as it is here, as `kernel`; Keras's `Dense` does so too"),
        "onnx": Operator("Gemm", 7, "Of two matrices only; `transB` is 1 where a model comes from PyTorch"),
    },
    "swiglu": {
        "numpy": "It has none; the [definition](#definition) is NumPy",
        "torch": Call(
            'F.silu(x @ weights["w_gate"]) * (x @ weights["w_up"]) @ weights["w_down"]',
            "In `F.glu` the *second* half is the gate, and goes through the sigmoid",
        ),
        "jax": Call(
            'jax.nn.silu(x @ weights["w_gate"]) * (x @ weights["w_up"]) @ weights["w_down"]',
            "In `jax.nn.glu` the *second* half is the gate, and goes through the sigmoid",
        ),
        "onnx": "`SwiGLU`, opset 28, between `MatMul`; the *first* input is the gate, and beta is called `alpha`",
    },
}
