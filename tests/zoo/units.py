"""leaky_relu, elu, silu and log_sigmoid."""

import numpy as np
from zoo.animals import right, right_gradient, wrong, wrong_gradient


def _sigmoid(x):
    return np.exp(-np.logaddexp(0, -x))


@right("leaky_relu", "the larger of two lines and the smaller")
def leaky_relu(x, *, slope=0.01):
    return np.maximum(x, 0) + slope * np.minimum(x, 0)


@right_gradient("leaky_relu", "gradient", leaky_relu)
def leaky_gradient(g, x, *, slope=0.01):
    return (np.where(x > 0, g, slope * g),)


@wrong("leaky_relu", "slope of Keras's layer")
def steeper(x, *, slope=0.3):
    return leaky_relu(x, slope=slope)


@wrong("leaky_relu", "slope on the wrong side")
def mirrored(x, *, slope=0.01):
    return np.where(x < 0, x, slope * x)


@wrong("leaky_relu", "slope is not used")
def slope_ignored(x, *, slope=0.01):
    return np.where(x < 0, 0.01 * x, x)


@wrong("leaky_relu", "the sign of what is let through is lost")
def bounced(x, *, slope=0.01):
    return np.where(x < 0, slope * np.abs(x), x)


@wrong("leaky_relu", "the negative side is moved down as well")
def torn(x, *, slope=0.01):
    return np.where(x < 0, slope * (x - 1), x)


@wrong_gradient("leaky_relu", "gradient: that of relu", leaky_relu)
def relu_gradient(g, x, *, slope=0.01):
    return (np.where(x > 0, g, 0),)


@right("elu", "textbook, with expm1")
def elu(x, *, alpha=1.0):
    return np.where(x > 0, x, alpha * np.expm1(np.minimum(x, 0)))


@wrong("elu", "alpha on the exponential only")
def inner_alpha(x, *, alpha=1.0):
    return np.where(x > 0, x, alpha * np.exp(np.minimum(x, 0)) - 1)


@wrong("elu", "alpha on both sides")
def alpha_everywhere(x, *, alpha=1.0):
    return alpha * elu(x)


@wrong("elu", "scaled as in SELU")
def selu(x, *, alpha=1.0):
    return 1.0507009873554805 * elu(x, alpha=1.6732632423543772 * alpha)


@wrong("elu", "no 1 subtracted")
def torn_at_zero(x, *, alpha=1.0):
    return np.where(x > 0, x, alpha * np.exp(np.minimum(x, 0)))


@wrong("elu", "exp(x) of positive entries times 0")
def overflowing(x, *, alpha=1.0):
    positive = (x > 0).astype(x.dtype)
    return positive * x + (1 - positive) * alpha * (np.exp(x) - 1)


@wrong_gradient("elu", "gradient: y + alpha, where y is taken for x", elu)
def straight_gradient(g, x, *, alpha=1.0):
    return (np.where(x > 0, g, g * (x + alpha)),)


@right("silu", "textbook")
def silu(x, *, beta=1.0):
    return x * _sigmoid(beta * x)


@wrong("silu", "the sigmoid alone")
def gate_only(x, *, beta=1.0):
    return _sigmoid(beta * x)


@wrong("silu", "beta outside")
def beta_outside(x, *, beta=1.0):
    return beta * x * _sigmoid(x)


@wrong("silu", "the fast form of gelu")
def quick_gelu(x, *, beta=1.702):
    return silu(x, beta=beta)


@wrong("silu", "gelu")
def tanh_gelu(x, *, beta=1.0):
    return x * _sigmoid(2 * np.sqrt(2 / np.pi) * (x + 0.044715 * x**3))


@wrong("silu", "hard swish")
def hard(x, *, beta=1.0):
    return x * np.clip(beta * x / 6 + 0.5, 0, 1)


@wrong("silu", "exp(x) on both sides of the bar")
def overflowing_gate(x, *, beta=1.0):
    e = np.exp(beta * x)
    return x * e / (1 + e)


@wrong_gradient("silu", "gradient: the gate taken for a constant", silu)
def constant_gate(g, x, *, beta=1.0):
    return (g * _sigmoid(beta * x),)


@right("log_sigmoid", "the smaller of x and 0, less the rest")
def log_sigmoid(x):
    return np.minimum(x, 0) - np.log1p(np.exp(-np.abs(x)))


@wrong("log_sigmoid", "the logarithm of the sigmoid")
def of_sigmoid(x):
    return np.log(1 / (1 + np.exp(-x)))


@wrong("log_sigmoid", "clipped before the logarithm")
def clipped(x):
    return np.log(np.maximum(_sigmoid(x), 1e-12))


@wrong("log_sigmoid", "of minus x")
def of_minus(x):
    return log_sigmoid(-x)


@wrong("log_sigmoid", "softplus without its sign")
def unsigned(x):
    return np.logaddexp(0, -x)


@wrong("log_sigmoid", "an eps in the logarithm")
def with_eps(x):
    return np.log(_sigmoid(x) + 1e-6)


@wrong("log_sigmoid", "base 2")
def in_bits(x):
    return log_sigmoid(x) / np.log(2)


@wrong_gradient("log_sigmoid", "gradient: sigmoid(x)", log_sigmoid)
def slope_of_x(g, x):
    return (g * _sigmoid(x),)
