"""The `qu` notation: a small matrix language in which the examples are written.

[`Session`][opbook.notation.Session] runs programs over any catalogue of Python functions. The notation may import the
catalogue and what lies below it; it knows neither examples nor pages.
"""

from opbook.errors import NotationError
from opbook.notation.limits import Limits
from opbook.notation.session import Session

__all__ = ["Limits", "NotationError", "Session"]
