"""Markers in an example that stand for text of another file, which a site generator puts in their place."""

import re

from opbook.examples.example import Example, PageError

SNIPPET = re.compile(r"^[ \t]*;*-+8<-+(?=[ \t]|$).*", re.MULTILINE)
"""A line of `pymdownx.snippets`: the path of a file behind it, or on the lines below it."""


def refuse_snippets(example: Example) -> None:
    """Refuse an example in whose code or output stands a marker.

    Raises:
        PageError: There is one; it is no code, and what it stands for is only known where a site is built.
    """
    for text, first in ((example.code, example.line), (example.output or "", (example.output_span or (0, 0))[0])):
        marker = SNIPPET.search(text)
        if marker:
            line = first + 1 + text.count("\n", 0, marker.start())
            raise PageError(
                example.path,
                line,
                f"{marker[0].strip()!r} is a marker of pymdownx.snippets, not code: a site generator with this "
                "extension puts a file's text in its place. `opbook site build` then runs that text; elsewhere, "
                "write the code itself, or set the fence as ```text.",
            )
