"""Runnable examples in Markdown pages: found, run, compared and rewritten by the same code wherever they are used.

An example is a fence of language `qu` or `python`, followed by an `output` fence with what it printed. Every fence of a
page is an example, or a part of an exercise, or shows a language of a short list, or is refused with file and line.
Examples may import the notation, the figures and the catalogue; they know neither checks nor pages.
"""

from opbook.examples.agreement import disagreement
from opbook.examples.collection import find, find_exercises, pages
from opbook.examples.example import Example, PageError, Result
from opbook.examples.exercise import Answer, Exercise
from opbook.examples.results import run_example, run_pages
from opbook.examples.runner import Produced, Runner
from opbook.examples.updates import update
from opbook.examples.usage import calls

__all__ = [
    "Answer",
    "Example",
    "Exercise",
    "PageError",
    "Produced",
    "Result",
    "Runner",
    "calls",
    "disagreement",
    "find",
    "find_exercises",
    "pages",
    "run_example",
    "run_pages",
    "update",
]
