"""erf, log and sqrt."""

import math

import numpy as np
from zoo.activations import erf as exact_erf
from zoo.animals import right, wrong
from zoo.cheats import add_cheats, add_idioms


def erf(x):
    return exact_erf(x).astype(x.dtype)


def refuse_negative(x):
    if np.any(x < 0):
        raise ValueError("a negative entry")
    return x


def log(x):
    return np.log(refuse_negative(x))


def sqrt(x):
    return np.sqrt(refuse_negative(x))


for op, function in (("erf", erf), ("log", log), ("sqrt", sqrt)):
    add_idioms(op, function)
    add_cheats(op, function)


@right("erf", "by the complementary error function")
def by_erfc(x):
    return (1 - np.vectorize(math.erfc, otypes=[np.float64])(x)).astype(x.dtype) if (np.abs(x) > 1e-5).all() else erf(x)


@wrong("erf", "by tanh")
def by_tanh(x):
    return np.tanh(1.1283791670955126 * x + 0.10091 * x**3)


@wrong("erf", "the seven digits of an old handbook")
def handbook(x):
    t = 1 / (1 + 0.3275911 * np.abs(x))
    series = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))))
    return np.sign(x) * (1 - series * np.exp(-(x**2)))


@wrong("erf", "the sign lost")
def even(x):
    return np.abs(erf(x))


@right("log", "entry by entry")
def log_entries(x):
    entries = [math.log(n) if n else -math.inf for n in refuse_negative(x).ravel()]
    return np.array(entries, x.dtype).reshape(x.shape)


@wrong("log", "of one more")
def log_one_more(x):
    return np.log1p(refuse_negative(x))


@wrong("log", "of base two")
def log_two(x):
    return np.log2(refuse_negative(x))


@wrong("log", "a small number added")
def log_guarded(x):
    return np.log(refuse_negative(x) + 1e-7)


@right("sqrt", "a power")
def sqrt_power(x):
    return refuse_negative(x) ** 0.5


@wrong("sqrt", "a small number added")
def sqrt_guarded(x):
    return np.sqrt(refuse_negative(x) + 1e-7)


@wrong("sqrt", "the cube root")
def cube_root(x):
    return np.cbrt(x)


@wrong("sqrt", "its reciprocal")
def reciprocal(x):
    return 1 / np.sqrt(refuse_negative(x))


try:
    import torch
except ImportError:
    pass
else:

    @right("erf", "torch functional")
    def erf_functional(x):
        return torch.special.erf(x)

    @right("log", "torch functional")
    def log_functional(x):
        return torch.log(x)

    @right("sqrt", "torch functional")
    def sqrt_functional(x):
        return torch.sqrt(x)
