"""What a verified builtin is: the checks, the inputs they are run on, and what they found.

Each check has a name and a sentence that says what it proves; [`verify`][opbook.checks.running.verify] runs them.
"""

from opbook.checks import aliasing, differentiation, evaluation, surface
from opbook.checks.foreign import Comparison, compare
from opbook.checks.registry import CHECKS, Check, Outcome, Refuted
from opbook.checks.running import verify
from opbook.checks.sampling import Draw, Sample

__all__ = [
    "CHECKS",
    "Check",
    "Comparison",
    "Draw",
    "Outcome",
    "Refuted",
    "Sample",
    "aliasing",
    "compare",
    "differentiation",
    "evaluation",
    "surface",
    "verify",
]
