"""The loops, compiled by Numba for float32 and float64.

Sums may be taken in any order, so that several are added at a time; NaN and infinities count as they do in NumPy. Sums
are float64 whatever the rows are: they stay exact for a large mean and a small spread, and squares of 1e30 fit in.
"""

import math

import numba
import numpy as np

# without "contract": a product fused with the subtraction of its own mean would not give 0 where it should
fast = numba.njit(cache=True, nogil=True, error_model="numpy", fastmath={"nsz", "reassoc"})
exactly = numba.njit(cache=True, nogil=True, error_model="numpy")


@fast
def normalize(x, gamma, beta, eps, value, centre, reciprocal, variance):
    """Layer normalization.

    Args:
        x: (N, D) rows.
        gamma: (D,) scale.
        beta: (D,) offset.
        eps: Added to the variance.
        value: (N, D) array for the scaled rows.
        centre: (N,) array of float64 for their means.
        reciprocal: (N,) array of float64 for what they were multiplied by before they were scaled.
        variance: (N,) array for their variances.
    """
    n, d = x.shape
    for i in range(n):
        first = np.float64(x[i, 0])
        total = 0.0
        for j in range(d):
            total += x[i, j] - first
        mean = total / d
        squares = 0.0
        for j in range(d):
            centred = (x[i, j] - first) - mean
            squares += centred * centred
        variance[i] = squares / d
        centre[i], reciprocal[i] = first + mean, 1 / math.sqrt(squares / d + eps)
        for j in range(d):
            normed = x.dtype.type(((x[i, j] - first) - mean) * reciprocal[i])
            value[i, j] = normed * gamma[j] + beta[j]


@fast
def pull_norm_back(g, gamma, x, centre, reciprocal, dx, d_gamma, d_beta):
    """The gradients of `normalize`.

    Args:
        g: (N, D) cotangent of the scaled rows.
        gamma: (D,) scale.
        x: (N, D) rows.
        centre: What `normalize` wrote.
        reciprocal: Likewise.
        dx: (N, D) array for the gradient of the rows.
        d_gamma: (D,) array of float64 that the gradient of the scale is added to.
        d_beta: Likewise that of the offset.
    """
    n, d = g.shape
    for i in range(n):
        along, total = 0.0, 0.0
        for j in range(d):
            normed = g.dtype.type((x[i, j] - centre[i]) * reciprocal[i])
            h = g[i, j] * gamma[j]
            along += h * normed
            total += h
            d_gamma[j] += g[i, j] * normed
            d_beta[j] += g[i, j]
        along, mean, factor = g.dtype.type(along / d), g.dtype.type(total / d), g.dtype.type(reciprocal[i])
        for j in range(d):
            normed = g.dtype.type((x[i, j] - centre[i]) * reciprocal[i])
            dx[i, j] = factor * (g[i, j] * gamma[j] - mean - normed * along)


@fast
def scale_rows(x, gamma, eps, value, reciprocal):
    """Normalization by the root of the mean square.

    Args:
        x: (N, D) rows.
        gamma: (D,) scale.
        eps: Added to the mean square.
        value: (N, D) array for the scaled rows.
        reciprocal: (N,) array of float64 for what rows were multiplied by before.
    """
    n, d = x.shape
    for i in range(n):
        squares = 0.0
        for j in range(d):
            squares += np.float64(x[i, j]) * x[i, j]
        reciprocal[i] = 1 / math.sqrt(squares / d + eps)
        factor = x.dtype.type(reciprocal[i])
        for j in range(d):
            value[i, j] = x[i, j] * factor * gamma[j]


@fast
def pull_scale_back(g, gamma, x, reciprocal, dx, d_gamma):
    """The gradients of `scale_rows`.

    Args:
        g: (N, D) cotangent of the scaled rows.
        gamma: (D,) scale.
        x: (N, D) rows.
        reciprocal: What `scale_rows` wrote.
        dx: (N, D) array for the gradient of the rows.
        d_gamma: (D,) array of float64 that the gradient of the scale is added to.
    """
    n, d = g.shape
    for i in range(n):
        factor, along = reciprocal[i], 0.0
        for j in range(d):
            normed = x[i, j] * factor
            along += np.float64(g[i, j]) * gamma[j] * normed
            d_gamma[j] += g[i, j] * normed
        mean = factor * along / d
        for j in range(d):  # in float64: of a row of one entry, the two terms are about the same
            dx[i, j] = factor * (np.float64(g[i, j]) * gamma[j] - x[i, j] * mean)


@fast
def bend(x, out):
    """What gelu's approximation takes tanh of.

    Args:
        x: (N,) entries.
        out: (N,) array for √(2/π) (z + 0.044715 z³), where z is x between -40 and 40.
    """
    slope = x.dtype.type(math.sqrt(2 / math.pi))
    cube = x.dtype.type(0.044715 * math.sqrt(2 / math.pi))
    for i in range(len(x)):
        z = min(max(x[i], x.dtype.type(-40)), x.dtype.type(40))
        out[i] = z * (slope + cube * z * z)


@fast
def gelu_of_tanh(x, value, slope):
    """Gelu by tanh, and its derivative.

    Args:
        x: (N,) entries; a NaN stays one.
        value: (N,) array that holds tanh of what `bend` wrote, for the results.
        slope: (N,) array for the derivatives.
    """
    half, one = x.dtype.type(0.5), x.dtype.type(1)
    first = x.dtype.type(0.5 * math.sqrt(2 / math.pi))
    third = x.dtype.type(1.5 * 0.044715 * math.sqrt(2 / math.pi))
    for i in range(len(x)):
        low, t = max(x[i], x.dtype.type(-40)), value[i]
        z, step = min(low, x.dtype.type(40)), half * (one + t)
        value[i] = low * step
        slope[i] = step + z * (one - t * t) * (first + third * z * z)


@exactly
def adamw(theta, g, m, v, new_theta, new_m, new_v, lr, beta1, beta2, least, weight_decay, step):
    """A step of AdamW, in float64.

    Args:
        theta: (N,) parameters.
        g: (N,) gradients.
        m: (N,) means of gradients.
        v: (N,) means of their squares.
        new_theta: (N,) array for the new parameters.
        new_m: Likewise.
        new_v: Likewise.
        lr: As for `adamw_step`, and likewise all others.
        beta1: The share of m that stays.
        beta2: The share of v that stays.
        least: Added to the root of the mean square.
        weight_decay: How much of a parameter decays.
        step: Which step it is, from 1.

    Returns:
        Whether all of v is at least 0, or NaN.
    """
    of_m, of_v = 1 / (1 - beta1**step), 1 / (1 - beta2**step)
    is_right = True
    for i in range(len(theta)):
        old, slope = np.float64(theta[i]), np.float64(g[i])
        mean = beta1 * m[i] + (1 - beta1) * slope
        square = beta2 * v[i] + (1 - beta2) * slope * slope
        is_right &= not v[i] < 0
        new_theta[i] = old - lr * (mean * of_m / (math.sqrt(square * of_v) + least) + weight_decay * old)
        new_m[i], new_v[i] = mean, square
    return is_right


@exactly
def gelu(x, value, slope):
    """The gelu of every entry and its derivative; beyond ±40 the step is exactly 0 or 1.

    Args:
        x: (N,) entries.
        value: (N,) array for the results.
        slope: (N,) array for the derivatives.
    """
    for i in range(len(x)):
        low = np.float64(-40.0) if x[i] < -40 else np.float64(x[i])  # a NaN stays one
        z = 40.0 if low > 40 else low
        step = 0.5 * (1 + math.erf(z * math.sqrt(0.5)))
        value[i] = low * step
        slope[i] = step + z * math.exp(-0.5 * z * z) / math.sqrt(2 * math.pi)
