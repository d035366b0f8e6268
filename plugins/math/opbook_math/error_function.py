"""The error function, by rational approximation."""

import numpy as np

from opbook import Array, builtin


# The integral of the curve 2/√π · exp(−t²) from 0 to x has no closed form. It is computed from three quotients R of
# polynomials, each of which is accurate to the last digits of a float64 on its own range:
#
# - up to 0.46875, x · R(x²), which is odd, as erf is, and gives 0 at 0;
# - up to 4, 1 − exp(−x²) · R(|x|), where exp(−x²) is most of the change, and the quotient changes slowly;
# - beyond 4, 1 − exp(−x²)/|x| · (1/√π − R(1/x²)/x²), which is close to the series for large x.
#
# All three are computed for every entry, and `where` takes one of them. Entries of another range are replaced by a
# number of the right one first, because the form for large x would divide by zero at 0. So the code has no branches,
# and the tape can differentiate it, also twice.
#
# **The gradient.** The derivative is the curve under the integral. With the cotangent g = ∂L/∂y of some loss L,
#
# $$\frac{\partial L}{\partial x} = g\,\frac{2}{\sqrt\pi}\,e^{-x^2}.$$
@builtin(category="Elementwise & activations", aliases=("error function", "gauss error function"))
def erf(x: Array["..."]) -> Array["..."]:
    r"""Gives the error function of every entry: the share of a bell curve that lies within x, from -1 to 1.

    For a normal distribution with mean 0 and variance 1/2, erf(x) is the probability of a value between -x and x.

    Args:
        x: Numbers.

    Returns:
        An array of x's shape, right to 1e-15.

    Formula:
        $$y = \frac{2}{\sqrt\pi}\int_0^x e^{-t^2}\,\mathrm dt$$

    Source:
        Cody, *Rational Chebyshev Approximations for the Error Function*, Mathematics of Computation 23 (1969); the
        ranges and coefficients are those of his routine CALERF. Operator `Erf` of ONNX opset 13.
    """
    size = np.abs(x)
    near, middle = size <= 0.46875, (size > 0.46875) & (size <= 4.0)
    a = np.where(near, x, 0.0)
    b = np.where(middle, size, 1.0)
    c = np.where(near | middle, 5.0, np.where(size > _LARGEST, _LARGEST, size))
    tail = np.where(
        middle,
        np.exp(-b * b) * _quotient(_MIDDLE, b),
        np.exp(-c * c) / c * (np.pi**-0.5 - _quotient(_FAR, 1 / (c * c)) / (c * c)),
    )
    return np.where(near, a * _quotient(_NEAR, a * a), np.sign(x) * (1.0 - tail))


@erf.defvjp
def _(x):
    slope = 2 / np.sqrt(np.pi) * np.exp(-(np.minimum(np.abs(x), _LARGEST) ** 2))
    return erf.definition(x), lambda g: (g * slope,)


# The coefficients stand with the highest power first, those of the numerator above those of the denominator.
# fmt: off
_NEAR = (
    (0.185777706184603153, 3.16112374387056560, 113.864154151050156, 377.485237685302021, 3209.37758913846947),
    (1.0, 23.6012909523441209, 244.024637934444173, 1282.61652607737228, 2844.23683343917062),
)
_MIDDLE = (
    (2.15311535474403846e-8, 0.564188496988670089, 8.88314979438837594, 66.1191906371416295, 298.635138197400131,
     881.952221241769090, 1712.04761263407058, 2051.07837782607147, 1230.33935479799725),
    (1.0, 15.7449261107098347, 117.693950891312499, 537.181101862009858, 1621.38957456669019,
     3290.79923573345963, 4362.61909014324716, 3439.36767414372164, 1230.33935480374942),
)
_FAR = (
    (0.0163153871373020978, 0.305326634961232344, 0.360344899949804439, 0.125781726111229246,
     0.0160837851487422766, 6.58749161529837803e-4),
    (1.0, 2.56852019228982242, 1.87295284992346725, 0.527905102951428412, 0.0605183413124413191,
     0.00233520497626869185),
)
# fmt: on
_LARGEST = 28.0  # here exp(-x²) is 0 in float64, and erf has long been 1


def _quotient(coefficients, t):
    """Evaluate the quotient of two polynomials by Horner's scheme."""
    above, below = (part[0] for part in coefficients)
    for p, q in zip(*(part[1:] for part in coefficients), strict=True):
        above, below = above * t + p, below * t + q
    return above / below
