"""Relatives of relu and gelu: leaky_relu, elu, silu and log_sigmoid."""

import numpy as np
from opbook_math import sigmoid

from opbook import Array, builtin


# `relu` gives the gradient 0 wherever its input is negative. A unit whose inputs are all negative can never recover
# from that: it has *died*. Here negative entries are multiplied by a small slope rather than by 0, and so is their
# gradient.
#
# With `slope=0` it is `relu`, and with `slope=1` it does nothing. Where the slope is learned, the function is called
# PReLU.
#
# **The gradient.** With g for the cotangent, the gradient of some number L by y,
#
# $$\frac{\partial L}{\partial x} = \begin{cases} \text{slope} \cdot g & \text{if } x \le 0 \\ g & \text{otherwise.}
# \end{cases}$$
#
# At 0 the function has a kink. The slope of the left side is taken there, as in `relu` and in other libraries.
@builtin(category="Elementwise & activations", aliases=("LeakyReLU", "leaky rectifier", "lrelu", "PReLU"))
def leaky_relu(x: Array["..."], *, slope: float = 0.01) -> Array["..."]:
    r"""Multiplies negative entries by a small slope, and keeps the others.

    It is used where units of `relu` would die, in discriminators of image networks for example. It goes entry by
    entry, on an array of any shape.

    Args:
        x: Numbers.
        slope: What negative entries are multiplied with.

    Returns:
        An array of x's shape. The gradient at 0 is slope.

    Formula:
        $$y = \begin{cases} \text{slope} \cdot x & x \le 0 \\ x & x > 0 \end{cases}$$

    Source:
        Maas, Hannun and Ng, *Rectifier Nonlinearities Improve Neural Network Acoustic Models* (2013); operator
        `LeakyRelu` of ONNX opset 16.
    """
    return np.where(x <= 0, slope, 1.0) * x


@leaky_relu.defvjp
def _(x, *, slope=0.01):
    factor = np.where(x <= 0, slope, 1.0)
    return factor * x, lambda g: (g * factor,)


# Positive entries stay as they are. Negative ones go smoothly to −alpha, so that the mean of all entries is closer to 0
# than after `relu`. With `alpha=1` there is no kink at 0.
#
# exp(x) − 1 loses its digits where x is close to 0: for x = −1e-10 seven of them are left. NumPy's `expm1` is the same
# function and keeps them. It is given 0 in the place of positive entries, as exp(1000) would overflow though nobody
# looks at it.
#
# **The gradient.** With g for the cotangent, the gradient of some number L by y,
#
# $$\frac{\partial L}{\partial x} = \begin{cases} \alpha\,e^x\,g & \text{if } x \le 0 \\ g & \text{otherwise.}
# \end{cases}$$
@builtin(category="Elementwise & activations", aliases=("ELU", "exponential linear unit"))
def elu(x: Array["..."], *, alpha: float = 1.0) -> Array["..."]:
    r"""Bends negative entries towards -alpha by an exponential, and keeps the others.

    It is an activation without a kink whose mean is closer to 0 than that of `relu`. It goes entry by entry, on an
    array of any shape.

    Args:
        x: Numbers.
        alpha: How far below 0 the curve goes.

    Returns:
        An array of x's shape. The gradient at 0 is alpha.

    Formula:
        $$y = \begin{cases} \alpha\,(e^x - 1) & x \le 0 \\ x & x > 0 \end{cases}$$

    Source:
        Clevert, Unterthiner and Hochreiter, *Fast and Accurate Deep Network Learning by Exponential Linear Units*
        (2015), equation 15; operator `Elu` of ONNX opset 22.
    """
    below = np.where(x <= 0, x, 0.0)
    return np.where(x <= 0, alpha * np.expm1(below), x)


@elu.defvjp
def _(x, *, alpha=1.0):
    below = np.where(x <= 0, x, 0.0)
    slope = np.where(x <= 0, alpha * np.exp(below), 1.0)
    return np.where(x <= 0, alpha * np.expm1(below), x), lambda g: (g * slope,)


# Every entry is multiplied by a gate between 0 and 1, and the gate is `sigmoid` of the entry itself. The curve looks
# like that of `gelu`: smooth, a little below 0 for negative x (lowest near x = −1.28), and soon along the same two
# lines as `relu`. In fact `silu(x, beta=1.702)` was first proposed as a fast form of `gelu`.
#
# `beta` says how fast the gate opens. With `beta=0` it is open halfway for all, and y = x/2; for very large beta the
# curve is that of `relu`. With a beta that is learned, the function was named *Swish*.
#
# Where the gate is rounded to 0, the result is 0 even for x = −∞.
#
# **The gradient.** Write σ for sigmoid(βx). By the product rule, with g for the cotangent, the gradient of some number
# L by y,
#
# $$\frac{\partial L}{\partial x} = g\,\bigl(\sigma + \beta x\,\sigma\,(1 - \sigma)\bigr).$$
#
# As on the page of `sigmoid`, σ (1 − σ) is e / (1 + e)² with e = exp(−|βx|), which keeps its digits.
@builtin(
    category="Elementwise & activations",
    aliases=("SiLU", "swish", "sigmoid linear unit", "sigmoid-weighted linear unit"),
)
def silu(x: Array["..."], *, beta: float = 1.0) -> Array["..."]:
    r"""Multiplies every entry by its own sigmoid: a smooth relu that dips below 0.

    The feed-forward networks of Llama, Mistral and many image models are built with it. It goes entry by entry, on an
    array of any shape.

    Args:
        x: Numbers.
        beta: How fast the gate opens.

    Returns:
        An array of x's shape; with beta=1 nowhere below -0.279.

    Formula:
        $$y = x\,\sigma(\beta x) = \frac{x}{1 + e^{-\beta x}}$$

    Source:
        Hendrycks and Gimpel, *Gaussian Error Linear Units* (2016), section 2, and Ramachandran, Zoph and Le, *Searching
        for Activation Functions* (2017); operator `Swish` of ONNX opset 24.
    """
    gate = sigmoid(beta * x)
    return np.where(gate == 0, 0.0, x) * gate


@silu.defvjp
def _(x, *, beta=1.0):
    e = np.exp(-np.abs(beta * x))
    gate = np.where(beta * x >= 0, 1.0, e) / (1 + e)
    bent = np.where(e == 0, 0.0, x)  # far from 0 the curve is straight, at infinity too
    slope = gate + beta * bent * e / (1 + e) ** 2
    return np.where(gate == 0, 0.0, x) * gate, lambda g: (g * slope,)


# It is the logarithm of `sigmoid`, but it is not computed from it: for x = −800 the sigmoid is rounded to 0, and its
# logarithm would be −∞ where −800 is right. As 1 / sigmoid(x) is 1 + exp(−x), the logarithm is −log(1 + exp(−x)), which
# is −`softplus`(−x). That is used for positive x. For negative x, exp(−x) would overflow, and x is taken out of the
# logarithm: x − log(1 + exp(x)). Both need only e = exp(−|x|), and `log1p(e)` is log(1 + e), precise for a small e too.
#
# It is what the loss of a yes-or-no answer is made of: −log_sigmoid(x) where the answer is yes, and −log_sigmoid(−x)
# where it is no.
#
# **The gradient.** The derivative is 1 − sigmoid(x) = sigmoid(−x). With e = exp(−|x|), and g for the cotangent, the
# gradient of some number L by y,
#
# $$\frac{\partial L}{\partial x} = g\,\frac{e}{1 + e} \text{ if } x \ge 0, \qquad
# \frac{\partial L}{\partial x} = g\,\frac{1}{1 + e} \text{ if } x < 0.$$
@builtin(category="Elementwise & activations", aliases=("LogSigmoid", "logsigmoid", "log_expit", "log of the logistic"))
def log_sigmoid(x: Array["..."]) -> Array["..."]:
    r"""Gives the logarithm of the sigmoid of every entry, precisely also where the sigmoid is too small for a float.

    Losses of yes-or-no answers are sums of it, as its entries are logarithms of probabilities. It goes entry by
    entry, on an array of any shape.

    Args:
        x: Numbers.

    Returns:
        An array of x's shape, nowhere above 0.

    Formula:
        $$y = \log \sigma(x) = -\log\left(1 + e^{-x}\right)$$

    Source:
        SciPy's `scipy.special.log_expit`; it has no operator in ONNX.
    """
    e = np.exp(np.where(x >= 0, -x, x))
    return np.where(x >= 0, 0.0, x) - np.log1p(e)


@log_sigmoid.defvjp
def _(x):
    e = np.exp(-np.abs(x))
    slope = np.where(x >= 0, e, 1.0) / (1 + e)
    return np.minimum(x, 0) - np.log1p(e), lambda g: (g * slope,)
