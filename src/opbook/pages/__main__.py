"""`python -m opbook.pages`: makes pages in a process of their own; a request as JSON in, a site as JSON out.

A site that is being served lives long, and a module that it imported once would stay as it was. So each build asks a
fresh process, in which plugins are loaded and examples run. The request is one line. Whoever sent it keeps standard
input open as long as it waits: where that closes, nobody does any more, and the process ends.
"""

import contextlib
import dataclasses
import json
import os
import sys
import threading
from collections.abc import Iterator
from typing import TextIO

from opbook.examples.running import say_where
from opbook.pages.published import check
from opbook.pages.site import make
from opbook.pages.site_options import SiteOptions


@contextlib.contextmanager
def _private_stdout() -> Iterator[TextIO]:
    """Keep standard output for the site; whatever else writes there, C code too, writes to standard error."""
    sys.stdout.flush()
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as answers:
        os.dup2(2, 1)
        yield answers


def _end_with_whoever_asked(requests: int) -> None:
    while os.read(requests, 1):
        pass
    say_where()
    os._exit(1)


def _private_stdin() -> bytes:
    """Read the request, and leave an empty standard input to plugins and examples."""
    requests = os.dup(0)
    with os.fdopen(os.dup(0), "rb") as stream:
        line = stream.readline()
    with open(os.devnull, "rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    threading.Thread(target=_end_with_whoever_asked, args=[requests], daemon=True).start()
    return line


def main() -> None:
    """Make the site of the request on standard input, or check pages that were put together for it."""
    with _private_stdout() as answers:
        request = json.loads(_private_stdin())
        options = SiteOptions(**request["options"])
        pages = request["pages"]
        site = make(options) if pages is None else check(options, pages)
        json.dump(dataclasses.asdict(site), answers)


with contextlib.suppress(KeyboardInterrupt):  # it has been said what was running
    main()
