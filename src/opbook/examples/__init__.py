"""Runnable examples in Markdown pages: found, run, compared and rewritten by the same code wherever they are used.

An example is a fence of language `qu` or `python`, followed by an `output` fence with what it printed. Every fence of a
page is an example, or shows a language of a short list, or is refused with file and line.
"""

from opbook.examples.checking import check, check_example
from opbook.examples.comparing import compare
from opbook.examples.finding import find, pages
from opbook.examples.model import Example, PageError, Result
from opbook.examples.running import Produced, Runner
from opbook.examples.updating import update
from opbook.examples.using import calls, complexity

__all__ = [
    "Example",
    "PageError",
    "Produced",
    "Result",
    "Runner",
    "calls",
    "check",
    "check_example",
    "compare",
    "complexity",
    "find",
    "pages",
    "update",
]
