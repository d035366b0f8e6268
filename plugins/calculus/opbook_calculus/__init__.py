"""Gradients, as an opbook plugin."""

from collections.abc import Callable
from typing import Any

import opbook
from opbook import Family, builtin, hookimpl


# `grad` takes a function and returns a function, so it can be applied twice: `grad(grad(f))` is the second derivative.
# Nothing is computed until the new function is called.
#
# When it is called, f runs once, and a tape records every step. Then the steps are gone through once in reverse order,
# and that gives the derivatives with respect to all entries of the argument together. It takes about as long as a few
# runs of f, however many entries there are. To change one entry after the other would take one run of f for each of
# them.
#
# The value of f must be a single number. If it is an array, say which combination of its entries is meant: `sum(f(x))`,
# or `sum(w .* f(x))` with weights.
@builtin(
    category="Calculus",
    aliases=(
        "gradient",
        "derivative",
        "differentiate",
        "autodiff",
        "backpropagation",
        "autograd",
        "backward",
        "GradientTape",
    ),
)
def grad(f: Callable[..., Any], argnum: int = 0) -> Callable[..., Any]:
    r"""Makes the gradient of a function: a function of the same arguments that gives the slopes.

    It is what a model learns by: the gradient of its loss says how to change each weight. f must return a single
    number; if it returns an array, sum it first. The result is built like the argument that is differentiated: a
    number, an array, a tuple or a record. `grad(grad(f))` gives second derivatives where f takes a number.

    Args:
        f: A function whose value is one number.
        argnum: Which argument to differentiate, counted from 0.

    Returns:
        A function of f's arguments. Its value is built as the argument is: a number, an array of the same shape,
            a tuple or a record.

    Raises:
        ArgumentError: f is no function, or has no such argument.
        ShapeError: f's value is not a single number.

    Formula:
        $$\bigl(\operatorname{grad} f\bigr)(x)_i = \frac{\partial f}{\partial x_i}(x)$$

    Source:
        Griewank and Walther, *Evaluating Derivatives* (second edition, 2008), chapter 3: the reverse mode.
    """
    return opbook.grad(f, argnum)


@hookimpl
def opbook_builtins():
    """Add grad."""
    return [grad]


@hookimpl
def opbook_families():
    """Say what the category has in common."""
    return [Family("Calculus", "family.md")]
