"""Elementwise math, as an opbook plugin."""

from opbook import hookimpl
from opbook_math.basic import abs, cos, exp, log, maximum, minimum, round, sin, sqrt
from opbook_math.error_function import erf
from opbook_math.smooth import sigmoid, softplus, tanh


@hookimpl
def opbook_builtins():
    """Add the elementwise functions."""
    return [abs, cos, erf, exp, log, maximum, minimum, round, sigmoid, sin, softplus, sqrt, tanh]
