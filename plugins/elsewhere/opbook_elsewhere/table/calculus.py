"""Calculus: what does the same elsewhere."""

from opbook_elsewhere.table.entries import Call

CALCULUS = {
    "grad": {
        "numpy": "It has none",
        "torch": Call("torch.func.grad(f)", "`argnums` rather than `argnum`"),
        "jax": Call("jax.grad(f)", "`argnums` rather than `argnum`"),
        "onnx": "It has none",
    },
}
