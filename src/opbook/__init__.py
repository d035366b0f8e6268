"""opbook: a book of array operations in which every op is a plugin.

Declare a builtin with [`builtin`][opbook.builtin.builtin] and [`hookimpl`][opbook.hookspecs.hookimpl], differentiate
anything written in NumPy with [`vjp`][opbook.differentiate.vjp] and [`grad`][opbook.differentiate.grad], and import the
registered builtins from `opbook.ops`. Importing this package loads no plugin.
"""

from typing import TYPE_CHECKING, Any

from opbook.annotations import Array, Mask
from opbook.builtin import Builtin, builtin
from opbook.derivatives import unbroadcast
from opbook.differentiate import grad, value_and_grad, vjp
from opbook.errors import OpbookError
from opbook.hookspecs import hookimpl
from opbook.properties import Property
from opbook.rules import Rule
from opbook.sections import Section
from opbook.tape import stop_gradient

if TYPE_CHECKING:
    from opbook.catalogue import register
else:

    def __getattr__(name: str) -> Any:
        if name != "register":
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from opbook.catalogue import register  # only for who uses it: finding plugins takes time

        return register

    def __dir__() -> list[str]:
        return sorted({*globals(), "register"})


__version__ = "0.1.0"

__all__ = [
    "Array",
    "Builtin",
    "Mask",
    "OpbookError",
    "Property",
    "Rule",
    "Section",
    "builtin",
    "grad",
    "hookimpl",
    "register",
    "stop_gradient",
    "unbroadcast",
    "value_and_grad",
    "vjp",
]
