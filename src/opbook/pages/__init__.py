"""The pages of builtins as finished Markdown, with figures inside, and styles and scripts beside them.

May import all rooms that make a page's content (checks, examples, figures and what is below them); knows no site
generator.
"""

from opbook.pages.book import build, build_one
from opbook.pages.guides import read_guides, shipped_guides
from opbook.pages.page import Book, BuiltinPage, Guide

__all__ = ["Book", "BuiltinPage", "Guide", "build", "build_one", "read_guides", "shipped_guides"]
