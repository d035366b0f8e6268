"""The pages of builtins: what they show, and how that is written as Markdown. Nothing here knows a site generator."""

from opbook.pages.building import build, page
from opbook.pages.guides import read_guides
from opbook.pages.model import Book, BuiltinPage, Call, Failure, Field, Guide, Input, Origin, Output, ShownExample

__all__ = [
    "Book",
    "BuiltinPage",
    "Call",
    "Failure",
    "Field",
    "Guide",
    "Input",
    "Origin",
    "Output",
    "ShownExample",
    "build",
    "page",
    "read_guides",
]
