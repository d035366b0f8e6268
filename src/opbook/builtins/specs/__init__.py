"""Specs: what an argument must be, how it is checked and converted, and what errors say.

An annotation is read into a spec once, when a builtin is declared; a call holds its arguments to it.
"""

from opbook.builtins.specs.arrays import ArraySpec, MaskSpec
from opbook.builtins.specs.binding import Binding
from opbook.builtins.specs.spec import Spec
from opbook.builtins.specs.structures import RecordSpec, SequenceSpec
from opbook.builtins.specs.values import OptionalSpec, ValueSpec

__all__ = ["ArraySpec", "Binding", "MaskSpec", "OptionalSpec", "RecordSpec", "SequenceSpec", "Spec", "ValueSpec"]
