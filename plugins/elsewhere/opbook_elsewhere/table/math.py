"""Elementwise math: what does the same elsewhere."""

from opbook_elsewhere.table.entries import Call, Operator


def _same(name, opset, note=""):
    """A function that all of them have under one name, with an operator of ONNX."""
    return {
        "numpy": Call(f"np.{name}(x)"),
        "torch": Call(f"torch.{name}(x)"),
        "jax": Call(f"jnp.{name}(x)"),
        "onnx": Operator(name.capitalize(), opset, note),
    }


def _larger(name):
    shared = "Where both are equal, each gets half of the gradient, as here"
    return {
        "numpy": Call(f"np.{name}imum(x, y)"),
        "torch": Call(f"torch.{name}imum(x, y)", shared),
        "jax": Call(f"jnp.{name}imum(x, y)", shared),
        "onnx": Operator(name.capitalize(), 8, "It takes any number of arrays"),
    }


MATH = {
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
        "onnx": Operator("Round", 11, "It has no decimals; halves go to the even neighbour"),
    },
    "sin": _same("sin", 7),
    "sqrt": _same("sqrt", 6),
    "tanh": _same("tanh", 6),
}
