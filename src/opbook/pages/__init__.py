"""The pages of builtins: what they show, and how that is written as Markdown. Nothing here knows a site generator."""

from opbook.pages.building import build, page
from opbook.pages.findings import EdgeCases, Gradient, Refusal, Verification, VerifiedCheck
from opbook.pages.guides import read_guides, shipped_guides
from opbook.pages.model import (
    AddedSection,
    Book,
    BuiltinPage,
    Call,
    Failure,
    Field,
    Guide,
    Input,
    Origin,
    Output,
    ShownExample,
    Tape,
)

__all__ = [
    "AddedSection",
    "Book",
    "BuiltinPage",
    "Call",
    "EdgeCases",
    "Failure",
    "Field",
    "Gradient",
    "Guide",
    "Input",
    "Origin",
    "Output",
    "Refusal",
    "ShownExample",
    "Tape",
    "Verification",
    "VerifiedCheck",
    "build",
    "page",
    "read_guides",
    "shipped_guides",
]
