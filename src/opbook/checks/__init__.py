"""What a verified builtin is: the checks, the inputs they are run on, and what they found.

Each check has a name and a sentence that says what it proves; `verify` runs them, and
`compare` holds a foreign function to a builtin on the same inputs.
"""

from opbook.checks.foreign import Comparison, compare
from opbook.checks.model import Check, Outcome, Refuted
from opbook.checks.running import CHECKS, verify
from opbook.checks.sampling import Draw, Sample

__all__ = ["CHECKS", "Check", "Comparison", "Draw", "Outcome", "Refuted", "Sample", "compare", "verify"]
