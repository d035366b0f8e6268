"""Proof that a builtin does what it says: the checks, the inputs they are run on, and what they found.

Each check has a name and a sentence that says what it proves; `verify` runs them, and
`compare` holds a foreign function to a builtin on the same inputs.
"""

from opbook.checks.check import Check, Outcome, Refuted
from opbook.checks.comparison import Case, Comparison, compare
from opbook.checks.samples import Draw, Sample
from opbook.checks.verification import CHECKS, verify

__all__ = ["CHECKS", "Case", "Check", "Comparison", "Draw", "Outcome", "Refuted", "Sample", "compare", "verify"]
