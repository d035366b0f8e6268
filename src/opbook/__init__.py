"""opbook: a book of array operations in which every op is a plugin.

Declare a builtin with [`builtin`][opbook.builtins.builtin.builtin] and
[`hookimpl`][opbook.plugins.hookspecs.hookimpl], differentiate anything written in NumPy with
[`vjp`][opbook.autodiff.differentiate.vjp] and [`grad`][opbook.autodiff.differentiate.grad], and import the registered
builtins from `opbook.ops`. Importing this package loads no plugin; the first call of a builtin loads all of them, as
each may have a rule for it.
"""

import importlib
from typing import TYPE_CHECKING, Any

from opbook.autodiff import tree
from opbook.autodiff.derivatives import unbroadcast
from opbook.autodiff.differentiate import grad, value_and_grad, vjp
from opbook.autodiff.tape import stop_gradient
from opbook.builtins.annotations import Array, Bool, Int, Mask, Tree
from opbook.builtins.builtin import Builtin, builtin
from opbook.builtins.first_use import before_first_use
from opbook.builtins.property import Property
from opbook.builtins.rule import Rule
from opbook.errors import OpbookError
from opbook.plugins.contributions import Family, Section
from opbook.plugins.hookspecs import hookimpl

if TYPE_CHECKING:
    from opbook import jax as jax
    from opbook import torch as torch
    from opbook.plugins.catalogue import register
else:

    def __getattr__(name: str) -> Any:
        if name in ("jax", "torch"):
            return importlib.import_module(f"opbook.{name}")
        if name != "register":
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from opbook.plugins.catalogue import register  # only for who uses it: finding plugins takes time

        return register

    def __dir__() -> list[str]:
        return sorted({*globals(), "jax", "register", "torch"})


def _load_catalogue() -> bool:
    from opbook.plugins.catalogue import load_for_first_use  # only for who calls a builtin

    return load_for_first_use()


before_first_use(_load_catalogue)

__version__ = "0.1.0"

__all__ = [
    "Array",
    "Bool",
    "Builtin",
    "Family",
    "Int",
    "Mask",
    "OpbookError",
    "Property",
    "Rule",
    "Section",
    "Tree",
    "builtin",
    "grad",
    "hookimpl",
    "register",
    "stop_gradient",
    "tree",
    "unbroadcast",
    "value_and_grad",
    "vjp",
]
