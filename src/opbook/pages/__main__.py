"""`python -m opbook.pages`: makes pages in a process of their own; options as JSON in, a site as JSON out.

A site that is being served lives long, and a module that it imported once would stay as it was. So each build asks a
fresh process, in which plugins are loaded and examples run.
"""

import contextlib
import dataclasses
import json
import os
import sys
from collections.abc import Iterator
from typing import TextIO

from opbook.pages.site import make
from opbook.pages.site_options import SiteOptions


@contextlib.contextmanager
def _private_stdout() -> Iterator[TextIO]:
    """Keep standard output for the site; whatever else writes there, C code too, writes to standard error."""
    sys.stdout.flush()
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as answers:
        os.dup2(2, 1)
        yield answers


def main() -> None:
    """Make the site that the options on standard input ask for."""
    with _private_stdout() as answers:
        json.dump(dataclasses.asdict(make(SiteOptions(**json.load(sys.stdin.buffer)))), answers)


main()
