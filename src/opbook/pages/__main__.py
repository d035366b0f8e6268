"""`python -m opbook.pages`: builds the pages in a process of their own; a request as JSON in, pages as JSON out.

A site that is being served lives long, and a module that it imported once would stay as it was. So each build asks a
fresh process, in which plugins are loaded and examples run.
"""

import contextlib
import json
import os
import sys
from collections.abc import Iterator
from typing import Any, TextIO

from opbook.pages.worker import answer


@contextlib.contextmanager
def _private_stdout() -> Iterator[TextIO]:
    """Keep standard output for the answer; whatever else writes there, C code too, writes to standard error."""
    sys.stdout.flush()
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as answers:
        os.dup2(2, 1)
        yield answers


def main() -> None:
    """Answer the request on standard input."""
    with _private_stdout() as answers:
        request: dict[str, Any] = json.load(sys.stdin.buffer)
        json.dump(answer(request), answers)


main()
