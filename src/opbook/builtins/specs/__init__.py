"""Specs: what an argument must be, how it is checked and converted, and what errors say.

An annotation is read into a spec once, when a builtin is declared; a call holds its arguments to it.
"""

from opbook.builtins.specs.arrays import ArraySpec, BoolSpec, IntSpec, MaskSpec
from opbook.builtins.specs.binding import Binding
from opbook.builtins.specs.spec import Spec
from opbook.builtins.specs.structures import DictSpec, RecordSpec, SequenceSpec, TreeSpec
from opbook.builtins.specs.values import OptionalSpec, UnionSpec, ValueSpec

__all__ = [
    "ArraySpec",
    "Binding",
    "BoolSpec",
    "DictSpec",
    "IntSpec",
    "MaskSpec",
    "OptionalSpec",
    "RecordSpec",
    "SequenceSpec",
    "Spec",
    "TreeSpec",
    "UnionSpec",
    "ValueSpec",
]
