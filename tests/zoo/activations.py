"""gelu, relu, sigmoid, tanh and softplus."""

import math

import numpy as np
from zoo.animals import right, right_gradient, wrong, wrong_gradient
from zoo.cheats import add_cheats, add_idioms

erf = np.vectorize(math.erf, otypes=[np.float64])


def gelu(x, approximate="none"):
    if approximate == "tanh":
        x = np.clip(x, -1e4, None)
        return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))
    return (x * 0.5 * (1 + erf(x / math.sqrt(2)))).astype(x.dtype)


def relu(x):
    return np.maximum(x, 0)


def sigmoid(x):
    e = np.exp(-np.abs(x))
    return np.where(x < 0, e, 1) / (1 + e)


def tanh(x):
    return np.tanh(x)


def softplus(x):
    return np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))


for op, function in (("gelu", gelu), ("sigmoid", sigmoid), ("tanh", tanh), ("softplus", softplus)):
    add_idioms(op, function)
    add_cheats(op, function)
add_idioms("relu", relu)
add_cheats("relu", relu, "hides a NaN")  # which libraries do or don't, on purpose


@right("gelu", "by the complementary error function")
def by_erfc(x, approximate="none"):
    if approximate == "tanh":
        return gelu(x, approximate)
    return (0.5 * x * np.vectorize(math.erfc, otypes=[np.float64])(-x / math.sqrt(2))).astype(x.dtype)


@right("gelu", "one form only")
def one_form(x, approximate="none"):
    if approximate != "none":
        raise NotImplementedError("only the erf form")
    return gelu(x)


@right_gradient("gelu", "gradient", gelu)
def gelu_gradient(g, x, approximate="none"):
    if approximate == "tanh":
        c = math.sqrt(2 / math.pi)
        x = np.clip(x, -1e4, 1e4)
        t = np.tanh(c * (x + 0.044715 * x**3))
        return g * (0.5 * (1 + t) + 0.5 * x * (1 - t * t) * c * (1 + 3 * 0.044715 * x * x))
    return g * (0.5 * (1 + erf(x / math.sqrt(2))) + x * np.exp(-x * x / 2) / math.sqrt(2 * math.pi))


@wrong("gelu", "the tanh form for both")
def always_tanh(x, approximate="none"):
    return gelu(x, "tanh")


@wrong("gelu", "the erf form for both")
def always_erf(x, approximate="none"):
    return gelu(x)


@wrong("gelu", "by a sigmoid")
def by_sigmoid(x, approximate="none"):
    return x * sigmoid(1.702 * x)


@wrong("gelu", "erf without the root of two")
def no_root(x, approximate="none"):
    return (0.5 * x * (1 + erf(x))).astype(x.dtype)


@wrong("gelu", "0.44715 in the tanh form")
def slipped_digit(x, approximate="none"):
    if approximate == "none":
        return gelu(x)
    x = np.clip(x, -1e4, None)
    return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.44715 * x**3)))


@wrong("gelu", "a rounded 0.797 in the tanh form")
def rounded_constant(x, approximate="none"):
    if approximate == "none":
        return gelu(x)
    x = np.clip(x, -1e4, None)
    return 0.5 * x * (1 + np.tanh(0.797 * (x + 0.044715 * x**3)))


@wrong("gelu", "the half forgotten")
def no_half(x, approximate="none"):
    return 2 * gelu(x, approximate)


@wrong_gradient("gelu", "gradient without the density", gelu)
def no_density(g, x, approximate="none"):
    return g * 0.5 * (1 + erf(x / math.sqrt(2)))


@right("relu", "where")
def relu_where(x):
    return np.where(x > 0, x, 0)


@right("relu", "a mask times x")
def relu_masked(x):
    return np.where(np.isfinite(x), x, 0) * (x > 0) if np.isinf(x).any() else x * (x > 0)


@right("relu", "half of the sum with the size")
def relu_by_abs(x):
    return (x + np.abs(x)) / 2


@wrong("relu", "a small slope below 0")
def leaky(x):
    return np.where(x > 0, x, 0.01 * x)


@wrong("relu", "cut off at 6")
def relu6(x):
    return np.clip(x, 0, 6)


@wrong("relu", "the size")
def size(x):
    return np.abs(x)


@wrong("relu", "the negative part")
def negative_part(x):
    return np.minimum(x, 0)


@wrong("relu", "x itself where nothing is cut off")
def view(x):
    return x if (x >= 0).all() else np.maximum(x, 0)


@wrong("relu", "a step")
def step(x):
    return (x > 0).astype(x.dtype)


@wrong("sigmoid", "exp overflows on one side")
def sigmoid_other_side(x):
    e = np.exp(x)
    return e / (1 + e)


@right("sigmoid", "by tanh")
def sigmoid_by_tanh(x):
    return 0.5 * (1 + np.tanh(0.5 * x))


@wrong("sigmoid", "piecewise linear")
def hard_sigmoid(x):
    return np.clip(x / 6 + 0.5, 0, 1)


@wrong("sigmoid", "the sign turned")
def turned_sigmoid(x):
    return sigmoid(-x)


@wrong("sigmoid", "cut off a little before 0 and 1")
def cut_sigmoid(x):
    return np.clip(sigmoid(x), 1e-4, 1 - 1e-4)


@right("tanh", "by a sigmoid")
def tanh_by_sigmoid(x):
    return 2 * sigmoid(2 * x) - 1


@wrong("tanh", "a quotient that overflows")
def tanh_quotient(x):
    a, b = np.exp(x), np.exp(-x)
    return (a - b) / (a + b)


@wrong("tanh", "a fraction that is close for small x")
def tanh_fraction(x):
    return x * (27 + x * x) / (27 + 9 * x * x)


@wrong("tanh", "cut off")
def hard_tanh(x):
    return np.clip(x, -1, 1)


@wrong("tanh", "half of the argument")
def tanh_half(x):
    return np.tanh(x / 2)


@right("softplus", "by logaddexp")
def by_logaddexp(x):
    return np.logaddexp(x, 0)


@wrong("softplus", "exp overflows")
def softplus_overflows(x):
    return np.log(1 + np.exp(x))


@wrong("softplus", "x itself above a threshold of 5")
def threshold(x):
    return np.where(x > 5, x, softplus(x))


@wrong("softplus", "base two")
def softplus_two(x):
    return np.logaddexp2(x, 0)


@wrong("softplus", "smoothed absolute value")
def smooth_abs(x):
    return softplus(x) + softplus(-x)


try:
    import torch
except ImportError:
    pass
else:

    @right("gelu", "torch functional")
    def gelu_functional(x, approximate="none"):
        return torch.nn.functional.gelu(x, approximate=approximate)

    @right("relu", "torch functional")
    def relu_functional(x):
        return torch.nn.functional.relu(x)

    @wrong("relu", "torch functional in place")
    def relu_in_place(x):
        return torch.nn.functional.relu(x, inplace=True)

    @right("sigmoid", "torch functional")
    def sigmoid_functional(x):
        return torch.sigmoid(x)

    @right("tanh", "torch functional")
    def tanh_functional(x):
        return torch.tanh(x)

    @right("softplus", "torch functional, with a threshold of 30")
    def softplus_functional(x):
        return torch.nn.functional.softplus(x, threshold=30)
