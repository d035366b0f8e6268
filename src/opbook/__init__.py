"""opbook: a book of array operations in which every op is a plugin.

Declare a builtin with [`builtin`][opbook.builtin.builtin] and [`hookimpl`][opbook.hookspecs.hookimpl], differentiate
anything written in NumPy with [`vjp`][opbook.differentiate.vjp] and [`grad`][opbook.differentiate.grad], and import the
registered builtins from `opbook.ops`. Importing this package loads no plugin.
"""

from opbook.annotations import Array, Mask
from opbook.builtin import Builtin, builtin
from opbook.derivatives import unbroadcast
from opbook.differentiate import grad, value_and_grad, vjp
from opbook.errors import OpbookError
from opbook.hookspecs import hookimpl
from opbook.rules import Rule
from opbook.tape import stop_gradient

__version__ = "0.1.0"

__all__ = [
    "Array",
    "Builtin",
    "Mask",
    "OpbookError",
    "Rule",
    "builtin",
    "grad",
    "hookimpl",
    "stop_gradient",
    "unbroadcast",
    "value_and_grad",
    "vjp",
]
